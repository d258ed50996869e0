"""What people see of a tool run: one kind of card per kind of tool, whichever vendor's tool it was.

The model gets response items; the transcript is drawn from other records (formats/codex.md §6). This module says what
a call and its result are, by the tool's name and arguments; `write_history` and `write_events` turn that into the two
forms of record. Nothing here reaches the model, so it may look at names without changing them.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

import msgspec

from sesh.format.blocks import (
    AttachmentBlock,
    FileChangeBlock,
    Part,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    WebSearchBlock,
    output_parts,
)
from sesh.format.json import JsonObject, JsonValue
from sesh.format.regex import regex
from sesh.providers.codex import patch_text


class Command(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A shell command and what it printed. `name` and `arguments` are the call's own."""

    name: str
    arguments: JsonObject
    argv: list[str]
    cwd: str | None
    output: str
    exit_code: int


class Patch(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Files changed: path to change (see `patch_text`)."""

    changes: JsonObject
    output: str
    failed: bool


class Search(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A web search, or a page opened."""

    query: str
    action: JsonObject


class Image(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An image file that the model looked at. `name` and `arguments` are the call's own."""

    name: str
    arguments: JsonObject
    path: str


class Plan(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A plan or to-do list, as Markdown."""

    text: str


class Tool(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Any other tool. `server` is set for MCP tools."""

    server: str | None
    name: str
    arguments: JsonValue
    parts: list[Part]
    failed: bool


Card: TypeAlias = Command | Patch | Search | Image | Plan | Tool

MCP: Final = regex(r"mcp__(?P<server>.+?)__(?P<tool>.+)", re.DOTALL)
_SHELL_TOOLS: Final = frozenset({"Bash", "shell", "shell_command", "exec_command", "local_shell", "container.exec"})
_EXIT: Final = regex(r"(?:Process exited with code|Exit code:?) (-?\d{1,9})\b")
_HEADER: Final = regex(r"(?:Chunk ID|Exit code|Wall time|Process exited)[^\n]*\n(?:[^\n]*\n){0,5}?Output:\n?")
_MARKS: Final = {"completed": "x", "in_progress": "~"}


def card(call: ToolCallBlock | FileChangeBlock | WebSearchBlock, result: ToolResultBlock | None) -> Card:
    """What a call and its result look like. `result` is None where nothing answered."""
    failed = bool(result and result.is_error)
    output = None if result is None else result.output  # people are shown the whole of it
    if isinstance(call, WebSearchBlock):
        return Search(query=call.query, action={"type": "search", "query": call.query})
    if isinstance(call, FileChangeBlock):
        return Patch(changes=patch_text.changes(call.patch or ""), output=text_of(output), failed=failed)
    arguments = call.input if isinstance(call.input, dict) else {}
    special = _special(call.name, arguments, output, failed)
    if special is not None:
        return special
    mcp = MCP.fullmatch(call.name)
    parts = output_parts(output)
    return Tool(
        server=mcp["server"] if mcp else None,
        name=mcp["tool"] if mcp else call.name,
        arguments=call.input,
        parts=[TextBlock(text=text_of(output))] if parts is None else parts,
        failed=failed,
    )


def _special(name: str, given: JsonObject, output: JsonValue, failed: bool) -> Card | None:
    if name in _SHELL_TOOLS and (argv := _argv(given)) is not None:
        text, code = command_output(text_of(output), failed)
        cwd = given.get("workdir")
        where = cwd if isinstance(cwd, str) else None
        return Command(name=name, arguments=given, argv=argv, cwd=where, output=text, exit_code=code)
    if name in ("Edit", "Write", "MultiEdit") and (found := _edited(name, given)) is not None:
        return Patch(changes=found, output=text_of(output), failed=failed)
    if name in ("WebSearch", "web_search") and isinstance(given.get("query"), str):
        return Search(query=given["query"], action={"type": "search", "query": given["query"]})
    path = given.get("file_path") if name == "Read" else given.get("path") if name == "view_image" else None
    if isinstance(path, str) and (name == "view_image" or _holds_image(output)):
        return Image(name=name, arguments=given, path=path)
    if name in ("TodoWrite", "update_plan") and not failed and (text := _steps(given)):
        return Plan(text=text)
    if name == "ExitPlanMode" and isinstance(given.get("plan"), str) and given["plan"]:
        return Plan(text=given["plan"])
    return None


def _argv(given: JsonObject) -> list[str] | None:
    command = given.get("command", given.get("cmd"))
    if isinstance(command, str):
        return ["bash", "-lc", command]
    if isinstance(command, list) and command and all(isinstance(c, str) for c in command):
        return command
    return None


def _edited(name: str, given: JsonObject) -> JsonObject | None:
    path = given.get("file_path")
    if not isinstance(path, str):
        return None
    if name == "Write":
        content = given.get("content")
        return {path: {"type": "add", "content": content}} if isinstance(content, str) else None
    edits = given.get("edits") if name == "MultiEdit" else [given]
    pairs = texts_replaced(edits)
    if pairs is None:
        return None
    return {path: patch_text.update("".join(patch_text.diff_of(old, new) for old, new in pairs))}


def texts_replaced(edits: JsonValue) -> list[tuple[str, str]] | None:
    """The (old, new) texts of Claude's edits, or None where they are of another shape."""
    if not isinstance(edits, list):
        return None
    pairs = []
    for edit in edits:
        old, new = (edit.get("old_string"), edit.get("new_string")) if isinstance(edit, dict) else (None, None)
        if not isinstance(old, str) or not isinstance(new, str):
            return None
        pairs.append((old, new))
    return pairs


def _steps(given: JsonObject) -> str:
    steps = given.get("todos", given.get("plan"))
    lines = []
    for step in steps if isinstance(steps, list) else []:
        text = step.get("content", step.get("step")) if isinstance(step, dict) else None
        if isinstance(text, str):
            lines.append(f"- [{_MARKS.get(str(step.get('status')), ' ')}] {text}")
    return "\n".join(lines)


def _holds_image(output: JsonValue) -> bool:
    return isinstance(output, list) and any(isinstance(p, AttachmentBlock) for p in output_parts(output) or [])


def text_of(output: JsonValue) -> str:
    """A tool's output as text: its text parts, or its JSON."""
    if isinstance(output, str):
        return output
    if output is None:
        return ""
    parts = output_parts(output)
    if parts is None:
        import json  # only for an output that is neither text nor parts

        return json.dumps(output, ensure_ascii=False)
    return "\n".join(p.text for p in parts if isinstance(p, TextBlock))


def command_output(text: str, failed: bool) -> tuple[str, int]:
    """What a command printed, without the client's heading, and its exit code.

    Headings seen: Codex 0.47-0.87 `Exit code: N`, from 0.104 `Chunk ID`, `Process exited with code N`, 0.36 a JSON
    object; Claude `Exit code N` on failure only.
    """
    if text.startswith('{"output":'):
        import json

        try:
            old = json.loads(text)
            return str(old["output"]), int(old["metadata"]["exit_code"])
        except (ValueError, KeyError, TypeError):
            pass  # a command that printed such a beginning
    if not text.startswith(("Chunk ID", "Exit code", "Wall time", "Process exited")):
        return text, int(failed)
    code = _EXIT.search(text[:400])
    heading = _HEADER.match(text)
    if heading is not None:
        text = text[heading.end() :]
    elif code is not None and text.startswith("Exit code"):
        text = text.partition("\n")[2]
    return text, int(code[1]) if code else int(failed)
