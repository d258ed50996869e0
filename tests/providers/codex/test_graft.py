"""codex/graft.py: a copy whose own lines are the same, and records that carry on in the file's own form."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from sesh.errors import SeshError
from sesh.format.blocks import TextBlock
from sesh.format.message import Message
from sesh.providers.api import SessionSource
from sesh.providers.codex import PROVIDER
from sesh.providers.codex.graft import graft, renamed

OLD, NEW = "01a1f866-0d00-7226-b63c-5ab791b7584a", "01a1f866-0d00-7777-8888-999999999999"
NAME = f"rollout-2026-11-20T10-00-00-{OLD}.jsonl"


def message(role: str, text: str) -> tuple[str, dict[str, Any]]:
    kind = "output_text" if role == "assistant" else "input_text"
    return "response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def event(kind: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "event_msg", {"type": kind, **fields}


def rollout(paginated: bool) -> list[bytes]:
    meta = {
        "id": OLD,
        "session_id": OLD,
        "timestamp": "2026-11-20T10:00:00.000Z",
        "cwd": "/p",
        "originator": "codex",
        "cli_version": "0.169.0",
    }
    if paginated:
        meta["history_mode"] = "paginated"
    given = [
        ("session_meta", meta),
        message("user", "One"),
        event("user_message", message="One"),
        message("assistant", "First."),
        event("thread_settings_applied", thread_id=OLD),
        message("user", f"Two, in thread_id {OLD}"),
        event("user_message", message=f"Two, in thread_id {OLD}"),
        message("assistant", "Second."),
    ]
    lines = []
    for n, (kind, payload) in enumerate(given):
        record: dict[str, Any] = {"timestamp": f"2026-11-20T10:00:{n:02d}.000Z"}
        if paginated:
            record["ordinal"] = n + 40
        lines.append(json.dumps({**record, "type": kind, "payload": payload}).encode())
    return lines


def source(paginated: bool) -> SessionSource:
    return SessionSource(main=b"\n".join(rollout(paginated)) + b"\n", name=NAME)


def new(role: Any = "user", text: str = "Three") -> Message:
    return Message(id=text, thread_id="t", role=role, ts="2026-11-20T11:00:00.000Z", content=[TextBlock(text=text)])


def grafted(
    paginated: bool, after: str | None = None, path: str = f"sessions/2026/11/20/{NAME}", **options: Any
) -> Any:
    given = source(paginated)
    said = [new(), new("assistant", "Third.")]
    return graft(given, PROVIDER.parse(given), said, path=path, new_id=NEW, after=after, **options)


def texts(result: Any) -> list[str]:
    again = PROVIDER.parse(
        SessionSource(main=b"\n".join(result.emitted.lines), name=result.emitted.path.split("/")[-1])
    )
    return [b.text for m in again.messages for b in m.content if isinstance(b, TextBlock)]


BOTH = pytest.mark.parametrize("paginated", [False, True])


@BOTH
def test_only_the_thread_id_changes(paginated: bool) -> None:
    result = grafted(paginated)
    own = rollout(paginated)
    assert result.emitted.path == f"sessions/2026/11/20/rollout-2026-11-20T10-00-00-{NEW}.jsonl"
    assert result.kept == len(own)
    assert result.replaced == {"id": 1, "session_id": 1, "thread_id": 1}
    changed = [n for n, (a, b) in enumerate(zip(own, result.emitted.lines, strict=False)) if a != b]
    assert changed == [0, 4]
    for n in changed:
        assert result.emitted.lines[n].replace(NEW.encode(), OLD.encode()) == own[n]


@BOTH
def test_the_new_records_have_the_form_of_the_file(paginated: bool) -> None:
    result = grafted(paginated)
    ordinals = [json.loads(x).get("ordinal") for x in result.emitted.lines]
    if paginated:
        assert ordinals == list(range(40, 40 + len(ordinals)))
    else:
        assert set(ordinals) == {None}
    kinds = [json.loads(x)["type"] for x in result.emitted.lines]
    assert kinds.count("session_meta") == 1
    assert [t for t in texts(result) if "Two" not in t] == ["One", "First.", "Second.", "Three", "Third."]


def test_token_counts_go_on_from_the_copys_last() -> None:
    """So that Codex knows how long the history is, and compacts it in time."""
    usage = {"input_tokens": 900, "cached_input_tokens": 0, "output_tokens": 100, "total_tokens": 1000}
    info = {"total_token_usage": {**usage, "total_tokens": 5000}, "last_token_usage": usage}
    count = json.dumps(
        {"timestamp": "2026-11-20T10:00:09.000Z", "type": "event_msg", "payload": {"type": "token_count", "info": info}}
    )
    given = SessionSource(main=b"\n".join([*rollout(False), count.encode()]), name=NAME)

    def last(*said: Message) -> dict[str, Any]:
        done = graft(given, PROVIDER.parse(given), said, path=f"sessions/2026/11/20/{NAME}", new_id=NEW, after=None)
        counts = [
            r["payload"] for r in map(json.loads, done.emitted.lines) if r["payload"].get("type") == "token_count"
        ]
        found: dict[str, Any] = counts[-1]["info"]
        return found

    after = last(new())
    assert after["total_token_usage"]["total_tokens"] >= 5000
    assert 1000 < after["last_token_usage"]["total_tokens"] < 1100
    summary = Message(**{**msgspec.structs.asdict(new(text="In short")), "kind": "summary"})
    assert last(summary, new())["last_token_usage"]["total_tokens"] < 500, "a compaction begins anew"


@BOTH
def test_turns_that_are_not_followed_are_rolled_back(paginated: bool) -> None:
    first_answer = PROVIDER.parse(source(paginated)).messages[1].id
    result = grafted(paginated, after=first_answer)
    added = [json.loads(x)["payload"] for x in result.emitted.lines[result.kept :]]
    assert added[0] == {"type": "thread_rolled_back", "num_turns": 1}
    assert texts(result) == ["One", "First.", "Three", "Third."]


def test_turns_are_counted_as_the_client_counts_them() -> None:
    """Mail and the client's `<user_action>` begin a turn for it, an environment does not (measured/)."""
    more = [
        message("user", "<environment_context>x</environment_context>"),
        message("user", "<user_action>x</user_action>"),
        ("response_item", {"type": "agent_message", "author": "/root/kid", "recipient": "/root", "content": []}),
        message("assistant", "Fourth."),
    ]
    lines = [json.dumps({"timestamp": "2026-11-20T10:01:00.000Z", "type": k, "payload": p}).encode() for k, p in more]
    given = SessionSource(main=b"\n".join([*rollout(False), *lines]) + b"\n", name=NAME)
    read = PROVIDER.parse(given)
    said = [new(), new("assistant", "Third.")]
    result = graft(given, read, said, path=f"sessions/2026/11/20/{NAME}", new_id=NEW, after=read.messages[1].id)
    assert json.loads(result.emitted.lines[result.kept])["payload"] == {"type": "thread_rolled_back", "num_turns": 3}
    assert texts(result) == ["One", "First.", "Three", "Third."]


@BOTH
def test_the_link_is_a_line_of_its_own_that_the_reader_knows(paginated: bool) -> None:
    result = grafted(paginated, link={"link": "l"})
    last = json.loads(result.emitted.lines[-1])
    assert last["type"] == "sesh-link"
    assert last["payload"] == {"sesh": {"link": "l", "emittedLines": len(result.emitted.lines)}}
    assert ("ordinal" in last) == paginated
    again = PROVIDER.parse(b"\n".join(result.emitted.lines))
    assert again.report.unknown == 0


def test_a_copy_of_an_archived_thread_is_not_archived() -> None:
    assert grafted(False, path=f"archived_sessions/{NAME}").emitted.path.startswith("sessions/2026/11/20/rollout-")


def test_a_copy_of_a_later_segment_is_a_thread_of_its_own() -> None:
    name = f"rollout-2026-11-21T10-00-00-{OLD}_01a1f866-0d00-7226-b63c-000000000000.jsonl"
    path = grafted(True, path=f"sessions/2026/11/21/{name}").emitted.path
    assert path == f"sessions/2026/11/21/rollout-2026-11-21T10-00-00-{NEW}.jsonl"


def test_a_parents_header_that_a_fork_copied_stays() -> None:
    parent = rollout(False)[0].replace(OLD.encode(), b"01a1f866-0d00-7226-b63c-111111111111")
    own = rollout(False)
    kept, replaced = renamed(b"\n".join([own[0], parent, *own[1:]]), OLD, NEW)
    assert kept[1] == parent
    assert replaced["id"] == 1


def test_a_rollout_of_the_oldest_form_cannot_be_added_to() -> None:
    bare = b'{"id":"%s","timestamp":"2025-01-01T00:00:00Z","instructions":null}\n' % OLD.encode()
    bare += json.dumps(message("user", "One")[1]).encode()
    given = SessionSource(main=bare, name=NAME)
    with pytest.raises(SeshError, match=r"form of Codex 0\.28"):
        graft(given, PROVIDER.parse(given), [new()], path="x", new_id=NEW, after=None)
