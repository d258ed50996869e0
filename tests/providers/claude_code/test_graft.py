"""claude_code/graft.py: a copy whose own lines are the same, and a chain that carries on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesh.errors import SeshError
from sesh.format.blocks import TextBlock
from sesh.format.message import Message
from sesh.providers.api import SessionSource
from sesh.providers.claude_code import PROVIDER
from sesh.providers.claude_code.graft import graft, renamed

OLD, NEW = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def line(uuid: str, parent: str | None, role: str, text: str, second: int, **more: Any) -> bytes:
    message: dict[str, Any] = {"role": role, "content": text}
    if role == "assistant":
        message = {"role": role, "id": f"msg_{uuid}", "model": "m", "content": [{"type": "text", "text": text}]}
    record = {
        "parentUuid": parent,
        "isSidechain": False,
        "type": role,
        "message": message,
        "uuid": uuid,
        "timestamp": f"2026-11-20T10:00:{second:02d}.000Z",
        "cwd": "/p",
        "sessionId": OLD,
        **more,
    }
    return json.dumps(record).encode()


LINES = [
    line("u1", None, "user", "One", 1),
    line("a1", "u1", "assistant", "First.", 2),
    line("u2", "a1", "user", f'Two, about {{"sessionId": "{OLD}"}}', 3),
    line("a2", "u2", "assistant", "Second.", 4),
    json.dumps({"type": "last-prompt", "leafUuid": "a2", "explicit": True, "sessionId": OLD}).encode(),
    json.dumps({"type": "file-history-snapshot", "messageId": "u2", "snapshot": {}}).encode(),
]


def source(lines: list[bytes] = LINES, **companions: bytes) -> SessionSource:
    return SessionSource(main=b"\n".join(lines) + b"\n", name=f"{OLD}.jsonl", companions=companions)


def new(text: str = "Three", ts: str = "2026-11-20T11:00:00.000Z") -> Message:
    return Message(id=text, thread_id="t", role="user", ts=ts, content=[TextBlock(text=text)])


def grafted(given: SessionSource, messages: list[Message], after: str | None = None, **options: Any) -> Any:
    read = PROVIDER.parse(given)
    return graft(given, read, messages, path=f"projects/-p/{OLD}.jsonl", new_id=NEW, after=after, **options)


def records(result: Any) -> list[dict[str, Any]]:
    return [json.loads(x) for x in result.emitted.lines]


def test_only_the_session_id_of_each_line_changes() -> None:
    result = grafted(source(), [new()])
    assert result.emitted.path == f"projects/-p/{NEW}.jsonl"
    assert result.kept == len(LINES)
    assert result.replaced == {"sessionId": 5}
    for before, now in zip(LINES, result.emitted.lines, strict=False):
        head, found, tail = before.rpartition(OLD.encode())
        assert now == (head + NEW.encode() + tail if found else before)
    assert f'\\"sessionId\\": \\"{OLD}\\"'.encode() in result.emitted.lines[2], "what was said stays as it was said"


def test_the_chain_carries_on_at_the_last_line_and_says_so() -> None:
    after = records(grafted(source(), [new()]))[len(LINES) :]
    assert after[0]["parentUuid"] == "a2"
    assert after[0]["message"]["content"] in ("Three", [{"type": "text", "text": "Three"}])
    assert after[-1] == {"type": "last-prompt", "lastPrompt": "Three", "leafUuid": after[0]["uuid"], "sessionId": NEW}


def test_what_was_there_and_what_is_new_read_as_one() -> None:
    result = grafted(source(), [new()])
    again = PROVIDER.parse(SessionSource(main=b"\n".join(result.emitted.lines), name=f"{NEW}.jsonl"))
    texts = [b.text for m in again.messages for b in m.content if isinstance(b, TextBlock)]
    assert texts[0] == "One" and texts[-1] == "Three" and len(texts) == 5
    assert again.children == []


def test_a_graft_in_the_middle_leaves_the_rest_aside() -> None:
    given = source()
    read = PROVIDER.parse(given)
    result = grafted(given, [new()], after=read.messages[1].id)
    assert records(result)[len(LINES)]["parentUuid"] == "a1"
    again = PROVIDER.parse(SessionSource(main=b"\n".join(result.emitted.lines), name=f"{NEW}.jsonl"))
    texts = [b.text for m in again.messages for b in m.content if isinstance(b, TextBlock)]
    assert texts == ["One", "First.", "Three"]
    assert [len(c.messages) for c in again.children] == [2]


def test_times_rise_over_the_seam() -> None:
    early = grafted(source(), [new(ts="2026-11-20T09:00:00.000Z")])
    first = records(early)[len(LINES)]
    assert first["timestamp"] > "2026-11-20T10:00:04.000Z"
    assert first["sesh"]["ts"] == "2026-11-20T09:00:00.000Z"


def test_the_link_stands_at_the_end_and_counts_every_line() -> None:
    result = grafted(source(), [new()], link={"link": "l"})
    last = records(result)[-1]
    assert last == {
        "type": "sesh-link",
        "sesh": {"link": "l", "emittedLines": len(result.emitted.lines)},
        "sessionId": NEW,
    }


def test_what_lies_beside_goes_along_under_the_new_id() -> None:
    child = line("c1", None, "user", "Go", 2, isSidechain=True, agentId="x") + b"\n"
    given = SessionSource(
        main=b"\n".join(LINES),
        name=f"{OLD}.jsonl",
        companions={
            f"{OLD}/subagents/agent-x.jsonl": child,
            f"{OLD}/tool-results/r.png": b"\x89PNG\0\n\r",
            "agent-flat.jsonl": child,
            "agent-other.jsonl": child.replace(OLD.encode(), b"33333333-3333-4333-8333-333333333333"),
        },
    )
    copies = {c.path: c.data for c in grafted(given, [new()]).copies}
    base = f"projects/-p/{NEW}"
    assert copies == {
        f"{base}/subagents/agent-x.jsonl": child.replace(OLD.encode(), NEW.encode()),
        f"{base}/tool-results/r.png": b"\x89PNG\0\n\r",
        f"{base}/subagents/agent-flat.jsonl": child.replace(OLD.encode(), NEW.encode()),
    }


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_line_endings_and_odd_lines_stay(end: bytes) -> None:
    data = b"\xef\xbb\xbf" + LINES[0] + b"\r\n\n{torn\n" + LINES[1] + end
    kept, replaced = renamed(data, OLD, NEW)
    assert b"\n".join(kept).replace(NEW.encode(), OLD.encode()) + end == data
    assert replaced == {"sessionId": 2}


def test_ids_of_an_earlier_fork_stay() -> None:
    other = LINES[0].replace(OLD.encode(), b"33333333-3333-4333-8333-333333333333")
    assert renamed(other, OLD, NEW) == ([other], {})


def test_a_session_with_nothing_to_follow() -> None:
    with pytest.raises(SeshError, match="no line that new turns could follow"):
        read = PROVIDER.parse(source())
        empty = type(read)(thread=read.thread, messages=[], children=[], report=read.report)
        graft(source(), empty, [new()], path="x", new_id=NEW, after=None)
