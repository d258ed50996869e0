"""A log of Scribe's, read.

    {"scribe": 1, "id": "…", "title": "…", "folder": "/…", "at": "2026-11-20T09:00:00Z"}   the session begins
    {"turn": 0, "at": "…", "by": "user", "parts": [{"say": "Hello"}]}                      a message
    {"turn": 0, "at": "…", "by": "assistant", "engine": "x", "parts": [{"run": "ls", "id": "1", "args": {}}]}
    {"turn": 0, "at": "…", "by": "tool", "parts": [{"of": "1", "gave": "a b", "failed": false}]}
                                                                  (`saw`: the piece of it that the model was given)
    {"scribe": 1, "id": "…", "under": "…", "at": "…"}                                      a helper's session begins
    {"beat": 17}                                                                           Scribe is alive

One line is one message, so that a file that grows only adds messages. The reader's one duty beside that: each line ends
in exactly one of `used`, `unknown` and `skipped`.
"""

from __future__ import annotations

from typing import Any, Unpack

from sesh.errors import NotASession
from sesh.format import ids, jsontext, lines
from sesh.format.blocks import AnyBlock, TextBlock, ToolCallBlock, ToolResultBlock, UnknownBlock
from sesh.format.message import Message, Provenance
from sesh.format.thread import Thread
from sesh.providers.api import IngestedThread, IngestResult, ReadOptions, Source, as_source
from sesh.report.reports import LineBook

ROLES = ("user", "assistant", "system", "tool")


class _Log:
    """One session of the file: the thread, and its messages so far."""

    def __init__(self, thread: Thread, session_id: str) -> None:
        self.thread, self.session_id = thread, session_id
        self.messages: list[Message] = []

    def add(self, line: int, **fields: Any) -> None:
        """A message. Its id derives from the line's number, so that reading again gives the same."""
        key = f"line:{line}"
        self.messages.append(
            Message(
                id=ids.message_id("scribe", self.session_id, key),
                thread_id=self.thread.id,
                parent_id=self.messages[-1].id if self.messages else None,
                provenance=Provenance(
                    provider="scribe", channel="session-file", session_id=self.session_id, source_id=key
                ),
                **fields,
            )
        )


def parse(source: Source, /, **options: Unpack[ReadOptions]) -> IngestResult:
    """Read a log. Raises NotASession, and nothing else, whatever the bytes."""
    given = as_source(source)
    book = LineBook()
    file = given.name or "log"
    logs: list[_Log] = []
    for line in lines.split(given.main):
        pieces = jsontext.pieces(line.data)
        if not pieces:
            book.skipped(file, book.open(file), "blank")
        for piece in pieces:  # one line should hold one value; a damaged file may hold several, or half of one
            item = book.open(file)
            value = piece.value if piece.readable and isinstance(piece.value, dict) else None
            if value is not None and value.get("scribe") == 1:
                logs.append(_header(value, logs))
                book.used(file, item)
            elif not logs:
                book.skipped(file, item, "before the session")
            elif value is not None and "beat" in value:
                book.skipped(file, item, "beat")
            elif value is not None and (content := _content(value)) is not None:
                logs[-1].add(
                    line.number,
                    content=content,
                    role=value["by"],
                    ts=_text(value.get("at")) or _before(logs[-1]),
                    turn_id=None if value.get("turn") is None else str(value["turn"]),
                    model=_text(value.get("engine")),
                )
                book.used(file, item)
            else:  # kept whole, in its place, and named
                raw = piece.value if piece.readable else piece.text
                block = UnknownBlock(source_type="line" if piece.readable else "unreadable", raw=raw)
                logs[-1].add(line.number, content=[block], role="system", ts=_before(logs[-1]), kind="context")
                book.unknown(file, item)
                book.note("unknown-record", "A line of an unknown kind; kept as an unknown block.", line=line.number)
    if not logs:
        raise NotASession(f"{file} is no session of Scribe.", hint="A log begins with a line that has `scribe`.")
    main, *rest = (IngestedThread(thread=log.thread, messages=log.messages) for log in logs)
    return IngestResult(thread=main.thread, messages=main.messages, children=list(rest), report=book.report())


def _header(value: dict[str, Any], logs: list[_Log]) -> _Log:
    number = f"/{len(logs)}" if logs else ""
    session_id = (_text(value.get("id")) or "nameless") + number
    metadata = {"provider": "scribe", "sessionId": session_id, "cwd": _text(value.get("folder"))}
    if logs:
        metadata["relation"] = _text(value.get("relation")) or "subagent"
    return _Log(
        Thread(
            id=ids.thread_id("scribe", session_id),
            parent_thread_id=logs[0].thread.id if logs else None,
            title=_text(value.get("title")),
            created_at=_text(value.get("at")) or "",
            metadata={k: v for k, v in metadata.items() if v is not None},
        ),
        session_id,
    )


def _content(value: dict[str, Any]) -> list[AnyBlock] | None:
    """A message's blocks; None where the line is no message."""
    if value.get("by") not in ROLES or not isinstance(value.get("parts"), list):
        return None
    return [_block(part) for part in value["parts"]]


def _block(part: object) -> AnyBlock:
    match part:
        case {"say": str(text)}:
            return TextBlock(text=text)
        case {"run": str(name), "id": str(call), "args": arguments}:
            return ToolCallBlock(call_id=call, name=name, input=arguments)
        case {"of": str(call), "gave": output, **more}:
            failed = more.get("failed")
            if failed is None or isinstance(failed, bool):
                return ToolResultBlock(call_id=call, output=output, excerpt=more.get("saw"), is_error=failed)
    return UnknownBlock(source_type="part", raw=part)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _before(log: _Log) -> str:
    """The time of the line before: never "now"."""
    return log.messages[-1].ts if log.messages else log.thread.created_at
