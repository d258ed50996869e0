"""A store of plain files: `threads.jsonl` and, for each thread, `messages/NAME.jsonl`, one canonical record a line.

Append-only and readable by anything that reads lines. One writer at a time (a lock file, held for one call), any
number of readers. NAME is the thread's id where that is a safe file name, and `sha256-…` of it elsewhere. A line is
written once; of several records of one thread in `threads.jsonl`, the last counts.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import BinaryIO, Final, NamedTuple

from filelock import FileLock, Timeout

from sesh.errors import StoreFailed
from sesh.format import wire
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores.api import Store
from sesh.stores.jsonl_file import Line, RecordFile, line_at, record_id
from sesh.stores.jsonl_index import OffsetIndex
from sesh.stores.rows import (
    MessageRow,
    ThreadRow,
    checked_limit,
    chunks,
    conflict,
    message_row,
    thread_row,
    unknown_cursor,
)

_WAIT_SECONDS: Final = 60.0
_OPEN_THREADS: Final = 16
"""So many threads' indexes are kept; another thread's is made again by reading its file."""
_SAFE: Final = re.compile(r"[a-z0-9][a-z0-9-]{7,99}")
_HASHED: Final = "sha256-"


def file_name(thread_id: str) -> str:
    """The file of a thread's messages: its id where every file system takes it as it is, else a digest of it."""
    if _SAFE.fullmatch(thread_id) and not thread_id.startswith(_HASHED):
        return f"{thread_id}.jsonl"
    return f"{_HASHED}{sha256(thread_id.encode('utf-8', 'surrogatepass')).hexdigest()}.jsonl"


class _Put(NamedTuple):
    """The last record of a thread, and its place among the threads."""

    place: int
    row: ThreadRow


class JsonlMessageStore(Store):
    """`jsonl:DIR`. The folder is made where it is missing. Safe for threads and processes."""

    def __init__(self, folder: Path | str) -> None:
        super().__init__()
        self.folder: Final = Path(folder).expanduser()
        self._mutex: Final = RLock()
        with self._failing():
            (self.folder / "messages").mkdir(parents=True, exist_ok=True)
        self._file_lock: Final = FileLock(self.folder / "lock", timeout=_WAIT_SECONDS, thread_local=False)
        self._thread_file: Final = RecordFile(self.folder / "threads.jsonl", self._note)
        self._threads: Final[dict[str, _Put]] = {}
        self._order: Final[list[str]] = []
        self._open: Final[OrderedDict[str, _ThreadMessages]] = OrderedDict()

    def append_message(self, message: Message, /) -> None:
        """See MessageStore."""
        with self._writing():
            self._append([message_row(message)])

    def append_messages(self, messages: Iterable[Message], /) -> None:
        """See Store. Each piece (rows.CHUNK_ROWS) is one write and one sync for each thread in it."""
        for rows in chunks(messages):
            with self._writing():
                self._append(rows)

    def _append(self, rows: list[MessageRow]) -> None:
        """Store the rows that are new, up to the first one that contradicts what is stored. Raises Conflict."""
        batches: dict[str, _Batch] = {}
        clash: MessageRow | None = None
        try:
            for row in rows:
                batch = batches.get(row.thread_id)
                if batch is None:
                    batch = batches[row.thread_id] = _Batch(self._messages(row.thread_id))
                if not batch.take(row):
                    clash = row
                    break
            for batch in batches.values():
                batch.write()
        finally:
            for batch in batches.values():
                batch.close()
        if clash is not None:
            raise conflict(clash)

    def put_thread(self, thread: Thread, /) -> None:
        """See MessageStore."""
        row = thread_row(thread)
        with self._writing():
            self._thread_file.mend()
            self._refresh_threads()
            known = self._threads.get(row.id)
            if known is None or known.row.text != row.text:
                self._thread_file.append([row.text])
                self._refresh_threads()

    def get_thread(self, thread_id: str, /) -> Thread | None:
        """See MessageStore."""
        with self._mutex, self._failing():
            self._refresh_threads()
            found = self._threads.get(thread_id)
        return None if found is None else wire.load_thread(found.row.text)

    def list_threads(
        self,
        *,
        agent_id: str | None = None,
        parent_thread_id: str | None = None,
        run_id: str | None = None,
        after_id: str | None = None,
        limit: int | None = None,
    ) -> list[Thread]:
        """See MessageStore. `run_id` reads every thread that answers to the other filters."""
        checked_limit(limit)
        with self._mutex, self._failing():
            self._refresh_threads()
            start = 0
            if after_id is not None:
                if after_id not in self._threads:
                    raise unknown_cursor(after_id, "this store")
                start = self._threads[after_id].place + 1
            found: list[ThreadRow] = []
            for place in range(start, len(self._order)):
                if limit is not None and len(found) >= limit:
                    break
                row = self._threads[self._order[place]].row
                if (
                    (agent_id is None or row.agent_id == agent_id)
                    and (parent_thread_id is None or row.parent_thread_id == parent_thread_id)
                    and (run_id is None or self.get_messages(row.id, run_id=run_id, limit=1))
                ):
                    found.append(row)
        return [wire.load_thread(row.text) for row in found]

    def get_messages(
        self,
        thread_id: str,
        /,
        *,
        after_id: str | None = None,
        limit: int | None = None,
        run_id: str | None = None,
    ) -> list[Message]:
        """See MessageStore."""
        checked_limit(limit)
        with self._mutex, self._failing():
            messages = self._messages(thread_id)
            start = 0
            if after_id is not None:
                place = messages.find(after_id)
                if place is None:
                    raise unknown_cursor(after_id, f"thread {thread_id}")
                start = place.offset + len(place.data) + 1
            return list(messages.read(start, limit, run_id))

    def _messages(self, thread_id: str) -> _ThreadMessages:
        found = self._open.get(thread_id)
        if found is None:
            path = self.folder / "messages" / file_name(thread_id)
            found = self._open[thread_id] = _ThreadMessages(path, self._note)
            if len(self._open) > _OPEN_THREADS:
                self._open.popitem(last=False)
        self._open.move_to_end(thread_id)
        return found

    def _refresh_threads(self) -> None:
        file = self._thread_file
        for line in file.lines(file.end):
            file.end = line.offset + len(line.data) + 1
            try:
                row = thread_row(wire.load_thread(line.data))
            except wire.NotARecord as e:
                self._note(f"threads.jsonl: what stands at byte {line.offset} is left out: {e}.")
                continue
            known = self._threads.get(row.id)
            if known is None:
                self._order.append(row.id)
            self._threads[row.id] = _Put(len(self._order) - 1 if known is None else known.place, row)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._mutex, self._failing():
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
    """What is to be appended to one thread. The caller holds the store's lock."""

    def __init__(self, thread: _ThreadMessages) -> None:
        thread.file.mend()
        thread.refresh()
        self._thread: Final = thread
        self._new: Final[dict[bytes, bytes]] = {}
        self._reader: BinaryIO | None = None

    def take(self, row: MessageRow) -> bool:
        """Plan a row where it is new; False where it is there already with other content."""
        key = row.id.encode()
        known = self._new.get(key) or self._stored(key)
        if known is None:
            self._new[key] = row.text
            return True
        return wire.same(known, row.text)

    def _stored(self, key: bytes) -> bytes | None:
        for offset in self._thread.index.maybe(key):
            if self._reader is None:
                self._reader = self._thread.file.path.open("rb")
            data = line_at(self._reader, offset)
            if record_id(data) == key:
                return data
        return None

    def write(self) -> None:
        """Append the planned rows. Raises OSError; then the next look at the file says what came through."""
        if not self._new:
            return
        file, add = self._thread.file, self._thread.index.add
        file.append(list(self._new.values()))
        offset = file.end
        for key, text in self._new.items():
            add(key, offset)
            offset += len(text) + 1
        file.end = offset

    def close(self) -> None:
        """Let go of the file."""
        if self._reader is not None:
            self._reader.close()
