"""One append-only file of records, a line each: reading while another process appends, and appending after a crash.

Only what ends with a line feed counts. An unended last line is a writer at work, or the rest of one that was killed:
readers leave it alone; the next writer (there is one at a time, by the store's lock) completes it where only the line
feed is missing, and otherwise moves it to `torn.jsonl`, because it was never acknowledged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from sesh.format import jsontext, wire

_FIRST_READ: Final = 64 * 1024
"""Enough for a page of fifty messages; reading on, the blocks grow ..."""
_READ: Final = 1024 * 1024
"""... to this; beyond it only for a line that is longer."""
_OURS: Final = re.compile(rb'\{"v":1,"id":"([^"\\]*)",')
"""How `wire.encode` begins a record: its id without decoding the rest."""

Note = Callable[[str], None]


class Line(NamedTuple):
    """A complete line: where it begins, and its bytes without the line feed."""

    offset: int
    data: bytes


class RecordFile:
    """A file of records. `end` is the byte after the last complete line seen; nothing before it ever changes."""

    def __init__(self, path: Path, note: Note) -> None:
        self.path: Final = path
        self.end = 0
        self._node: int | None = None
        self._note: Final = note

    def size(self) -> int:
        """The file's bytes now; 0 where it does not exist yet."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def is_another(self) -> bool:
        """Whether it is no longer the file whose lines were seen: deleted, cut short, or replaced by others."""
        try:
            now = self.path.stat()
        except FileNotFoundError:
            return self.end > 0
        return now.st_size < self.end or (self.end > 0 and now.st_ino != self._node)

    def lines(self, start: int) -> Iterator[Line]:
        """The complete lines from an offset on, as far as they are there now.

        Each comes out of one read: a torn line that the next writer takes away meanwhile must not be joined to what
        that one writes in its place.
        """
        stop = self.size()
        if start >= stop:
            return
        with self.path.open("rb", buffering=0) as f:
            self._node = os.fstat(f.fileno()).st_ino
            offset, size = start, _FIRST_READ
            while offset < stop:
                f.seek(offset)
                *whole, rest = f.read(min(size, stop - offset)).split(b"\n")
                for data in whole:
                    yield Line(offset, data)
                    offset += len(data) + 1
                if offset + len(rest) >= stop or not (whole or rest):
                    return
                # Where not even one line fits, the next block has to be larger.
                size = min(size * 2, _READ) if whole else size * 2

    def mend(self) -> None:
        """Make the file end with a complete line. Only for the writer that holds the store's lock."""
        size = self.size()
        if size == self.end:
            return
        tail_start = self._last_line_feed(size)
        if tail_start == size:
            return
        with self.path.open("rb") as f:
            f.seek(tail_start)
            tail = f.read()
        if _is_record(tail):
            self.append(b"\n")
            self.sync()
            self._note(f"{self.path.name}: the last line lacked its line feed and got it.")
            return
        torn = self.path.parent / "torn.jsonl"
        entry = {"file": self.path.name, "offset": tail_start, "text": tail.decode("utf-8", "backslashreplace")}
        with torn.open("ab") as f:
            f.write(jsontext.dumps(entry) + b"\n")
            f.flush()
            os.fsync(f.fileno())
        os.truncate(self.path, tail_start)
        self._note(
            f"{self.path.name}: the last line was torn ({len(tail)} bytes at {tail_start}, never acknowledged); "
            f"it was moved to {torn.name}."
        )

    def append(self, lines: bytes | bytearray) -> None:
        """Write whole lines at the end. The file has been mended before; `sync` makes them durable.

        Raises OSError; then some of the lines may be written, and no torn one stays.
        """
        new = not self.path.exists()
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            before = os.fstat(descriptor)
            self._node = before.st_ino
            start, done = before.st_size, 0
            try:
                while done < len(lines):
                    with memoryview(lines) as view:
                        done += os.write(descriptor, view[done:])
            except OSError:
                os.ftruncate(descriptor, start + lines.rfind(b"\n", 0, done) + 1)
                raise
        finally:
            os.close(descriptor)
        if new:
            _sync_folder(self.path.parent)

    def sync(self) -> None:
        """Wait until everything written is on the disk. Raises OSError."""
        descriptor = os.open(self.path, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _last_line_feed(self, size: int) -> int:
        """The offset after the last line feed; where there is none after `end`, that is `end`."""
        stop = size
        with self.path.open("rb") as f:
            while stop > self.end:
                start = max(self.end, stop - _READ)
                f.seek(start)
                at = f.read(stop - start).rfind(b"\n")
                if at >= 0:
                    return start + at + 1
                stop = start
        return self.end


def line_at(file: BinaryIO, offset: int) -> bytes:
    """The line that begins at an offset, without its line feed."""
    file.seek(offset)
    return file.readline().removesuffix(b"\n")


def record_id(line: bytes) -> bytes | None:
    """The id of the record on a line; None where the line is no record."""
    found = _OURS.match(line)
    if found is not None:
        return found[1]
    try:
        return wire.load(line).id.encode("utf-8", "surrogatepass")
    except wire.NotARecord:
        return None


def _is_record(line: bytes) -> bool:
    try:
        wire.load(line)
    except wire.NotARecord:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Make a new file's name durable. Windows cannot open folders, and needs no such thing."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
