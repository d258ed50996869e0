"""The same session into two stores: one by the short road where that is open, one read whole each time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from sesh.errors import SeshError
from sesh.format import jsontext, wire
from sesh.handoff.book import Book
from sesh.ingest.points import Points
from sesh.ingest.session import Ingest, Taken
from sesh.stores import MessageStore, open_store

LONG = 61 * 10**9
"""How much later than its last line a session is at rest, in nanoseconds."""


def contents(store: MessageStore) -> dict[str, Any]:
    """Everything a store has: each thread's record and messages, in order."""
    return {
        t.id: (jsontext.loads(wire.encode(t)), [jsontext.loads(wire.encode(m)) for m in store.get_messages(t.id)])
        for t in store.list_threads()
    }


class Whole(Ingest):
    """Counts the sessions that are read whole."""

    read_whole = 0

    def _take_whole(self, *what: Any) -> Taken:
        self.read_whole += 1
        return super()._take_whole(*what)


class Roads:
    """A session file that grows, and the two stores that follow it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / "sessions" / name
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.points = Points(folder / "points", "short", least_bytes=0)
        self.book = Book(folder / "sesh")
        self.short, self.long = open_store("memory:"), open_store("memory:")
        self.taken = 0
        self.by_short = 0

    def write(self, data: bytes) -> None:
        """Make the file hold this, in place."""
        with self.path.open("r+b" if self.path.exists() else "wb") as f:
            f.truncate(0)
            f.write(data)

    def add(self, data: bytes) -> None:
        """What a client does."""
        with self.path.open("ab") as f:
            f.write(data)

    def take(self, *, rests: bool = False, killed: bool = False, **options: Any) -> bool:
        """Bring both stores up; whether the short road was taken. Fails where they are not the same after it.

        killed: the run before was, so that the two stores may not have the same to do.
        """
        now = self.path.stat().st_mtime_ns + (LONG if rests else 0)
        runs = (
            Whole(self.short, self.book, {}, points=self.points, **options),
            Whole(self.long, self.book, {}, **options),
        )
        results: list[Any] = []
        for run in runs:
            try:
                results.append(msgspec.structs.replace(run.take(self.path, now), report=None))
            except SeshError as e:
                results.append(str(e))
        assert results[0] == results[1] or killed
        assert contents(self.short) == contents(self.long)
        self.taken += 1
        self.by_short += not runs[0].read_whole
        return not runs[0].read_whole


@pytest.fixture
def moving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks for a later place each time, not only when much lies behind the old one."""
    monkeypatch.setattr("sesh.ingest.onward._MUCH", 0)
