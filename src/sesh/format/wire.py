"""Canonical records as JSON text, and back: camelCase, `v: 1`, nothing unknown lost.

A reader of v1 meets three kinds of strangers: keys it does not know (named, so that a store keeps the record's own
text), block types it does not know (kept as unknown blocks), and records of another version (kept as text).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from sesh.format import jsontext
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

VERSION: Final = 1
Record: TypeAlias = Thread | Message


class ForeignRecord(NamedTuple):
    """A record whose `v` this release does not know: its version and its own text, untouched."""

    version: JsonValue
    text: bytes


class Decoded(NamedTuple):
    """A record, and the dotted paths of keys and block types in its text that the model has no field for."""

    record: Record
    unknown: tuple[str, ...]


class NotARecord(ValueError):
    """The text is JSON or not, but no canonical record. The message says what is wrong with it."""


_BLOCKS: Final[dict[str, type[Block]]] = {
    "text": TextBlock,
    "reasoning": ReasoningBlock,
    "tool_call": ToolCallBlock,
    "tool_result": ToolResultBlock,
    "file_change": FileChangeBlock,
    "web_search": WebSearchBlock,
    "attachment": AttachmentBlock,
    "unknown": UnknownBlock,
}


def _names(struct: type[msgspec.Struct]) -> frozenset[str]:
    tag_field = struct.__struct_config__.tag_field
    names = {f.encode_name for f in msgspec.structs.fields(struct)}
    return frozenset(names | ({tag_field} if tag_field else set()))


_THREAD: Final = _names(Thread)
_MESSAGE: Final = _names(Message)
_USAGE: Final = _names(Usage)
_PROVENANCE: Final = _names(Provenance)
_BLOCK_NAMES: Final = {tag: _names(struct) for tag, struct in _BLOCKS.items()}


def encode(record: Record | AnyBlock) -> bytes:
    """One record as one line of JSON, without its LF."""
    return jsontext.dumps(record)


def decode(text: bytes | str) -> Decoded | ForeignRecord:
    """One line of canonical JSON.

    Raises NotARecord for anything that is neither a thread nor a message of v1 nor a record of another version.
    """
    try:
        value = jsontext.loads(text)
    except jsontext.UnreadableJson as e:
        raise NotARecord(f"not JSON: {e}") from e
    if not isinstance(value, dict) or "v" not in value:
        raise NotARecord('not a canonical record: it has no "v"')
    if value["v"] != VERSION or isinstance(value["v"], bool):
        return ForeignRecord(value["v"], text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return from_object(value)


def from_object(value: JsonObject) -> Decoded:
    """A decoded v1 object as a record. A message has `threadId`, a thread has not. Raises NotARecord."""
    unknown: list[str] = []
    try:
        if "threadId" not in value:
            unknown += sorted(value.keys() - _THREAD)
            return Decoded(msgspec.convert(value, Thread), tuple(unknown))
        unknown += sorted(value.keys() - _MESSAGE)
        for key, names in (("usage", _USAGE), ("provenance", _PROVENANCE)):
            if isinstance(value.get(key), dict):
                unknown += [f"{key}.{k}" for k in sorted(value[key].keys() - names)]
        content = value.get("content")
        if isinstance(content, list):
            known = [_known_block(b, f"content[{i}]", unknown) for i, b in enumerate(content)]
            value = {**value, "content": known}
        return Decoded(msgspec.convert(value, Message), tuple(unknown))
    except msgspec.ValidationError as e:
        raise NotARecord(f"not a canonical record: {e}") from e


def _known_block(value: Any, where: str, unknown: list[str]) -> Any:
    tag = value.get("type") if isinstance(value, dict) else None
    if not isinstance(tag, str):
        return value
    names = _BLOCK_NAMES.get(tag)
    if names is None:
        unknown.append(f"{where}.type={tag}")
        return {"type": "unknown", "sourceType": tag, "raw": value}
    unknown += [f"{where}.{k}" for k in sorted(value.keys() - names)]
    return value


def decode_blocks(values: JsonValue) -> list[AnyBlock] | None:
    """A list of blocks in wire form as structs, or None where it is no such list (a stamp somebody edited)."""
    try:
        return msgspec.convert(values, list[AnyBlock])
    except msgspec.ValidationError:
        return None
