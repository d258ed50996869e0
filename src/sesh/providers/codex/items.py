"""One response_item as the role, kind and blocks of a canonical message (MAPPING.md has the table).

What the blocks do not hold stays in `rest`: the payload less what the blocks say, so that the writer can make the same
record again (`rest`, with content, arguments, input, output put back).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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
    WebSearchBlock,
)
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Kind, Role
from sesh.providers.codex import kinds, outputs, patches

PASSTHROUGH: Final = "internal_chat_message_metadata_passthrough"
_ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "developer": "system",
    "system": "system",
    "tool": "tool",
}


class Converted(msgspec.Struct, frozen=True, gc=False):
    """A response_item in canonical terms. `odd` names a field whose type Codex 0.169 itself would not read."""

    role: Role
    kind: Kind | None
    content: list[AnyBlock]
    rest: JsonObject
    odd: str | None = None


def convert(payload: JsonObject) -> Converted | None:
    """The canonical form of an item; None where it is of no known kind or lacks what its kind needs."""
    kind = payload.get("type")
    return _CONVERTERS[kind](payload) if isinstance(kind, str) and kind in _CONVERTERS else None


def unknown(value: JsonValue) -> UnknownBlock:
    """Anything, kept whole, under the name it gives itself."""
    kind = value.get("type") if isinstance(value, dict) else None
    return UnknownBlock(source_type=kind if isinstance(kind, str) else "item", raw=value)


def string(value: Any) -> str | None:
    """The value, where it is a string."""
    return value if isinstance(value, str) else None


def turn_of(payload: JsonObject) -> str | None:
    """The turn that an item names itself (0.155 and later)."""
    passed = payload.get(PASSTHROUGH)
    return string(passed.get("turn_id")) if isinstance(passed, dict) else None


def _message(payload: JsonObject) -> Converted | None:
    name = payload.get("role")
    role = _ROLES.get(name) if isinstance(name, str) else None
    content = payload.get("content")
    rest = _without(payload, "content")
    if role is None:
        return None
    if isinstance(content, str):
        said: list[AnyBlock] = [TextBlock(text=content)]
        return Converted(role, _kind(payload, role, said), said, rest, "content")
    if not isinstance(content, list):
        return None
    blocks: list[AnyBlock] = []
    for part in content:
        blocks.append(outputs.part_block(part))
    return Converted(role, _kind(payload, role, blocks), blocks, rest)


def _kind(payload: JsonObject, role: Role, blocks: list[AnyBlock]) -> Kind | None:
    if role == "system":
        return "context"
    if role != "user":
        return None
    passed = payload.get(PASSTHROUGH)
    if isinstance(passed, dict):
        says, kind = kinds.stated(passed.get("content_item_kinds"))
        if says:
            return kind
    return kinds.of_texts([b.text for b in blocks if isinstance(b, TextBlock)])


def _reasoning(payload: JsonObject) -> Converted:
    """Summary and raw content are a block each; a record with neither is redacted, whatever is encrypted in it."""
    blocks: list[AnyBlock] = []
    for key in ("summary", "content"):
        text = joined(payload.get(key))
        if text:
            blocks.append(ReasoningBlock(text=text, provider_data={"part": key}))
    return Converted("assistant", None, blocks or [ReasoningBlock(redacted=True)], payload)


def joined(parts: Any) -> str:
    """The texts of content parts, a blank line between them, as Codex shows the parts of a summary."""
    if not isinstance(parts, list):
        return ""
    texts: list[str] = []
    for part in parts:  # mostly one: a loop costs half of what a comprehension does
        text = part.get("text") if isinstance(part, dict) else part
        if text and isinstance(text, str):
            texts.append(text)
    return "\n\n".join(texts)


def _function_call(payload: JsonObject) -> Converted | None:
    name, arguments = payload.get("name"), payload.get("arguments")
    if not isinstance(name, str):
        return None
    if not isinstance(arguments, str):
        made = _call(payload, name, arguments, "arguments")
        return msgspec.structs.replace(made, odd="arguments")
    decoded, same = decoded_arguments(arguments)
    exact: JsonObject = {} if same else {"arguments": arguments}
    if isinstance(payload.get("namespace"), str):
        exact["namespace"] = payload["namespace"]
    patch = patches.in_call(name, decoded)
    if patch is not None:
        if name != "apply_patch" or exact or decoded != {"input": patch}:
            exact = {**exact, "name": name, "arguments": arguments}
        return _patch(payload, patch, exact, "arguments")
    return _call(payload, name, decoded, "arguments", exact)


def decoded_arguments(arguments: str) -> tuple[JsonValue, bool]:
    """A call's arguments as JSON, or their text where they are none; and whether encoding gives the same text again."""
    try:
        decoded = jsontext.loads(arguments)
    except jsontext.UnreadableJson:
        return arguments, False
    if isinstance(decoded, str):
        return arguments, False  # a JSON string would read back as text that is no JSON
    return decoded, jsontext.dumps(decoded) == arguments.encode("utf-8", "surrogatepass")


def _custom_call(payload: JsonObject) -> Converted | None:
    name, given = payload.get("name"), payload.get("input")
    if not isinstance(name, str):
        return None
    patch = patches.in_call(name, given) if isinstance(given, str) else None
    if patch is not None:
        return _patch(payload, patch, {} if name == "apply_patch" else {"name": name}, "input")
    return _call(payload, name, given, "input")


def _local_shell(payload: JsonObject) -> Converted | None:
    action = payload.get("action")
    patch = patches.in_command(action.get("command")) if isinstance(action, dict) else None
    if patch is not None:
        return _patch(payload, patch, {"action": action}, "action")
    return _call(payload, "local_shell", action, "action")


def _call(payload: JsonObject, name: str, given: JsonValue, key: str, exact: JsonObject | None = None) -> Converted:
    block = ToolCallBlock(call_id=_call_id(payload), name=name, input=given, provider_data=exact or None)
    return Converted("assistant", None, [block], _without(payload, key))


def _patch(payload: JsonObject, patch: str, exact: JsonObject, key: str) -> Converted:
    block = FileChangeBlock(
        call_id=_call_id(payload), path=patches.path_of(patch), patch=patch, provider_data=exact or None
    )
    return Converted("assistant", None, [block], _without(payload, key))


def _call_id(payload: JsonObject) -> str:
    """The id that pairs a call with its output; an item of the first versions may have only `id`."""
    found = payload.get("call_id")
    if not isinstance(found, str):
        found = payload.get("id")
    return found if isinstance(found, str) else ""


def _output(payload: JsonObject, key: str) -> Converted | None:
    output, call_id = payload.get(key), payload.get("call_id")
    rest = _without(payload, key)
    if not isinstance(call_id, str):
        # 0.169 puts context in this way (`agent.goal_objective`): an answer that nobody asked for.
        if not isinstance(output, str | list | None):
            return None
        given = [output] if isinstance(output, str) else output if isinstance(output, list) else []
        blocks: list[AnyBlock] = [TextBlock(text=g) if isinstance(g, str) else outputs.part_block(g) for g in given]
        return Converted("system", "context", blocks, rest)
    value = output if key == "tools" else outputs.output_of(output)
    absent = None if key in payload else {"absent": True}
    block = ToolResultBlock(call_id=call_id, output=value, is_error=outputs.failed(output), provider_data=absent)
    return Converted("tool", None, [block], rest, None if isinstance(output, (str, list)) else key)


def _search(payload: JsonObject) -> Converted:
    action = payload.get("action")
    call_id = payload.get("call_id")
    block = WebSearchBlock(call_id=call_id if isinstance(call_id, str) else None, query=query_of(action))
    return Converted("assistant", None, [block], payload)


def query_of(action: Any) -> str:
    """What was looked for, in the words Codex shows: the query, the page opened, or the pattern and its page."""
    if not isinstance(action, dict):
        return ""
    if isinstance(action.get("query"), str) and action["query"]:
        return str(action["query"])
    queries = action.get("queries")
    if isinstance(queries, list) and queries:
        return " | ".join(q for q in queries if isinstance(q, str))
    url, pattern = action.get("url"), action.get("pattern")
    if isinstance(pattern, str):
        return f"'{pattern}' in {url}" if isinstance(url, str) else f"'{pattern}'"
    return url if isinstance(url, str) else ""


def _image(payload: JsonObject) -> Converted | None:
    result = payload.get("result")
    if not isinstance(result, str | None):
        return None
    blocks: list[AnyBlock] = []
    if isinstance(result, str) and result:
        if result.startswith(("data:", "http")):
            blocks.append(outputs.attachment(result))
        else:
            blocks.append(AttachmentBlock(media_type="image/png", data=result))
    return Converted("assistant", None, blocks, _without(payload, "result"))


def _mail(payload: JsonObject) -> Converted | None:
    """Mail between agents (multi-agent v2): a task from above is the child's prompt, an answer from below a notice."""
    content = payload.get("content")
    if not isinstance(content, list | None):
        return None
    blocks: list[AnyBlock] = [outputs.part_block(p) for p in content or ()]
    author, recipient = str(payload.get("author") or ""), str(payload.get("recipient") or "")
    from_above = bool(author) and recipient.startswith(author + "/")
    return Converted("user", None if from_above else "notice", blocks, _without(payload, "content"))


def _without(payload: JsonObject, key: str) -> JsonObject:
    rest = payload.copy()
    rest.pop(key, None)
    return rest


def _whole(kind: Kind) -> Callable[[JsonObject], Converted]:
    def kept(payload: JsonObject) -> Converted:
        name = str(payload["type"])
        return Converted("system", kind, [UnknownBlock(source_type=name, raw=payload)], {"type": name})

    return kept


_CONVERTERS: Final[dict[str, Callable[[JsonObject], Converted | None]]] = {
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _function_call,
    "function_call_output": partial(_output, key="output"),
    "custom_tool_call": _custom_call,
    "custom_tool_call_output": partial(_output, key="output"),
    "local_shell_call": _local_shell,
    "local_shell_call_output": partial(_output, key="output"),
    "tool_search_call": lambda payload: _call(payload, "tool_search", payload.get("arguments"), "arguments"),
    "tool_search_output": partial(_output, key="tools"),
    "web_search_call": _search,
    "image_generation_call": _image,
    "agent_message": _mail,
    "compaction": _whole("summary"),
    "compaction_summary": _whole("summary"),
    "context_compaction": _whole("summary"),
    "additional_tools": _whole("context"),
    "configuration_update": _whole("context"),
    "compaction_trigger": _whole("context"),
}
