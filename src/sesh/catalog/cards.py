"""Cards kept between runs: a session whose file has the same size and time is not opened again.

One MessagePack file in sesh's cache folder, read and written whole: 5,000 cards are some 2 MB. It can be deleted at
any time. A cache of another layout, a damaged one, or one that cannot be written is the same as none.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from sesh.files.glimpse import glimpse
from sesh.files.scan import Found
from sesh.providers.api import Card, Provider

LAYOUT: Final = 2
"""Raise it whenever a card's fields or their meaning change."""


class _Kept(msgspec.Struct, array_like=True, gc=False):
    size: int
    modified: int
    card: Card


class _File(msgspec.Struct, array_like=True, gc=False):
    layout: int
    cards: dict[str, _Kept]


class CardCache:
    """Cards by file. `file` None keeps nothing. Call `save` at the end of a run."""

    def __init__(self, file: Path | None) -> None:
        self._file: Final = file
        self._cards: Final[dict[str, _Kept]] = {}
        self._used: Final[dict[str, _Kept]] = {}
        self.opened = 0
        """How many session files were looked into."""
        if file is not None:
            self._cards.update(_load(file))

    def card(self, provider: Provider, found: Found, *, thorough: bool = False) -> Card:
        """A session's card, from the cache where its size and time are the same.

        `thorough` reads the whole file where a glimpse did not tell how many turns it has.
        """
        key = found.key
        kept = self._cards.get(key)
        if kept is None or kept.size != found.size or kept.modified != found.modified:
            kept = self._look(provider, found, whole=False)
        if thorough and kept.card.turns is None:
            kept = self._look(provider, found, whole=True)
        self._used[key] = kept
        return kept.card

    def _look(self, provider: Provider, found: Found, *, whole: bool) -> _Kept:
        self.opened += 1
        seen = glimpse(found.path, found.relative, whole=whole)
        return _Kept(found.size, found.modified, provider.card(seen) if seen is not None else Card())

    def save(self) -> None:
        """Write what is known now, where anything is new. Sessions that this run did not come upon stay, if they exist.

        Another run at the same time: the last one wins.
        """
        if self._file is None or not self.opened:
            return
        others = {k: v for k, v in self._cards.items() if k not in self._used and Path(k).exists()}
        temporary = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary.touch(mode=0o600)  # what was said is nobody else's to read
            temporary.write_bytes(msgspec.msgpack.encode(_File(LAYOUT, {**others, **self._used})))
            temporary.replace(self._file)
        except (OSError, UnicodeEncodeError):  # full disk, read-only home, lone surrogate: then there is no cache
            with suppress(OSError):  # it was never made
                temporary.unlink()


def _load(file: Path) -> dict[str, _Kept]:
    try:
        kept = msgspec.msgpack.decode(file.read_bytes(), type=_File)
    except (OSError, msgspec.MsgspecError):  # absent, or of another release
        return {}
    return kept.cards if kept.layout == LAYOUT else {}
