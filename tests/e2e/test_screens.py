"""What people see: a converted session on the client's own screen, reviewed by eye and pinned.

tests/e2e/screens holds the screens. After a change of a writer: SESH_GOLDEN=write, then read the difference as a user
would: every turn, call, output, diff and image is to be seen.
"""

from __future__ import annotations

import re
from pathlib import Path

from sesh.testing.golden import matches
from tests.clients import Claude, Codex
from tests.e2e.crossing import carry
from tests.sessions import session

SCREENS = Path(__file__).parent / "screens"
_CTRL_O = "\x0f"


def transcript(screen: str, folder: Path) -> str:
    """The talk on a screen: from the first prompt to the input box; folders of the test and blank runs left out.

    So are days: Codex shows a time of another day than today with its date.
    """
    body = re.split(r"^(?:─{20,}|› Ask Codex.*| *◐ .*)$", screen, maxsplit=1, flags=re.MULTILINE)[0]
    start = re.search(r"^[❯›] ", body, flags=re.MULTILINE)
    assert start is not None, screen
    text = body[start.start() :].replace(str(folder), "FOLDER")
    text = re.sub(r"• [A-Z][a-z]{2} \d{1,2}(?:, \d{4})? at (?=\d\d:\d\d$)", "• ", text, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def test_tools_of_claude_on_the_screen_of_codex(codex_client: Codex) -> None:
    given = session("2-1-328-tools/70405639-be60-4298-83ce-8ae759fd065b.jsonl")
    done = carry(given, codex_client)
    (_, shown) = codex_client.screens(
        "resume",
        done.result.session_id,
        until="Use existing model",
        keys=[("2\r", "All tools used.")],  # a new user is offered another model first
        home=done.home,
        cwd=done.cwd,
    )
    matches(SCREENS / "claude-tools-in-codex.txt", transcript(shown, done.cwd))


def test_rich_of_codex_on_the_screen_of_claude(claude_client: Claude) -> None:
    done = carry(session("codex/0.142.0/rich.jsonl"), claude_client)
    short, whole = claude_client.screens(
        "--resume",
        done.result.session_id,
        until="● Done.",
        keys=[(_CTRL_O, "Showing detailed transcript")],
        home=done.home,
        cwd=done.cwd,
    )
    matches(SCREENS / "codex-rich-in-claude.txt", transcript(short, done.cwd))
    matches(SCREENS / "codex-rich-in-claude-in-detail.txt", transcript(whole, done.cwd))
