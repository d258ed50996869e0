"""Where a thread's history lies: its own file, the segments that reverts made, the base that a fork goes on from.

Measured (formats/codex.md §9): a fork of 0.169 holds only its own records and a `history_base`; a revert makes a new
segment file of the same thread, whose `history_base` names the segment before it (the thread's first file is named by
the thread id); bases chain, and may be archived. Older forks (0.142) and sub-agents with `fork_turns` copy the parent's
records into their own file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from sesh.format.json import JsonObject
from sesh.providers.codex import records
from sesh.providers.codex.layout import RolloutName, parse_name
from sesh.providers.codex.records import EventMsg, Record, SessionMeta, TurnContext
from sesh.report.reports import LineBook

INDEX: Final = "session_index.jsonl"


class File(NamedTuple):
    """A rollout that was read. `thread`: its own id; `segment`: its segment's (the thread's id for the first file)."""

    file: str
    name: RolloutName | None
    thread: str
    segment: str
    records: list[Record]
    meta: Record | None

    def header(self) -> JsonObject:
        """The payload of its session_meta."""
        return self.meta.line.payload if self.meta and isinstance(self.meta.line, SessionMeta) else {}


class Stretch(NamedTuple):
    """A part of the history: `file.records[:stop]`, and what follows there that this history does not go through."""

    file: File
    stop: int


class Library:
    """The rollouts at hand, by thread and segment. Looks at names; reads a file only when it is asked for.

    A file that is asked for again (the base of two forks) is read again, and has an account of its own in the ledger.
    """

    def __init__(self, companions: Mapping[str, bytes], book: LineBook, leave_out: str | None) -> None:
        self._companions = companions
        self._book = book
        self._leave_out = leave_out
        self._names: dict[str, list[tuple[RolloutName, str]]] | None = None
        self._times: dict[str, int] = {}

    def _by_thread(self) -> dict[str, list[tuple[RolloutName, str]]]:
        if self._names is None:
            self._names = {}
            for key in self._companions:
                base = key.rpartition("/")[2]
                name = parse_name(base)
                if name is not None and base.removesuffix(".zst") != self._leave_out:
                    self._names.setdefault(name.thread_id, []).append((name, key))
        return self._names

    def segments(self, thread: str) -> list[tuple[str, str]]:
        """A thread's files at hand, oldest first: (segment id, key). Segment ids are v7, so they sort by time."""
        found = self._by_thread().get(thread, [])
        ordered = sorted(found, key=lambda n: (n[0].segment is not None, n[0].segment or "", n[1]))
        return [(name.segment or thread, key) for name, key in ordered]

    def segment(self, wanted: str) -> str | None:
        """The key of a segment; a thread's id names its first file."""
        for name, key in self._by_thread().get(wanted, []):
            if name.segment is None:
                return key
        for named in self._by_thread().values():
            for name, key in named:
                if name.segment == wanted:
                    return key
        return None

    def read(self, key: str) -> File | None:
        """A companion, read; None where it cannot be had after all."""
        try:
            data = self._companions[key]
        except KeyError:
            return None
        self._times[key] = times = self._times.get(key, 0) + 1
        label = key if times == 1 else f"{key} ({times})"
        name = parse_name(PurePosixPath(key).name)
        return opened(records.read(data, label, self._book), label, name)

    def index(self) -> tuple[str, bytes] | None:
        """The file of thread names."""
        try:
            return INDEX, self._companions[INDEX]
        except KeyError:
            return None


def opened(found: list[Record], file: str, name: RolloutName | None, fallback: str = "") -> File:
    """Records of a file, with who they are: the first header says it, else the file's name.

    A header of another id that does not stand first is the one of a fork's parent, its own being unreadable.
    """
    meta = next(_headers(found), None)
    said = _id_of(meta) if meta is not None else None
    if name is not None and said != name.thread_id and meta is not found[0]:
        meta = said = None
    thread = said if said else name.thread_id if name else fallback
    segment = (name.segment or name.thread_id) if name else thread
    return File(file, name, thread, segment, found, meta)


class Lineage(NamedTuple):
    """A thread's whole history: stretches base first, the thread's other segments, and what was not to be had.

    missing: (segment or thread id, the ordinal up to which it was wanted), None where nothing is missing.
    """

    stretches: list[Stretch]
    others: list[File]
    missing: tuple[str, int | None] | None
    cycle: bool


def of(main: File, library: Library) -> Lineage:
    """The history of the thread that `main` belongs to, as its newest segment has it."""
    segments = [(segment, key) for segment, key in library.segments(main.thread)]
    own: dict[str, File] = {main.segment: main}
    for segment, key in segments:
        if segment not in own and (file := library.read(key)) is not None:
            own[segment] = file
    head = own[_newest(own, main.thread)]
    stretches = [Stretch(head, len(head.records))]
    passed = {head.segment}
    missing: tuple[str, int | None] | None = None
    cycle = False
    base = _base(head)
    while base is not None:
        wanted, end = base
        if wanted in passed:
            # A file without a rollout's name cannot tell its own segment from the thread's first one.
            nameless = wanted == head.segment and head.name is None
            missing, cycle = (wanted, end), not nameless
            break
        file = own.get(wanted)
        if file is None and (at := library.segment(wanted)) is not None:
            file = library.read(at)
        if file is None:
            missing = (wanted, end)
            break
        passed.add(wanted)
        stretches.append(Stretch(file, _before(file.records, end)))
        base = _base(file)
    stretches.reverse()
    others = [f for s, f in own.items() if s not in passed]
    return Lineage(stretches, others, missing, cycle)


def _newest(own: Mapping[str, File], thread: str) -> str:
    return max(own, key=lambda s: (s != thread, s))


def _base(file: File) -> tuple[str, int | None] | None:
    base = file.header().get("history_base")
    if not isinstance(base, dict) or not isinstance(base.get("thread_id"), str):
        return None
    end = base.get("end_ordinal_exclusive")
    return base["thread_id"], end if isinstance(end, int) and not isinstance(end, bool) else None


def _before(found: list[Record], end: int | None) -> int:
    """How many records stand before that ordinal; a record without one counts with those around it."""
    if end is None:
        return len(found)
    for i, record in enumerate(found):
        ordinal = record.ordinal()
        if ordinal is not None and ordinal >= end:
            return i
    return len(found)


def inherited(file: File) -> tuple[int, str | None]:
    """How many records at a file's beginning are copies of another thread's, and whose.

    A sub-agent's header counts them (`subagent_history_start_ordinal`, 0.169). A fork of 0.142 copies the parent's
    file, header included; its own turns are those that began after the fork itself did, which version-7 ids tell.
    """
    header = file.header()
    start = header.get("subagent_history_start_ordinal")
    parents = [r for r in _headers(file.records) if r is not file.meta]
    parent = _id_of(parents[0]) if parents else None
    if isinstance(start, int) and not isinstance(start, bool):
        named = header.get("forked_from_id", header.get("parent_thread_id"))
        return _before(file.records, start), parent or (named if isinstance(named, str) else None)
    if not parents or parent == file.thread:
        return 0, None
    born = _moment(file.thread)
    at = file.records.index(parents[0])
    for i in range(at + 1, len(file.records)):
        began = _moment(_marker(file.records[i]))
        if born and began and began >= born:
            return i, parent
    return (len(file.records), parent) if born else (0, None)


def _headers(found: list[Record]) -> Iterator[Record]:
    return (r for r in found if type(r.line) is SessionMeta)


def _id_of(record: Record) -> str | None:
    said = record.line.payload.get("id") if isinstance(record.line, SessionMeta) else None
    return said if isinstance(said, str) else None


def _marker(record: Record) -> str:
    line = record.line
    if isinstance(line, TurnContext):
        return line.payload.turn_id if isinstance(line.payload.turn_id, str) else ""
    if isinstance(line, EventMsg) and line.payload.type in ("task_started", "turn_started"):
        return line.payload.turn_id if isinstance(line.payload.turn_id, str) else ""
    return ""


def _moment(vendor_id: str) -> str:
    """The time in a version-7 UUID, as 12 hexadecimal digits that sort; "" for any other id."""
    plain = vendor_id.replace("-", "").lower()
    return plain[:12] if len(plain) == 32 and plain[12] == "7" else ""
