"""What Codex sends on resume, by canonical messages: their records made again from blocks and `provider_data`.

This is MAPPING.md's "What provider_data holds" as a program: a record that is made again must be, field by field, what
stood in the file. Codex's own repairs are applied, both as measured (formats/codex.md §4, §5): a call without an output is
answered with "aborted", an output without a call is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sesh.format import jsontext, walk
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
from sesh.format.message import Message
from sesh.providers.codex.items import PASSTHROUGH

Payload = dict[str, Any]


def sent(messages: Sequence[Message]) -> list[Payload]:
    """The items of the model's window, in order, repaired as Codex repairs them."""
    history = next((m.provider_data["payload"] for m in reversed(messages) if _is_summary(m)), None)
    items = [made for m in walk.window(messages) if (made := item(m, history)) is not None]
    return repaired([{k: v for k, v in i.items() if k != PASSTHROUGH} for i in items])


def item(message: Message, history: Payload | None = None) -> Payload | None:
    """The response_item that a message was read from; None for what was never sent (an event's witness)."""
    data = message.provider_data or {}
    match data.get("line"):
        case None:
            return again(data["payload"], message.content)
        case "compacted":
            made = (data.get("payload") or history or {}).get("replacement_history")
            slot = data.get("slot")
            if isinstance(made, list) and isinstance(slot, int):
                found: Payload = made[slot]
                return found
            text = message.content[0].text if message.content else ""  # type: ignore[union-attr]
            return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        case _:
            return None


def _is_summary(message: Message) -> bool:
    data = message.provider_data or {}
    return message.kind == "summary" and data.get("line") == "compacted" and "payload" in data


def again(rest: Payload, content: Sequence[AnyBlock]) -> Payload:
    """A payload put together again."""
    made = dict(rest)
    first = content[0] if content else None
    match rest["type"]:
        case "message" | "agent_message":
            own = "output_text" if rest.get("role") == "assistant" else "input_text"
            made["content"] = [part(b, own) for b in content]
        case "function_call":
            made["arguments"] = _arguments(first)
        case "custom_tool_call":
            assert isinstance(first, (ToolCallBlock, FileChangeBlock))
            made["input"] = first.input if isinstance(first, ToolCallBlock) else first.patch
        case "local_shell_call":
            assert isinstance(first, (ToolCallBlock, FileChangeBlock))
            exact = first.provider_data or {}
            made["action"] = first.input if isinstance(first, ToolCallBlock) else exact["action"]
        case "tool_search_call":
            assert isinstance(first, ToolCallBlock)
            made["arguments"] = first.input
        case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
            made["output"] = _output(first)
        case "tool_search_output":
            assert isinstance(first, ToolResultBlock)
            made["tools"] = first.output
        case "image_generation_call":
            made["result"] = first.data if isinstance(first, AttachmentBlock) else ""
        case "compaction" | "additional_tools" | "configuration_update":
            assert isinstance(first, UnknownBlock)
            made = dict(first.raw)
    return made


def part(block: AnyBlock, own: str = "input_text") -> Payload:
    """A content part put together again."""
    more = getattr(block, "provider_data", None) or {}
    match block:
        case TextBlock():
            return {"type": own, "text": block.text, **more}
        case AttachmentBlock():
            url = block.uri if block.data is None else f"data:{block.media_type or ''};base64,{block.data}"
            return {"type": "input_image", "image_url": url, **more}
        case UnknownBlock():
            return dict(block.raw)
        case _:
            raise AssertionError(block)


def _arguments(block: AnyBlock | None) -> Any:
    assert isinstance(block, (ToolCallBlock, FileChangeBlock))
    exact = (block.provider_data or {}).get("arguments")
    if exact is not None:
        return exact
    given = block.input if isinstance(block, ToolCallBlock) else {"input": block.patch}
    return jsontext.dumps(given).decode()


def _output(block: AnyBlock | None) -> Any:
    if isinstance(block, TextBlock):
        return block.text
    assert isinstance(block, ToolResultBlock)
    if isinstance(block.output, list) and (parts := output_parts(block.output)) is not None:
        return [part(p) for p in parts]
    return block.output


def repaired(items: Sequence[Payload]) -> list[Payload]:
    """Every call answered, every answer asked for."""
    answered = {i.get("call_id") for i in items if str(i["type"]).endswith("_output")}
    asked = {i.get("call_id") for i in items if str(i["type"]).endswith("_call")}
    out: list[Payload] = []
    for each in items:
        kind, call_id = str(each["type"]), each.get("call_id")
        if kind.endswith("_output") and call_id is not None and call_id not in asked:
            continue
        out.append(each)
        if kind.endswith("_call") and call_id is not None and call_id not in answered:
            form = "custom_tool_call_output" if kind == "custom_tool_call" else "function_call_output"
            out.append({"type": form, "call_id": call_id, "output": "aborted"})
    return out
