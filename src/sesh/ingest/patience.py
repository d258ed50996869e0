"""Waiting for a store that failed: a server that restarts, a disk that is full, a file that was moved away.

A store says `StoreFailed` for all of these, and appending is idempotent, so whoever follows sessions may begin anew
with the store opened again, as often as it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sesh.errors import StoreFailed

FIRST_SECONDS: Final = 1.0
MOST_SECONDS: Final = 60.0
"""The pause doubles up to this, so that a server that comes back is found within a minute."""


class Patience:
    """How long to wait before the next try, and what to say: each reason once, and once that all is well again.

    wait: pauses for so many seconds; true where it was told to end meanwhile (`Event.wait`). say: a line for people.
    """

    def __init__(self, wait: Callable[[float], bool], say: Callable[[str], None]) -> None:
        self._wait: Final = wait
        self._say: Final = say
        self._pause = FIRST_SECONDS
        self._said: str | None = None
        self._has_opened = False

    def opened(self) -> bool:
        """The store could be opened: whatever fails from now on may pass. True for the first time."""
        is_first, self._has_opened = not self._has_opened, True
        return is_first

    def well(self) -> None:
        """All that was to be stored is stored."""
        if self._said is not None:
            self._say("The store answers again.")
        self._pause, self._said = FIRST_SECONDS, None

    def again(self, error: StoreFailed) -> bool:
        """Wait; false where it was told to end. Raises `error` where the store never could be opened: a wrong name."""
        if not self._has_opened:
            raise error
        if str(error) != self._said:
            self._said = str(error)
            self._say(f"{error} Waiting for the store; Ctrl-C ends it.")
        pause, self._pause = self._pause, min(self._pause * 2, MOST_SECONDS)
        return not self._wait(pause)
