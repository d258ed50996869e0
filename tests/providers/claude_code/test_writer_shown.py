"""What the real client's screen shows of a converted session: in its list, and as a transcript."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sesh.providers.api import EmitResult
from sesh.providers.claude_code import PROVIDER
from sesh.testing.golden import matches
from tests.clients import Claude
from tests.clients.placing import place
from tests.providers.claude_code.test_write_children import family
from tests.sessions import session

pytestmark = pytest.mark.client

SCREENS = Path(__file__).parent / "screens"
_IN_DETAIL = ("\x0f", "Showing detailed transcript")
"""Control-O, and what the screen says when it has drawn every call with its output."""


def converted(name: str, cwd: Path) -> EmitResult:
    opened = session(name).open()
    got = opened.provider.parse(opened.source)
    return PROVIDER.emit(got.thread, got.messages, children=got.children, cwd=str(cwd), client_version="2.1.328")


def test_the_transcript_shows_each_turn_call_and_output(claude_client: Claude) -> None:
    cwd = claude_client.folder()
    looks_like(converted("codex/0.169.0/rich.jsonl", cwd), "codex-0.169.0-rich", claude_client, cwd)


def test_a_sub_agent_is_shown_under_its_call(claude_client: Claude) -> None:
    cwd = claude_client.folder()
    looks_like(family().emit(cwd=str(cwd)), "sub-agent", claude_client, cwd)


def looks_like(result: EmitResult, screen: str, client: Claude, cwd: Path) -> None:
    home = client.home()
    place(result, home)
    _, shown = client.screens("--resume", result.session_id, until="❯ ", keys=[_IN_DETAIL], home=home, cwd=cwd)
    matches(SCREENS / f"{screen}.txt", transcript(shown, cwd))


def transcript(picture: str, cwd: Path) -> str:
    """The talk on the screen: from the first prompt to the line below it, times and folders taken out."""
    start = picture.index("❯ ")
    talk = picture[start : picture.index("\n────", start)]
    talk = re.sub(r" +\d\d:\d\d [AP]M (\S+)", r"          \1", talk.replace(str(cwd), "PROJ"))
    return re.sub(r"\n{3,}", "\n\n", talk).rstrip() + "\n"


def test_the_list_shows_title_and_branch(claude_client: Claude) -> None:
    home, cwd = claude_client.home(), claude_client.folder()
    place(converted("codex/0.142.0/compacted.jsonl", cwd), home)
    (shown,) = claude_client.screens("--resume", until="compact me", home=home, cwd=cwd)
    lines = shown.split("\n")
    at = next(n for n, line in enumerate(lines) if "compact me" in line)
    assert "ago · main · " in lines[at + 1]
