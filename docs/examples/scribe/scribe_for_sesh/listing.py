"""What `sesh list` and `sesh search` want to know, from as few bytes as can be. Both may be left out."""

from __future__ import annotations

from collections.abc import Sequence

from sesh.format import jsontext, lines
from sesh.providers.api import Card, Glimpse, Spoken


def card(glimpse: Glimpse) -> Card:
    """A session's line in the list, off its first bytes. Never raises."""
    header: dict[str, object] = {}
    prompt = None
    turns = 0
    for line in lines.split(glimpse.head):
        for piece in jsontext.pieces(line.data):
            value = piece.value if isinstance(piece.value, dict) else {}
            header = header or (value if value.get("scribe") == 1 else {})
            said = [w.text for w in spoken(line.data) if w.voice == "user"]
            if said:
                prompt, turns = prompt or said[0], turns + 1
    title, folder, at = header.get("title"), header.get("folder"), header.get("at")
    return Card(
        title=title if isinstance(title, str) else None,
        prompt=prompt,
        cwd=folder if isinstance(folder, str) else None,
        created=at if isinstance(at, str) else None,
        turns=turns if glimpse.whole else None,
    )


def spoken(line: bytes) -> Sequence[Spoken]:
    """The words on one line. Never raises."""
    found = []
    for piece in jsontext.pieces(line):
        value = piece.value if isinstance(piece.value, dict) else {}
        for part in value["parts"] if isinstance(value.get("parts"), list) else ():
            match part:
                case {"say": str(text)}:
                    found.append(Spoken(str(value.get("by")), text))
                case {"gave": str(text)}:
                    found.append(Spoken("tool", text))
    return found
