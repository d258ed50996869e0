"""Rollouts made line by line, for tests that ask one thing."""

from __future__ import annotations

import json
from typing import Any

from sesh.format import walk
from sesh.format.message import Message
from sesh.providers.api import IngestResult, SessionSource
from sesh.providers.codex.reader import parse_codex_rollout

Line = dict[str, Any]
THREAD = "019c0000-0000-7000-8000-000000000001"


def thread(n: int) -> str:
    """A thread's or segment's id; greater numbers are later ones."""
    return f"019c{n:04x}-0000-7000-8000-{n:012x}"


def turn_id(n: int) -> str:
    """A turn's id, of the same time as the thread of that number."""
    return f"019c{n:04x}-0001-7000-8000-00000000aaaa"


def meta(session: str = THREAD, **more: Any) -> Line:
    """The header."""
    payload = {"id": session, "timestamp": "2026-03-01T11:00:00.000Z", "cwd": "/work", "originator": "codex-tui"}
    return {"type": "session_meta", "payload": {**payload, "cli_version": "0.169.0", "source": "cli", **more}}


def item(kind: str, **fields: Any) -> Line:
    """A response_item."""
    return {"type": "response_item", "payload": {"type": kind, **fields}}


def user(*texts: str, **more: Any) -> Line:
    """A user message of that many parts."""
    return item("message", role="user", content=[{"type": "input_text", "text": t} for t in texts], **more)


def agent(text: str, **more: Any) -> Line:
    """An assistant message."""
    return item("message", role="assistant", content=[{"type": "output_text", "text": text}], **more)


def call(call_id: str, name: str = "exec_command", arguments: str = "{}", **more: Any) -> Line:
    """A function call."""
    return item("function_call", name=name, arguments=arguments, call_id=call_id, **more)


def output(call_id: str, value: Any = "ok") -> Line:
    """Its output."""
    return item("function_call_output", call_id=call_id, output=value)


def event(kind: str, **fields: Any) -> Line:
    """A legacy event."""
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def told(kind: str, turn: str = turn_id(2), **fields: Any) -> Line:
    """An item_completed event."""
    body = {"type": kind, **fields}
    return event("item_completed", thread_id=THREAD, turn_id=turn, item=body)


def started(turn: str = turn_id(2)) -> Line:
    """A turn begins."""
    return event("task_started", turn_id=turn, model_context_window=1000)


def ended(turn: str = turn_id(2)) -> Line:
    """A turn ends."""
    return event("task_complete", turn_id=turn)


def data(*lines: Line, ordinal: int | None = None) -> bytes:
    """Lines as a file; `ordinal` is the first one's in a paginated file."""
    out = []
    for n, line in enumerate(lines):
        record: Line = {"timestamp": f"2026-03-01T11:{n // 60:02d}:{n % 60:02d}.000Z", **line}
        if ordinal is not None:
            record["ordinal"] = ordinal + n
        out.append(json.dumps(record).encode() + b"\n")
    return b"".join(out)


def read(*lines: Line, **source: Any) -> IngestResult:
    """What a file of these lines (after a header) gives."""
    return parse_codex_rollout(SessionSource(main=data(meta(), *lines), **source))


def said(messages: list[Message]) -> list[tuple[str, str]]:
    """Who said what, contexts and silent messages left out."""
    return [(m.role, text) for m in messages if m.kind is None and (text := walk.text_of(m))]


def codes(result: IngestResult) -> list[str]:
    """The codes of the report's entries."""
    return [e.code for e in result.report.entries]
