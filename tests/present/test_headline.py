"""A call in one line."""

from __future__ import annotations

import pytest

from sesh.format.json import JsonValue
from sesh.present.headline import headline


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"command": "ls -la", "description": "List"}, "ls -la"),
        ({"cmd": "ls"}, "ls"),
        ({"command": ["bash", "-lc", "ls | wc"]}, "ls | wc"),
        ({"command": ["apply_patch", "x"]}, "apply_patch x"),
        ({"file_path": "/a/b.py", "limit": 3}, "/a/b.py"),
        ({"pattern": "def", "output_mode": "content"}, "def"),
        ({"query": "rust"}, "rust"),
        ({"description": "Search", "prompt": "Look for ..."}, "Search"),
        (
            {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]},
            "1 of 2 done: b",
        ),
        ({"plan": [{"step": "a", "status": "pending"}]}, "0 of 1 done"),
        ({"questions": [{"question": "Which one?", "options": []}]}, "Which one?"),
        ({"a": 1}, '{"a": 1}'),
        ({}, ""),
        (None, ""),
        ("text\n", "text"),
        ([1], "[1]"),
        ({"command": ""}, '{"command": ""}'),
    ],
)
def test_the_telling_argument(arguments: JsonValue, line: str) -> None:
    assert headline("tool", arguments) == line
