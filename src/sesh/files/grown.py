"""What was added to a session file since it was last read: whole lines from an offset on, if it only grew."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from sesh.errors import SeshError
from sesh.files.read import ZSTD_SUFFIX, read_file

_MARK: Final = 4096
"""How many bytes on each side tell whether what was read is still there."""


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """New lines of a file. `start` is 0 where all of it is new, and then what was known of it no longer holds.

    `end` is the offset after the last whole line, `mark` what to hand in next time; `lines` are pairs of a line number
    (from `first` on) and its bytes.
    """

    start: int
    end: int
    mark: bytes
    first: int
    lines: Iterator[tuple[int, bytes]]


def growth(path: Path, offset: int, mark: bytes, lines_before: int) -> Growth | None:
    """What came after `offset`. None where the file is gone or cannot be read.

    A compressed file, and one whose earlier bytes changed, is new from its beginning. A last line without LF waits.
    """
    try:
        if path.name.endswith(ZSTD_SUFFIX):
            return _whole(read_file(path)[0])
        with path.open("rb") as f:
            if not offset or _mark(f, offset) != mark:
                f.seek(0)
                return _whole(f.read())
            f.seek(offset)
            data = f.read()
            end = offset + data.rfind(b"\n") + 1
            return Growth(
                start=offset,
                end=end,
                mark=_mark(f, end),
                first=lines_before + 1,
                lines=_numbered(data[: end - offset], lines_before + 1),
            )
    except (OSError, SeshError):  # a search goes on without what is gone or locked
        return None


def _whole(data: bytes) -> Growth:
    end = data.rfind(b"\n") + 1
    digest = hashlib.blake2b(data[: min(_MARK, end)] + data[max(0, end - _MARK) : end], digest_size=16).digest()
    return Growth(start=0, end=end, mark=digest, first=1, lines=_numbered(data[:end], 1))


def _mark(f: BinaryIO, offset: int) -> bytes:
    f.seek(0)
    head = f.read(min(_MARK, offset))
    f.seek(max(0, offset - _MARK))
    return hashlib.blake2b(head + f.read(min(_MARK, offset)), digest_size=16).digest()


def _numbered(data: bytes, first: int) -> Iterator[tuple[int, bytes]]:
    start, number = 0, first
    while (stop := data.find(b"\n", start)) >= 0:
        yield number, data[start:stop]
        start, number = stop + 1, number + 1
