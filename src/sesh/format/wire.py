"""Canonical records as JSON text, and back: camelCase, `v: 1`, nothing unknown lost.

A reader of v1 meets three kinds of strangers, and `load` takes each of them:

* keys it does not know: the record is read, and keeps its own text beside its fields;
* block types it does not know: `unknown` blocks, likewise with the text kept;
* records of another version: an envelope (`v`, `id`, `threadId`) around text that is handed on untouched.

A record that keeps its text is a `VerbatimMessage` or `VerbatimThread`. It is an ordinary Message or Thread to
everyone; only `encode` gives back the text instead of the fields. A copy with changed fields
(`msgspec.structs.replace`) has no text any more and is encoded from its fields, so a kept text never lies.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from sesh.format import jsontext, versions
from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    Block,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    WebSearchBlock,
)
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Message, Provenance, Usage
from sesh.format.thread import Thread

VERSION: Final = versions.CURRENT
Record: TypeAlias = Thread | Message
R = TypeVar("R", Thread, Message)

FOREIGN: Final = "sesh-v"
"""`source_type` of the one block of a message of another version, followed by that version."""

BLOCKS: Final[dict[str, type[Block]]] = {
    "text": TextBlock,
    "reasoning": ReasoningBlock,
    "tool_call": ToolCallBlock,
    "tool_result": ToolResultBlock,
    "file_change": FileChangeBlock,
    "web_search": WebSearchBlock,
    "attachment": AttachmentBlock,
    "unknown": UnknownBlock,
}
"""The block types of v1 by their `type`."""


class Decoded(NamedTuple):
    """A record, and the dotted paths of keys and block types in its text that the model has no field for."""

    record: Record
    unknown: tuple[str, ...]


class NotARecord(ValueError):
    """The text is JSON or not, but no canonical record. The message says what is wrong with it."""


class _Verbatim:
    """What a record that keeps its text has besides its fields (they live outside of the struct's own fields)."""

    text: bytes
    """The record's own JSON, one line."""
    version: JsonValue
    """Its `v`."""
    unknown: tuple[str, ...]
    """Dotted paths of what this release has no field for; empty where the version alone is strange."""

    def __copy__(self: Any) -> Any:
        return self  # frozen: a copy would only lose the text

    def __reduce__(self) -> tuple[Any, ...]:
        return load, (self.text,)


class VerbatimMessage(_Verbatim, Message, frozen=True, kw_only=True, dict=True, gc=True):
    """A message that keeps its own text: see the module."""


class VerbatimThread(_Verbatim, Thread, frozen=True, kw_only=True, dict=True, gc=True):
    """A thread that keeps its own text: see the module."""


def encode(record: Record | AnyBlock) -> bytes:
    """One record as one line of JSON, without its LF: its own text where it kept one."""
    if isinstance(record, _Verbatim):
        text: bytes | None = record.__dict__.get("text")
        if text is not None:
            return text
    return jsontext.dumps(record)


def encode_into(record: Record, buffer: bytearray) -> None:
    """`encode` at the end of a buffer: for many records, without an object for each one's text."""
    start = len(buffer)
    try:
        if type(record) in _PLAIN:
            _ENCODER.encode_into(record, buffer, -1)
            return
    except UnicodeEncodeError:
        del buffer[start:]
    buffer += encode(record)


def load(text: bytes | str) -> Record:
    """One line of canonical JSON as a thread or a message. Nothing in it is lost: `encode(load(text))` is its equal.

    Raises NotARecord for what is neither a record of v1 nor one of another version with its envelope.
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return _fast(data, _message_decoder()) or _fast(data, _thread_decoder()) or _strange(data)


def load_message(text: bytes) -> Message:
    """`load`, for a place where only a message can stand. Raises NotARecord."""
    record = _fast(text, _message_decoder()) or _strange(text)
    if not isinstance(record, Message):
        raise NotARecord("not a message: it has no threadId")
    return record


def load_thread(text: bytes) -> Thread:
    """`load`, for a place where only a thread can stand. Raises NotARecord."""
    record = _fast(text, _thread_decoder()) or _strange(text)
    if not isinstance(record, Thread):
        raise NotARecord("not a thread: it has a threadId")
    return record


def from_object(value: JsonObject) -> Decoded:
    """A decoded v1 object as a record. A message has `threadId`, a thread has not. Raises NotARecord."""
    unknown: list[str] = []
    value = _whole_numbers(value)
    try:
        if "threadId" not in value:
            unknown += sorted(value.keys() - _names(Thread))
            return Decoded(jsontext.convert(value, Thread), tuple(unknown))
        unknown += sorted(value.keys() - _names(Message))
        for key, struct in (("usage", Usage), ("provenance", Provenance)):
            if isinstance(value.get(key), dict):
                unknown += [f"{key}.{k}" for k in sorted(value[key].keys() - _names(struct))]
        content = value.get("content")
        if isinstance(content, list):
            known = [_known_block(b, f"content[{i}]", unknown) for i, b in enumerate(content)]
            value = {**value, "content": known}
        return Decoded(jsontext.convert(value, Message), tuple(unknown))
    except msgspec.ValidationError as e:
        raise NotARecord(f"not a canonical record: {e}") from e


def decode_blocks(values: JsonValue) -> list[AnyBlock] | None:
    """A list of blocks in wire form as structs, or None where it is no such list (a stamp somebody edited)."""
    try:
        return jsontext.convert(values, list[AnyBlock])
    except msgspec.ValidationError:
        return None


def same(one: bytes, other: bytes) -> bool:
    """Whether two texts are the same JSON value, whatever the order of their keys and their spacing."""
    try:
        return one == other or _sorted(jsontext.loads(one)) == _sorted(jsontext.loads(other))
    except jsontext.UnreadableJson:
        return False


_PLAIN: Final = (Message, Thread)
_ENCODER: Final = msgspec.json.Encoder()


# What only reading canonical records takes is made on first use: every writer imports this module for `encode`.


@cache
def _message_decoder() -> msgspec.json.Decoder[Message]:
    return msgspec.json.Decoder(Message)


@cache
def _thread_decoder() -> msgspec.json.Decoder[Thread]:
    return msgspec.json.Decoder(Thread)


def _fast(text: bytes, decoder: msgspec.json.Decoder[R]) -> R | None:
    """The record where its text is exactly what `encode` would write: then there is nothing in it to keep."""
    try:
        record = decoder.decode(text)
        return record if jsontext.encode_any(record) == text else None
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def _strange(text: bytes) -> Record:
    try:
        value = jsontext.loads(text)
    except jsontext.UnreadableJson as e:
        raise NotARecord(f"not JSON: {e}") from e
    return from_value(value, text)


def from_value(value: JsonValue, text: bytes) -> Record:
    """`load`, where the text was decoded already. Raises NotARecord."""
    if not isinstance(value, dict) or "v" not in value:
        raise NotARecord('not a canonical record: it has no "v"')
    version = value["v"]
    current = versions.upgrade(value)
    if current["v"] != VERSION or isinstance(current["v"], bool):
        return _keep(_envelope(value), _line(text, value), version, ())
    record, unknown = from_object(current)
    if not unknown and current is value and jsontext.loads(encode(record)) == value:
        return record  # a null where the field could have been left out is no part of the record, but of its text
    return _keep(record, _line(text, value), version, unknown)


def _envelope(value: JsonObject) -> Record:
    """A record of another version as far as it can be read: its ids, and the rest whole.

    What a thread says of itself under a name and type of v1 is taken at its word; of a message only the ids are,
    because a new version may give any other field a new meaning.
    """
    record_id, thread_id = value.get("id"), value.get("threadId")
    if not isinstance(record_id, str) or not isinstance(thread_id, str | None):
        raise NotARecord(f"a record of version {value['v']!r} without the ids that every version has")
    said = {k: v for k in ("agentId", "parentThreadId", "title") if isinstance(v := value.get(k), str)}
    if thread_id is None:
        created = value.get("createdAt")
        made = {"v": 1, "id": record_id, "createdAt": created if isinstance(created, str) else "", **said}
        return msgspec.convert(made, Thread)
    ts = value.get("ts")
    return Message(
        id=record_id,
        thread_id=thread_id,
        role="system",
        kind="context",
        ts=ts if isinstance(ts, str) else "",
        content=[UnknownBlock(source_type=f"{FOREIGN}{value['v']}", raw=value)],
    )


def _keep(record: Record, text: bytes, version: JsonValue, unknown: tuple[str, ...]) -> Record:
    kind = VerbatimThread if isinstance(record, Thread) else VerbatimMessage
    kept = kind(**{name: getattr(record, name) for name in record.__struct_fields__})
    kept.__dict__.update(text=text, version=version, unknown=unknown)
    return kept


def _line(text: bytes, value: JsonValue) -> bytes:
    """The text as one line of UTF-8: itself wherever it is that already.

    Line feeds between tokens become spaces; text that only the forgiving reader took is written anew.
    """
    text = text.strip()
    try:
        jsontext.decode_any(text)
        text.decode("utf-8")
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        if not text.isascii() or b"\n" in text or b"\r" in text or b"\0" in text:
            return jsontext.dumps(value)
    return text.replace(b"\n", b" ").replace(b"\r", b" ") if b"\n" in text or b"\r" in text else text


def _sorted(value: JsonValue) -> str:
    import json  # only where two records are compared

    return json.dumps(value, sort_keys=True, ensure_ascii=True)


def _whole_numbers(value: JsonObject) -> JsonObject:
    """The same with 1.0 as 1 where an integer belongs: JSON has one kind of number, and some writers say it so."""
    usage = value.get("usage")
    if isinstance(value.get("v"), float) and value["v"] == VERSION:
        value = {**value, "v": VERSION}
    if isinstance(usage, dict) and any(isinstance(n, float) for n in usage.values()):
        whole = {k: int(n) if isinstance(n, float) and n.is_integer() else n for k, n in usage.items()}
        value = {**value, "usage": whole}
    return value


@cache
def _names(struct: type[msgspec.Struct]) -> frozenset[str]:
    tag_field = struct.__struct_config__.tag_field
    names = {f.encode_name for f in msgspec.structs.fields(struct)}
    return frozenset(names | ({tag_field} if tag_field else set()))


def _known_block(value: Any, where: str, unknown: list[str]) -> Any:
    tag = value.get("type") if isinstance(value, dict) else None
    if not isinstance(tag, str):
        return value
    struct = BLOCKS.get(tag)
    if struct is None:
        unknown.append(f"{where}.type={tag}")
        return {"type": "unknown", "sourceType": tag, "raw": value}
    unknown += [f"{where}.{k}" for k in sorted(value.keys() - _names(struct))]
    return value
