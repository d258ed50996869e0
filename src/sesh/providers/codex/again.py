"""A message that was read from a rollout as the same records again: the inverse of items.py.

`provider_data` of a message says what its record was (MAPPING.md, "What provider_data holds"); what the blocks hold is
taken from the blocks. `item` gives the response_item alone, `line` the whole record as `(type, payload, metadata)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sesh.format import jsontext
from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    FileChangeBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    output_parts,
)
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Message


class Written(NamedTuple):
    """A record to be written: its top-level type, its payload, and the `metadata` that stands beside the payload."""

    type: str
    payload: JsonObject
    metadata: JsonValue = None


def line(message: Message) -> Written | None:
    """The record that a message was read from; None where it has none of its own.

    None: the second message of a record, an item of a compaction's window (it stands in the `compacted` record of the
    summary), a record that was kept whole in an unknown block, a message of another provider.
    """
    data = message.provider_data
    if data is None or message.provenance is None or message.provenance.provider != "codex":
        return None
    payload = data.get("payload")
    match data.get("line"):
        case None if isinstance(payload, dict):
            made = item(payload, message.content)
            return None if made is None else Written("response_item", made, data.get("metadata"))
        case "event_msg" if isinstance(payload, dict):
            return Written("event_msg", payload)
        case "compacted" | "inter_agent_communication" as kind if isinstance(payload, dict):
            return Written(kind, payload)
        case _:
            return None


def item(rest: JsonObject, content: Sequence[AnyBlock]) -> JsonObject | None:
    """A response_item from what its message kept of it and from the message's blocks; None where these do not fit."""
    first = content[0] if content else None
    match rest.get("type"):
        case "message" | "agent_message":
            own = "output_text" if rest.get("role") == "assistant" else "input_text"
            parts = [p for b in content if (p := part(b, own)) is not None]
            return {**rest, "content": parts} if len(parts) == len(content) else None
        case "reasoning" | "web_search_call":
            return dict(rest)
        case (
            "compaction"
            | "compaction_summary"
            | "context_compaction"
            | "additional_tools"
            | "configuration_update"
            | "compaction_trigger"
        ):
            return dict(first.raw) if isinstance(first, UnknownBlock) and isinstance(first.raw, dict) else None
        case "image_generation_call":
            result = _url_or_data(first) if isinstance(first, AttachmentBlock) else ""
            return {**rest, "result": result}
        case "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" as kind:
            if not isinstance(first, (ToolCallBlock, FileChangeBlock)):
                return None
            return {**rest, **_asked(kind, first)}
        case "tool_search_output" if isinstance(first, ToolResultBlock):
            return {**rest, "tools": first.output}
        case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
            absent = bool(first is not None and (first.provider_data or {}).get("absent"))
            return dict(rest) if absent else {**rest, "output": _answered(content)}
        case _:
            return None


def _asked(kind: str, block: ToolCallBlock | FileChangeBlock) -> JsonObject:
    exact = block.provider_data or {}
    given = block.input if isinstance(block, ToolCallBlock) else block.patch
    if kind == "custom_tool_call":
        return {"input": given}
    if kind == "local_shell_call":
        return {"action": exact.get("action", given)}
    if kind == "tool_search_call":
        return {"arguments": given}
    if "arguments" in exact:
        return {"arguments": exact["arguments"]}
    given = {"input": given} if isinstance(block, FileChangeBlock) else given
    return {"arguments": jsontext.dumps(given).decode("utf-8")}


def _answered(content: Sequence[AnyBlock]) -> JsonValue:
    first = content[0] if content else None
    if not isinstance(first, ToolResultBlock):  # an output without a call, read as text
        texts = [b.text for b in content if isinstance(b, TextBlock)]
        return texts[0] if len(texts) == 1 else [part(b) for b in content]
    if isinstance(first.output, list) and (parts := output_parts(first.output)) is not None:
        return [part(p) for p in parts]
    return first.output


def part(block: AnyBlock, own: str = "input_text") -> JsonObject | None:
    """A content part; None for a block that is none."""
    match block:
        case TextBlock():
            return {"type": own, "text": block.text, **(block.provider_data or {})}
        case AttachmentBlock():
            return {"type": "input_image", "image_url": _url(block), **(block.provider_data or {})}
        case UnknownBlock():
            return dict(block.raw) if isinstance(block.raw, dict) else None
        case _:
            return None


def _url(block: AttachmentBlock) -> str:
    return block.uri or "" if block.data is None else f"data:{block.media_type or ''};base64,{block.data}"


def _url_or_data(block: AttachmentBlock) -> str:
    return block.uri or "" if block.data is None else block.data
