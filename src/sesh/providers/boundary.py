"""What every reader and writer promises at its edge: a result or a SeshError, whatever the input (law 6).

And that no id which stands in a file leads out of the folder where it becomes a file's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from sesh.errors import SeshError
from sesh.format.jsontext import UnreadableJson
from sesh.format.regex import regex

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


_NAME: Final = regex(r"\w[\w.-]{0,159}", re.ASCII)


def is_file_name(text: str) -> bool:
    """Whether an id may be a file's name: nothing that leads out of a folder, no system's separators or devices."""
    return _NAME.fullmatch(text) is not None


def asked_id(session_id: str | None) -> str | None:
    """The id that the caller wants to write under. Raises SeshError for one that can be no file's name."""
    if session_id and not is_file_name(session_id):
        raise SeshError(
            f"{session_id!r} can be no session's id: it names the file.",
            hint="Letters, digits, - and _ may stand in it; the clients themselves use UUIDs.",
        )
    return session_id
