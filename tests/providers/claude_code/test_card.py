"""A session's line in a list says what a whole reading of it says."""

from __future__ import annotations

import pytest

from sesh.catalog.listing import short
from sesh.files.glimpse import glimpse
from sesh.format import walk
from sesh.providers import registry
from sesh.providers.api import Glimpse
from sesh.providers.claude_code.card import card
from tests.sessions import Session, main_sessions

SESSIONS = main_sessions("claude-code")


@pytest.mark.parametrize("session", SESSIONS, ids=lambda s: s.name)
def test_the_card_agrees_with_the_reader(session: Session) -> None:
    seen = glimpse(session.path, session.name)
    assert seen is not None
    found = card(seen)
    read = registry.get("claude-code").parse(session.open().source)
    about = read.thread.metadata or {}
    assert (found.title or short(found.prompt or "")) == (read.thread.title or "")
    assert found.cwd == about.get("cwd")
    assert found.branch in (about.get("gitBranch"), None)
    assert found.model == about.get("model")
    assert found.version == about.get("version")
    if found.turns is not None:
        prompts = [m for m in read.messages if walk.is_prompt(m)]
        # A prompt typed while the model worked stands in an attachment or a queue line, which a list does not read.
        assert len(prompts) - found.turns in (0, 1)


def line(kind: str, text: str, **more: object) -> bytes:
    """A line as the client writes it, short."""
    import json

    message = {"role": kind, "content": text}
    return json.dumps({"type": kind, "message": message, "cwd": "/w", "uuid": "u1", **more}).encode() + b"\n"


def seen(*lines: bytes) -> Glimpse:
    """A glimpse of a file of these lines."""
    return Glimpse(path="projects/w/x.jsonl", head=b"".join(lines), whole=True)


def test_titles_by_rank_and_the_last_one_counts() -> None:
    custom = b'{"type":"custom-title","customTitle":"mine"}\n'
    by_model = b'{"type":"ai-title","aiTitle":"old"}\n{"type":"ai-title","aiTitle":"new"}\n'
    assert card(seen(by_model, line("user", "hi"))).title == "new"
    assert card(seen(custom, by_model, line("user", "hi"))).title == "mine"
    assert card(seen(line("user", 'say "ai-title" twice'))).title is None


def test_a_summary_counts_only_for_its_own_file() -> None:
    own = b'{"type":"summary","summary":"S","leafUuid":"u1"}\n'
    other = b'{"type":"summary","summary":"S","leafUuid":"u9"}\n'
    assert card(seen(own, line("user", "hi").replace(b": ", b":"))).title == "S"
    assert card(seen(other, line("user", "hi"))).title is None


def test_what_nobody_typed_is_no_prompt() -> None:
    found = card(
        seen(
            line("user", "Caveat", isMeta=True),
            line("user", "<command-name>/clear</command-name>"),
            line("user", "[Request interrupted by user]"),
            line("user", "sub", isSidechain=True),
            line("user", "real"),
            line("user", "again"),
        )
    )
    assert (found.prompt, found.turns) == ("real", 2)


def test_a_command_stands_for_a_missing_prompt() -> None:
    text = "<command-message>x</command-message>\n<command-name>/x</command-name>\n<command-args>a b</command-args>"
    assert card(seen(line("user", text))).prompt == "/x a b"


def test_hidden_kinds() -> None:
    assert card(seen(line("user", "x", entrypoint="sdk-cli"))).hidden == "sdk"
    assert card(seen(line("user", "x", isSidechain=True))).hidden == "sub-agent"
    assert card(seen(b'{"type":"mode","mode":"normal"}\n')).hidden == "empty"
    assert card(seen()).hidden == "empty"
    assert card(seen(line("user", "x", entrypoint="cli"))).hidden is None


def test_the_stamp_names_where_it_came_from() -> None:
    stamp = b'{"type":"sesh-link","sesh":{"provider":"codex","sessionId":"01a"}}\n'
    assert card(seen(line("user", "x"), stamp)).handed_from == "codex:01a"


def test_nothing_makes_it_raise() -> None:
    for head in (
        b"\xff\xfe\n",
        b'{"cwd": 3, "message": 4}\n',
        b'{"type":"user","message":{"content":{}},"cwd":[]}',
        b"[" * 9000,
    ):
        assert card(Glimpse(path="x", head=head, whole=True)) is not None
        assert card(Glimpse(path="x", head=head, tail=head)) is not None


def test_a_merged_copy_bears_its_link_at_its_end() -> None:
    """Read whole or in part, far behind what is looked at as the top."""
    stamp = b'{"type":"sesh-link","sesh":{"provider":"codex","sessionId":"01a"}}\n'
    body = line("user", "x" * 9000) + stamp
    assert card(seen(body)).handed_from == "codex:01a"
