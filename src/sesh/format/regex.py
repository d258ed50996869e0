"""Regular expressions that are compiled when they are first used.

Compiling one takes as long as importing a small module, and a small conversion meets few of those that there are.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Later:
    """Stands for a compiled pattern. What is asked of it stays here, so that asking again costs nothing more."""

    def __init__(self, text: Any, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, but later; a mistake in the text shows there (a test compiles all that there are)."""
    return cast("re.Pattern[AnyStr]", _Later(text, flags))
