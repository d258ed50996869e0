"""A conversation, written as a log of Scribe's.

The writer's one duty beside the lines: each block ends in exactly one of `written`, `changed` and `dropped`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from sesh.format import ids, jsontext
from sesh.format.blocks import AnyBlock, TextBlock, ToolCallBlock, ToolResultBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import EmitOptions, EmitResult, IngestedThread
from sesh.report.reports import BlockBook


def emit(thread: Thread, messages: Sequence[Message], /, **options: Unpack[EmitOptions]) -> EmitResult:
    """Write a log. The same conversation gives the same bytes."""
    book = BlockBook()
    session_id = options.get("session_id") or ids.derive("scribe", thread.id)
    about = thread.metadata or {}
    folder = options.get("cwd") or about.get("cwd")
    lines = [_header(session_id, thread, title=thread.title, folder=folder, sesh=options.get("link"))]
    lines += _said(messages, book)
    for child in options.get("children", ()):
        lines += _helper(child, session_id, book)
    return EmitResult(
        session_id=session_id,
        path=f"logs/{session_id}.log",
        lines=lines,
        modified=messages[-1].ts if messages else thread.created_at,
        report=book.report(),
    )


def _header(session_id: str, thread: Thread, **more: Any) -> bytes:
    told = {k: v for k, v in more.items() if v is not None}
    return _line({"scribe": 1, "id": session_id, "at": thread.created_at, **told})


def _helper(child: IngestedThread, under: str, book: BlockBook) -> list[bytes]:
    relation = (child.thread.metadata or {}).get("relation")
    return [_header(child.thread.id, child.thread, under=under, relation=relation), *_said(child.messages, book)]


def _said(messages: Sequence[Message], book: BlockBook) -> list[bytes]:
    lines: list[bytes] = []
    turns: dict[str, int] = {}
    for message in messages:
        turn = None if message.turn_id is None else turns.setdefault(message.turn_id, len(turns))
        told = {"turn": turn, "at": message.ts, "by": message.role, "engine": message.model}
        parts: list[dict[str, Any]] = []
        for block in message.content:
            item = book.open()
            if message.kind is not None:  # Scribe knows no notices, contexts and summaries
                book.dropped(item, message.kind)
                continue
            part = _part(block)
            if part is None:
                book.dropped(item, type(block).__name__.removesuffix("Block").lower())
                continue
            parts.append(part)
            book.written(item)
        if parts:
            lines.append(_line({**{k: v for k, v in told.items() if v is not None}, "parts": parts}))
    return lines


def _part(block: AnyBlock) -> dict[str, Any] | None:
    match block:
        case TextBlock():
            return {"say": block.text}
        case ToolCallBlock():
            return {"run": block.name, "id": block.call_id, "args": block.input}
        case ToolResultBlock():
            more = {"failed": block.is_error, "saw": block.excerpt}
            return {"of": block.call_id, "gave": block.output, **{k: v for k, v in more.items() if v is not None}}
    return None


def _line(value: dict[str, Any]) -> bytes:
    return jsontext.dumps(value)
