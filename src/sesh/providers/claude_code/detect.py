"""Is this a Claude Code session file? Looked for in its first lines, whatever stands before the first message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sesh.errors import NotASession
from sesh.format import jsontext, lines
from sesh.format.json import JsonValue

# Line kinds that only Claude Code writes, with a key that each always has (formats/claude-code.md §9).
_SIGNS = {
    "user": "message",
    "assistant": "message",
    "summary": "summary",
    "system": "subtype",
    "attachment": "attachment",
    "progress": "data",
    "file-history-snapshot": "snapshot",
    "queue-operation": "operation",
    "last-prompt": "sessionId",
    "mode": "mode",
    "permission-mode": "permissionMode",
    "custom-title": "customTitle",
    "ai-title": "aiTitle",
    "agent-name": "agentName",
    "atis-latch": "atis",
    "tools-used": "tools",
    "worktree-state": "worktreeSession",
    "relocated": "relocatedCwd",
    "pr-link": "prNumber",
    "cost-state": "modelUsage",
    "sesh-link": "sesh",
}


_STREAM: Final = {"system": "subtype", "user": "message", "assistant": "message", "result": "subtype"}
_OF_SESSIONS: Final = frozenset({"sessionId", "parentUuid", "timestamp"})


def detect(head: bytes, name: str | None = None) -> bool:
    """Whether one of the first readable lines is a Claude Code line. Any file `name` may hold one.

    Raises NotASession for the `stream-json` output.
    """
    refuse_stream(head, name)
    return any(map(_is_claude, _first_values(head)))


def refuse_stream(head: bytes, name: str | None = None) -> None:
    """Raise NotASession where the bytes begin like the output of `claude -p --output-format stream-json`.

    Its lines have the types of a session's, but name it `session_id`, and neither parents nor times.
    """
    first = head[: head.find(b"\n")] if b"\n" in head else head
    if b'"session_id"' not in first:
        return
    value = next(iter(jsontext.values(first)), None)
    if not isinstance(value, dict) or "session_id" not in value or _OF_SESSIONS & value.keys():
        return
    if _STREAM.get(str(value.get("type"))) in value:
        raise NotASession(
            f"{name or 'This input'} is the output stream of `claude --output-format stream-json`, not a session file.",
            hint="The session itself lies under ~/.claude/projects; `sesh list --all` shows it.",
        )


def _first_values(head: bytes, most: int = 50) -> Iterator[JsonValue]:
    seen = 0
    for line in lines.split(head):
        if not line.ended and seen and line.offset > 0 and len(head) >= 1 << 16:
            return  # cut by the size of the head, not by the client
        found = jsontext.values(line.data)
        yield from found
        seen += len(found)
        if seen >= most:
            return
    if not seen:
        yield _torn(head)


def _torn(head: bytes) -> JsonValue:
    """A first line longer than the head (a 1 MB image): its keys stand at the front."""
    start = head[:4096]
    if b'"parentUuid"' in start and b'"isSidechain"' in start:
        return {"type": "user", "message": {}, "uuid": ""}
    return None


def _is_claude(value: JsonValue) -> bool:
    if not isinstance(value, dict) or "payload" in value:
        return False
    kind = value.get("type")
    sign = _SIGNS.get(kind) if isinstance(kind, str) else None
    if sign is None or sign not in value:
        return False
    if kind in ("user", "assistant"):
        # The stream of `claude -p --output-format stream-json` has the same types but no uuid chain.
        return "parentUuid" in value or "timestamp" in value or "uuid" in value
    return True
