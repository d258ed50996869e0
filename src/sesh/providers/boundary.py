"""What every reader and writer promises at its edge: a result or a SeshError, whatever the input (law 6)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from sesh.errors import SeshError
from sesh.format.jsontext import UnreadableJson

P = ParamSpec("P")
R = TypeVar("R")


def guarded(work: Callable[P, R]) -> Callable[P, R]:
    """A reader or writer that says so where a value is nested too deeply for it.

    Text nested beyond Python's limit of calls is named as unreadable where it is read. What lies just below that limit
    can be read, and is then too deep for the functions that handle it further inside, or for reading it once more.
    """

    @wraps(work)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return work(*args, **kwargs)
        except (RecursionError, UnreadableJson):
            raise SeshError(
                "A record of this session is nested too deeply (nearly a thousand levels).",
                hint="Take that line out of a copy of the file, and use the copy.",
            ) from None

    return inner
