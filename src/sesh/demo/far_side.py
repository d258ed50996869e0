"""What a client would append to a session that somebody goes on with: one scripted turn, for want of the client.

The lines are those that Codex 0.169.0 and Claude Code 2.1.328 write for a turn with one command (formats/codex.md §5,
formats/claude-code.md §3), less what only they need.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sesh.format import ids, jsontext
from sesh.format.json import JsonObject

PROMPT: Final = "Before I go on: do all tests pass?"
COMMAND: Final = "python -m pytest -q"
OUTPUT: Final = "...\n3 passed in 0.05s\n"
ANSWER: Final = "Yes, all three pass."


def turn(provider: str, lines: Sequence[bytes]) -> list[bytes]:
    """The lines that the client would append to these."""
    records = [jsontext.loads(line) for line in lines]
    made = _codex(records) if provider == "codex" else _claude(records)
    return [jsontext.dumps(record) for record in made]


class _Clock:
    """Times that go on from the last one of a session, two seconds apart."""

    def __init__(self, records: Sequence[Any]) -> None:
        self._at = datetime.fromisoformat(max(r["timestamp"] for r in records if r.get("timestamp")))

    def next(self) -> str:
        self._at += timedelta(seconds=2)
        return self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def seconds(self) -> int:
        return int(self._at.timestamp())


def _codex(records: Sequence[Any]) -> list[JsonObject]:
    thread = records[0]["payload"]["id"]
    clock, turn_id, call_id = _Clock(records), ids.derive("demo turn", thread), "call_demo"
    ordinals = [r["ordinal"] for r in records if "ordinal" in r]
    paginated = records[0]["payload"].get("history_mode") == "paginated"
    output = f"Chunk ID: 0d3e10\nWall time: 0.3100 seconds\nProcess exited with code 0\nOutput:\n{OUTPUT}"
    call = {"type": "function_call", "name": "exec_command", "call_id": call_id}
    said: list[tuple[str, JsonObject]] = [
        ("event_msg", {"type": "task_started", "turn_id": turn_id, "started_at": clock.seconds()}),
        ("response_item", _message("user", "input_text", PROMPT)),
        ("event_msg", {"type": "user_message", "message": PROMPT, "images": []}),
        ("response_item", {**call, "arguments": json.dumps({"cmd": COMMAND})}),
        ("response_item", {"type": "function_call_output", "call_id": call_id, "output": output}),
        ("event_msg", {"type": "agent_message", "message": ANSWER}),
        ("response_item", _message("assistant", "output_text", ANSWER)),
        ("event_msg", {"type": "task_complete", "turn_id": turn_id, "last_agent_message": ANSWER}),
    ]
    if paginated:
        said = [_as_item(kind, payload, thread, turn_id) for kind, payload in said]
    made: list[JsonObject] = []
    for number, (kind, payload) in enumerate(said, max(ordinals, default=-1) + 1):
        ordinal = {"ordinal": number} if ordinals else {}
        made.append({"timestamp": clock.next(), **ordinal, "type": kind, "payload": payload})
    return made


def _message(role: str, part: str, text: str) -> JsonObject:
    return {"type": "message", "role": role, "content": [{"type": part, "text": text}]}


def _as_item(kind: str, payload: JsonObject, thread: str, turn_id: str) -> tuple[str, JsonObject]:
    """The paginated form of a message event."""
    item: JsonObject
    match payload["type"]:
        case "user_message":
            item = {"type": "UserMessage", "id": "demo-1", "content": [{"type": "text", "text": PROMPT}]}
        case "agent_message":
            item = {"type": "AgentMessage", "id": "demo-2", "content": [{"type": "Text", "text": ANSWER}]}
        case _:
            return kind, payload
    return kind, {"type": "item_completed", "thread_id": thread, "turn_id": turn_id, "item": item}


def _claude(records: Sequence[Any]) -> list[JsonObject]:
    chained = [r for r in records if r.get("uuid")]
    session, clock, parent = chained[-1]["sessionId"], _Clock(records), chained[-1]["uuid"]
    envelope = {k: chained[-1][k] for k in ("cwd", "sessionId", "version", "gitBranch", "userType") if k in chained[-1]}
    use = {"type": "tool_use", "id": "toolu_demo", "name": "Bash", "input": {"command": COMMAND}}
    result = {"type": "tool_result", "tool_use_id": "toolu_demo", "content": OUTPUT}
    made: list[JsonObject] = []
    for number, (kind, content) in enumerate(
        (
            ("user", PROMPT),
            ("assistant", [use]),
            ("user", [result]),
            ("assistant", [{"type": "text", "text": ANSWER}]),
        )
    ):
        message: JsonObject = {"role": kind, "content": content}
        if kind == "assistant":
            message = {"id": f"msg_demo_{number}", "type": "message", "model": "claude-opus-5-5", **message}
        uuid = ids.derive("demo line", session, str(number))
        line = {"parentUuid": parent, "isSidechain": False, "type": kind, "message": message, "uuid": uuid}
        made.append({**line, "timestamp": clock.next(), **envelope})
        parent = uuid
    return made
