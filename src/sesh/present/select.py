"""Which turns of an outline to show: a range (`3..7`), the last few, all."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from sesh.errors import SeshError
from sesh.present.outline import Outline

_RANGE: Final = re.compile(r"(\d*)\.\.(\d*)|(\d+)")


def turn_range(text: str) -> tuple[int, int | None]:
    """`3..7`, `3..`, `..7` or `3` as first and last turn, both included; None is the end. Raises ValueError."""
    match = _RANGE.fullmatch(text.strip())
    if match is None or text.strip() == "..":
        raise ValueError(f"{text!r} is no range of turns: give 3..7, 3.., ..7 or 3.")
    if match[3]:
        return int(match[3]), int(match[3])
    first, last = int(match[1] or 0), int(match[2]) if match[2] else None
    if last is not None and last < first:
        raise ValueError(f"{text!r} ends before it begins.")
    return first, last


def only(view: Outline, first: int, last: int | None) -> Outline:
    """The same outline with only these turns. Raises SeshError where there are none."""
    chosen = [t for t in view.turns if t.number >= first and (last is None or t.number <= last)]
    if not chosen:
        raise SeshError(
            f"There are no turns {first}..{'' if last is None else last} here.",
            hint=f"The session has {view.prompts} turn{'s' if view.prompts != 1 else ''}.",
        )
    return replace(view, turns=chosen)


def tail(view: Outline, count: int) -> Outline:
    """The last `count` turns."""
    return replace(view, turns=view.turns[-count:])
