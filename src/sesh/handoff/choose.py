"""Which link a merge goes back along: by the far side, by the origin, or the newest of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from sesh import __version__
from sesh.catalog import listing
from sesh.catalog.listing import Session
from sesh.catalog.resolve import Homes
from sesh.errors import NoSuchSession, SeshError
from sesh.files.read import Opened, open_session
from sesh.format import lines
from sesh.handoff import extent, locate
from sesh.handoff.book import Book
from sesh.handoff.extent import News
from sesh.handoff.link import End, Extent, Link, Stamp, find_stamp, link_id
from sesh.providers import registry
from sesh.providers.api import IngestResult, SessionSource


@dataclass(frozen=True, kw_only=True)
class Side:
    """A session opened and read: `end` says which, `source` is what there is of it up to its last whole line."""

    end: End
    opened: Opened
    source: SessionSource
    read: IngestResult
    torn: bool

    def since(self, reached: Extent) -> News:
        """What of it came after it reached so far."""
        return extent.since(reached, self.opened.provider, self.source, self.read)


def side(opened: Opened) -> Side:
    """An open session, read. Raises SeshError."""
    source, torn = extent.without_torn_line(opened.source)
    read = opened.provider.parse(source)
    return Side(end=locate.end_of(opened, read), opened=opened, source=source, read=read, torn=torn)


@dataclass(frozen=True, kw_only=True)
class Way:
    """The link to go back along, and its far side as it is now."""

    link: Link
    far: Side


def by_session(opened: Opened, book: Book, homes: Homes, to: str | None = None) -> Way:
    """The way for a session that the user named: it is the far side, or the origin of one.

    A session may be both (a merged copy that was worked in): then `to` decides, the client that is to get the turns;
    or, where that is not said, the side that has gone on. Raises NoSuchSession where no link is known.
    """
    named = side(opened)
    links = book.links()
    ways = chain(_as_far_side(named, links), _as_origin(named.end, links, homes))
    found = _first_gone_on(_leading(ways, to), links)
    stamped = _stamped(homes, lambda s: s.handed_from == str(named.end))
    found = found or _first_gone_on(_leading(stamped, to), links)
    if found is None and to is not None:
        raise NoSuchSession(
            f"No link that sesh knows of leads from {named.end}, or from its other side, to {registry.get(to).title}.",
            hint="`sesh links` shows them all; without --to, the side that has gone on decides.",
        )
    if found is None:
        raise NoSuchSession(
            f"{named.end} is on no link that sesh knows of: it was neither handed off from here nor made by a handoff.",
            hint="`sesh links` shows them all.",
        )
    return found


def _leading(ways: Iterable[Way], to: str | None) -> Iterator[Way]:
    """The ways along which turns go to the client `to`; all of them where it is not said."""
    return (way for way in ways if to is None or way.link.source.provider == to)


def in_folder(cwd: str, book: Book, homes: Homes, to: str | None = None) -> Way:
    """The way for nothing named: the newest handoff of this folder, before the newest merge. Raises NoSuchSession.

    Where nothing is new on any, the one that the last merge or handoff went: asked again, a merge names the same copy.
    """
    links = book.links()
    here = [link for link in reversed(_standing(links)) if link.cwd == cwd]
    ordered = [link for kind in ("handoff", "merge") for link in here if link.kind == kind]
    found = _first_gone_on(_leading(_open(ordered, homes), to), links, here[0] if here else None)
    stamped = _stamped(homes, lambda s: s.cwd == cwd and s.handed_from is not None)
    found = found or _first_gone_on(_leading(stamped, to), links)
    if found is None:
        whence = "" if to is None else f" from {registry.get(to).title}"
        raise NoSuchSession(
            f"No session of this folder ({cwd}) was handed off{whence}, or none is left.",
            hint="Name the session: `sesh links` shows every handoff.",
        )
    return found


def _first_gone_on(ways: Iterable[Way], links: Sequence[Link], newest: Link | None = None) -> Way | None:
    """The first whose far side has something that was not merged yet.

    Where none has, the one along which `newest` merged, or that it made; else the first of all.
    """
    first: Way | None = None
    last: Way | None = None
    for way in ways:
        if way.far.since(reached(way, links)).moved_on:
            return way
        first = first or way
        if newest is not None and last is None:
            end = newest.source if newest.kind == "merge" else newest.to
            last = way if way.far.end.key == end.key else None
    return last or first


def _standing(links: Sequence[Link]) -> list[Link]:
    """The links without merges whose copy another merge has taken the place of: what was said there is in the newer."""
    replaced = {link.supersedes for link in links if link.kind == "merge"}
    return [link for link in links if link.id not in replaced]


def reached(way: Way, links: Sequence[Link]) -> Extent:
    """How far the far side had been taken over: by the last merge of it, or by the link itself."""
    merged = last_merge(way.far.end, links)
    return merged.read if merged is not None else way.link.made


def last_merge(far: End, links: Sequence[Link]) -> Link | None:
    """The last merge that took turns from this session."""
    return next((x for x in reversed(links) if x.kind == "merge" and x.source.key == far.key), None)


def _as_far_side(named: Side, links: Sequence[Link]) -> Iterator[Way]:
    """Links that made the session, or the one it was forked from; known by id, by stamp, or by what it says."""
    made = [link for link in links if link.to.key == named.end.key]
    if not made:
        parent = (named.read.thread.metadata or {}).get("forkedFrom")
        made = [link for link in links if link.to.key == (named.end.provider, parent)]
    if made:
        yield Way(link=made[-1], far=named)
    elif (found := find_stamp(named.source.main)) is not None:
        yield Way(link=from_stamp(found, named), far=named)
    elif (same := _by_content(named, links)) is not None:
        yield Way(link=same, far=named)


def _as_origin(end: End, links: Sequence[Link], homes: Homes) -> Iterator[Way]:
    """Links that begin at the session, or whose merges copied it or made it; the newest first."""
    far = {m.source.key for m in links if m.kind == "merge" and end.key in (m.to.key, m.onto.key if m.onto else None)}
    standing = reversed(_standing(links))
    return _open([link for link in standing if link.source.key == end.key or link.to.key in far], homes)


def _open(links: Sequence[Link], homes: Homes) -> Iterator[Way]:
    """The links whose far side is there and can be read. Raises SeshError where none can, and one is broken."""
    places = locate.Places(homes)
    broken: SeshError | None = None
    found = False
    for link in links:
        path = places.find(link.to)
        if path is None:
            continue
        try:
            far = side(open_session(path, registry.get(link.to.provider)))
        except SeshError as e:
            broken = broken or e
            continue
        found = True
        yield Way(link=link, far=far)
    if broken is not None and not found:
        raise broken


def _stamped(homes: Homes, wanted: Callable[[Session], bool]) -> Iterator[Way]:
    """Ways that only the sessions themselves know: they bear a stamp, and the book is another machine's or lost."""
    for session in listing.sessions(homes):
        if not wanted(session):
            continue
        try:
            far = side(open_session(Path(session.path), registry.get(session.provider)))
        except SeshError:
            continue  # it cannot be merged from; `sesh list` shows it
        stamp = find_stamp(far.source.main)
        if stamp is not None:
            yield Way(link=from_stamp(stamp, far), far=far)


def from_stamp(found: Stamp, named: Side) -> Link:
    """A link made up from the stamp in the file, where the book does not have it (another machine, a lost folder)."""
    data = named.source.main
    count = found.emitted_lines or 0
    end = next((x.offset for x in lines.split(data) if x.number == count + 1), len(data))
    then = named.opened.provider.parse(
        SessionSource(main=data[:end], name=named.source.name, companions=named.source.companions)
    )
    origin = End(provider=found.provider, session_id=found.session_id, path="", home="")
    return Link(
        id=link_id(named.end.key),
        kind="merge" if found.kind == "merge" else "handoff",
        source=origin,
        to=named.end,
        thread=found.thread_id,
        read=Extent(lines=found.lines, size=found.size, sha256=found.sha256, messages=0),
        made=extent.measure(data[:end], then),
        at=then.thread.created_at,
        sesh=__version__,
    )


def _by_content(named: Side, links: Sequence[Link]) -> Link | None:
    """The link whose session says, message by message, what this one begins with: a fork that does not say of what."""
    own = {extent.mark(m) for m in named.read.messages}
    best: tuple[int, Link] | None = None
    for link in links:
        if link.to.provider != named.end.provider or registry.get(link.to.provider) is not named.opened.provider:
            continue
        common = sum(m in own for m in extent.marks_of(link.made))
        if common * 2 > link.made.messages and (best is None or common >= best[0]):
            best = (common, link)
    return best[1] if best else None
