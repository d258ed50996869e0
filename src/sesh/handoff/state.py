"""How each link stands at this moment: what `sesh links` shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from sesh.catalog.resolve import Homes
from sesh.errors import SeshError
from sesh.files.read import open_session
from sesh.handoff import choose, locate
from sesh.handoff.link import Link
from sesh.providers import registry


class State(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A link and what became of it.

    state: `untouched`; `continued` (`turns` new ones on the far side); `merged` (nothing new since the last merge);
    `diverged` (both sides went on: `turns` there, `origin_turns` here); `target-gone`; `origin-gone`; `unreadable`
    (`why`). path: where the far side lies now. origin_path: likewise the origin. superseded_by: the session of the
    link that takes this one's place. merged_into: the session of the last merge. by_stamp: the book does not have it;
    the session says itself what it was made from, and `at` is the time of what was last said before that.
    """

    link: str
    kind: str
    at: str
    source: str
    target: str
    state: str
    turns: int = 0
    origin_turns: int = 0
    path: str | None = None
    origin_path: str | None = None
    cwd: str | None = None
    onto: str | None = None
    superseded_by: str | None = None
    merged_into: str | None = None
    why: str | None = None
    by_stamp: bool = False


def states(links: Sequence[Link], homes: Homes, stamped: Sequence[Link] = ()) -> list[State]:
    """The state of each link, in the order given, the stamped ones first. Opens only sessions that have changed."""
    every = [*stamped, *links]
    superseded = {link.supersedes: str(link.to) for link in every if link.supersedes}
    places = locate.Places(homes)
    found = [_state(link, every, places, superseded.get(link.id)) for link in every]
    return [msgspec.structs.replace(s, by_stamp=n < len(stamped)) for n, s in enumerate(found)]


def _state(link: Link, links: Sequence[Link], places: locate.Places, superseded_by: str | None) -> State:
    last = choose.last_merge(link.to, links)
    path, origin_path = places.find(link.to), places.find(link.source)
    shown = State(
        link=link.id,
        kind=link.kind,
        at=link.at,
        source=str(link.source),
        target=str(link.to),
        state="untouched",
        path=str(path) if path else None,
        origin_path=str(origin_path) if origin_path else None,
        cwd=link.cwd,
        onto=str(link.onto) if link.onto else None,
        superseded_by=superseded_by,
        merged_into=str(last.to) if last else None,
    )
    if path is None:
        return msgspec.structs.replace(shown, state="target-gone")
    try:
        turns, origin_turns, moved, both = _moved(link, last, path, origin_path)
    except SeshError as e:
        return msgspec.structs.replace(shown, state="unreadable", why=e.message)
    return msgspec.structs.replace(
        shown, state=_word(moved, both, last, origin_path), turns=turns, origin_turns=origin_turns
    )


def _word(moved: bool, both: bool, last: Link | None, origin_path: Path | None) -> str:
    if origin_path is None:
        return "origin-gone"
    if moved:
        return "diverged" if both else "continued"
    return "merged" if last else "untouched"


def _moved(link: Link, last: Link | None, path: Path, origin_path: Path | None) -> tuple[int, int, bool, bool]:
    """New turns of the far side and of the origin, whether the far side went on, and whether both did."""
    reached = last.read if last else link.made
    if _size(path) == reached.size:
        return 0, 0, False, False
    news = choose.side(open_session(path, registry.get(link.to.provider))).since(reached)
    if not news.moved_on:
        return 0, 0, False, False
    if origin_path is None or _size(origin_path) == link.read.size:
        return news.turns, 0, True, False
    ours = choose.side(open_session(origin_path, registry.get(link.source.provider))).since(link.read)
    return news.turns, ours.turns, True, ours.moved_on or bool(ours.gone)


def _size(path: Path) -> int:
    """A file's size in bytes; -1 where it cannot be told (opening it will say why)."""
    try:
        return path.stat().st_size
    except OSError:
        return -1
