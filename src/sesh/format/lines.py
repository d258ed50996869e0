"""Bytes to numbered lines: LF only, never `str.splitlines()` (U+2028, U+0085, VT and FS are legal inside JSON)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from sesh.format.regex import regex

BOM: Final = b"\xef\xbb\xbf"
_TIME: Final = regex(rb'"timestamp" ?: ?"([0-9T:.+Z-]{10,40})"')


class RawLine(msgspec.Struct, frozen=True, gc=False):
    """One physical line. `number` counts from 1, `offset` is where `data` begins in the file.

    `data` has neither its LF nor a CR before it, and no byte order mark. `ended` is False only for a last line
    without LF, which may be torn: the writer may still be at work.
    """

    number: int
    offset: int
    data: bytes
    ended: bool = True


def split(data: bytes) -> Iterator[RawLine]:
    """The lines of a whole file in memory. An empty rest after the last LF, or after the mark, is no line."""
    end = len(data)
    for number, (start, stop) in enumerate(spans(data), 1):
        line = data[start:stop]
        yield RawLine(number, start, line[:-1] if line.endswith(b"\r") else line, stop < end)


def spans(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each line begins and where it ends, a CR included and the LF not: for who makes no `RawLine` of each."""
    start, end = len(BOM) if data.startswith(BOM) else 0, len(data)
    find = data.find
    while start < end:
        stop = find(b"\n", start)
        if stop < 0:
            stop = end
        yield start, stop
        start = stop + 1


def last_time(part: bytes) -> str | None:
    """The last `timestamp` that a piece of JSON Lines has, as it is written; None where there is none."""
    at = part.rfind(b'"timestamp"')
    while at >= 0:
        if found := _TIME.match(part, at):
            return found[1].decode()
        at = part.rfind(b'"timestamp"', 0, at)
    return None
