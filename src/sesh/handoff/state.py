"""How each link stands at this moment: what `sesh links` shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from sesh.catalog.resolve import Homes
from sesh.errors import SeshError
from sesh.handoff import choose, locate
from sesh.handoff.link import Link


class State(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A link and what became of it.

    state: `untouched`; `continued` (`turns` new ones on the far side); `merged` (nothing new since the last merge);
    `diverged` (both sides went on: `turns` there, `origin_turns` here); `target-gone`; `origin-gone`; `unreadable`
    (`why`). path: where the far side lies now. origin_path: likewise the origin. superseded_by: the session of the
    link that takes this one's place. merged_into: the session of the last merge.
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


def states(links: Sequence[Link], homes: Homes) -> list[State]:
    """The state of each link, in the order given. Opens only sessions whose file has grown or changed."""
    superseded = {link.supersedes: str(link.to) for link in links if link.supersedes}
    return [_state(link, links, homes, superseded.get(link.id)) for link in links]


def _state(link: Link, links: Sequence[Link], homes: Homes, superseded_by: str | None) -> State:
    last = choose.last_merge(link.to, links)
    path, origin_path = locate.find(link.to, homes), locate.find(link.source, homes)
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
        turns, origin_turns, moved, both = _moved(link, last, homes)
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


def _moved(link: Link, last: Link | None, homes: Homes) -> tuple[int, int, bool, bool]:
    """New turns of the far side and of the origin, whether the far side went on, and whether both did."""
    opened = locate.open_end(link.to, homes)
    if opened is None or len(opened.source.main) == link.made.size:
        return 0, 0, False, False
    news = choose.side(opened).since(last.read if last else link.made)
    if not news.moved_on:
        return 0, 0, False, False
    origin = locate.open_end(link.source, homes)
    if origin is None or len(origin.source.main) == link.read.size:
        return news.turns, 0, True, False
    ours = choose.side(origin).since(link.read)
    return news.turns, ours.turns, True, ours.moved_on
