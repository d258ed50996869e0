"""Records as text and back: nothing unknown is lost, and a kept text never lies."""

from __future__ import annotations

import copy
import hashlib
import pickle
from pathlib import Path

import msgspec
import pytest
from hypothesis import given

from sesh.format import jsontext, wire
from sesh.format.blocks import TextBlock, UnknownBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.testing.conversations import Conversation, wild_conversations

V1 = Path(__file__).parents[1] / "formats" / "v1"
FILES = sorted(V1.glob("*.jsonl"))
LINES = [
    pytest.param(line, id=f"{file.stem}-{n}")
    for file in FILES
    for n, line in enumerate(file.read_bytes().splitlines(), 1)
]
PLAIN = b'{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[{"type":"text","text":"x"}]}'
STRANGE = b'{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[{"type":"text","text":"x"}],"mood":"calm"}'


def test_the_records_of_v1_were_not_touched() -> None:
    listed = dict(reversed(line.split()) for line in (V1 / "SHA256").read_text().splitlines())
    assert listed == {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in FILES}


@pytest.mark.parametrize("line", LINES)
def test_a_record_of_v1_is_read_and_given_back(line: bytes) -> None:
    record = wire.load(line)
    assert wire.same(wire.encode(record), line)
    assert wire.load(wire.encode(record)) == record


def test_every_field_is_read_into_its_own_place() -> None:
    """Fields that are read, written and read again are equal; and the file uses them all."""
    seen: dict[str, set[str]] = {}

    def note(value: object) -> None:
        if isinstance(value, msgspec.Struct):
            names = seen.setdefault(type(value).__name__, set())
            for field in msgspec.structs.fields(type(value)):
                item = getattr(value, field.name)
                if item is not None:
                    names.add(field.name)
                note(item)
        elif isinstance(value, list):
            for item in value:
                note(item)

    for line in (V1 / "every-field.jsonl").read_bytes().splitlines():
        record = wire.load(line)
        assert type(record) in (Thread, Message), "nothing here is unknown"
        note(record)
    for struct in (Thread, Message, *wire.BLOCKS.values()):
        everything = {f.name for f in msgspec.structs.fields(struct)} - {"provider_data"}
        assert everything <= seen[struct.__name__], struct


def test_a_plain_record_is_a_plain_struct() -> None:
    record = wire.load(PLAIN)
    assert type(record) is Message
    assert wire.encode(record) == PLAIN
    reordered = wire.load(b'{"content":[],"ts":"","role":"tool","threadId":"t","id":"m","v":1}')
    assert type(reordered) is Message


def test_unknown_keys_are_named_and_kept() -> None:
    record = wire.load(STRANGE)
    assert isinstance(record, wire.VerbatimMessage)
    assert isinstance(record, Message)
    assert record.unknown == ("mood",)
    assert record.content == [TextBlock(text="x")]
    assert wire.encode(record) == STRANGE


def test_a_changed_copy_does_not_keep_the_text() -> None:
    record = wire.load(STRANGE)
    assert isinstance(record, Message)
    changed = msgspec.structs.replace(record, run_id="r")
    assert wire.load(wire.encode(changed)) == msgspec.structs.replace(wire.load(PLAIN), run_id="r")


def test_any_other_copy_keeps_it() -> None:
    record = wire.load(STRANGE)
    for twin in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert wire.encode(twin) == STRANGE


@pytest.mark.parametrize("version", ["2", '"3-beta"', "0", "true", "1.5", "[1]"])
def test_another_version_is_an_envelope(version: str) -> None:
    text = f'{{"v":{version},"id":"m","threadId":"t","said":[1.50,1e2]}}'.encode()
    record = wire.load(text)
    assert isinstance(record, Message)
    assert (record.id, record.thread_id, record.role, record.kind) == ("m", "t", "system", "context")
    assert isinstance(record.content[0], UnknownBlock)
    assert wire.encode(record) == text


def test_a_text_over_several_lines_becomes_one() -> None:
    record = wire.load(b'\n{"v":2,\r\n "id":"t",\n "title":"a\\nb"}\n')
    assert b"\n" not in wire.encode(record)
    assert jsontext.loads(wire.encode(record)) == {"v": 2, "id": "t", "title": "a\nb"}
    raw_line_feed = wire.load(b'{"v":2,"id":"t","title":"a\nb"}')
    assert jsontext.loads(wire.encode(raw_line_feed)) == {"v": 2, "id": "t", "title": "a\nb"}


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b'"words"',
        b"{}",
        b'{"id":"t","createdAt":""}',
        b'{"v":1,"id":"t"}',
        b'{"v":1,"id":7,"createdAt":""}',
        b'{"v":1,"id":"m","threadId":"t","role":"chorus","ts":"","content":[]}',
        b'{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[{"type":"text"}]}',
        b'{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[{"text":"x"}]}',
        b'{"v":2,"createdAt":""}',
        b'{"v":2,"id":"m","threadId":7}',
        PLAIN + PLAIN,
        PLAIN[:-1],
    ],
)
def test_what_is_no_record(text: bytes) -> None:
    with pytest.raises(wire.NotARecord):
        wire.load(text)


def test_the_wrong_kind_of_record() -> None:
    with pytest.raises(wire.NotARecord, match="not a thread"):
        wire.load_thread(PLAIN)
    with pytest.raises(wire.NotARecord, match="not a message"):
        wire.load_message(b'{"v":1,"id":"t","createdAt":""}')


@pytest.mark.parametrize("more", [b'"raw":null', b'"model":null', b'"usage":{"inputTokens":null}'])
def test_a_null_that_could_have_been_left_out_stays_in_the_text(more: bytes) -> None:
    text = b'{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[],%s}' % more
    assert wire.encode(wire.load(text)) == text


def test_whole_numbers_with_a_point() -> None:
    """To the schema 1.0 is an integer, and some languages write all numbers so."""
    text = b'{"v":1.0,"id":"m","threadId":"t","role":"user","ts":"","content":[],"usage":{"inputTokens":7.0}}'
    found = wire.load_message(text)
    assert found.usage is not None
    assert found.usage.input_tokens == 7
    with pytest.raises(wire.NotARecord):
        wire.load(text.replace(b"7.0", b"7.5"))


def test_sameness_is_of_json_values() -> None:
    assert wire.same(b'{"a":1,"b":[1.0]}', b'{ "b": [1.0], "a": 1 }')
    assert wire.same(b'"\\u00e9"', '"é"'.encode())
    assert not wire.same(b'{"a":1}', b'{"a":true}')
    assert not wire.same(b'{"a":1}', b'{"a":1.0}')
    assert not wire.same(b"1234567890123456789012345", b"1234567890123456789012346")
    assert not wire.same(b'{"a":1}', b'{"a":1')


@given(told=wild_conversations())
def test_any_conversation_comes_back(told: Conversation) -> None:
    for record in (told.thread, *told.messages):
        text = wire.encode(record)
        assert b"\n" not in text
        assert wire.load(text) == record
        assert wire.encode(wire.load(text)) == text
