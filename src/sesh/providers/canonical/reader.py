"""Canonical JSON Lines to a thread, its messages and its children.

The first thread record is the session; every other thread is a child. Messages go to the thread they name, wherever
they stand in the file. A line that is no record is kept as an unknown block in its place, like in every reader.
"""

from __future__ import annotations

from typing import TypeVar, Unpack, cast

import msgspec

from sesh.errors import NotASession
from sesh.format import ids, jsontext, lines, wire
from sesh.format.blocks import UnknownBlock
from sesh.format.json import JsonValue
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import IngestedThread, IngestResult, ReadOptions, Source, as_source
from sesh.providers.boundary import guarded
from sesh.report.reports import LineBook

_FILE = ""
R = TypeVar("R", Thread, Message)


class _Reading:
    """The state of one parse: threads in order of appearance, and each one's messages."""

    def __init__(self) -> None:
        self.book = LineBook()
        self.threads: dict[str, Thread] = {}
        self.messages: dict[str, list[Message]] = {}
        self.current = ""
        """The thread of the line before, whose place a line that is no record takes; "" before the first."""
        self.last_ts = ""

    def take(self, value: JsonValue, text: bytes, item: int, number: int) -> None:
        """Close one JSON value of the file. A record with strange keys, or of another version, keeps its own text."""
        try:
            record = wire.from_value(value, text)
        except wire.NotARecord as e:
            self.keep(item, number, "unknown-record", str(e), value)
            return
        if isinstance(record, Thread):
            if record.id in self.threads and self.threads[record.id] != record:
                self.book.note("duplicate-id", f"Thread {record.id} stands here again; the last counts.", line=number)
            self.threads[record.id] = record
            self.messages.setdefault(record.id, [])
            self.current, self.last_ts = record.id, record.created_at
        else:
            self.messages.setdefault(record.thread_id, []).append(record)
            self.current, self.last_ts = record.thread_id, record.ts
        if not isinstance(record, wire.VerbatimThread | wire.VerbatimMessage):
            self.book.used(_FILE, item)
        elif record.unknown:
            self.book.used(_FILE, item)
            said = f"Keys that this release does not know are kept as they are: {', '.join(record.unknown)}."
            self.book.note("unknown-key", said, line=number)
        else:
            self.book.unknown(_FILE, item)
            self.book.note("unknown-record", f"A record of version {record.version!r}, kept as it is.", line=number)

    def keep(self, item: int, number: int, code: str, why: str, value: JsonValue) -> None:
        """Close a line that is no record: it becomes an unknown block where it stands."""
        kind = "unreadable" if code == "unreadable-line" else "record"
        self.messages.setdefault(self.current, []).append(
            Message(
                id=ids.message_id("canonical", self.current, f"line:{number}#{item}"),
                thread_id=self.current,
                role="system",
                ts=self.last_ts,
                kind="context",
                content=[UnknownBlock(source_type=kind, raw=value)],
            )
        )
        self.book.unknown(_FILE, item)
        self.book.note(code, f"Kept as an unknown block: {why}.", line=number)


@guarded
def parse_canonical(source: Source, /, **options: Unpack[ReadOptions]) -> IngestResult:
    """Read what `emit_canonical` wrote. `agent_id` and `run_id` are stamped where given; `raw` stays as it is.

    Raises NotASession where the file holds no thread record.
    """
    given = as_source(source)
    reading = _Reading()
    for line in lines.split(given.main):
        try:
            value = jsontext.decode_any(line.data)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            _odd_line(reading, line)
            continue
        reading.take(value, line.data, reading.book.open(_FILE), line.number)
    return _result(reading, given.name, options)


def _odd_line(reading: _Reading, line: lines.RawLine) -> None:
    found = jsontext.pieces(line.data)
    if not found:
        reading.book.skipped(_FILE, reading.book.open(_FILE), "blank")
    for piece in found:
        item = reading.book.open(_FILE)
        if piece.readable:
            reading.take(piece.value, piece.text.encode("utf-8", "surrogatepass"), item, line.number)
        else:
            reading.keep(item, line.number, "unreadable-line", piece.flaw or "no JSON", piece.text)


def _result(reading: _Reading, name: str | None, options: ReadOptions) -> IngestResult:
    if not reading.threads:
        raise NotASession(
            f"{name or 'This input'} holds no thread record.",
            hint="A canonical file begins with one; `sesh convert SESSION --to canonical` writes it.",
        )
    main = next(iter(reading.threads.values()))
    ahead = reading.messages.pop("", [])
    reading.messages[main.id][:0] = [msgspec.structs.replace(m, thread_id=main.id, ts=main.created_at) for m in ahead]
    for stray in [t for t in reading.messages if t not in reading.threads]:
        reading.book.note("missing-history", f"Messages of thread {stray}, whose own record is not in the file.")
        reading.threads[stray] = Thread(id=stray, parent_thread_id=main.id, created_at=reading.messages[stray][0].ts)
    threads = [_stamped(t, reading.messages[t.id], options) for t in reading.threads.values()]
    return IngestResult(
        thread=threads[0].thread, messages=threads[0].messages, children=threads[1:], report=reading.book.report()
    )


def _stamped(thread: Thread, messages: list[Message], options: ReadOptions) -> IngestedThread:
    agent, run = options.get("agent_id"), options.get("run_id")
    if agent is not None:
        thread = _with(thread, "agentId", agent)
    if run is not None:
        messages = [_with(m, "runId", run) for m in messages]
    return IngestedThread(thread=thread, messages=messages)


def _with(record: R, key: str, value: str) -> R:
    """A record with one more key, whatever else its text holds. A record of another version is left alone."""
    if isinstance(record, wire.VerbatimThread | wire.VerbatimMessage) and record.version != wire.VERSION:
        return record
    stamped = {**jsontext.loads(wire.encode(record)), key: value}
    return cast("R", wire.from_value(stamped, jsontext.dumps(stamped)))
