"""Taking what was added to a session without reading the rest, where it can be shown that nothing is missed by it.

What is shown, each time:

* the file begins with the bytes that were read (`files.tail`), and the files beside it are as they were;
* the store has what was read then: the thread's mark is the one that was put (`Point.mark`), and the message that it
  names is the one that stands there now, and the last 32 of its children are there;
* the provider's reader answers for the lines (`providers.api.Onward`), and uses no name that stood before the place;
* no message comes back that the client had left;
* no children wait to be taken whole.

The thread is the session's own: one that continues another session's is taken by the whole road. (A session that has a
thread of its own keeps it, whatever link becomes known.)

Then the rest is what `Ingest.take` does with a whole reading. In any other case it is what takes the session.

A place is only kept where reading from it gave, to the last field, what the whole reading had given (`begun`). It moves
on with the session when there is much behind it (`_moved`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from sesh.errors import SeshError, UnknownProvider
from sesh.files.read import FolderView, Opened, companions
from sesh.files.tail import Tail, looks, print_of, tail
from sesh.format import wire
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.ingest.points import Names, Point, Points
from sesh.ingest.thread import Mark, come_back, left_of, mark_of
from sesh.providers import registry
from sesh.providers.api import (
    Further,
    IngestedThread,
    IngestResult,
    Onward,
    Place,
    Provider,
    ReadOptions,
    SessionSource,
)
from sesh.stores import MessageStore

_MUCH: Final = 1 << 18
"""When so many bytes are read again each time, a place further on is looked for."""

_LOOKED_AT: Final = 32
"""So many of the children that lie before the place are asked for in the store each time, the last ones."""

Held: TypeAlias = Mapping[str, int]
"""How many messages of each child, by its thread's id, were held back."""


@dataclass(frozen=True, kw_only=True)
class Grown:
    """A session read on. `further.result` has the messages from `point.before` on."""

    point: Point
    provider: Provider
    onward: Onward
    source: SessionSource
    tail: Tail
    further: Further


def grown(points: Points, store: MessageStore, path: Path, options: ReadOptions) -> Grown | None:
    """A session as it is now, from a place near its end; None where it has to be read whole. Raises StoreFailed."""
    point = points.load(path)
    if point is None or (options.get("keep_raw", False), options.get("agent_id")) != (point.keep_raw, point.agent_id):
        return None
    try:
        thread = wire.load_thread(point.thread)
    except wire.NotARecord:
        return None
    stored = store.get_thread(thread.id)
    if mark_of(stored, point.source) != point.mark:
        return None
    if any(store.get_thread(child) is None for child in point.children[-_LOOKED_AT:]):
        return None
    try:
        provider = registry.get(point.provider)
    except UnknownProvider:
        return None
    onward = provider.onward() if provider.onward is not None else None
    if onward is None:
        return None
    view = companions(path.absolute(), provider)
    try:
        if looks(view, onward.beside(view, point.place)) != point.beside:
            return None
        found = tail(path, point.place.offset, point.print)
        if found is None:
            return None
        source = SessionSource(main=found.data, name=path.name, companions=view)
        further = _read(onward, source, point.place, thread, options, Names(point.names))
    except msgspec.ValidationError:  # the state of another release of a plug-in
        return None
    if further is None or not _goes_on(point, further.result.messages):
        return None
    if come_back(left_of(stored), further.result.messages[point.mark.messages - point.before :]):
        return None
    return Grown(point=point, provider=provider, onward=onward, source=source, tail=found, further=further)


def _read(
    onward: Onward, source: SessionSource, place: Place, thread: Thread, options: ReadOptions, names: Names
) -> Further | None:
    try:
        further = onward.read(source, place, thread, **options)
    except SeshError:
        return None  # the whole reading says what is wrong
    return None if further is None or any(map(names.has, further.names)) else further


def _goes_on(point: Point, read: Sequence[Message]) -> bool:
    """Whether the message that the store's mark names stands where it stood (what `thread.grow` asks of a mark)."""
    at = point.mark.messages - point.before
    return point.mark.settled > point.before and 0 < at <= len(read) and read[at - 1].id == point.mark.last


def begun(
    opened: Opened, read: IngestResult, mark: Mark, held: Held, options: ReadOptions, session_id: str
) -> Point | None:
    """A point for a session that was read whole and taken; None where it cannot be read on from anywhere."""
    onward = opened.provider.onward() if opened.provider.onward is not None else None
    known = print_of(opened.path, opened.source.main)
    view = opened.source.companions
    if onward is None or known is None or not isinstance(view, FolderView):
        return None
    for place in onward.places(opened.source, read, mark.settled):
        source = _from(opened.source, place.offset)
        names = Names()
        further = _read(onward, source, place, read.thread, options, names)
        at = None if further is None else _same(read, further.result)
        if further is None or at is None or at >= mark.settled:
            continue
        before = _without(read.children, further.result.children)
        names.add(onward.names(read.messages[:at], before))
        if any(map(names.has, further.names)):
            continue
        return Point(
            provider=opened.provider.name,
            session_id=session_id,
            thread=wire.encode(read.thread),
            mark=mark,
            print=known,
            place=further.place,
            before=at,
            beside=looks(view, onward.beside(view, place)),
            names=names.packed(),
            children=[c.thread.id for c in before],
            held_below=_held(before, held),
            keep_raw=options.get("keep_raw", False),
            agent_id=options.get("agent_id"),
        )
    return None


def went_on(found: Grown, mark: Mark, held: Held, options: ReadOptions) -> Point:
    """The point after what was read on was taken."""
    result = found.further.result
    point = msgspec.structs.replace(
        found.point,
        thread=wire.encode(result.thread),
        mark=mark,
        print=found.tail.print,
        place=found.further.place,
    )
    return _moved(found, point, held, options) if len(found.tail.data) > _MUCH else point


def _moved(found: Grown, point: Point, held: Held, options: ReadOptions) -> Point:
    """The same with a place further on, where there is one."""
    read, onward = found.further.result, found.onward
    for place in onward.places(found.source, read, point.mark.settled - point.before, point.place):
        if place.offset <= point.place.offset:
            break
        source = _from(found.source, place.offset - point.place.offset)
        names = Names(point.names)
        further = _read(onward, source, place, read.thread, options, names)
        at = None if further is None else _same(read, further.result)
        if further is None or not at or point.before + at >= point.mark.settled:
            continue
        before = _without(read.children, further.result.children)
        names.add(onward.names(read.messages[:at], before))
        if any(map(names.has, further.names)):
            continue
        return msgspec.structs.replace(
            point,
            place=further.place,
            before=point.before + at,
            names=names.packed(),
            children=[*point.children, *(c.thread.id for c in before)],
            held_below=point.held_below + _held(before, held),
        )
    return point


def _from(source: SessionSource, offset: int) -> SessionSource:
    return SessionSource(main=source.main[offset:], name=source.name, companions=source.companions)


def _same(whole: IngestResult, end: IngestResult) -> int | None:
    """Where in a reading the messages of its end begin, if both say the same; else None."""
    at = len(whole.messages) - len(end.messages)
    if at < 0 or not end.messages or whole.messages[at:] != end.messages or whole.thread != end.thread:
        return None
    known = {c.thread.id: c for c in whole.children}
    return at if all(known.get(c.thread.id) == c for c in end.children) else None


def _without(children: Sequence[IngestedThread], end: Sequence[IngestedThread]) -> list[IngestedThread]:
    """The children that do not lie after a place."""
    after = {c.thread.id for c in end}
    return [c for c in children if c.thread.id not in after]


def _held(children: Sequence[IngestedThread], held: Held) -> int:
    return sum(held[c.thread.id] for c in children)
