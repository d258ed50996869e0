"""Is this file Scribe's? Asked of its first bytes."""

from __future__ import annotations

from sesh.format import jsontext, lines


def detect(head: bytes, name: str | None = None) -> bool:
    """Whether the first readable line is a header. `head` is at most 64 KiB and may end inside of a line."""
    for line in lines.split(head):
        for piece in jsontext.pieces(line.data):
            if piece.readable:
                return isinstance(piece.value, dict) and piece.value.get("scribe") == 1
    return False
