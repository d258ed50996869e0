"""Blocks of the Messages API as canonical blocks. What a block holds beyond the model stays in its `provider_data`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    Part,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    WebSearchBlock,
    part,
)
from sesh.format.json import JsonObject, JsonValue

_SERVER_SEARCH: Final = "web_search"

# The keys of a block that its canonical form says.
_TYPE: Final = frozenset({"type"})
_TEXT: Final = frozenset({"type", "text"})
_THINKING: Final = frozenset({"type", "thinking"})
_CALL: Final = frozenset({"type", "id", "name", "input"})
_RESULT: Final = frozenset({"type", "tool_use_id", "content"})
_FLAGGED_RESULT: Final = _RESULT | {"is_error"}


def blocks_of(content: JsonValue) -> list[AnyBlock]:
    """The blocks of a message's `content`: a string is one text, a list its items; anything else is kept as unknown.

    Empty texts are no blocks: the client does not send them either (formats/claude-code.md §3).
    """
    if content is None or content is msgspec.UNSET:
        return []
    if isinstance(content, str):
        return [TextBlock(text=content)] if content else []
    if not isinstance(content, list):
        return [UnknownBlock(source_type="content", raw=content)]
    found = []
    for item in content:
        block = block_of(item)
        if block is not None:
            found.append(block)
    return found


def block_of(item: JsonValue) -> AnyBlock | None:
    """One block; None for an empty text. A block whose fields are not what its type promises is unknown."""
    if isinstance(item, str):
        return TextBlock(text=item) if item else None
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str):
        return UnknownBlock(source_type="block", raw=item)
    if kind == "text" and item.get("text") == "":
        return None
    read = _READERS.get(kind)
    found = read(item) if read is not None else None
    return found or UnknownBlock(source_type=kind, raw=item)


def _rest(item: JsonObject, known: frozenset[str]) -> JsonObject | None:
    """What a block has besides the keys that its canonical form says."""
    if item.keys() <= known:
        return None
    return {k: v for k, v in item.items() if k not in known}


def _text(item: JsonObject) -> TextBlock | None:
    text = item.get("text")
    return TextBlock(text=text, provider_data=_rest(item, _TEXT)) if isinstance(text, str) else None


def _thinking(item: JsonObject) -> ReasoningBlock | None:
    text = item.get("thinking")
    if not isinstance(text, str):
        return None
    rest = _rest(item, _THINKING)
    # 2.1 may keep only the signature: then the words are the vendor's, and nothing is made up for them.
    return ReasoningBlock(text=text, provider_data=rest) if text else ReasoningBlock(redacted=True, provider_data=rest)


def _redacted(item: JsonObject) -> ReasoningBlock:
    return ReasoningBlock(redacted=True, provider_data=_rest(item, frozenset()))


def _call(item: JsonObject, known: frozenset[str] = _CALL) -> ToolCallBlock | None:
    call_id, name = item.get("id"), item.get("name")
    if not isinstance(call_id, str) or not isinstance(name, str):
        return None
    return ToolCallBlock(call_id=call_id, name=name, input=item.get("input"), provider_data=_rest(item, known))


def _server_call(item: JsonObject) -> ToolCallBlock | WebSearchBlock | None:
    """A tool that the vendor ran itself. The type goes to provider_data, where it marks the block as such."""
    call_id, given = item.get("id"), item.get("input")
    query = given.get("query") if isinstance(given, dict) else None
    if item.get("name") == _SERVER_SEARCH and isinstance(call_id, str) and isinstance(query, str):
        return WebSearchBlock(call_id=call_id, query=query, provider_data=_rest(item, frozenset({"id"})))
    return _call(item, _CALL - _TYPE)


def _result(item: JsonObject) -> ToolResultBlock | None:
    call_id, error = item.get("tool_use_id"), item.get("is_error")
    if not isinstance(call_id, str):
        return None
    output = output_of(item.get("content", ""))
    if isinstance(error, bool):
        return ToolResultBlock(
            call_id=call_id, output=output, is_error=error, provider_data=_rest(item, _FLAGGED_RESULT)
        )
    return ToolResultBlock(call_id=call_id, output=output, provider_data=_rest(item, _RESULT))


def _server_result(item: JsonObject) -> ToolResultBlock | None:
    """The type goes to provider_data here too."""
    found = _result(item)
    if found is None:
        return None
    known = _RESULT if found.is_error is None else _FLAGGED_RESULT
    return msgspec.structs.replace(found, provider_data=_rest(item, known - _TYPE))


def output_of(content: JsonValue) -> JsonValue:
    """A tool result's content as `ToolResultBlock.output`: the string, the parts in wire form, or the JSON as it is."""
    if content is None:
        return ""
    if not isinstance(content, list):
        return content
    parts: list[JsonValue] = []
    for item in content:
        if isinstance(item, str):
            parts.append(part(TextBlock(text=item)))
        elif isinstance(item, dict) and isinstance(item.get("type"), str):
            parts.append(part(_part(item)))
        else:
            return content
    return parts


def _part(item: JsonObject) -> Part:
    kind = item["type"]
    if kind == "text" and isinstance(item.get("text"), str):
        return TextBlock(text=item["text"], provider_data=_rest(item, _TEXT))
    if kind in ("image", "document"):
        found = _attachment(item)
        if found is not None:
            return found
    return UnknownBlock(source_type=kind, raw=item)


def _attachment(item: JsonObject) -> AttachmentBlock | None:
    """An image or document. Plain-text documents become base64 like the rest; `provider_data` says they were text."""
    source = item.get("source")
    if not isinstance(source, dict):
        return None
    kind, media, data, url = (source.get(k) for k in ("type", "media_type", "data", "url"))
    rest: JsonObject = {k: v for k, v in item.items() if k not in ("type", "source")}
    if item["type"] != "image":
        rest["type"] = item["type"]
    more = {k: v for k, v in source.items() if k not in ("type", "media_type", "data", "url")}
    if more:
        rest["source"] = more
    if kind == "base64" and isinstance(data, str):
        media_type = media if isinstance(media, str) else None
        return AttachmentBlock(media_type=media_type, data=data, provider_data=rest or None)
    if kind == "url" and isinstance(url, str):
        return AttachmentBlock(
            media_type=media if isinstance(media, str) else None, uri=url, provider_data=rest or None
        )
    if kind == "text" and isinstance(data, str):
        import base64  # only for a document that is text

        encoded = base64.b64encode(data.encode("utf-8", "surrogatepass")).decode("ascii")
        return AttachmentBlock(
            media_type=media if isinstance(media, str) else "text/plain",
            data=encoded,
            provider_data={**rest, "source": {**more, "type": "text"}},
        )
    return None


_READERS: Final[dict[str, Callable[[JsonObject], AnyBlock | None]]] = {
    "text": _text,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "tool_use": _call,
    "tool_result": _result,
    "server_tool_use": _server_call,
    "web_search_tool_result": _server_result,
    "image": _attachment,
    "document": _attachment,
}
"""What reads a block of a type; None from it: the block is not what its type promises."""

BLOCK_TYPES: Final = frozenset(_READERS)
"""Block types that have a canonical form; all others become unknown blocks, whole."""
