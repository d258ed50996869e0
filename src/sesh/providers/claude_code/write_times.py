"""Times as Claude Code writes them: ISO 8601, milliseconds, Z; along one chain they rise strictly.

Old clients (1.0.120, 2.0.76) take the line with the latest time for the end of the session, and 2.0.76 crashes on any
line without a valid one (formats/claude-code.md §2, §5).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_LAST: Final = (datetime(9998, 1, 1, tzinfo=UTC) - _EPOCH) // _MS
"""Times after this are no times: room is needed above them for lines that must come later."""


def milliseconds(text: str) -> int | None:
    """Milliseconds since 1970 of an ISO time (without a zone: UTC); None where it is none, or out of all reason."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        found = (moment - _EPOCH) // _MS
    except (ValueError, OverflowError):
        return None
    return found if 0 <= found <= _LAST else None


def _is_written_so(text: str) -> bool:
    """Whether a time, being one, stands as `iso` writes it: then all else in it are digits."""
    return len(text) == 24 and text[4:20:3] == "--T::." and text[23] == "Z"


def iso(ms: int) -> str:
    """Milliseconds since 1970 as `2026-11-30T16:12:10.395Z`."""
    return f"{_second(ms // 1000)}.{ms % 1000:03d}Z"


@lru_cache(maxsize=16)
def _second(seconds: int) -> str:
    """A whole second's part of `iso`: times that were moved mostly share it."""
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")


class Clock:
    """Gives each line its time: the message's own where that is later than the line before, else one millisecond on.

    `start` is the last time of a chain that is carried on, or None. `moved` counts the times that had to be moved, and
    `most` is the longest way one was moved, in milliseconds.
    """

    def __init__(self, start: int | None = None) -> None:
        self._last = start
        self.moved = 0
        self.most = 0

    def next(self, ts: str | None) -> str:
        """The time to write for a message's `ts`. None, or no time at all: one millisecond after the line before."""
        own = None if ts is None else milliseconds(ts)
        last = self._last
        if own is None:
            now = 0 if last is None else last + 1
        elif last is not None and own <= last:
            now = last + 1
            self.moved += 1
            self.most = max(self.most, now - own)
        else:
            self._last = own
            return ts if ts is not None and _is_written_so(ts) else iso(own)
        self._last = now
        return iso(now)

    def before(self, ts: str, *, first: bool) -> str:
        """The time of a line that is made up in front of one of this time, so that this one need not be moved.

        first: no line was written yet.
        """
        own = milliseconds(ts)
        last = None if first else self._last
        if not own or (last is not None and own - 1 <= last):
            return self.next(None)
        self._last = own - 1
        return iso(own - 1)

    def carry(self, ts: str | None) -> str:
        """The time of a record of the client's own, as it is where it is one; what follows comes after it."""
        own = None if ts is None else milliseconds(ts)
        if ts is None or own is None:
            return self.next(None)
        self._last = own if self._last is None else max(own, self._last)
        return ts

    def expect(self, ts: str) -> None:
        """Before the first line: where the thread begins, for a first message that has no time of its own."""
        if self._last is None:
            own = milliseconds(ts)
            self._last = None if own is None else own - 1
