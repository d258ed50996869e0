"""Bytes to numbered lines: LF only, never `str.splitlines()` (U+2028, U+0085, VT and FS are legal inside JSON)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

BOM: Final = b"\xef\xbb\xbf"


class RawLine(NamedTuple):
    """One physical line. `number` counts from 1, `offset` is its first byte in the file.

    `data` has neither its LF nor a CR before it, and no byte order mark. `ended` is False only for a last line
    without LF, which may be torn: the writer may still be at work.
    """

    number: int
    offset: int
    data: bytes
    ended: bool = True


def split(data: bytes) -> Iterator[RawLine]:
    """The lines of a whole file in memory. An empty rest after the last LF is no line."""
    start, number, end = 0, 0, len(data)
    find = data.find
    while start < end:
        number += 1
        stop = find(b"\n", start)
        ended = stop >= 0
        if not ended:
            stop = end
        yield RawLine(number, start, _strip(data[start:stop], number), ended)
        start = stop + 1


def from_stream(stream: Iterable[bytes]) -> Iterator[RawLine]:
    """The same over a binary file object, one line in memory at a time."""
    offset = 0
    for number, line in enumerate(stream, 1):
        ended = line.endswith(b"\n")
        yield RawLine(number, offset, _strip(line[:-1] if ended else line, number), ended)
        offset += len(line)


def _strip(line: bytes, number: int) -> bytes:
    if number == 1 and line.startswith(BOM):
        line = line[3:]
    return line[:-1] if line.endswith(b"\r") else line
