"""`toolUseResult`: what Claude Code's screen draws of a result. It is never sent to the model.

Bash shows its output only with `{stdout, stderr, interrupted, isImage}`, Edit and Write their diff only with a
`structuredPatch`; any failed call has a string "Error: …" (formats/claude-code.md §5, §9; shapes of 2.1.328).
"""

from __future__ import annotations

import msgspec

from sesh.format.json import JsonObject, JsonValue
from sesh.providers.claude_code import tools_patch, tools_shell
from sesh.providers.claude_code.write_blocks import NOTHING_RECORDED, Use


class Shown(msgspec.Struct, frozen=True, gc=False):
    """A result as it is written: what the model reads, and what the screen draws (None: nothing).

    `put` and `cut`: the output is this content, but for its beginning (format/stamp.py). `put` is None where it is not.
    """

    content: JsonValue
    drawn: JsonValue = None
    put: str | None = ""
    cut: str = ""


def translated(use: Use, content: JsonValue, is_error: bool | None) -> Shown:
    """The result of a call that was translated: a command's output without its frame, all else as it was."""
    if use.name == "Bash" and isinstance(content, str):
        found = tools_shell.unframed(content)
        if found.framed:
            failed = is_error or found.code not in (None, 0)
            if found.code is None:
                return Shown(content, drawn(use, content, is_error))  # it still runs: the frame says so, and its id
            cut = f"Exit code {found.code}\n" if failed else ""
            text = cut + found.body
            return Shown(text, drawn(use, text, is_error), found.frame, cut)
    return Shown(content, drawn(use, content, is_error))


def part_of_it(use: Use, content: JsonValue, is_error: bool | None) -> Shown:
    """The result of one more call that stands for a part of a call: its failure, or that it was done."""
    if is_error or content == NOTHING_RECORDED:
        return Shown(content, drawn(use, content, True))
    path = use.input.get("file_path")
    said = {"Edit": f"The file {path} has been updated.", "Write": f"File created successfully at: {path}"}.get(
        use.name
    )
    return Shown(said or "", drawn(use, said or "", is_error))


def drawn(use: Use, content: JsonValue, is_error: bool | None) -> JsonValue:
    """What the screen needs for a result of this tool; None where it needs nothing, or this is no tool of its own."""
    text = content if isinstance(content, str) else _texts(content)
    if is_error:
        return f"Error: {text}"
    given = use.input
    match use.name:
        case "Bash":
            return {"stdout": text, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
        case "Edit" | "Write" | "MultiEdit":
            return _edited(use.name, given)
        case "Read":
            return _read(given, content, text)
        case "TodoWrite" if isinstance(given.get("todos"), list):
            return {"oldTodos": [], "newTodos": given["todos"]}
        case "WebSearch":
            return {"query": given.get("query", ""), "results": [text], "durationSeconds": 0, "searchCount": 1}
        case name if name.startswith("mcp__"):
            return content
    return None


def _texts(content: JsonValue) -> str:
    if not isinstance(content, list):
        return ""
    return "\n".join(b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str))


def _edited(name: str, given: JsonObject) -> JsonValue:
    path = given.get("file_path")
    if not isinstance(path, str):
        return None
    if name == "Write":
        if not isinstance(given.get("content"), str):
            return None
        return {
            "type": "create",
            "filePath": path,
            "content": given["content"],
            "structuredPatch": [],
            "originalFile": None,
            "userModified": False,
        }
    pairs = given.get("edits") if name == "MultiEdit" else [given]
    if not isinstance(pairs, list):
        return None
    hunks: list[JsonObject] = []
    for pair in pairs:
        old = pair.get("old_string") if isinstance(pair, dict) else None
        new = pair.get("new_string") if isinstance(pair, dict) else None
        if not isinstance(old, str) or not isinstance(new, str):
            return None
        hunks += tools_patch.structured(old, new)
    shared: JsonObject = {"filePath": path, "originalFile": "", "structuredPatch": hunks, "userModified": False}
    if name == "MultiEdit":
        return {**shared, "edits": pairs}
    return {
        **shared,
        "oldString": given["old_string"],
        "newString": given["new_string"],
        "replaceAll": bool(given.get("replace_all")),
    }


def _read(given: JsonObject, content: JsonValue, text: str) -> JsonValue:
    if isinstance(content, list):
        for block in content:
            if block.get("type") == "image" and block["source"].get("type") == "base64":
                source = block["source"]
                size = len(source["data"]) * 3 // 4
                return {
                    "type": "image",
                    "file": {"base64": source["data"], "type": source["media_type"], "originalSize": size},
                }
        return None
    path = given.get("file_path")
    if not isinstance(path, str):
        return None
    count = text.count("\n") + 1
    file = {"filePath": path, "content": text, "numLines": count, "startLine": 1, "totalLines": count}
    return {"type": "text", "file": file}
