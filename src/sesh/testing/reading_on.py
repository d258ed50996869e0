"""The law of `Onward`, as a function: what is read on and what was read before are what the whole reads as."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from sesh.providers.api import IngestedThread, IngestResult, Onward, Place, SessionSource


@dataclass(frozen=True)
class From:
    """A place from which reading on gave what the whole reading had given, and what came before it."""

    place: Place
    whole: IngestResult
    before: int
    children: list[IngestedThread]
    names: frozenset[str]


def places(onward: Onward, source: SessionSource, whole: IngestResult, settled: int) -> Iterator[From]:
    """The places that `source`, read as `whole`, can be read on from."""
    for place in onward.places(source, whole, settled):
        further = onward.read(_after(source, place), place, whole.thread)
        if further is None:
            continue
        end = further.result
        at = len(whole.messages) - len(end.messages)
        below = {c.thread.id for c in end.children}
        children = [c for c in whole.children if c.thread.id not in below]
        names = frozenset(onward.names(whole.messages[:at], children))
        known = From(further.place, whole, at, children, names)
        if not (names & further.names) and at >= 0 and _told(_joined(known, end)) == _told(whole):
            yield known


def went_on(onward: Onward, known: From, source: SessionSource) -> IngestResult | None:
    """What `source`, grown since, reads as by its end alone; None where the whole has to be read."""
    further = onward.read(_after(source, known.place), known.place, known.whole.thread)
    return None if further is None or known.names & further.names else _joined(known, further.result)


def same(one: IngestResult, other: IngestResult) -> bool:
    """Whether two readings say the same, apart from their reports."""
    return _told(one) == _told(other)


def _after(source: SessionSource, place: Place) -> SessionSource:
    return SessionSource(main=source.main[place.offset :], name=source.name, companions=source.companions)


def _joined(known: From, end: IngestResult) -> IngestResult:
    return msgspec.structs.replace(
        end,
        messages=[*known.whole.messages[: known.before], *end.messages],
        children=[*known.children, *end.children],
    )


def _told(read: IngestResult) -> object:
    return read.thread, read.messages, {c.thread.id: c for c in read.children}
