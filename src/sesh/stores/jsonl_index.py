"""Where each message of a JSON Lines file stands, in nine bytes a message.

A thread may have a million messages, and an append has to know whether an id is there already. A dict of ids would
take 200 MB for that. Kept instead are 64-bit entries, `bits of the id's CRC | offset`, in sorted arrays that the
CRC's other bits choose. Equal bits are rare and only a hint: the caller looks at the line itself.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final
from zlib import crc32

_DRAWERS: Final = 1024
_OFFSET_BITS: Final = 42
"""A file of one thread may have 4 TB."""
_OFFSET: Final = (1 << _OFFSET_BITS) - 1


class OffsetIndex:
    """A multimap from ids to offsets that may name a few offsets too many, and never one too few."""

    __slots__ = ("_drawers",)

    def __init__(self) -> None:
        self._drawers: list[array[int] | None] = [None] * _DRAWERS

    def add(self, record_id: bytes, offset: int) -> None:
        """Note that the record of that id begins at `offset`."""
        crc = crc32(record_id)
        entry = (crc >> 10) << _OFFSET_BITS | offset
        drawer = self._drawers[crc & 1023]
        if drawer is None:
            self._drawers[crc & 1023] = array("Q", [entry])
        else:
            drawer.insert(bisect_left(drawer, entry), entry)

    def maybe(self, record_id: bytes) -> Iterator[int]:
        """Offsets where that record may stand, lowest first."""
        crc = crc32(record_id)
        drawer = self._drawers[crc & 1023]
        if drawer is None:
            return
        bits = crc >> 10
        at = bisect_left(drawer, bits << _OFFSET_BITS)
        while at < len(drawer) and drawer[at] >> _OFFSET_BITS == bits:
            yield drawer[at] & _OFFSET
            at += 1
