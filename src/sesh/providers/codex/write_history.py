"""`item_completed` items: what the transcript of a paginated thread is drawn from (0.155 and later).

Shapes and traps: formats/codex.md §3, §7. `CommandExecution.cwd` and `ImageView.path` must be `file://` URIs, or the
item is dropped; ids must differ within a turn, or the last one wins.
"""

from __future__ import annotations

import os.path
from typing import Final, assert_never
from urllib.parse import quote

from sesh.format.blocks import AttachmentBlock, Part, TextBlock, UnknownBlock
from sesh.format.json import JsonObject
from sesh.providers.codex.display import Card, Command, Image, Patch, Plan, Search, Tool
from sesh.providers.codex.write_items import data_url, placeholder

_NO_TIME: Final = {"secs": 0, "nanos": 0}


def file_uri(path: str, cwd: str) -> str:
    """A path as a `file://` URI; relative ones are taken from the session's folder."""
    if not path.startswith("/"):
        path = os.path.normpath(f"{cwd}/{path}")
    return "file://" + quote(path, safe="/:@!$&'()*+,;=~-._", errors="replace")


def user_message(item_id: str, texts: list[str], images: list[str]) -> JsonObject:
    """What a person typed. `images` are URLs or data: URLs."""
    content: list[JsonObject] = [{"type": "image", "url": url, "image_url": url} for url in images]
    content += ({"type": "text", "text": text, "text_elements": []} for text in texts)
    return {"type": "UserMessage", "id": item_id, "content": content}


def agent_message(item_id: str, text: str) -> JsonObject:
    """What the model said."""
    return {"type": "AgentMessage", "id": item_id, "content": [{"type": "Text", "text": text}]}


def reasoning(item_id: str, text: str) -> JsonObject:
    """The model's thinking, as far as it may be read."""
    return {"type": "Reasoning", "id": item_id, "summary_text": [text], "raw_content": []}


def compaction(item_id: str) -> JsonObject:
    """The mark of a compaction."""
    return {"type": "ContextCompaction", "id": item_id}


def tool(item_id: str, card: Card, cwd: str, duration: JsonObject = _NO_TIME) -> JsonObject:
    """A tool run. `item_id` is the call's id."""
    match card:
        case Command():
            return {
                "type": "CommandExecution",
                "id": item_id,
                "command": card.argv,
                "cwd": file_uri(card.cwd or cwd, cwd),
                "parsed_cmd": [{"type": "unknown", "cmd": card.argv[-1]}],
                "source": "agent",
                "status": "failed" if card.exit_code else "completed",
                "aggregated_output": card.output,
                "exit_code": card.exit_code,
                "duration": duration,
            }
        case Patch():
            return {
                "type": "FileChange",
                "id": item_id,
                "changes": absolute(card.changes, cwd),
                "status": "failed" if card.failed else "completed",
                "stdout": "" if card.failed else card.output,
                "stderr": card.output if card.failed else "",
            }
        case Search():
            return {"type": "WebSearch", "id": item_id, "query": card.query, "action": card.action}
        case Image():
            return {"type": "ImageView", "id": item_id, "path": file_uri(card.path, cwd)}
        case Plan():
            return {"type": "Plan", "id": item_id, "text": card.text}
        case Tool(server=str() as server):
            return {
                "type": "McpToolCall",
                "id": item_id,
                "server": server,
                "tool": card.name,
                "arguments": card.arguments,
                "status": "failed" if card.failed else "completed",
                "result": mcp_result(card),
                "duration": duration,
            }
        case Tool():
            return {
                "type": "DynamicToolCall",
                "id": item_id,
                "tool": card.name,
                "arguments": card.arguments,
                "status": "failed" if card.failed else "completed",
                "content_items": [_dynamic_part(part) for part in card.parts],
                "success": not card.failed,
                "duration": duration,
            }
        case _:
            assert_never(card)


def absolute(changes: JsonObject, cwd: str) -> JsonObject:
    """A patch's changes with absolute paths, as Codex keeps them."""
    return {p if p.startswith("/") else os.path.normpath(f"{cwd}/{p}"): change for p, change in changes.items()}


def mcp_result(card: Tool) -> JsonObject:
    """A tool's output as MCP content."""
    result: JsonObject = {"content": [_mcp_part(part) for part in card.parts]}
    if card.failed:
        result["isError"] = True
    return result


def _mcp_part(part: Part) -> JsonObject:
    match part:
        case TextBlock():
            return {"type": "text", "text": part.text}
        case AttachmentBlock(data=str() as data, media_type=str() as media) if media.startswith("image/"):
            return {"type": "image", "data": data, "mimeType": media}
        case AttachmentBlock() | UnknownBlock():
            return {"type": "text", "text": placeholder(part)}
        case _:
            assert_never(part)


def _dynamic_part(part: Part) -> JsonObject:
    match part:
        case TextBlock():
            return {"type": "inputText", "text": part.text}
        case AttachmentBlock():
            url = data_url(part, links=True)
            return {"type": "inputImage", "imageUrl": url} if url else {"type": "inputText", "text": placeholder(part)}
        case UnknownBlock():
            return {"type": "inputText", "text": placeholder(part)}
        case _:
            assert_never(part)
