"""Nothing of an item is lost between reading and writing it for Codex again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sesh.providers.api import SessionSource
from sesh.providers.codex import again
from sesh.providers.codex.reader import parse_codex_rollout
from sesh.providers.codex.records import ITEM_TYPES
from tests.sessions import every_file

ROLLOUTS = [p for provider, p in every_file() if provider == "codex" and p.suffix == ".jsonl"]
_HEADER = b'{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/w"}}\n'


def _stood(data: bytes) -> list[str]:
    """Every response_item of a file with its metadata, bare ones too, as text that compares."""
    found = []
    for line in data.split(b"\n"):
        value = json.loads(line) if line.strip() else {}
        payload = value.get("payload", value)
        is_item = value.get("type") == "response_item" or ("payload" not in value and value.get("type") in ITEM_TYPES)
        if is_item and payload["type"] != "ghost_snapshot":
            found.append(_text(payload, value.get("metadata")))
    return found


def _text(payload: Any, metadata: Any) -> str:
    return json.dumps([payload, metadata], sort_keys=True)


@pytest.mark.parametrize("path", ROLLOUTS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_item_of_the_corpus(path: Path) -> None:
    result = parse_codex_rollout(SessionSource(main=path.read_bytes()))
    everything = [*result.messages, *(m for c in result.children for m in c.messages)]
    made = [w for m in everything if (w := again.line(m)) is not None and w.type == "response_item"]
    assert Counter(_text(w.payload, w.metadata) for w in made) == Counter(_stood(path.read_bytes()))


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "function_call", "name": "x", "arguments": '{"a": 1}', "call_id": "c"},
        {"type": "function_call", "name": "x", "arguments": '{"a":1e400}', "call_id": "c"},
        {"type": "function_call", "name": "x", "arguments": '"text"', "call_id": "c"},
        {"type": "function_call", "name": "x", "arguments": "", "call_id": "c"},
        {"type": "function_call", "name": "x", "arguments": '{"a":123456789012345678901234567890}', "call_id": "c"},
        {"type": "function_call", "name": "apply_patch", "arguments": '{"input":"*** Begin Patch"}', "call_id": "c"},
        {"type": "function_call", "name": "apply_patch", "arguments": '{"patch": "p"}', "call_id": "c"},
        {"type": "function_call", "name": "y", "namespace": "mcp__z", "arguments": "{}", "call_id": "c", "status": "x"},
        {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch", "call_id": "c"},
        {"type": "custom_tool_call", "name": "exec", "input": "text(1)", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": None},
        {"type": "function_call_output", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": {"content": "x", "success": False}},
        {"type": "function_call_output", "call_id": "c", "output": []},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "t", "x": 1}]},
        {"type": "function_call_output", "call_id": "c", "output": [{"no": "type"}]},
        {"type": "message", "role": "user", "content": []},
        {"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": "https://x/y.png"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": "data:;base64,AA=="}]},
        {"type": "message", "role": "user", "content": [{"type": "input_audio", "data": "x"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        {"type": "web_search_call", "status": "completed"},
        {"type": "image_generation_call", "status": "failed", "result": ""},
        {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["apply_patch", "p"]}},
        {"type": "reasoning", "summary": [], "content": None, "encrypted_content": "E"},
    ],
    ids=lambda p: f"{p['type']}",
)
def test_an_item(payload: dict[str, Any]) -> None:
    line = {"timestamp": "2026-01-01T00:00:01Z", "type": "response_item", "payload": payload}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    data = _HEADER + b"".join(json.dumps({**line, "payload": p}).encode() + b"\n" for p in (said, payload))
    written = again.line(parse_codex_rollout(data).messages[-1])
    assert written is not None
    assert written.payload == payload
