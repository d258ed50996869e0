"""A store of plain files: `threads.jsonl` and, for each thread, `messages/NAME.jsonl`, one canonical record a line.

Append-only and readable by anything that reads lines. One writer at a time (a lock file, held for one call), any
number of readers. NAME is the thread's id where that is a safe file name, and `sha256-…` of it elsewhere. A line is
written once; of several records of one thread in `threads.jsonl`, the last counts.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from threading import RLock
from typing import BinaryIO, Final, NamedTuple

from filelock import FileLock, Timeout

from sesh.errors import SeshError, StoreFailed
from sesh.format import wire
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores.base import QueryStore
from sesh.stores.jsonl_file import Line, RecordFile, line_at, record_id
from sesh.stores.jsonl_index import OffsetIndex
from sesh.stores.queries import MessageQuery, ThreadQuery
from sesh.stores.rows import CHUNK_ROWS, ThreadRow, check_all, conflict, thread_row

_WAIT_SECONDS: Final = 60.0
_OPEN_THREADS: Final = 16
"""So many threads' indexes are kept; another thread's is made again by reading its file."""
_ANEW: Final = "{}: another program replaced it or cut it short; it was read anew."
_SAFE: Final = re.compile(r"[a-z0-9][a-z0-9-]{7,99}")
_HASHED: Final = "sha256-"
_THREAD_ID: Final = attrgetter("thread_id")
_WRITE: Final = 100 * 1024
"""So many bytes of one thread are gathered for a write: they are still in the processor's cache when they are copied,
and the buffer is not yet so large that the allocator asks the system for new pages each time."""


def file_name(thread_id: str) -> str:
    """The file of a thread's messages: its id where every file system takes it as it is, else a digest of it."""
    if _SAFE.fullmatch(thread_id) and not thread_id.startswith(_HASHED):
        return f"{thread_id}.jsonl"
    return f"{_HASHED}{sha256(thread_id.encode('utf-8', 'surrogatepass')).hexdigest()}.jsonl"


class _Put(NamedTuple):
    """The last record of a thread, and its place among the threads."""

    place: int
    row: ThreadRow


class JsonlMessageStore(QueryStore):
    """`jsonl:DIR`. The folder is made where it is missing. Safe for threads and processes."""

    def __init__(self, folder: Path | str) -> None:
        super().__init__()
        self.folder: Final = Path(folder).expanduser()
        self._mutex: Final = RLock()
        with self._failing():
            self._make_folders()
        self._file_lock: Final = FileLock(self.folder / "lock", timeout=_WAIT_SECONDS, thread_local=False)
        self._thread_file: Final = RecordFile(self.folder / "threads.jsonl", self._note)
        self._records: Final[dict[str, _Put]] = {}
        self._order: Final[list[str]] = []
        self._open: Final[OrderedDict[str, _ThreadMessages]] = OrderedDict()

    def append_message(self, message: Message, /) -> None:
        """See MessageStore."""
        self.append_messages((message,))

    def append_messages(self, messages: Iterable[Message], /) -> None:
        """See Store. Each piece (rows.CHUNK_ROWS) is one turn at the lock; at the end each file is synced once."""
        touched: dict[str, RecordFile] = {}
        remaining = iter(messages)
        try:
            while piece := list(islice(remaining, CHUNK_ROWS)):
                check_all(piece)
                with self._writing():
                    self._append(piece, touched)
        finally:
            with self._failing():
                for file in touched.values():
                    file.sync()

    def _append(self, messages: Sequence[Message], touched: dict[str, RecordFile]) -> None:
        """Write the messages that are new, up to the first that contradicts what is stored.

        Raises Conflict, OSError.
        """
        batches: dict[str, _Batch] = {}
        clash: Message | None = None
        try:
            for thread_id, run in groupby(messages, key=_THREAD_ID):
                batch = batches.get(thread_id)
                if batch is None:
                    batch = batches[thread_id] = _Batch(self._of(thread_id))
                clash = batch.take(run)
                if clash is not None:
                    break
            for thread_id, batch in batches.items():
                if batch.write():
                    touched[thread_id] = batch.file
        except BaseException:
            for thread_id in batches:
                self._open.pop(thread_id, None)  # what really came through, the next look at the file says
            raise
        finally:
            for batch in batches.values():
                batch.close()
        if clash is not None:
            raise conflict(clash)

    def _put(self, row: ThreadRow) -> None:
        with self._writing():
            self._refresh_threads()
            self._thread_file.mend()
            self._refresh_threads()
            known = self._records.get(row.id)
            if known is None or known.row.text != row.text:
                self._thread_file.append(row.text + b"\n")
                self._thread_file.sync()
                self._refresh_threads()

    def _thread(self, thread_id: str) -> Thread | None:
        with self._mutex, self._failing():
            self._refresh_threads()
            found = self._records.get(thread_id)
        return None if found is None else wire.load_thread(found.row.text)

    def _threads(self, query: ThreadQuery) -> list[Thread]:
        """`run_id` reads every thread that answers to the other filters."""
        with self._mutex, self._failing():
            self._refresh_threads()
            start = 0
            if query.after_id is not None:
                if query.after_id not in self._records:
                    raise query.unknown_cursor()
                start = self._records[query.after_id].place + 1
            found: list[ThreadRow] = []
            for place in range(start, len(self._order)):
                if query.limit is not None and len(found) >= query.limit:
                    break
                row = self._records[self._order[place]].row
                if row.answers(query.agent_id, query.parent_thread_id) and (
                    query.run_id is None or self._has_run(row.id, query.run_id)
                ):
                    found.append(row)
        return [wire.load_thread(row.text) for row in found]

    def _has_run(self, thread_id: str, run_id: str) -> bool:
        return any(True for _ in self._of(thread_id).read(0, 1, run_id))

    def _messages(self, query: MessageQuery) -> list[Message]:
        with self._mutex, self._failing():
            messages = self._of(query.thread_id)
            start = 0
            if query.after_id is not None:
                place = messages.find(query.after_id)
                if place is None:
                    raise query.unknown_cursor()
                start = place.offset + len(place.data) + 1
            return list(messages.read(start, query.limit, query.run_id))

    def _of(self, thread_id: str) -> _ThreadMessages:
        found = self._open.get(thread_id)
        if found is not None and found.file.is_another():
            self._note(_ANEW.format(found.file.path.name))
            found = None
        if found is None:
            path = self.folder / "messages" / file_name(thread_id)
            found = self._open[thread_id] = _ThreadMessages(path, self._note)
            if len(self._open) > _OPEN_THREADS:
                self._open.popitem(last=False)
        self._open.move_to_end(thread_id)
        return found

    def _refresh_threads(self) -> None:
        file = self._thread_file
        if file.is_another():
            self._note(_ANEW.format(file.path.name))
            self._records.clear()
            self._order.clear()
            file.end = 0
        for line in file.lines(file.end):
            file.end = line.offset + len(line.data) + 1
            try:
                row = thread_row(wire.load_thread(line.data))
            except (wire.NotARecord, SeshError) as e:  # a record of another program may bear an id that is none
                self._note(f"threads.jsonl: what stands at byte {line.offset} is left out: {e}.")
                continue
            known = self._records.get(row.id)
            if known is None:
                self._order.append(row.id)
            self._records[row.id] = _Put(len(self._order) - 1 if known is None else known.place, row)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _make_folders(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # conversations are their owner's alone
        (self.folder / "messages").mkdir(exist_ok=True)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._mutex, self._failing():
            self._make_folders()  # somebody may have deleted them; the lock would make its own, for all to read
            try:
                self._file_lock.acquire()
            except Timeout:
                raise StoreFailed(
                    f"Another process has been writing to the store {self.folder} for {_WAIT_SECONDS:.0f} s.",
                    hint="Try again, or look who holds its `lock` file.",
                ) from None
            try:
                yield
            finally:
                self._file_lock.release()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except OSError as e:
            raise StoreFailed(
                f"The store {self.folder}: {e.strerror or e}.",
                hint="What was stored is kept; the call can be repeated.",
            ) from e


class _ThreadMessages:
    """One thread's file, and where its messages stand in it."""

    def __init__(self, path: Path, note: Callable[[str], None]) -> None:
        self.file: Final = RecordFile(path, note)
        self.index: Final = OffsetIndex()
        self._note: Final = note

    def refresh(self) -> None:
        """Take in what was appended since the last look, by us or by others."""
        file, add = self.file, self.index.add
        for line in file.lines(file.end):
            found = record_id(line.data)
            if found is not None:
                add(found, line.offset)
            file.end = line.offset + len(line.data) + 1

    def find(self, message_id: str) -> Line | None:
        """The line of a message, or None."""
        self.refresh()
        wanted = message_id.encode("utf-8", "surrogatepass")
        for offset in self.index.maybe(wanted):
            with self.file.path.open("rb") as f:
                data = line_at(f, offset)
            if record_id(data) == wanted:
                return Line(offset, data)
        return None

    def read(self, start: int, limit: int | None, run_id: str | None) -> Iterator[Message]:
        """The messages from an offset on, at most `limit` of them, or those of one run."""
        if limit == 0:
            return
        for line in self.file.lines(start):
            try:
                message = wire.load_message(line.data)
            except wire.NotARecord as e:
                self._note(f"{self.file.path.name}: what stands at byte {line.offset} is left out: {e}.")
                continue
            if run_id is None or message.run_id == run_id:
                yield message
                if limit is not None:
                    limit -= 1
                    if not limit:
                        return


class _Batch:
    """What is to be appended to one thread. The caller holds the store's lock.

    The index learns of a record before it is written: where writing fails, it has to be made anew (`_append`).
    """

    def __init__(self, thread: _ThreadMessages) -> None:
        thread.file.mend()
        thread.refresh()
        self.file: Final = thread.file
        self._index: Final = thread.index
        self._lines: Final = bytearray()
        self._written = False
        self._reader: BinaryIO | None = None

    def take(self, messages: Iterable[Message]) -> Message | None:
        """Plan the messages that are new, up to the first that is there with other content: that one, or None."""
        lines, end = self._lines, self.file.end
        add_if_new, encode_into = self._index.add_if_new, wire.encode_into
        for message in messages:
            key = message.id.encode()
            if not add_if_new(key, end + len(lines)):
                known = self._known(key)
                if known is not None:
                    if wire.same(known, wire.encode(message)):
                        continue
                    return message
                self._index.add(key, end + len(lines))  # only the hashes were the same
            encode_into(message, lines)
            lines += b"\n"
            if len(lines) >= _WRITE:
                self.write()
                end = self.file.end
        return None

    def _known(self, key: bytes) -> bytes | None:
        """The record of that id, written or planned; None where there is none."""
        for offset in self._index.maybe(key):
            start = offset - self.file.end
            if start >= 0:
                line = bytes(self._lines[start : self._lines.index(b"\n", start)])
            else:
                self._reader = self._reader or self.file.path.open("rb")
                line = line_at(self._reader, offset)
            if record_id(line) == key:
                return line
        return None

    def write(self) -> bool:
        """Append what is planned; whether this batch has written anything. Raises OSError."""
        if self._lines:
            self.file.append(self._lines)
            self.file.end += len(self._lines)
            self._lines.clear()
            self._written = True
            self.close()  # a reader may have looked ahead, to where there was nothing yet
        return self._written

    def close(self) -> None:
        """Let go of the file."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
