"""A tool call in one line: what a person wants to know of it before its output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from sesh.format.json import JsonValue

# The argument that says what a call is about, by likelihood; both clients' tools and most MCP servers use these names.
_TELLING: Final = (
    "command",
    "cmd",
    "file_path",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "skill",
    "chars",
    "input",
    "message",
)


def headline(name: str, arguments: JsonValue) -> str:
    """The call's subject: a command, a path, a pattern, a question; else its arguments as JSON. May be long."""
    if isinstance(arguments, str):
        return arguments.strip()
    if not isinstance(arguments, dict):
        return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
    for key in _TELLING:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value.strip()
        if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
            return _command(value)
    questions = arguments.get("questions")
    if isinstance(questions, list) and questions and isinstance(questions[0], dict) and "question" in questions[0]:
        return str(questions[0]["question"])
    if isinstance(arguments.get("todos"), list):
        return _todos(arguments["todos"], "content")
    if isinstance(arguments.get("plan"), list):
        return _todos(arguments["plan"], "step")
    return json.dumps(arguments, ensure_ascii=False) if arguments else ""


def _command(words: Sequence[str]) -> str:
    """`["bash", "-lc", X]` is X (Codex before 0.63); any other list is its words."""
    if len(words) == 3 and words[1] in ("-lc", "-c"):
        return words[2]
    return " ".join(words)


def _todos(items: Sequence[JsonValue], key: str) -> str:
    done = sum(isinstance(i, dict) and i.get("status") == "completed" for i in items)
    now = next((i for i in items if isinstance(i, dict) and i.get("status") == "in_progress"), None)
    current = f": {now[key]}" if now is not None and isinstance(now.get(key), str) else ""
    return f"{done} of {len(items)} done{current}"
