"""Where each message of a JSON Lines file stands, in nine bytes a message.

A thread may have a million messages, and an append has to know whether an id is there already. A dict of ids would
take 200 MB for that. Kept instead are 64-bit entries, `bits of the id's hash | offset`, in sorted arrays that the
hash's other bits choose. Equal bits are rare and only a hint: the caller looks at the line itself.

(Tried and slower in Python: open addressing in one array, and a dict for the latest ids before the arrays.)
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

_DRAWER_BITS: Final = 10
_DRAWER: Final = (1 << _DRAWER_BITS) - 1
_HASH: Final = (1 << 22) - 1
_OFFSET_BITS: Final = 42
"""A file of one thread may have 4 TB."""
_OFFSET: Final = (1 << _OFFSET_BITS) - 1


class OffsetIndex:
    """A multimap from ids to offsets that may name a few offsets too many, and never one too few.

    Python's own hash will do, though it is another one in each process: the index is never written down.
    """

    __slots__ = ("_drawers",)

    def __init__(self) -> None:
        self._drawers: list[array[int] | None] = [None] * (_DRAWER + 1)

    def add(self, record_id: bytes, offset: int) -> None:
        """Note that the record of that id begins at `offset`."""
        code = hash(record_id)
        entry = ((code >> _DRAWER_BITS) & _HASH) << _OFFSET_BITS | offset
        drawer = self._drawers[code & _DRAWER]
        if drawer is None:
            self._drawers[code & _DRAWER] = array("Q", [entry])
        else:
            drawer.insert(bisect_left(drawer, entry), entry)

    def add_if_new(self, record_id: bytes, offset: int) -> bool:
        """`add`, unless the id may be there already: then False, and `maybe` says where. One look does for both."""
        code = hash(record_id)
        lowest = ((code >> _DRAWER_BITS) & _HASH) << _OFFSET_BITS
        drawer = self._drawers[code & _DRAWER]
        if drawer is None:
            self._drawers[code & _DRAWER] = array("Q", [lowest | offset])
            return True
        at = bisect_left(drawer, lowest)
        if at < len(drawer) and drawer[at] <= lowest | _OFFSET:
            return False
        drawer.insert(at, lowest | offset)
        return True

    def maybe(self, record_id: bytes) -> Sequence[int]:
        """Offsets where that record may stand, lowest first; mostly none or one."""
        code = hash(record_id)
        lowest = ((code >> _DRAWER_BITS) & _HASH) << _OFFSET_BITS
        drawer = self._drawers[code & _DRAWER]
        if drawer is None:
            return ()
        at = end = bisect_left(drawer, lowest)
        while end < len(drawer) and drawer[end] <= lowest | _OFFSET:
            end += 1
        return [entry & _OFFSET for entry in drawer[at:end]]
