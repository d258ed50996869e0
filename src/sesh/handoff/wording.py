"""Numbers in the sentences of this room."""

from __future__ import annotations


def turns(number: int) -> str:
    """`1 turn`, `3 turns`."""
    return counted(number, "turn")


def counted(number: int, what: str) -> str:
    """`1 line`, `3 lines`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
