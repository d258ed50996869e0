"""Is this a Codex rollout? The envelope `{timestamp, type, payload}`, or the bare lines of 0.28 and before."""

from __future__ import annotations

from typing import Final

from sesh.errors import NotASession
from sesh.format import jsontext, lines
from sesh.format.json import JsonObject, JsonValue

# Top-level types of the envelope, 0.36 to 0.169 (formats/codex.md §3).
ENVELOPE_TYPES: Final = frozenset(
    {
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "token_usage_record",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "dynamic_tools_updated",
        "security_risk_score",
        "realtime_item",
    }
)
_BARE_ITEMS: Final = frozenset({"message", "function_call", "function_call_output", "reasoning", "local_shell_call"})
# `codex exec --json` prints such lines; they are a display stream, not a session (formats/codex.md; peers.md).
_STREAM_TYPES: Final = frozenset(
    {
        "thread.started",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "item.started",
        "item.updated",
        "item.completed",
    }
)


def detect(head: bytes, name: str | None = None) -> bool:
    """Whether one of the first readable lines is a rollout's. Raises NotASession for the `codex exec --json` stream."""
    seen = 0
    for line in lines.split(head):
        for value in jsontext.values(line.data):
            seen += 1
            if is_stream(value):
                raise NotASession(
                    f"{name or 'This input'} is the output stream of `codex exec --json`, not a session file.",
                    hint="The session itself lies under ~/.codex/sessions; `sesh list --all` shows it.",
                )
            if _is_rollout(value):
                return True
        if seen >= 50:
            return False
    # A first line longer than the head (base instructions, an image): its keys stand at the front.
    start = head[:4096]
    return seen == 0 and b'"payload"' in start and any(f'"{t}"'.encode() in start for t in ENVELOPE_TYPES)


def is_stream(value: JsonValue) -> bool:
    """Whether a decoded line is one of `codex exec --json`."""
    return isinstance(value, dict) and _type(value) in _STREAM_TYPES and "payload" not in value


def _is_rollout(value: JsonValue) -> bool:
    if not isinstance(value, dict):
        return False
    if "payload" in value:
        return _type(value) in ENVELOPE_TYPES
    if "record_type" in value:
        return True
    if _type(value) in _BARE_ITEMS and "uuid" not in value:
        return value["type"] != "message" or isinstance(value.get("content"), list)
    return "type" not in value and isinstance(value.get("id"), str) and "instructions" in value and "timestamp" in value


def _type(value: JsonObject) -> str:
    kind = value.get("type")
    return kind if isinstance(kind, str) else ""
