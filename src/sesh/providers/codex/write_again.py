"""Codex's own messages as the same records again (same-vendor writing; ARCHITECTURE.md, "Same vendor").

The reader keeps in `provider_data` what the blocks do not hold: `{"payload": REST, "metadata"?}` for a response item,
and `{"line": ...}` for everything else. Here the two are put together again. A record is only taken where reading it
gives the very blocks of the message: a message that was edited, or that a stamp restored, is written like any other.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sesh.format import jsontext
from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    output_parts,
)
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Message
from sesh.providers.codex import items

PROVIDER: Final = "codex"


def is_own(message: Message) -> bool:
    """Whether Codex's reader made this message and left what is needed to write it again."""
    came = message.provenance
    return came is not None and came.provider == PROVIDER and isinstance(message.provider_data, dict)


def line_kind(message: Message) -> str | None:
    """`compacted`, `event_msg`, `unknown` or `unreadable` for messages that no response item gave; else None."""
    kind = (message.provider_data or {}).get("line") if is_own(message) else None
    return kind if isinstance(kind, str) else None


def item_payload(message: Message, *, raw: bool = False) -> JsonObject | None:
    """The response item that gave this message; None where it is none, or no longer says the same.

    raw: take it from the record that the message holds, where it holds one, with its keys in their order.
    """
    if not is_own(message):
        return None
    rest = (message.provider_data or {}).get("payload")
    if line_kind(message) is not None or not isinstance(rest, dict) or not isinstance(rest.get("type"), str):
        return None
    whole = message.raw.get("payload") if raw and isinstance(message.raw, dict) else None
    if isinstance(whole, dict) and _gives(whole, message):
        return whole
    payload = _filled(rest, message.content)
    return payload if payload is not None and _gives(payload, message) else None


def _gives(payload: JsonObject, message: Message) -> bool:
    """Whether reading the item gives this message's role and blocks."""
    made = items.convert(payload)
    return made is not None and made.role == message.role and _same(made.content, message.content)


def thoughts(message: Message) -> list[str]:
    """The readable thoughts of a message."""
    return [b.text for b in message.content if isinstance(b, ReasoningBlock) and b.text]


def metadata(message: Message) -> JsonObject | None:
    """What stood beside the payload on the line."""
    found = (message.provider_data or {}).get("metadata")
    return None if found is None else {"metadata": found}


def compacted_payload(message: Message) -> JsonObject | None:
    """The `compacted` record that gave this summary."""
    found = (message.provider_data or {}).get("payload") if line_kind(message) == "compacted" else None
    return found if isinstance(found, dict) else None


def _same(a: list[AnyBlock], b: list[AnyBlock]) -> bool:
    return len(a) == len(b) and all(_said(x) == _said(y) for x, y in zip(a, b, strict=True))


def _said(block: AnyBlock) -> Any:
    value = msgspec.to_builtins(block)
    value.pop("isError", None)  # said by events, or by a stamp; never by the item
    return value


def _filled(rest: JsonObject, content: list[AnyBlock]) -> JsonObject | None:
    """The payload with what its blocks hold put back."""
    block = content[0] if len(content) == 1 else None
    match rest["type"]:
        case "message" | "agent_message":
            said = "output_text" if rest.get("role") == "assistant" else "input_text"
            return {**rest, "content": [_part(b, said) for b in content]}
        case "function_call" if isinstance(block, ToolCallBlock):
            return {**rest, "arguments": _arguments(block, block.input)}
        case "function_call" if isinstance(block, FileChangeBlock):
            return {**rest, "arguments": _arguments(block, {"input": block.patch})}
        case "custom_tool_call" if isinstance(block, ToolCallBlock):
            return {**rest, "input": block.input}
        case "custom_tool_call" if isinstance(block, FileChangeBlock):
            return {**rest, "input": block.patch}
        case "local_shell_call" if isinstance(block, ToolCallBlock):
            return {**rest, "action": block.input}
        case "local_shell_call" if isinstance(block, FileChangeBlock):
            return {**rest, "action": (block.provider_data or {}).get("action")}
        case "tool_search_call" if isinstance(block, ToolCallBlock):
            return {**rest, "arguments": block.input}
        case "tool_search_output" if isinstance(block, ToolResultBlock):
            return {**rest, "tools": block.output}
        case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
            return {**rest, "output": _output(block, content)}
        case "image_generation_call" if isinstance(block, AttachmentBlock):
            return {**rest, "result": block.data if block.data is not None else block.uri}
        case "image_generation_call":
            return rest
        case "reasoning" | "web_search_call":
            return rest
        case _ if isinstance(block, UnknownBlock) and isinstance(block.raw, dict):
            return block.raw
        case _:
            return None


def _arguments(block: ToolCallBlock | FileChangeBlock, value: JsonValue) -> str:
    exact = (block.provider_data or {}).get("arguments")
    return exact if isinstance(exact, str) else jsontext.dumps(value).decode("utf-8")


def _output(block: AnyBlock | None, content: list[AnyBlock]) -> JsonValue:
    if isinstance(block, ToolResultBlock):
        parts = None if isinstance(block.output, str) else output_parts(block.output)
        return block.output if parts is None else [_part(p, "input_text") for p in parts]
    if isinstance(block, TextBlock) and block.provider_data is None:
        return block.text
    return [_part(b, "input_text") for b in content]


def _part(block: AnyBlock, said: str) -> JsonValue:
    """A content part, the reverse of `outputs.part_block`."""
    if isinstance(block, TextBlock):
        return {"type": said, "text": block.text, **(block.provider_data or {})}
    if isinstance(block, AttachmentBlock):
        url = block.uri if block.data is None else f"data:{block.media_type or ''};base64,{block.data}"
        return {"type": "input_image", "image_url": url, **(block.provider_data or {})}
    return block.raw if isinstance(block, UnknownBlock) else msgspec.to_builtins(block)
