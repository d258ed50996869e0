"""The words on one line of a rollout, for the search. Only response items count: events say the same again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from sesh.format import jsontext
from sesh.providers.api import Spoken
from sesh.providers.codex import mail

_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")


class _Line(msgspec.Struct, gc=False):
    type: str | None = None
    payload: Any = None
    role: Any = None
    content: Any = None


_decode: Final = msgspec.json.Decoder(_Line).decode


def spoken(line: bytes) -> Sequence[Spoken]:
    """What was said on this line; nothing on lines of other kinds, and on what is no JSON."""
    if b'"event_msg"' in line[:200]:
        return ()
    try:
        record = _decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        found = [p.value for p in jsontext.pieces(line) if p.readable and isinstance(p.value, dict)]
        return [s for value in found for s in _of(value.get("payload", value))]
    if record.type == "response_item":
        return list(_of(record.payload))
    if record.type == "inter_agent_communication":
        return list(_of(mail.item(record.payload)))
    if record.payload is None and record.type is not None:  # a bare line of the time before the envelope
        return spoken_bare(line)
    return ()


def spoken_bare(line: bytes) -> Sequence[Spoken]:
    """The same for a line that is the item itself."""
    try:
        return list(_of(jsontext.loads(line)))
    except jsontext.UnreadableJson:
        return ()


def _of(item: Any) -> Iterator[Spoken]:
    if not isinstance(item, dict):
        return
    kind = item.get("type")
    if kind == "message":
        if item.get("role") in ("user", "assistant"):
            yield Spoken(item["role"], _text(item.get("content")))
    elif kind == "agent_message":
        yield Spoken("user", _text(item.get("content")))
    elif kind in _CALLS:
        told = item.get(_CALLS[kind])
        if isinstance(told, str):
            yield Spoken("tool", _arguments(told))
    elif kind in _OUTPUTS:
        yield Spoken("tool", _text(item.get("output")))


def _arguments(text: str) -> str:
    """A call's arguments as words: the strings in them, since they are searched by what they say."""
    try:
        value = jsontext.loads(text)
    except jsontext.UnreadableJson:
        return text
    if not isinstance(value, dict):
        return text
    return "\n".join(v for v in value.values() if isinstance(v, str))


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str))
