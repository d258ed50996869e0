"""Claude Code's tools as Codex's own (`--tools native`): arguments and results translated, not only names.

    Bash -> exec_command (0.104 and later), shell_command (0.63 to 0.87), shell (before)
    Edit, Write, MultiEdit -> apply_patch, a text that applies       Read of an image -> view_image
    TodoWrite -> update_plan       WebSearch -> web_search_call       mcp__server__tool -> namespace and name

Everything else keeps its name. Each line bears the call or result as it was (the stamp), so that reading restores it.
A result that was an error keeps its words; Codex says errors in words too (formats/codex.md §3).
"""

from __future__ import annotations

import re
from typing import Final

from sesh.format import jsontext
from sesh.format.blocks import AttachmentBlock, ToolCallBlock, ToolResultBlock, output_parts
from sesh.format.json import JsonObject
from sesh.format.regex import regex
from sesh.providers.codex import display, patch_text
from sesh.providers.codex.file_views import FileViews
from sesh.providers.codex.write_items import content_part, text_arguments

_EXIT: Final = regex(r"Exit code (-?\d{1,9})(?:\n|\Z)")
_TOOL_ERROR: Final = regex(r"<tool_use_error>(.*)</tool_use_error>", re.DOTALL)
_EDITS: Final = ("Edit", "Write", "MultiEdit")
_HEAD: Final = "Exit code: 0\nWall time: 0 seconds\nOutput:\n"


class NativeTools:
    """Translates calls and their results for a version of Codex (None: a present one), in the order they happened."""

    def __init__(self, version: tuple[int, int] | None, *, links: bool = False) -> None:
        """links: see write_items.data_url."""
        self._links: Final = links
        self._version: Final = version or (1, 0)
        self._views: Final = FileViews()

    def call(self, block: ToolCallBlock, result: ToolResultBlock | None, call_id: str) -> JsonObject | None:
        """A call as Codex's item, or None where Codex has no tool like it. `result` helps to tell what was called."""
        given = block.input
        if not isinstance(given, dict):
            return None
        if block.name == "Bash" and isinstance(given.get("command"), str):
            return self._shell(given["command"], call_id)
        if block.name in _EDITS and (patch := self._patch(block.name, given)) is not None:
            return {
                "type": "custom_tool_call",
                "status": "completed",
                "call_id": call_id,
                "name": "apply_patch",
                "input": patch,
            }
        if block.name == "Read" and isinstance(given.get("file_path"), str) and _shows_image(result):
            return _function("view_image", {"path": given["file_path"]}, call_id)
        if block.name == "TodoWrite" and (plan := _plan(given)) is not None:
            return _function("update_plan", {"plan": plan}, call_id)
        if block.name == "WebSearch" and isinstance(given.get("query"), str):
            action = {"type": "search", "query": given["query"]}
            return {"type": "web_search_call", "status": "completed", "action": action}
        mcp = display.MCP.fullmatch(block.name)
        if mcp is not None and self._version >= (0, 128):
            item = _function(mcp["tool"], given, call_id)
            return {**item, "namespace": f"mcp__{mcp['server']}"}
        return None

    def result(self, call: ToolCallBlock, written: JsonObject, block: ToolResultBlock, seconds: float) -> JsonObject:
        """The output of a call that `call` translated into `written`."""
        name = call.name
        text = display.text_of(block.given)
        if not block.is_error:
            self.passed(call, block)
        if written["type"] == "web_search_call":
            return {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}
        kind = "custom_tool_call_output" if written["type"] == "custom_tool_call" else "function_call_output"
        output: object = text
        if name == "Bash":
            output = self._printed(text, bool(block.is_error), seconds)
        elif name in _EDITS:
            match = _TOOL_ERROR.fullmatch(text)
            if block.is_error:
                output = f"apply_patch verification failed: {match[1] if match else text}"
            else:
                mark = "A" if name == "Write" else "M"
                output = f"{_HEAD}Success. Updated the following files:\n{mark} {call.input['file_path']}\n"
        elif name == "TodoWrite" and not block.is_error:
            output = "Plan updated"
        else:
            parts = output_parts(block.given)
            if parts and not isinstance(block.given, str):
                output = [content_part(p, assistant=False, links=self._links).value for p in parts]
        return {"type": kind, "call_id": written["call_id"], "output": output}

    def passed(self, call: ToolCallBlock, block: ToolResultBlock) -> None:
        """A tool has run: what it showed of files is remembered. `result` does it by itself."""
        if isinstance(call.input, dict) and not block.is_error:
            self._views.passed(call.name, call.input, display.text_of(block.given))

    def _shell(self, command: str, call_id: str) -> JsonObject:
        if self._version >= (0, 104):
            return _function("exec_command", {"cmd": command}, call_id)
        if self._version >= (0, 63):
            return _function("shell_command", {"command": command}, call_id)
        return _function("shell", {"command": ["bash", "-lc", command]}, call_id)

    def _printed(self, text: str, failed: bool, seconds: float) -> str:
        """What a command printed under Codex's heading; words of the client's own (a refusal) stay as they are."""
        match = _EXIT.match(text) if failed else None
        if (failed and match is None) or text.startswith("Command running in background"):
            return text
        code, rest = (int(match[1]), text[match.end() :]) if match else (0, text)
        if self._version >= (0, 104):
            return f"Wall time: {seconds:.4f} seconds\nProcess exited with code {code}\nOutput:\n{rest}"
        if self._version >= (0, 47):
            return f"Exit code: {code}\nWall time: {seconds:.1f} seconds\nOutput:\n{rest}"
        metadata = {"exit_code": code, "duration_seconds": round(seconds, 1)}
        return jsontext.dumps({"output": rest, "metadata": metadata}).decode()

    def _patch(self, name: str, given: JsonObject) -> str | None:
        path = given.get("file_path")
        if not isinstance(path, str) or not path or "\n" in path:
            return None
        if name == "Write":
            content = given.get("content")
            return patch_text.add_file(path, content) if isinstance(content, str) else None
        pairs = display.texts_replaced(given.get("edits") if name == "MultiEdit" else [given])
        if not pairs:
            return None
        if len(pairs) == 1 and not pairs[0][0]:
            return patch_text.add_file(path, pairs[0][1])
        before, after = self._views.get(path), self._views.edited(name, given)
        exact = None if before is None or after is None else patch_text.update_file(path, before, after)
        return exact or patch_text.replace_text(path, pairs)


def _function(name: str, arguments: JsonObject, call_id: str) -> JsonObject:
    return {"type": "function_call", "name": name, "arguments": text_arguments(arguments), "call_id": call_id}


def _shows_image(result: ToolResultBlock | None) -> bool:
    parts = None if result is None else output_parts(result.given)
    return any(isinstance(part, AttachmentBlock) for part in parts or [])


def _plan(given: JsonObject) -> list[JsonObject] | None:
    todos = given.get("todos")
    if not isinstance(todos, list):
        return None
    plan = []
    for todo in todos:
        step = todo.get("content") if isinstance(todo, dict) else None
        if not isinstance(step, str):
            return None
        status = todo.get("status")
        plan.append({"step": step, "status": status if status in ("completed", "in_progress") else "pending"})
    return plan
