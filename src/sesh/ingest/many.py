"""Taking every session of this machine into a store, and going on with it as the clients write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from sesh.catalog import listing
from sesh.catalog.cards import CardCache
from sesh.catalog.listing import NO_CACHE
from sesh.catalog.resolve import Homes
from sesh.errors import NotASession, SeshError, StoreFailed
from sesh.files.scan import Found
from sesh.format.thread import Thread
from sesh.ingest.session import Ingest, Taken, unchanged
from sesh.ingest.settle import is_at_rest
from sesh.ingest.thread import MARKS
from sesh.stores import MessageStore

_PAGE: Final = 500


class Failed(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A session that could not be taken, and why. The others are taken all the same."""

    provider: str
    session_id: str
    path: str
    error: str
    empty: bool = False


class Sessions:
    """The sessions of some clients against a store: which are new or have grown, and taking those.

    Sub-agents that are sessions of their own (Codex) are taken with the session they belong to.
    """

    def __init__(self, store: MessageStore, ingest: Ingest, homes: Homes, cache: CardCache = NO_CACHE) -> None:
        self._ingest: Final = ingest
        self._homes: Final = homes
        self._cache: Final = cache
        self._marked: Final = marked(store)
        self._store: Final = store
        self._done: Final[dict[str, tuple[int, int]]] = {}
        self._held: Final[set[str]] = set()
        self._below: Final[dict[str, list[Found]]] = {}
        self.current = 0
        """How many sessions had nothing new at the last look."""

    def due(self, now: int) -> list[Found]:
        """What is to be taken now, oldest first: so that a session comes before those that were made from it."""
        found = listing.find(self._homes)
        known = {(f.provider, f.session_id): f for f in found}
        chosen: dict[str, Found] = {}
        self.current = 0
        for f in reversed(found):
            if self._is_current(f, now):
                self.current += 1
                continue
            top = self._top(f, known)
            chosen[_source(top)] = top
            if top is not f:
                self._below.setdefault(_source(top), []).append(f)
                self._done[_source(f)] = (f.size, f.modified)
        return list(chosen.values())

    def take(self, found: Found, now: int) -> Taken | Failed:
        """Take one session. Raises StoreFailed; whatever is wrong with the session itself is Failed."""
        self._done[_source(found)] = (found.size, found.modified)
        self._held.discard(_source(found))
        try:
            taken = self._ingest.take(found.path, now, self._below.pop(_source(found), ()))
        except StoreFailed:
            raise
        except SeshError as e:
            return Failed(
                provider=found.provider,
                session_id=found.session_id,
                path=str(found.path),
                error=str(e),
                empty=isinstance(e, NotASession),
            )
        if taken.held:
            self._held.add(_source(found))
        return taken

    def _is_current(self, found: Found, now: int) -> bool:
        """Whether there is nothing to take: nothing was written, and what was held back has to wait still."""
        source = _source(found)
        if source in self._done:
            known, held = self._done[source] == (found.size, found.modified), source in self._held
        else:
            mark = unchanged(self._marked.get(source), source, found.size, found.modified)
            known, held = mark is not None, mark is not None and mark.held > 0
        return known and not (held and (self._ingest.final or is_at_rest(found.modified, now)))

    def _top(self, found: Found, known: Mapping[tuple[str, str], Found]) -> Found:
        """The session that this one belongs under, as far up as there are files."""
        seen = {found.session_id}
        while True:
            parent = listing.session_of(found, *self._homes[found.provider], self._cache).parent
            above = known.get((found.provider, parent)) if parent is not None else None
            if above is None or above.session_id in seen:
                return found
            seen.add(above.session_id)
            found = above


def marked(store: MessageStore) -> dict[str, Thread]:
    """Every source that a store has taken, with the thread it went to."""
    found: dict[str, Thread] = {}
    for thread in all_threads(store):
        marks = (thread.metadata or {}).get(MARKS)
        if isinstance(marks, dict):
            # A child bears its parent's mark too, without the file's size; that of the main thread counts.
            found.update({s: thread for s, m in marks.items() if isinstance(m, dict) and "bytes" in m})
    return found


def all_threads(store: MessageStore) -> Iterator[Thread]:
    """Every thread of a store, a page at a time."""
    after: str | None = None
    while page := store.list_threads(after_id=after, limit=_PAGE):
        yield from page
        after = page[-1].id


def _source(found: Found) -> str:
    return f"{found.provider}:{found.session_id}"
