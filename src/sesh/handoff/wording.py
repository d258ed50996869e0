"""Numbers in the sentences of this room."""

from __future__ import annotations


def turns(number: int) -> str:
    """`1 turn`, `3 turns`."""
    return counted(number, "turn")


def counted(number: int, what: str) -> str:
    """`1 line`, `3 lines`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def about(number: int) -> str:
    """A number of which the first two digits matter: `96`, `1,300`, `140,000`."""
    return f"{round(number, 2 - len(str(number))):,}" if number >= 100 else str(number)
