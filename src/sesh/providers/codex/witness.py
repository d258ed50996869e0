"""Events that are the only witness of something, as blocks: what was shown and never sent.

Tools of code mode (their calls stand in the JavaScript that the model wrote, and only an event says what each did),
tools of other makers' files, a plan, words of a turn that was cut off. A witness becomes one or two messages: what was
asked and, where the event says so, what came of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sesh.format.blocks import (
    AnyBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    WebSearchBlock,
    part,
)
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Role
from sesh.providers.codex import items, outputs, patches


class Seen(NamedTuple):
    """One message that a witness gives."""

    role: Role
    content: list[AnyBlock]


# What these tell is state of the screen, or stands in an item under another name (see MAPPING.md).
STATE_ITEMS = frozenset(
    {"ContextCompaction", "EnteredReviewMode", "ExitedReviewMode", "CollabAgentToolCall", "SubAgentActivity", "Sleep"}
)


def of_event(payload: JsonObject) -> list[Seen] | None:
    """The messages of a legacy event; None where its kind is unknown."""
    match payload.get("type"):
        case "user_message":
            return [Seen("user", _user(payload))]
        case "agent_message":
            return [Seen("assistant", [TextBlock(text=_text(payload.get("message")))])]
        case "agent_reasoning" | "agent_reasoning_raw_content":
            return [Seen("assistant", [ReasoningBlock(text=_text(payload.get("text")))])]
        case "exec_command_end":
            return _command(payload, "call_id")
        case "patch_apply_end":
            return _change(payload, "call_id", payload.get("success") is False)
        case "mcp_tool_call_end":
            invocation = payload.get("invocation")
            called = invocation if isinstance(invocation, dict) else {}
            result = payload.get("result")
            ok = result.get("Ok") if isinstance(result, dict) else None
            bad = (ok is None) or (isinstance(ok, dict) and (ok.get("isError") or ok.get("is_error")) is True)
            return _mcp(payload.get("call_id"), called, ok if isinstance(ok, dict) else result, bad)
        case "dynamic_tool_call_response":
            return _dynamic(payload, "call_id")
        case "web_search_end":
            return _search(payload, "call_id")
        case "view_image_tool_call":
            return _view(payload, "call_id")
        case _:
            return None


def of_item(item: JsonObject) -> list[Seen] | None:
    """The messages of an `item_completed`; None where the item's type is unknown."""
    match item.get("type"):
        case "UserMessage":
            return [Seen("user", [_content(p) for p in _list(item.get("content"))])]
        case "AgentMessage":
            return [Seen("assistant", [_content(p) for p in _list(item.get("content"))])]
        case "Reasoning":
            texts = [*_list(item.get("summary_text")), *_list(item.get("raw_content"))]
            return [Seen("assistant", [ReasoningBlock(text=t) for t in texts if isinstance(t, str)])]
        case "Plan":
            return [Seen("assistant", [TextBlock(text=_text(item.get("text")))])]
        case "CommandExecution":
            return _command(item, "id")
        case "FileChange":
            return _change(item, "id", item.get("status") in ("failed", "declined"))
        case "McpToolCall":
            bad = item.get("status") == "failed"
            return _mcp(item.get("id"), item, item.get("result") or item.get("error"), bad)
        case "DynamicToolCall":
            return _dynamic(item, "id")
        case "WebSearch":
            return _search(item, "id")
        case "ImageView":
            return _view(item, "id")
        case _:
            return None


def _user(payload: JsonObject) -> list[AnyBlock]:
    blocks: list[AnyBlock] = [outputs.attachment(u) for u in _list(payload.get("images")) if isinstance(u, str)]
    blocks += [TextBlock(text=f"[{p}]") for p in _list(payload.get("local_images")) if isinstance(p, str)]
    text = _text(payload.get("message"))
    return [*blocks, TextBlock(text=text)] if text or not blocks else blocks


def _content(value: Any) -> AnyBlock:
    """A part of an item's content; its types are `text` or `Text`, `image`, `local_image`."""
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            return TextBlock(text=value["text"])
        url = value.get("image_url", value.get("url"))
        if isinstance(url, str):
            return outputs.attachment(url)
        if isinstance(value.get("path"), str):
            return TextBlock(text=f"[{value['path']}]")
    return outputs.part_block(value)


def _command(said: JsonObject, id_key: str) -> list[Seen]:
    command = said.get("command")
    words = command if isinstance(command, list) else []
    script = words[-1] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(str(w) for w in words)
    given: JsonObject = {"cmd": script}
    if isinstance(said.get("cwd"), str):
        given["workdir"] = _path(said["cwd"])
    output = said.get("aggregated_output")
    if output is None:
        output = f"{_text(said.get('stdout'))}{_text(said.get('stderr'))}"
    code = said.get("exit_code")
    failed = code != 0 if isinstance(code, int) else None
    return _pair(said.get(id_key), "exec_command", given, output, failed)


def _change(said: JsonObject, id_key: str, failed: bool) -> list[Seen]:
    changes = said.get("changes")
    patch = patches.from_changes(changes)
    call_id = _text(said.get(id_key))
    path = next(iter(changes)) if isinstance(changes, dict) and len(changes) == 1 else None
    block = FileChangeBlock(call_id=call_id, path=path, patch=patch)
    output = f"{_text(said.get('stdout'))}{_text(said.get('stderr'))}"
    return [Seen("assistant", [block]), Seen("tool", [_result(call_id, output, failed)])]


def _mcp(call_id: Any, called: JsonObject, result: JsonValue, failed: bool) -> list[Seen]:
    name = f"mcp__{_text(called.get('server'))}__{_text(called.get('tool'))}"
    content = result.get("content") if isinstance(result, dict) else None
    if isinstance(content, list):
        structured = result.get("structuredContent") if isinstance(result, dict) else None
        output: JsonValue = [_mcp_part(p) for p in content] or structured
    else:
        output = result
    return _pair(call_id, name, called.get("arguments"), output, failed)


def _mcp_part(value: Any) -> JsonObject:
    if isinstance(value, dict) and value.get("type") == "image" and isinstance(value.get("data"), str):
        media = value.get("mimeType") or value.get("mime_type") or "image/png"
        return part(outputs.attachment(f"data:{media};base64,{value['data']}"))
    return part(outputs.part_block(value))


def _dynamic(said: JsonObject, id_key: str) -> list[Seen]:
    content = _list(said.get("content_items"))
    texts = [part(TextBlock(text=p["text"])) if _is_text(p) else part(outputs.part_block(p)) for p in content]
    success = said.get("success")
    failed = not success if isinstance(success, bool) else None
    return _pair(said.get(id_key), _text(said.get("tool")), said.get("arguments"), texts or said.get("error"), failed)


def _is_text(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("text"), str)


def _search(said: JsonObject, id_key: str) -> list[Seen]:
    query = _text(said.get("query")) or items.query_of(said.get("action"))
    return [Seen("assistant", [WebSearchBlock(call_id=_text(said.get(id_key)) or None, query=query)])]


def _view(said: JsonObject, id_key: str) -> list[Seen]:
    given = {"path": _path(_text(said.get("path")))}
    return [Seen("assistant", [ToolCallBlock(call_id=_text(said.get(id_key)), name="view_image", input=given)])]


def _pair(call_id: Any, name: str, given: JsonValue, output: JsonValue, failed: bool | None) -> list[Seen]:
    called = ToolCallBlock(call_id=_text(call_id), name=name, input=given)
    return [Seen("assistant", [called]), Seen("tool", [_result(_text(call_id), output, failed)])]


def _result(call_id: str, output: JsonValue, failed: bool | None) -> ToolResultBlock:
    return ToolResultBlock(call_id=call_id, output=output, is_error=failed)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _path(value: str) -> str:
    """A plain path from a file: URL (paginated files write those)."""
    return unquote(urlsplit(value).path) if value.startswith("file:") else value
