"""Where sessions may be read on from, kept between runs: a cache, which may be deleted at any time.

One file for a session and a store. It says how the session was read last (`Point`) and holds, as numbers, the names
that stood before the place: four bytes each, so that a name that was never there is told in no time, and one that was
is never missed. Two names with one number only cost a whole reading.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from bisect import bisect_left, insort
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec

from sesh import __version__
from sesh.files.tail import Print
from sesh.ingest.thread import Mark
from sesh.providers.api import Place

LEAST_BYTES: Final = 1 << 18
"""A smaller session is read whole each time: that costs less than to keep a point. And whose file it is goes by its
first 64 KiB (`detect.HEAD_BYTES`), which in a larger one no line that comes can change."""
_LAYOUT: Final = f"2 {__version__}"
"""Raise it with the meaning of a field. Another release may read another thing in the same bytes."""
_KEPT_DAYS: Final = 30
_CHECK: Final = 16
"""So many bytes at the beginning of a file are the digest of the rest."""


class Names:
    """A set of names. One that was added is always found."""

    def __init__(self, numbers: bytes = b"") -> None:
        self._numbers: Final = array("I", numbers)

    def add(self, names: Iterable[str]) -> None:
        """Add many to an empty set, or a few."""
        more = {_number(name) for name in names if name}
        if self._numbers:
            for number in more:
                insort(self._numbers, number)
        else:
            self._numbers.extend(sorted(more))

    def has(self, name: str) -> bool:
        """Whether a name may have been added."""
        number = _number(name)
        at = bisect_left(self._numbers, number)
        return at < len(self._numbers) and self._numbers[at] == number

    def packed(self) -> bytes:
        """What to make it from again, on this machine."""
        return self._numbers.tobytes()


def _number(name: str) -> int:
    return crc32(name.encode("utf-8", "surrogatepass"))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECK).digest()


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """How a session was read last, and where it may be read on from.

    source: `provider:session id`. thread: the record that the reading gave, as JSON. mark: what was put on the stored
    thread then; while that stands there, the store has what this reading gave. before: how many of the thread's
    messages come before the place. beside: what the files beside the session looked like.
    children, held_below: the threads of the children that do not lie after the place, and how many of their messages
    were held back.
    keep_raw, agent_id: the options of the run.
    """

    provider: str
    session_id: str
    thread: bytes
    mark: Mark
    print: Print
    place: Place
    before: int
    beside: bytes
    names: bytes
    children: list[str]
    held_below: int
    keep_raw: bool
    agent_id: str | None

    @property
    def source(self) -> str:
        """As marks name it."""
        return f"{self.provider}:{self.session_id}"


class _File(msgspec.Struct, array_like=True):
    layout: str
    point: Point


class Points:
    """The points of one store in a folder. `store` is any text that names it (its URL)."""

    def __init__(self, folder: Path, store: str, *, least_bytes: int = LEAST_BYTES) -> None:
        self._folder: Final = folder
        self._store: Final = store
        self.least_bytes: Final = least_bytes

    def _file(self, path: Path) -> Path:
        said = f"{self._store}\0{path.absolute()}".encode("utf-8", "surrogatepass")
        return self._folder / hashlib.blake2b(said, digest_size=16).hexdigest()

    def load(self, path: Path) -> Point | None:
        """What is known of a session file; None where there is nothing, or nothing that this release wrote."""
        try:
            data = self._file(path).read_bytes()
            if data[:_CHECK] != _digest(data[_CHECK:]):
                return None  # damaged: what it says would go into the store
            file = msgspec.msgpack.decode(data[_CHECK:], type=_File)
        except (OSError, msgspec.MsgspecError):
            return None
        return file.point if file.layout == _LAYOUT else None

    def save(self, path: Path, point: Point | None) -> None:
        """Keep a point for a session file, or none. Where it cannot be written, there is none."""
        file = self._file(path)
        if point is None:
            with suppress(OSError):
                file.unlink()
            return
        temporary = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            is_first = not file.exists()
            if is_first:
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary.touch(mode=0o600)
            data = msgspec.msgpack.encode(_File(_LAYOUT, point))
            temporary.write_bytes(_digest(data) + data)
            temporary.replace(file)
            if is_first:
                self._forget(file.stat().st_mtime - _KEPT_DAYS * 86_400)
        except (OSError, UnicodeEncodeError):
            for half in (temporary, file):
                with suppress(OSError):
                    half.unlink()

    def _forget(self, before: float) -> None:
        """Clear the folder of sessions that nobody has written to for long."""
        for old in self._folder.iterdir():
            with suppress(OSError):
                if old.stat().st_mtime < before:
                    old.unlink()
