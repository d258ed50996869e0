"""Reading on: the end of a rollout alone, where it can be shown that the whole would say the same.

A place is the line on which a turn begins (`task_started` with a turn id, 0.104 and later). What the pass knows at such
a line (`fold.Fold`), and why it needs no more:

    the line's number               in the place: records without an id are named by it
    events that wait, words said    settled and forgotten where a turn begins
    tokens so far                   `total` in the state: the last `token_count` before it; what single records counted
                                    is forgotten where a turn begins
    tokens of no message yet        given to the next answer; the caller compares that one with the whole reading's
    the model                       in the state: the last `turn_context`
    that items are there            an item before it has said something, so events are echoes
    ids of items, calls, tools      go by names; the caller sees to it that none of them was used before (`names`)
    fork, segment, children         their files are the same (`beside`), and no line after the place names another
    compactions, rollbacks, headers these reach back; such a line is for the whole reading
    what sesh left on lines         no line bears a stamp
    the title                       the file of names, read anew; else the record's, unless a line gives another. One
                                    that the file gave and gives no longer (`indexed`) is for the whole reading
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Unpack

import msgspec

from sesh.format import ids
from sesh.format.blocks import FileChangeBlock, ToolCallBlock, ToolResultBlock, UnknownBlock, WebSearchBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import Further, IngestedThread, IngestResult, Place, ReadOptions, SessionSource
from sesh.providers.boundary import guarded
from sesh.providers.codex import header, items, lineage, records, usage
from sesh.providers.codex.fold import Fold
from sesh.providers.codex.layout import parse_name
from sesh.providers.codex.records import (
    AnyLine,
    Closing,
    Compacted,
    Event,
    EventMsg,
    Record,
    ResponseItem,
    SeshLink,
    SessionMeta,
    TurnContext,
)
from sesh.providers.codex.transcript import PROVIDER, Origin, Transcript
from sesh.report.reports import LineBook

_HARMLESS: Final = frozenset(
    {
        "branch",
        "compaction",
        "encrypted-summary",
        "odd-field",
        "open-call",
        "orphan-result",
        "pending-echo",
        "repaired-bytes",
        "rollback",
        "shared-line",
        "shown-only",
        "superseded",
        "torn-last-line",
        "unknown-record",
        "unreadable-line",
    }
)
"""Notes on a reading after which the rules above hold."""
_TRIES: Final = 3
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_STARTED: Final = ("task_started", "turn_started")


class _State(msgspec.Struct, frozen=True, kw_only=True):
    """`Place.state`: see above. `threads` are those whose files were read, `indexed` that the title is the index's."""

    session: str
    turn: str
    model: str | None
    total: list[int] | None
    threads: list[str]
    indexed: bool


class CodexOnward:
    """`Onward` for Codex."""

    def places(
        self, source: SessionSource, read: IngestResult, settled: int, start: Place | None = None, /
    ) -> Iterator[Place]:
        """See `Onward`."""
        before = None if start is None else msgspec.convert(start.state, _State)
        metadata = read.thread.metadata or {}
        if "cwd" not in metadata or any(e.code not in _HARMLESS for e in read.report.entries):
            return
        if start is None and not _is_plain(source.main, read):
            return
        session = str(metadata.get("sessionId"))
        threads = before.threads if before is not None else _threads(read, session)
        offset, line = (0, 1) if start is None else (start.offset, start.line)
        for at, turn in _turns(source.main):
            if _turn(source.main, at) == turn or (before is None and not _has_items(source.main, at)):
                continue
            model, total = _model(source.main, at), _total(source.main, at)
            if before is None and len(read.report.files) > 1 and (model is None or total is None):
                continue  # what is not said in this file may stand in the one it goes on from
            state = _State(
                session=session,
                turn=turn,
                model=model if before is None else model or before.model,
                total=total if before is None else total or before.total,
                threads=threads,
                indexed=before.indexed if before is not None else _indexed(source, session) is not None,
            )
            yield Place(
                offset=offset + at,
                line=line + source.main.count(b"\n", 0, at),
                end=offset + source.main.rfind(b"\n") + 1,
                state=msgspec.to_builtins(state),
            )

    def names(self, messages: Sequence[Message], children: Sequence[IngestedThread] = (), /) -> Iterator[str]:
        """See `Onward`."""
        for message in messages:
            source = message.provenance.source_id if message.provenance is not None else None
            if source is not None and not source.startswith("line:"):
                yield source
            for block in message.content:
                if isinstance(block, ToolCallBlock | ToolResultBlock | WebSearchBlock | FileChangeBlock):
                    yield block.call_id or ""
                elif isinstance(block, UnknownBlock):
                    yield from _names_in(block.raw)
        for child in children:
            yield from self.names(child.messages)

    def beside(self, keys: Iterable[str], place: Place, /) -> list[str]:
        """See `Onward`. Other rollouts of the threads that were read; the file of names is read each time."""
        threads = set(msgspec.convert(place.state, _State).threads)
        return sorted(k for k in keys if (n := parse_name(k.rpartition("/")[2])) is not None and n.thread_id in threads)

    @guarded
    def read(
        self, source: SessionSource, place: Place, thread: Thread, /, **options: Unpack[ReadOptions]
    ) -> Further | None:
        """See `Onward`."""
        state = msgspec.convert(place.state, _State)
        if ids.thread_id(PROVIDER, state.session) != thread.id:
            return None
        book = LineBook()
        found = _renumbered(records.read(source.main, source.name or "rollout.jsonl", book), place.line - 1, book)
        names = _names_on(found, state)
        if names is None:
            return None
        fold = _folded(found, state, thread, Closing(book), _prefix(source, state.session), options)
        if fold.rolled or fold.showing.named:
            return None
        indexed = _indexed(source, state.session, book)
        record = _record(thread, fold, state, indexed)
        if record is None or not fold.messages:
            return None
        known = msgspec.structs.replace(
            place,
            end=place.offset + source.main.rfind(b"\n") + 1,
            state=msgspec.to_builtins(msgspec.structs.replace(state, indexed=indexed is not None)),
        )
        result = IngestResult(thread=record, messages=fold.messages, children=[], report=book.report())
        return Further(result, known, (names | {*self.names(fold.messages)}) - {""})


ONWARD: Final = CodexOnward()


# ---- whether a place can be had ---------------------------------------------------------------------


def _is_plain(main: bytes, read: IngestResult) -> bool:
    """Whether a whole file is the client's own: what sesh made bears a stamp on its first line, or a link."""
    first = records.one(main[: main.find(b"\n") + 1])
    return isinstance(first, SessionMeta) and first.sesh is None and "link" not in (read.thread.metadata or {})


def _threads(read: IngestResult, session: str) -> list[str]:
    """The threads whose rollouts a reading looked into."""
    named = (parse_name(file.rpartition("/")[2].partition(" ")[0]) for file in read.report.files)
    return sorted({session, *(n.thread_id for n in named if n is not None)})


def _turns(main: bytes) -> Iterator[tuple[int, str]]:
    """Where the last turns begin, and their ids; the last one first."""
    name = _STARTED[0] if _quoted(_STARTED[0]) in main else _STARTED[1]
    for at, line in itertools.islice(_back(main, len(main), name), _TRIES):
        event = _event(line)
        if event is None or event.type != name or not isinstance(event.turn_id, str):
            continue
        if isinstance(line, EventMsg) and isinstance(line.timestamp, str) and _TIME.match(line.timestamp):
            yield at, event.turn_id


def _back(main: bytes, end: int, word: str, start: int = 0) -> Iterator[tuple[int, AnyLine | None]]:
    """Where the lines before `end` begin that hold a word as a value or key, and what they are; the last one first."""
    found = main.rfind(_quoted(word), start, end)
    while found >= 0:
        at = main.rfind(b"\n", 0, found) + 1
        stop = main.find(b"\n", found)
        yield at, records.one(main[at:] if stop < 0 else main[at:stop])
        found = main.rfind(_quoted(word), start, at)


def _quoted(word: str) -> bytes:
    return f'"{word}"'.encode()


def _event(line: AnyLine | None) -> Event | None:
    return line.payload if isinstance(line, EventMsg) else None


def _model(main: bytes, end: int) -> str | None:
    """The model of the last `turn_context` before a place."""
    for _, line in _back(main, end, "turn_context"):
        if isinstance(line, TurnContext) and isinstance(line.payload.model, str):
            return line.payload.model
    return None


def _total(main: bytes, end: int) -> list[int] | None:
    """The running total of tokens that the last `token_count` before a place gave."""
    for _, line in _back(main, end, "total_token_usage"):
        event = _event(line)
        if event is not None and event.type == "token_count" and isinstance(event.info, usage.Info):
            total = usage.tokens(event.info.total_token_usage)
            if total is not None:
                return [*msgspec.structs.astuple(total)]
    return None


def _turn(main: bytes, end: int) -> str:
    """The turn that was named last before a place."""
    found = (0, "")
    for word in ("turn_context", *_STARTED):
        for at, line in _back(main, end, word, found[0]):
            event = _event(line)
            named = (
                line.payload.turn_id if isinstance(line, TurnContext) else event.turn_id if event is not None else None
            )
            if isinstance(named, str):
                found = max(found, (at, named))
                break
    return found[1]


def _has_items(main: bytes, end: int) -> bool:
    """Whether an item before a place has said something (`Showing.has_items`)."""
    for _, line in _back(main, end, "response_item"):
        if not isinstance(line, ResponseItem) or line.sesh is not None or line.payload.get("type") == "ghost_snapshot":
            continue
        made = items.convert(line.payload)
        if made is not None and made.kind != "context" and not isinstance(line.metadata, dict):
            return True
    return False


def _indexed(source: SessionSource, session: str, book: LineBook | None = None) -> str | None:
    """The thread's name in the file of names."""
    data = source.companions.get(lineage.INDEX)
    return None if data is None else header.name_in_index(data, lineage.INDEX, session, book or LineBook())


# ---- the lines after the place ----------------------------------------------------------------------


def _renumbered(found: list[Record], before: int, book: LineBook) -> list[Record]:
    """Records and notes with their line's number in the whole file."""
    book.count_lines_from(before)
    return [msgspec.structs.replace(r, number=r.number + before) for r in found]


def _names_on(found: Sequence[Record], state: _State) -> set[str] | None:
    """The names that the records' own fields bear; None where one of them reaches back."""
    first = _event(found[0].line) if found else None
    if first is None or first.type not in _STARTED or first.turn_id != state.turn:
        return None
    names: set[str] = set()
    for record in found:
        line = record.line
        if isinstance(line, SessionMeta | Compacted | SeshLink) or getattr(line, "sesh", None) is not None:
            return None
        event = _event(line)
        if event is None:
            continue
        if event.type == "thread_rolled_back":
            return None
        names |= {n for n in (event.call_id, event.item.id if event.item is not None else None) if isinstance(n, str)}
    return names


def _names_in(raw: Any) -> Iterator[str]:
    """The names in a record that was kept whole: its call's and its item's."""
    payload = raw.get("payload") if isinstance(raw, dict) else None
    if isinstance(payload, dict):
        item = payload.get("item")
        for value in (payload.get("call_id"), payload.get("id"), item.get("id") if isinstance(item, dict) else None):
            if isinstance(value, str):
                yield value


def _prefix(source: SessionSource, session: str) -> str:
    """What stands before `line:N` in ids: the segment, but for the thread's first file (`threads.Reading`)."""
    name = parse_name(source.name) if source.name else None
    segment = session if name is None else name.segment or name.thread_id
    return "" if segment == session else f"{segment}:"


def _folded(
    found: list[Record], state: _State, thread: Thread, closing: Closing, prefix: str, options: ReadOptions
) -> Fold:
    transcript = Transcript(
        session=state.session,
        key=state.session,
        thread_id=thread.id,
        start=thread.created_at,
        keep_raw=bool(options.get("keep_raw")),
        run_id=options.get("run_id"),
    )
    fold = Fold(transcript, closing)
    fold.resume(state.model, state.total)
    fold.feed(found, Origin(state.session, prefix))
    fold.finish()
    return fold


def _record(thread: Thread, fold: Fold, state: _State, indexed: str | None) -> Thread | None:
    """The thread's record with what the lines say of it; None where only the whole file tells."""
    metadata = dict(thread.metadata or {})
    if fold.transcript.model is not None:
        metadata["model"] = fold.transcript.model
    if fold.context_window is not None:
        metadata["contextWindow"] = fold.context_window
    title = indexed or fold.name or thread.title
    if state.indexed and indexed is None:
        return None
    return msgspec.structs.replace(thread, title=title, metadata=metadata)
