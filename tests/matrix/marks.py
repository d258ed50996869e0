"""Why a cell of the matrix is not whole: each with its reason, or the test fails. An untrue mark fails too.

never: the client has no place for it, or must not be given it. notyet: possible, not done yet. notimpl: the client
could hold it, and sesh chooses another way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Mark:
    """What kind of lack it is, and why."""

    kind: Literal["never", "notyet", "notimpl"]
    reason: str


MARKS: Final[dict[tuple[str, str], Mark]] = {}
"""(provider, case) -> the mark."""
