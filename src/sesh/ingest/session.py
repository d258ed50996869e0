"""Taking one session into a store, whole or what is new of it, with its children."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from sesh.catalog.listing import iso
from sesh.catalog.resolve import Homes
from sesh.errors import NotASession
from sesh.files.read import open_session, stored_size
from sesh.files.scan import Found
from sesh.format import ids
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.handoff import locate
from sesh.handoff.book import Book
from sesh.handoff.link import End, Link
from sesh.ingest import belonging, onward
from sesh.ingest.onward import Grown
from sesh.ingest.points import Points
from sesh.ingest.settle import is_at_rest, settled
from sesh.ingest.thread import Growth, Mark, grow, mark_of, put
from sesh.ingest.turns import turn
from sesh.providers.api import IngestedThread, IngestResult, ReadOptions
from sesh.report.reports import IngestReport
from sesh.stores import MessageStore


class Taken(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What came of taking a session.

    thread_id: where its messages are. continues: that is another session's thread. messages: how many were appended
    to it; child_messages: to its children, of which there are `children`. held: messages of a step that is still
    being written, left for the next time. differing: stored messages that read differently now; what is stored stays.
    """

    provider: str
    session_id: str
    path: str
    thread_id: str
    state: Literal["new", "grown", "unchanged"]
    continues: bool
    messages: int
    child_messages: int
    children: int
    held: int
    differing: int
    report: IngestReport | None = None


class Ingest:
    """Takes sessions into a store. One object for a run: it remembers which sessions it has taken."""

    def __init__(
        self,
        store: MessageStore,
        book: Book,
        homes: Homes,
        *,
        agent_id: str | None = None,
        run_id: str | None = None,
        keep_raw: bool = False,
        final: bool = False,
        points: Points | None = None,
    ) -> None:
        """final: take the last step too, though a client may still be writing it.

        points: where sessions may be read on from, for this store; without them each is read whole each time.
        """
        self._store: Final = store
        self._book: Final = book
        self._homes: Final = homes
        self.final: Final = final
        self._points: Final = points
        self._options: Final = ReadOptions(keep_raw=keep_raw, agent_id=agent_id, run_id=run_id)
        self._seen: Final[dict[tuple[str, str], int]] = {}
        """Sessions taken in this run, and how many messages of each were held back."""

    def take(self, path: Path, now: int, beside: Sequence[Found] = (), *, final: bool | None = None) -> Taken:
        """Bring the store up to what a session says. `now` is in nanoseconds since 1970.

        beside: files of its sub-agents that are sessions of their own, to be marked as taken with it. final: as for
        the whole run. Raises SeshError where the session cannot be read or the store cannot be written.
        """
        if final is None:
            final = self.final
        with turn(self._book.path.parent, path):
            if self._points is not None and not beside:
                found = onward.grown(self._points, self._store, path, self._options)
                if found is not None and (taken := self._go_on(found, self._points, path, now, final)) is not None:
                    return taken
            return self._take_whole(path, now, beside, final)

    def _go_on(self, found: Grown, points: Points, path: Path, now: int, final: bool) -> Taken | None:
        """Bring the store up to a session of which the end was read; None where that is not all there is to take."""
        point, read = found.point, found.further.result
        key = (point.provider, point.session_id)
        whole = final or is_at_rest(found.tail.modified, now)
        if whole and point.held_below:
            return None
        thread = self._store.get_thread(read.thread.id)
        if mark_of(thread, point.source) != point.mark:
            return None  # somebody took it meanwhile: what was read is no longer what comes next
        main = self._bring(thread, read.thread.id, point.source, read.messages, whole, point.before)
        below = {c.thread.id: self._child(c, point.source, whole) for c in read.children}
        held_back = {child: growth.held for child, growth in below.items()}
        held = self._seen[key] = main.held + point.held_below + sum(held_back.values())
        mark = msgspec.structs.replace(main.mark, bytes=found.tail.size, modified=_iso(found.tail.modified), held=held)
        put(self._store, thread, read.thread, {point.source: mark}, main)
        appended = sum(g.appended for g in below.values())
        points.save(path, onward.went_on(found, mark, held_back, self._options))
        return Taken(
            provider=point.provider,
            session_id=point.session_id,
            path=str(path.absolute()),
            thread_id=read.thread.id,
            state="grown" if main.appended or appended else "unchanged",
            continues=False,
            messages=main.appended,
            child_messages=appended,
            children=len(point.children) + len(below),
            held=held,
            differing=main.differing + sum(g.differing for g in below.values()),
            report=read.report,
        )

    def _take_whole(self, path: Path, now: int, beside: Sequence[Found], final: bool, is_second: bool = False) -> Taken:
        size = stored_size(path)  # before the bytes: what is written meanwhile is then looked at again
        opened = open_session(path)
        read = opened.provider.parse(opened.source, **self._options)
        end = locate.end_of(opened, read)
        self._seen[end.key] = 0
        link = belonging.link_to(opened, read, self._book)
        target = self._target(link, read, now)
        before = self._store.get_thread(target)
        if not is_second and _is_behind(size, mark_of(before, str(end)), path):
            return self._take_whole(path, now, beside, final, True)
        messages: Sequence[Message] = read.messages
        children: Sequence[IngestedThread] = read.children
        continues = link is not None and target != read.thread.id
        if link is not None and continues:
            all_merged = link.onto is None or mark_of(before, str(link.source)) is not None
            news = belonging.continuation(link, opened, read, target, all_merged=all_merged)
            messages, children = news.messages, news.children
        whole = final or is_at_rest(opened.modified, now)
        if before is None:
            put(self._store, None, read.thread, {}, None)  # first, so that it stands before its children
        main = self._bring(before, target, str(end), messages, whole)
        below = [self._child(c, str(end), whole) for c in children]
        held = self._seen[end.key] = main.held + sum(c.held for c in below)
        mark = msgspec.structs.replace(main.mark, bytes=size, modified=_iso(opened.modified), held=held)
        said = before if continues and before is not None else read.thread
        marks = {str(end): mark, **{f"{f.provider}:{f.session_id}": file_mark(f.size, f.modified) for f in beside}}
        put(self._store, self._store.get_thread(target), said, marks, main)
        if self._points is not None:
            alone = not continues and not beside and len(opened.source.main) >= self._points.least_bytes
            held_back = {c.thread.id: g.held for c, g in zip(children, below, strict=True)}
            self._points.save(
                path, onward.begun(opened, read, mark, held_back, self._options, end.session_id) if alone else None
            )
        appended = sum(c.appended for c in below)
        return Taken(
            provider=end.provider,
            session_id=end.session_id,
            path=str(opened.path),
            thread_id=target,
            state="new" if before is None else "grown" if main.appended or appended else "unchanged",
            continues=continues,
            messages=main.appended,
            child_messages=appended,
            children=len(children),
            held=held,
            differing=main.differing + sum(c.differing for c in below),
            report=read.report,
        )

    def _target(self, link: Link | None, read: IngestResult, now: int) -> str:
        """The thread that the session goes to. One that had a thread of its own before its link was known keeps it."""
        own = read.thread.id
        if link is None or self._store.get_thread(own) is not None:
            return own
        for origin in belonging.origins(link):
            self._take_first(origin, now)
        return self._thread_of(belonging.origins(link)[0]) or own

    def _take_first(self, end: End, now: int) -> None:
        """A session that another one repeats has to be in the store before that; where it is gone, it stays out.

        It is taken to its end: what was handed off had been said, and must stand before what was said after that.
        """
        if self._seen.get(end.key, 1) == 0:
            return
        path = locate.find(end, self._homes)
        if path is not None:
            try:
                self.take(path, now, final=True)
            except NotASession:
                return  # damaged beyond reading: like one that is gone; what continues it is taken all the same

    def _thread_of(self, end: End) -> str | None:
        """The thread in the store that has a session's messages, or None."""
        own = self._store.get_thread(ids.thread_id(end.provider, end.session_id))
        if own is not None:
            return own.id
        made = self._book.made(end.key)
        return None if made is None else self._thread_of(belonging.origins(made)[0])

    def _bring(
        self,
        stored: Thread | None,
        thread_id: str,
        source: str,
        messages: Sequence[Message],
        whole: bool,
        before: int = 0,
    ) -> Growth:
        """Append what is new, the last step only where the session is at rest. before: as for `grow`."""
        certain = settled(messages)
        upto = len(messages) if whole else certain
        growth = grow(self._store, stored, thread_id, source, messages, upto, before=before)
        mark = msgspec.structs.replace(growth.mark, settled=min(before + certain, growth.mark.messages))
        return msgspec.structs.replace(growth, mark=mark)

    def _child(self, child: IngestedThread, source: str, whole: bool) -> Growth:
        before = self._store.get_thread(child.thread.id)
        growth = self._bring(before, child.thread.id, source, child.messages, whole)
        put(self._store, before, child.thread, {source: growth.mark}, growth)
        return growth


def _is_behind(size: int, mark: Mark | None, path: Path) -> bool:
    """Whether somebody took more of a file than was read of it: what it said since would seem to be taken back."""
    return mark is not None and size < min(mark.bytes or 0, stored_size(path))


def file_mark(size: int, modified: int) -> Mark:
    """The mark of a file that was taken as a part of another session."""
    return Mark(bytes=size, modified=_iso(modified))


def unchanged(thread: Thread | None, source: str, size: int, modified: int) -> Mark | None:
    """The mark of a file to which nothing was written since it was taken; None where it has to be read."""
    mark = mark_of(thread, source)
    return mark if mark is not None and mark.bytes == size and mark.modified == _iso(modified) else None


def _iso(nanoseconds: int) -> str:
    """A file's time as text, to the microsecond: a number of nanoseconds is more than JavaScript's numbers hold."""
    return iso(nanoseconds, "microseconds")
