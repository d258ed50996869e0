"""Claude Code's own blocks, written as they were read: the inverse of `content.block_of`, nothing left out.

What the canonical block has no field for (a thinking block's signature, `cache_control`, a server tool's type) stands
in its `provider_data`.
"""

from __future__ import annotations

from base64 import b64decode

from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    WebSearchBlock,
    output_parts,
)
from sesh.format.json import JsonObject, JsonValue
from sesh.providers.claude_code.write_blocks import kept


def own_block(block: AnyBlock) -> JsonObject:
    """The block in the API's form, as the client had it."""
    more = block.provider_data or {}
    match block:
        case TextBlock():
            return {"type": "text", "text": block.text, **more}
        case ReasoningBlock():
            if more.get("type") == "redacted_thinking":
                return {"type": "redacted_thinking", **more}
            return {"type": "thinking", "thinking": block.text or "", **more}
        case ToolCallBlock():
            return {"type": "tool_use", "id": block.call_id, "name": block.name, "input": block.input, **more}
        case FileChangeBlock():
            use = kept(block)
            return {"type": "tool_use", "id": block.call_id, "name": use.name, "input": use.input}
        case WebSearchBlock():
            made = {
                "type": "server_tool_use",
                "id": block.call_id,
                "name": "web_search",
                "input": {"query": block.query},
            }
            return {**made, **more}
        case ToolResultBlock():
            result: JsonObject = {
                "type": "tool_result",
                "tool_use_id": block.call_id,
                "content": own_output(block.output),
            }
            if block.is_error is not None:
                result["is_error"] = block.is_error
            return {**result, **more}
        case AttachmentBlock():
            return _attachment(block, more)
        case UnknownBlock():
            return block.raw if isinstance(block.raw, dict) else {"type": "text", "text": str(block.raw)}


def own_output(output: JsonValue) -> JsonValue:
    """A tool's output as the content it was."""
    if isinstance(output, str):
        return output
    parts = output_parts(output)
    return output if parts is None else [own_block(p) for p in parts]


def _attachment(block: AttachmentBlock, more: JsonObject) -> JsonObject:
    rest = {k: v for k, v in more.items() if k not in ("type", "source")}
    extra = more.get("source")
    source: JsonObject
    if isinstance(extra, dict) and extra.get("type") == "text" and block.data is not None:
        text = b64decode(block.data).decode("utf-8", "surrogatepass")
        source = {"type": "text", "media_type": block.media_type, "data": text}
    elif block.data is not None:
        source = {"type": "base64", "media_type": block.media_type, "data": block.data}
    else:
        source = {"type": "url", "url": block.uri}
        if block.media_type is not None:
            source["media_type"] = block.media_type
    if isinstance(extra, dict):
        source = {**source, **extra}
    return {"type": more.get("type", "image"), "source": source, **rest}
