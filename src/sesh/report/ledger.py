"""A book in which every item is opened once and closed exactly once.

One machine integer an item (its outcome), not an object: a session of 500 MB has a million lines. Items are numbered
from 0 in the order they were opened.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Final

from sesh.errors import LedgerError

OPEN: Final = 0


class _Codes(dict[str, int]):
    """The number of each outcome, given out when it is first asked for; 0 is kept for what is still open."""

    def __missing__(self, outcome: str) -> int:
        code = self[outcome] = len(self) + 1
        return code


class Ledger:
    """Items and their outcomes. `what` names an item in errors ("line", "block")."""

    def __init__(self, what: str) -> None:
        self.what: Final = what
        self._outcomes: Final = array("H")
        self._codes: Final = _Codes()

    def __len__(self) -> int:
        return len(self._outcomes)

    def open(self, count: int = 1) -> int:
        """Open `count` items; returns the number of the first."""
        first = len(self._outcomes)
        if count == 1:
            self._outcomes.append(OPEN)
        else:
            self._outcomes.extend([OPEN] * count)
        return first

    def close(self, item: int, outcome: str) -> None:
        """Close an item. Raises LedgerError where it was never opened or is closed already."""
        outcomes = self._outcomes
        if not 0 <= item < len(outcomes):
            raise LedgerError(f"{self.what} {item} was never opened, and is to be closed as {outcome}")
        if outcomes[item]:
            raise LedgerError(f"{self.what} {item} is closed twice: as {self.outcome(item)}, then as {outcome}")
        outcomes[item] = self._codes[outcome]

    def forget(self, first: int) -> None:
        """Take back the items from this number on, as if they had never been opened."""
        del self._outcomes[first:]

    def is_open(self, item: int) -> bool:
        """Whether an item still waits for its outcome."""
        return self._outcomes[item] == OPEN

    def still_open(self) -> list[int]:
        """The items that wait for their outcome, in order."""
        return [item for item, code in enumerate(self._outcomes) if code == OPEN]

    def outcome(self, item: int) -> str:
        """What became of an item; "" while it is open."""
        return self._names()[self._outcomes[item]]

    def outcomes(self) -> Iterator[str]:
        """What became of each item, in order."""
        return map(self._names().__getitem__, self._outcomes)

    def _names(self) -> list[str]:
        """The outcomes by their numbers."""
        return ["", *self._codes]

    def totals(self) -> dict[str, int]:
        """How many items ended in each outcome. Raises LedgerError where one is still open."""
        counts = Counter(self._outcomes)
        if counts[OPEN]:
            raise LedgerError(
                f"{counts[OPEN]} {self.what}(s) never accounted for, the first is {self._outcomes.index(OPEN)}"
            )
        return {name: counts[code] for name, code in self._codes.items() if counts[code]}
