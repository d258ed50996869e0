"""The words on one line of a Claude Code session, for the search: prompts, answers, commands and their outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from sesh.format import jsontext
from sesh.providers.api import Spoken

_TOLD: Final = ("command", "query", "pattern", "url", "file_path", "prompt", "description", "content", "new_string")
"""The arguments of a call that a person would search by."""


class _Message(msgspec.Struct, gc=False):
    content: Any = None


class _Line(msgspec.Struct, gc=False):
    type: str | None = None
    message: _Message | None = None
    attachment: Any = None


_decode: Final = msgspec.json.Decoder(_Line).decode


def spoken(line: bytes) -> Sequence[Spoken]:
    """What was said on this line; nothing on lines of other kinds, and on what is no JSON."""
    if b'"message"' not in line and b'"queued_command"' not in line:
        return ()
    try:
        record = _decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        found = [p.value for p in jsontext.pieces(line) if p.readable and isinstance(p.value, dict)]
        return [s for value in found for s in _of(_odd(value))]
    return list(_of(record))


def _odd(value: dict[str, Any]) -> _Line:
    message = value.get("message")
    kind = value.get("type")
    return _Line(
        type=kind if isinstance(kind, str) else None,
        message=_Message(message.get("content")) if isinstance(message, dict) else None,
    )


def _of(record: _Line) -> Iterator[Spoken]:
    if record.type == "attachment":
        told = record.attachment
        if isinstance(told, dict) and told.get("type") == "queued_command" and isinstance(told.get("prompt"), str):
            yield Spoken("user", told["prompt"])
        return
    if record.message is None or record.type not in ("user", "assistant"):
        return
    content = record.message.content
    if isinstance(content, str):
        yield Spoken(record.type, content)
        return
    for block in content if isinstance(content, list) else ():
        match block:
            case {"type": "text", "text": str(text)}:
                yield Spoken(record.type, text)
            case {"type": "tool_use", "input": dict(arguments)}:
                told = [str(arguments[k]) for k in _TOLD if isinstance(arguments.get(k), str)]
                yield Spoken("tool", "\n".join(told))
            case {"type": "tool_result", "content": str(text)}:
                yield Spoken("tool", text)
            case {"type": "tool_result", "content": list(parts)}:
                texts = [p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str)]
                yield Spoken("tool", "\n".join(texts))
