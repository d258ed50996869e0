"""Merging back: what the far side said since the handoff, on a copy of the session it came from.

Plan, then act. No file that exists is changed: the copy has an id of its own, and the turns taken over stand at its
end. The next merge makes the next copy, on the first one where that went on, else on the origin again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sesh import __version__
from sesh.catalog.resolve import Homes
from sesh.errors import NoSuchSession, Refused
from sesh.files.live import holder
from sesh.files.place import NewFile
from sesh.files.read import Opened
from sesh.format.json import JsonObject
from sesh.handoff import carry, choose, extent, locate, placing
from sesh.handoff.book import Book
from sesh.handoff.choose import Side, Way
from sesh.handoff.diverge import Choice, graft_point, have_parted, parted
from sesh.handoff.extent import News
from sesh.handoff.link import End, Extent, Link, link_id, stamp, target_id
from sesh.handoff.out import finished
from sesh.handoff.wording import counted, turns
from sesh.providers import registry
from sesh.providers.api import EmitOptions, EmitResult, GraftResult, Provider


@dataclass(frozen=True, kw_only=True)
class Merge:
    """What a merge will do, or find done.

    to: the client that gets the turns; home: its folder. trunk: the session that is copied. news: what is taken over.
    there: the file that holds it all already, because nothing is new or the same merge was done before.
    """

    to: Provider
    home: Path
    far: Side
    trunk: Side
    news: News
    grafted: GraftResult | None
    link: Link | None
    files: Sequence[NewFile]
    there: Path | None
    session_id: str
    superseded: Link | None
    remarks: Sequence[str]

    @property
    def emitted(self) -> EmitResult | None:
        """What the writer made; None where there is nothing new."""
        return self.grafted.emitted if self.grafted else None

    @property
    def path(self) -> Path:
        """Where the merged session lies, or will."""
        if self.there is not None or self.emitted is None:
            return self.there or self.trunk.opened.path
        return self.home / self.emitted.path

    @property
    def cwd(self) -> str | None:
        """The folder to go on in: where the client looks for the merged session."""
        return self.link.cwd if self.link else _cwd(self.trunk)


@dataclass(frozen=True, kw_only=True)
class _Trunk:
    """What to graft on: the session, how far it reached when the far side parted from it, and what came since there.

    base: how far the far side reached then. merged: the merge that made the trunk, where it is a merged copy.
    """

    side: Side
    ours: News
    base: Extent
    merged: Link | None


def plan(
    way: Way,
    homes: Homes,
    *,
    now: str,
    choice: Choice | None = None,
    live: bool = False,
    cwd: str | None = None,
    options: EmitOptions,
) -> Merge:
    """What merging along `way` comes to. Nothing is written.

    choice: what to do where both sides went on; without one that is refused (Diverged). live: take what is written so
    far, though the client has the far side open. cwd: the folder the copy is to belong to, where it is not the
    origin's. Raises SeshError.
    """
    far, to, links = way.far, registry.get(way.link.source.provider), way.links
    home = homes[to.name][1]
    last = choose.last_merge(far.end, links)
    fresh = far.since(last.read if last else way.link.made)
    remarks = ["The last line is not finished (the client may be writing): it was left out."] if far.torn else []
    copy = locate.open_end(last.to, homes) if last else None
    if not fresh.moved_on and (last is None or copy is not None):
        return _nothing(way, to, home, fresh, copy, last, homes)
    _not_open(far, live, remarks)
    if to.graft is None:
        raise Refused(f"sesh cannot add turns to a session of {to.title}.", hint="`sesh handoff` makes a new one.")
    trunk = _trunk(way, last, links, homes)
    theirs = far.since(trunk.base)
    if have_parted(trunk.ours, theirs, merged=trunk.merged is not None):
        if choice is None and not _chosen_before(last, trunk):
            raise parted(trunk.side.end, trunk.ours, far.end, theirs)
        choice = choice or ("branch" if last and last.after == "branch" else "append")
    after, theirs = graft_point(trunk.ours, theirs, choice)
    reached, copied = extent.measure(far.source.main, far.read), extent.measure(trunk.side.source.main, trunk.side.read)
    chosen: JsonObject = {k: v for k, v in (("after", choice), ("cwd", cwd)) if v}
    began = (placing.nanoseconds(trunk.side.read.thread.created_at) or 0) // 1_000_000
    new_id = target_id("merge", far.end.key, to.name, (copied.sha256, reached.sha256), chosen, began)
    link = Link(
        id=link_id((to.name, new_id)),
        kind="merge",
        source=far.end,
        to=End(provider=to.name, session_id=new_id, path="", home=str(home)),
        thread=trunk.side.read.thread.id,
        read=reached,
        made=extent.EMPTY,
        onto=trunk.side.end,
        onto_read=copied,
        after=choice or "end",
        supersedes=last.id if last else None,
        cwd=cwd or _cwd(trunk.side) or way.link.cwd,
        at=now,
        sesh=__version__,
    )
    if cwd is not None:
        options = {**options, "cwd": cwd}
    options = {**options, "link": stamp(link), "children": carry.children(theirs, trunk.side.read.thread.id)}
    new, renamed = carry.with_own_call_ids(carry.messages(theirs), carry.call_ids(trunk.side.read.messages))
    if renamed:
        remarks.append(f"{counted(renamed, 'call')} had ids that the copied session uses already, and got others.")
    grafted = to.graft(
        trunk.side.source,
        trunk.side.read,
        new,
        path=_relative(trunk.side, to),
        new_id=new_id,
        after=after,
        **options,
    )
    there = locate.find(link.to, homes)
    files = placing.files_of(grafted.emitted, home, grafted.copies)
    remarks += _remarks(trunk, theirs, choice)
    if link.cwd and not Path(link.cwd).is_dir():
        remarks.append(f"The session's folder {link.cwd} is not on this machine: --cwd names another one.")
    return Merge(
        to=to,
        home=home,
        far=far,
        trunk=trunk.side,
        news=theirs,
        grafted=grafted,
        link=finished(link, grafted.emitted, files[-1], to, there),
        files=files,
        there=there,
        session_id=new_id,
        superseded=last,
        remarks=remarks,
    )


def act(merge: Merge, book: Book) -> bool:
    """Do it; False where there was nothing to do. Raises SeshError."""
    if merge.link is None or merge.emitted is None:
        return False
    with book.open():
        if merge.there is None:
            return placing.act(merge.link, merge.files, merge.emitted, merge.home, book)
        if book.made(merge.link.to.key) is None:
            book.planned(merge.link)
            book.placed(merge.link)
        placing.names(merge.emitted, merge.home)
        return False


def _nothing(
    way: Way, to: Provider, home: Path, news: News, copy: Opened | None, last: Link | None, homes: Homes
) -> Merge:
    """Nothing new on the far side: the session that has it all is the last copy, or the origin itself."""
    opened = copy or locate.open_end(way.link.source, homes)
    if opened is None:
        raise _gone(way, way.link.source)
    trunk = choose.side(opened)
    since = last.at if last else way.link.at
    return Merge(
        to=to,
        home=home,
        far=way.far,
        trunk=trunk,
        news=news,
        grafted=None,
        link=None,
        files=[],
        there=opened.path,
        session_id=trunk.end.session_id,
        superseded=None,
        remarks=[f"{way.far.end} has nothing new since {since}.", *_only_back(news)],
    )


def _only_back(news: News) -> list[str]:
    if not news.gone:
        return []
    return [f"It has gone back by {turns(news.gone)}, which is taken over with the next thing said there."]


def _trunk(way: Way, last: Link | None, links: Sequence[Link], homes: Homes) -> _Trunk:
    """The newest merged copy that went on, else the origin; a copy that did not go on where the origin is gone."""
    made = {link.to.key: link for link in links if link.kind == "merge" and link.source.key == way.far.end.key}
    merged, spare = last, None
    while merged is not None:
        opened = locate.open_end(merged.to, homes)
        if opened is not None:
            copy = choose.side(opened)
            found = _Trunk(side=copy, ours=copy.since(merged.made), base=merged.read, merged=merged)
            if found.ours.moved_on:
                return found
            spare = spare or found
        merged = made.get(merged.onto.key) if merged.onto else None
    opened = locate.open_end(way.link.source, homes)
    if opened is None:
        if spare is None:
            raise _gone(way, way.link.source)
        return spare
    origin = choose.side(opened)
    return _Trunk(side=origin, ours=origin.since(way.link.read), base=way.link.made, merged=None)


def _gone(way: Way, end: End) -> NoSuchSession:
    place = f", last seen at {end.path}" if end.path else ""
    return NoSuchSession(
        f"The session that {way.far.end} came from is gone: {end}{place}.",
        hint=f"`sesh handoff {way.far.end.session_id} --to {end.provider}` makes a whole new one of the far side.",
    )


def _not_open(far: Side, live: bool, remarks: list[str]) -> None:
    """Refuse while the client has the far side open, in the middle of a turn perhaps. Raises Refused."""
    who = holder(far.opened.provider, Path(far.end.home), far.end.session_id) if far.end.home else None
    if who is None:
        return
    if not live:
        raise Refused(
            f"{who} has {far.end} open, so a turn may be unfinished.",
            hint="Close it there and merge again, or take what is written so far with --live.",
        )
    remarks.append(f"{who} has {far.end} open: what was written so far was taken.")


def _chosen_before(last: Link | None, trunk: _Trunk) -> bool:
    """Whether the user chose already for this very state of the origin."""
    return (
        last is not None
        and last.after in ("branch", "append")
        and last.onto is not None
        and last.onto.key == trunk.side.end.key
        and last.onto_read is not None
        and last.onto_read.size == len(trunk.side.source.main)
        and extent.begins_with(trunk.side.source.main, last.onto_read)
    )


def _relative(side: Side, to: Provider) -> str:
    """A session's path below its client's folder, or its name where it lies in none."""
    home = locate.home_of(to, side.opened.path)
    return side.opened.path.relative_to(home).as_posix() if home else side.opened.path.name


def _cwd(side: Side) -> str | None:
    cwd = (side.read.thread.metadata or {}).get("cwd")
    return cwd if isinstance(cwd, str) else None


def _remarks(trunk: _Trunk, theirs: News, choice: Choice | None) -> list[str]:
    found: list[str] = []
    end = trunk.side.end
    who = holder(trunk.side.opened.provider, Path(end.home), end.session_id) if end.home else None
    if who is not None:
        found.append(f"{who} has {end} open: what it says from now on is not in the copy.")
    if trunk.side.torn:
        found.append(
            "The last line of the origin is not finished (its client may be writing): it was left out of the copy."
        )
    if trunk.merged is not None and trunk.ours.moved_on and choice != "branch":
        found.append(f"The copy of the last merge went on ({turns(trunk.ours.turns)}); the new turns follow those.")
    if theirs.gone:
        found.append(
            f"The far side had gone back by {turns(theirs.gone)}: "
            + (
                "they stay in the copy, since --append was chosen."
                if choice == "append"
                else "the new turns follow the one before, and those stay aside in the copy's file."
            )
        )
    if theirs.known == "content":
        found.append("The far side's file was rewritten since the handoff; its earlier messages were known by content.")
    return found
