"""A rollout's line in a list says what a whole reading of it says."""

from __future__ import annotations

import json

import pytest

from sesh.files.glimpse import glimpse
from sesh.format import walk
from sesh.providers import registry
from sesh.providers.api import Glimpse
from sesh.providers.codex.card import card, names
from tests.sessions import CORPUS, Session, main_sessions

SESSIONS = main_sessions("codex")


@pytest.mark.parametrize("session", SESSIONS, ids=lambda s: s.name)
def test_the_card_agrees_with_the_reader(session: Session) -> None:
    seen = glimpse(session.path, session.name)
    assert seen is not None
    found = card(seen)
    read = registry.get("codex").parse(session.open().source)
    about = read.thread.metadata or {}
    assert found.cwd == about.get("cwd")
    assert found.branch == about.get("gitBranch")
    assert found.version == about.get("version")
    said = "\n".join(walk.text_of(m) for m in read.messages if walk.is_prompt(m))
    assert found.prompt in (None, "[image]") or found.prompt in said or read.children


def seen(*payloads: object, path: str = "sessions/x.jsonl", **meta: object) -> Glimpse:
    """A rollout with this session_meta and these lines."""
    first = {"timestamp": "T", "type": "session_meta", "payload": {"id": "a", "cwd": "/w", **meta}}
    return Glimpse(path=path, head=b"".join(json.dumps(p).encode() + b"\n" for p in (first, *payloads)), whole=True)


def event(text: str) -> object:
    """A user message event."""
    return {"type": "event_msg", "payload": {"type": "user_message", "message": text}}


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        ("cli", None),
        ("vscode", None),
        (None, None),
        ("exec", "exec"),
        ("mcp", "mcp"),
        ({"subagent": "review"}, "sub-agent"),
        ({"custom": "x"}, "custom"),
    ],
)
def test_only_interactive_sources_are_shown(source: object, hidden: str | None) -> None:
    assert card(seen(event("hi"), source=source)).hidden == hidden


def test_archived_and_empty() -> None:
    assert card(seen(event("hi"), path="archived_sessions/x.jsonl")).hidden == "archived"
    assert card(seen()).hidden == "empty"
    assert card(seen(event("hi"), path="sessions/x.jsonl.zst")).hidden == "compressed"


def test_a_sub_agent_names_its_parent() -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}}
    assert card(seen(event("hi"), source=source)).parent == "p"


def test_history_mode_says_which_events_count() -> None:
    item = {"type": "UserMessage", "id": "1", "content": [{"type": "text", "text": "item"}]}
    completed = {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}
    assert card(seen(event("legacy"), completed, completed)).prompt == "legacy"
    paginated = card(seen(event("legacy"), completed, completed, history_mode="paginated"))
    assert (paginated.prompt, paginated.turns) == ("item", 2)


def test_without_events_the_items_count() -> None:
    def item(text: str) -> object:
        content = [{"type": "input_text", "text": text}]
        return {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}}

    found = card(seen(item("<environment_context>\n"), item("hello"), item("more")))
    assert (found.prompt, found.turns) == ("hello", 2)


def test_the_stamp_names_where_it_came_from() -> None:
    assert card(seen(event("x"), sesh={"provider": "claude-code", "sessionId": "7c"})).handed_from == "claude-code:7c"


def test_the_last_name_counts() -> None:
    index = (CORPUS / "codex/trees/app-fork-review-archive/session_index.jsonl").read_bytes()
    assert set(names(index).values()) == {"My nice name"}
    assert names(b'{"id":"a","thread_name":"1"}\n{"id":"a","thread_name":"2"}\nrubbish\n{"id":3}\n') == {"a": "2"}


def test_nothing_makes_it_raise() -> None:
    for head in (b"", b"\xff\n", b"[" * 9000, b'{"payload":7}\n', b'{"payload":{"id":3,"git":"x","source":[]}}\n'):
        assert card(Glimpse(path="x", head=head, whole=True)) is not None


def test_a_merged_copy_bears_its_link_at_its_end() -> None:
    """Its first line is the origin's own; words about a link are no link."""
    link = {"type": "sesh-link", "payload": {"sesh": {"provider": "claude-code", "sessionId": "7c9e"}}}
    quoted = {"type": "event_msg", "payload": {"type": "agent_message", "message": 'about "sesh-link"'}}
    whole = seen(event("x" * 20_000))
    later = b"".join(json.dumps(v).encode() + b"\n" for v in (link, quoted))
    assert card(Glimpse(path=whole.path, head=whole.head + later, whole=True)).handed_from == "claude-code:7c9e"
    assert card(Glimpse(path=whole.path, head=whole.head, tail=later)).handed_from == "claude-code:7c9e"
    assert card(whole).handed_from is None
