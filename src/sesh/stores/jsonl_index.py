"""Where each message of a JSON Lines file stands, in nine bytes a message.

A thread may have a million messages, and an append has to know whether an id is there already. A dict of ids would
take 200 MB for that. So only the latest ids are in a dict; of the older ones, 64-bit entries `bits of the id's hash |
offset` are kept, in sorted arrays that the hash's other bits choose. Equal bits are rare and only a hint: the caller
looks at the line itself.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

_RECENT: Final = 1 << 14
"""So many ids are in the dict (3 MB) before they move to the arrays; most threads never get there."""
_DRAWER_BITS: Final = 10
_DRAWER: Final = (1 << _DRAWER_BITS) - 1
_HASH: Final = (1 << 22) - 1
_OFFSET_BITS: Final = 42
"""A file of one thread may have 4 TB."""
_OFFSET: Final = (1 << _OFFSET_BITS) - 1


class OffsetIndex:
    """A map from ids to offsets that may name a few offsets too many, and never one too few.

    Python's own hash will do, though it is another one in each process: the index is never written down.
    """

    __slots__ = ("_drawers", "_recent")

    def __init__(self) -> None:
        self._recent: dict[bytes, int] = {}
        self._drawers: list[array[int]] = []

    def add(self, record_id: bytes, offset: int) -> None:
        """Note that the record of that id begins at `offset`."""
        self._recent[record_id] = offset
        if len(self._recent) >= _RECENT:
            self._put_away()

    def add_if_new(self, record_id: bytes, offset: int) -> bool:
        """`add`, unless the id may be there already: then False, and `maybe` says where."""
        recent = self._recent
        if record_id in recent or (self._drawers and self._old(record_id)):
            return False
        recent[record_id] = offset
        if len(recent) >= _RECENT:
            self._put_away()
        return True

    def maybe(self, record_id: bytes) -> list[int]:
        """Offsets where that record may stand; mostly none or one."""
        offset = self._recent.get(record_id)
        found = [] if offset is None else [offset]
        return [*found, *self._old(record_id)] if self._drawers else found

    def _old(self, record_id: bytes) -> Sequence[int]:
        code = hash(record_id)
        drawer = self._drawers[code & _DRAWER]
        lowest = ((code >> _DRAWER_BITS) & _HASH) << _OFFSET_BITS
        at = end = bisect_left(drawer, lowest)
        while end < len(drawer) and drawer[end] <= lowest | _OFFSET:
            end += 1
        return () if at == end else [entry & _OFFSET for entry in drawer[at:end]]

    def _put_away(self) -> None:
        if not self._drawers:
            self._drawers = [array("Q") for _ in range(_DRAWER + 1)]
        for record_id, offset in self._recent.items():
            code = hash(record_id)
            entry = ((code >> _DRAWER_BITS) & _HASH) << _OFFSET_BITS | offset
            drawer = self._drawers[code & _DRAWER]
            drawer.insert(bisect_left(drawer, entry), entry)
        self._recent.clear()
