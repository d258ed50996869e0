"""Blocks of the Messages API as canonical blocks. What a block holds beyond the model stays in its `provider_data`."""

from __future__ import annotations

import base64
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

BLOCK_TYPES: Final = frozenset(
    {
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "tool_result",
        "server_tool_use",
        "web_search_tool_result",
        "image",
        "document",
    }
)
"""Block types that have a canonical form; all others become unknown blocks, whole."""

_SERVER_SEARCH: Final = "web_search"


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
    return [block for item in content if (block := block_of(item)) is not None]


def block_of(item: JsonValue) -> AnyBlock | None:
    """One block; None for an empty text. A block whose fields are not what its type promises is unknown."""
    if isinstance(item, str):
        return TextBlock(text=item) if item else None
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str):
        return UnknownBlock(source_type="block", raw=item)
    found: AnyBlock | None = None
    match kind:
        case "text":
            text = item.get("text")
            if text == "":
                return None
            if isinstance(text, str):
                found = TextBlock(text=text, provider_data=_rest(item, _TEXT))
        case "thinking":
            found = _thinking(item)
        case "redacted_thinking":
            found = ReasoningBlock(redacted=True, provider_data=_rest(item, _NOTHING))
        case "tool_use":
            found = _call(item, _CALL)
        case "server_tool_use":
            found = _server_call(item)
        case "tool_result":
            found = _result(item, _RESULT)
        case "web_search_tool_result":
            found = _result(item, _SEARCH_RESULT)
        case "image" | "document":
            found = _attachment(item)
    return found or UnknownBlock(source_type=kind, raw=item)


_NOTHING: Final = frozenset[str]()
_TEXT: Final = frozenset({"type", "text"})
_THINKING: Final = frozenset({"type", "thinking"})
_CALL: Final = frozenset({"type", "id", "name", "input"})
_ID: Final = frozenset({"id"})
_SERVER_CALL: Final = frozenset({"id", "name", "input"})
_RESULT: Final = frozenset({"type", "tool_use_id", "content"})
_SEARCH_RESULT: Final = frozenset({"tool_use_id", "content"})
_ERROR: Final = frozenset({"is_error"})


def _rest(item: JsonObject, known: frozenset[str]) -> JsonObject | None:
    """What a block has besides the keys that its canonical form says."""
    if item.keys() <= known:
        return None
    return {k: v for k, v in item.items() if k not in known}


def _thinking(item: JsonObject) -> AnyBlock | None:
    text = item.get("thinking")
    if not isinstance(text, str):
        return None
    rest = _rest(item, _THINKING)
    # 2.1 may keep only the signature: then the words are the vendor's, and nothing is made up for them.
    return ReasoningBlock(text=text, provider_data=rest) if text else ReasoningBlock(redacted=True, provider_data=rest)


def _call(item: JsonObject, known: frozenset[str]) -> ToolCallBlock | None:
    call_id, name = item.get("id"), item.get("name")
    if not isinstance(call_id, str) or not isinstance(name, str):
        return None
    return ToolCallBlock(call_id=call_id, name=name, input=item.get("input"), provider_data=_rest(item, known))


def _server_call(item: JsonObject) -> AnyBlock | None:
    """A tool that the vendor ran itself. The type goes to provider_data, where it marks the block as such."""
    call_id, given = item.get("id"), item.get("input")
    query = given.get("query") if isinstance(given, dict) else None
    if item.get("name") == _SERVER_SEARCH and isinstance(call_id, str) and isinstance(query, str):
        return WebSearchBlock(call_id=call_id, query=query, provider_data=_rest(item, _ID))
    return _call(item, _SERVER_CALL)


def _result(item: JsonObject, known: frozenset[str]) -> ToolResultBlock | None:
    call_id = item.get("tool_use_id")
    if not isinstance(call_id, str):
        return None
    error = item.get("is_error")
    if isinstance(error, bool):
        known |= _ERROR
    else:
        error = None
    return ToolResultBlock(
        call_id=call_id,
        output=output_of(item.get("content", "")),
        is_error=error,
        provider_data=_rest(item, known),
    )


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
        encoded = base64.b64encode(data.encode("utf-8", "surrogatepass")).decode("ascii")
        return AttachmentBlock(
            media_type=media if isinstance(media, str) else "text/plain",
            data=encoded,
            provider_data={**rest, "source": {**more, "type": "text"}},
        )
    return None
