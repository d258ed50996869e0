"""Which link a merge goes back along: by the far side, by the origin, or the newest of this folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import msgspec

from sesh import __version__
from sesh.catalog import listing
from sesh.catalog.cards import CardCache
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
    """The link to go back along, its far side as it is now, and all links that are known, oldest first."""

    link: Link
    far: Side
    links: Sequence[Link]


def by_session(
    opened: Opened, book: Book, homes: Homes, to: str | None = None, cache: CardCache = listing.NO_CACHE
) -> Way:
    """The way for a session that the user named: it is the far side, or the origin of one.

    A session may be both (a merged copy that was worked in): then `to` decides, the client that is to get the turns;
    or, where that is not said, the side that has gone on. Raises NoSuchSession where no link is known.
    """
    named = side(opened)
    links = book.links()
    if not any(link.touches(key) for link in links for key in _keys(named)):
        links = [*stamped_links(links, homes, cache), *links]
    ways = chain(_as_far_side(named, links, homes), _as_origin(named.end, links, homes))
    found = _first_gone_on(_leading(ways, to))
    if found is None and to is not None:
        raise NoSuchSession(
            f"No link that sesh knows of leads from {named.end}, or from its other side, to {registry.get(to).title}.",
            hint="`sesh links` shows them all; without --to, the side that has gone on decides.",
        )
    if found is None:
        raise NoSuchSession(
            f"{named.end} is on no link that sesh knows of: it was neither handed off from here nor made by a handoff.",
            hint="`sesh links` shows them all. `sesh handoff` takes it over whole, as a session of its own.",
        )
    return found


def _leading(ways: Iterable[Way], to: str | None) -> Iterator[Way]:
    """The ways along which turns go to the client `to`; all of them where it is not said."""
    return (way for way in ways if to is None or way.link.source.provider == to)


def in_folder(cwd: str, book: Book, homes: Homes, to: str | None = None, cache: CardCache = listing.NO_CACHE) -> Way:
    """The way for nothing named: the newest handoff of this folder, before the newest merge. Raises NoSuchSession.

    Where nothing is new on any, the one that the last merge or handoff went: asked again, a merge names the same copy.
    """
    links = book.links()
    found = _newest_of(cwd, links, homes, to)
    if found is None and (stamped := stamped_links(links, homes, cache)):
        found = _newest_of(cwd, [*stamped, *links], homes, to)
    if found is None:
        whence = "" if to is None else f" from {registry.get(to).title}"
        raise NoSuchSession(
            f"No session of this folder ({cwd}) was handed off{whence}, or none is left.",
            hint="Name the session: `sesh links` shows every handoff.",
        )
    return found


def _newest_of(cwd: str, links: Sequence[Link], homes: Homes, to: str | None) -> Way | None:
    here = [link for link in reversed(_standing(links)) if link.cwd == cwd]
    ordered = [link for kind in ("handoff", "merge") for link in here if link.kind == kind]
    return _first_gone_on(_leading(_open(ordered, links, homes), to), here[0] if here else None)


def _first_gone_on(ways: Iterable[Way], newest: Link | None = None) -> Way | None:
    """The first whose far side has something that was not merged yet.

    Where none has, the one along which `newest` merged, or that it made; else the first of all.
    """
    first: Way | None = None
    last: Way | None = None
    for way in ways:
        if way.far.since(reached(way)).moved_on:
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


def reached(way: Way) -> Extent:
    """How far the far side had been taken over: by the last merge of it, or by the link itself."""
    merged = last_merge(way.far.end, way.links)
    return merged.read if merged is not None else way.link.made


def last_merge(far: End, links: Sequence[Link]) -> Link | None:
    """The last merge that took turns from this session."""
    return next((x for x in reversed(links) if x.kind == "merge" and x.source.key == far.key), None)


def _as_far_side(named: Side, links: Sequence[Link], homes: Homes) -> Iterator[Way]:
    """Links that made the session, or the one it was forked from; known by id, by stamp, or by what it says."""
    made = next((m for key in _keys(named) if (m := [link for link in links if link.to.key == key])), None)
    if made:
        yield Way(link=made[-1], far=named, links=links)
    elif (found := find_stamp(named.source.main)) is not None:
        yield Way(link=from_stamp(found, named), far=named, links=links)
    elif (same := _by_content(named, links) or _by_first_line(named, links, homes)) is not None:
        yield Way(link=same, far=named, links=links)


def _keys(named: Side) -> list[tuple[str, str]]:
    """What a session is known by: its own id, and that of the one it says it was forked from."""
    parent = (named.read.thread.metadata or {}).get("forkedFrom")
    return [named.end.key, *([(named.end.provider, parent)] if isinstance(parent, str) else [])]


def _as_origin(end: End, links: Sequence[Link], homes: Homes) -> Iterator[Way]:
    """Links that begin at the session, or whose merges copied it or made it; the newest first."""
    far = {m.source.key for m in links if m.kind == "merge" and end.key in (m.to.key, m.onto.key if m.onto else None)}
    standing = reversed(_standing(links))
    return _open([link for link in standing if link.source.key == end.key or link.to.key in far], links, homes)


def _open(wanted: Sequence[Link], links: Sequence[Link], homes: Homes) -> Iterator[Way]:
    """The ways along the links that are wanted, of all `links`: those whose far side is there and can be read.

    Raises SeshError where none can, and one is broken.
    """
    places = locate.Places(homes)
    broken: SeshError | None = None
    found = False
    for link in wanted:
        path = places.find(link.to)
        if path is None:
            continue
        try:
            far = side(open_session(path, registry.get(link.to.provider)))
        except SeshError as e:
            broken = broken or e
            continue
        found = True
        yield Way(link=link, far=far, links=links)
    if broken is not None and not found:
        raise broken


def stamped_links(links: Sequence[Link], homes: Homes, cache: CardCache = listing.NO_CACHE) -> list[Link]:
    """Links that only the sessions themselves know, oldest first: the book is another machine's, or lost.

    A stamp says of which session it is. A fork bears a copy of it, and was not made by sesh. When each was made is not
    in it; the order is that of what was said in them, and of merges of one session a later one replaces the earlier.
    """
    known = {link.to.key for link in links}
    found: list[Link] = []
    for session in listing.sessions(homes, cache):
        if session.handed_from is None or (session.provider, session.session_id) in known:
            continue
        try:
            named = side(open_session(Path(session.path), registry.get(session.provider)))
        except SeshError:
            continue  # it cannot be merged from; `sesh list` shows it
        stamp = find_stamp(named.source.main)
        if stamp is not None and stamp.link == link_id(named.end.key):
            onto = (stamp.onto or "").partition(":")
            copied = End(provider=onto[0], session_id=onto[2], path="", home="") if onto[2] else None
            found.append(msgspec.structs.replace(from_stamp(stamp, named), onto=copied, cwd=session.cwd))
    found.sort(key=lambda link: (link.at, link.kind == "merge", link.made.size))
    merges: dict[tuple[str, str], str] = {}
    for n, link in enumerate(found):
        if link.kind == "merge":
            found[n] = msgspec.structs.replace(link, supersedes=merges.get(link.source.key))
            merges[link.source.key] = link.id
    return found


def from_stamp(found: Stamp, named: Side) -> Link:
    """A link made up from the stamp in the file, where the book does not have it (another machine, a lost folder).

    Its time is that of the last thing said before it was made. What was read then is known by its bytes only; the
    words are those of what was made of it.
    """
    data = named.source.main
    count = found.emitted_lines or 0
    end = next((x.offset for x in lines.split(data) if x.number == count + 1), len(data))
    then = named.opened.provider.parse(
        SessionSource(main=data[:end], name=named.source.name, companions=named.source.companions)
    )
    origin = End(provider=found.provider, session_id=found.session_id, path="", home="")
    made = extent.measure(data[:end], then)
    return Link(
        id=link_id(named.end.key),
        kind="merge" if found.kind == "merge" else "handoff",
        source=origin,
        to=named.end,
        thread=found.thread_id,
        read=msgspec.structs.replace(made, lines=found.lines, size=found.size, sha256=found.sha256),
        made=made,
        at=made.last or then.thread.created_at,
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


def _by_first_line(named: Side, links: Sequence[Link], homes: Homes) -> Link | None:
    """The link whose session has the summary that this one begins with, under the same id.

    Claude Code 2.1.328 forks a compacted session so (`--fork-session`): from the summary on, and without a word of
    where it comes from.
    """
    first = next(iter(named.read.messages), None)
    if first is None or first.kind != "summary" or first.provenance is None or not first.provenance.source_id:
        return None
    for way in _open([x for x in reversed(links) if x.to.provider == named.end.provider], links, homes):
        for message in way.far.read.messages:
            if message.provenance is not None and message.provenance.source_id == first.provenance.source_id:
                return way.link
    return None
