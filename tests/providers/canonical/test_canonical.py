"""Canonical JSON Lines come back as they were, and whatever else stands in such a file is kept and named."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from sesh.errors import NotASession
from sesh.format import wire
from sesh.providers import detect, registry
from sesh.providers.canonical.detect import detect as is_canonical
from sesh.providers.canonical.reader import parse_canonical
from sesh.providers.canonical.writer import emit_canonical
from sesh.testing.conversations import Conversation, wild_conversations
from tests.sessions import Session, main_sessions

THREAD = b'{"v":1,"id":"t","createdAt":"2026-01-01T00:00:00Z"}'


def message(text: str, thread: str = "t") -> bytes:
    """A message record."""
    content = [{"type": "text", "text": text}]
    return json.dumps({"v": 1, "id": text, "threadId": thread, "role": "user", "ts": "T", "content": content}).encode()


@given(wild_conversations())
def test_what_is_written_is_read_again(made: Conversation) -> None:
    emitted = emit_canonical(made.thread, made.messages, children=made.children)
    assert emitted.report.lossless
    data = b"".join(line + b"\n" for line in emitted.lines)
    read = parse_canonical(data)
    assert read.report.unknown == 0
    family = [(read.thread, read.messages), *((c.thread, c.messages) for c in read.children)]
    again = [wire.encode(r) for thread, said in family for r in (thread, *said)]
    assert again == emitted.lines


@pytest.mark.parametrize("session", main_sessions()[::5], ids=lambda s: s.name)
def test_sessions_of_the_corpus_come_back(session: Session) -> None:
    read = registry.get(session.provider).parse(session.open().source)
    emitted = emit_canonical(read.thread, read.messages, children=read.children)
    data = b"".join(line + b"\n" for line in emitted.lines)
    assert detect.provider_of(data[: detect.HEAD_BYTES], "x.jsonl").name == "canonical"
    again = parse_canonical(data)
    assert (again.thread, again.messages, again.children) == (read.thread, read.messages, read.children)


def test_odd_lines_are_kept_in_their_place_and_named() -> None:
    future = b'{"v":2,"id":"x","threadId":"t","words":"hello"}'
    data = b"\n".join([THREAD, message("one"), b"no json", future, b'{"v":1,"id":7}', b"", message("two"), b""])
    read = parse_canonical(data)
    assert [m.content[0].__class__.__name__ for m in read.messages] == [
        "TextBlock",
        "UnknownBlock",
        "UnknownBlock",
        "UnknownBlock",
        "TextBlock",
    ]
    assert (read.report.lines, read.report.used, read.report.unknown, read.report.skipped) == (7, 3, 3, {"blank": 1})
    assert [e.line for e in read.report.entries] == [3, 4, 5]


def test_lines_before_the_thread_go_to_it() -> None:
    read = parse_canonical(b"\n".join([b"junk", message("early"), THREAD]))
    assert [m.thread_id for m in read.messages] == ["t", "t"]
    assert read.report.adds_up()


def test_messages_of_an_unknown_thread_are_a_child() -> None:
    read = parse_canonical(b"\n".join([THREAD, message("a"), message("b", thread="gone")]))
    assert [c.thread.id for c in read.children] == ["gone"]
    assert [e.code for e in read.report.entries] == ["missing-history"]


def test_unknown_keys_are_named() -> None:
    read = parse_canonical(THREAD[:-1] + b',"colour":"red"}')
    assert "colour" in read.report.notes[0]


def test_no_thread_is_no_session() -> None:
    with pytest.raises(NotASession, match="no thread record"):
        parse_canonical(message("a"))


def test_agent_and_run_are_stamped() -> None:
    read = parse_canonical(THREAD + b"\n" + message("a"), agent_id="A", run_id="R")
    assert (read.thread.agent_id, read.messages[0].run_id) == ("A", "R")


def test_only_records_are_recognised() -> None:
    assert is_canonical(b"\xef\xbb\xbf" + THREAD)
    assert is_canonical(b'{"v":1,"threadId":"t","id":"x","content":"' + b"a" * 99)
    for other in (b"", b"{}", b'{"v":"1","id":"x"}', b'{"type":"user","v":1}', b"[1]"):
        assert not is_canonical(other)


def test_it_is_a_format_and_no_client() -> None:
    assert "canonical" in registry.formats()
    assert "canonical" not in registry.names()


def test_records_of_a_later_release_come_out_as_they_went_in() -> None:
    """Unknown keys, a newer version, a stamp put on: the text is kept, byte for byte where nothing is added."""
    lines = [
        b'{"v":1,"id":"t","createdAt":"","pinned":true}',
        b'{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[{"type":"hologram"}],"mood":"calm"}',
        b'{"v":2, "id":"n","threadId":"t","said":[1.50]}',
    ]
    read = parse_canonical(b"\n".join(lines))
    assert emit_canonical(read.thread, read.messages).lines == lines
    assert (read.report.used, read.report.unknown) == (2, 1)
    assert [e.code for e in read.report.entries] == ["unknown-key", "unknown-key", "unknown-record"]
    stamped = parse_canonical(b"\n".join(lines), agent_id="a", run_id="r")
    again = emit_canonical(stamped.thread, stamped.messages).lines
    assert [json.loads(line) for line in again] == [
        {**json.loads(lines[0]), "agentId": "a"},
        {**json.loads(lines[1]), "runId": "r"},
        json.loads(lines[2]),
    ]
