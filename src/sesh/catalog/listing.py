"""Every session on this machine, newest first, across clients: what `sesh list` shows and ids are found in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from sesh.catalog.cards import CardCache
from sesh.errors import SeshError
from sesh.files import read, scan
from sesh.files.scan import Found
from sesh.providers.api import Card, Provider

NO_CACHE: Final = CardCache(None)
_LONGEST_COUNTED: Final = 16_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_LAST: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)


class Session(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A session as a list shows it. `size` in bytes as stored; `modified` is the file's time, ISO, UTC.

    `title` is the given one, else the beginning of the first prompt. `parent` is the session id it belongs under.
    `handed_from` and `handed_to` name the sessions that sesh made this one from, and those made from it.
    """

    provider: str
    session_id: str
    path: str
    title: str | None = None
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    version: str | None = None
    created: str | None = None
    modified: str
    size: int
    turns: int | None = None
    hidden: str | None = None
    parent: str | None = None
    handed_from: str | None = None
    handed_to: list[str] = []


def find(homes: Mapping[str, tuple[Provider, Path]]) -> list[Found]:
    """Every session file below the clients' homes, one for each session, newest first. Opens none."""
    return scan.newest_files(f for provider, home in homes.values() for f in scan.scan(provider, home))


def transcripts(homes: Mapping[str, tuple[Provider, Path]]) -> list[Found]:
    """Every file in which something was said: all segments of sessions, and what lies beside them. Opens none."""
    return [f for provider, home in homes.values() for f in scan.scan(provider, home, beside=True)]


def sessions(
    homes: Mapping[str, tuple[Provider, Path]], cache: CardCache = NO_CACHE, *, count_turns: int = 0
) -> Iterator[Session]:
    """Every session, newest first. Each costs two small reads, or none where the cache knows its size and time.

    Of a session too long for that, the turns are not known. The newest `count_turns` such are read whole for it (but
    none over 16 MB), which a cache remembers.
    """
    names = {provider.name: _names(provider, home) for provider, home in homes.values()}
    for number, found in enumerate(find(homes)):
        provider = homes[found.provider][0]
        thorough = number < count_turns and found.size <= _LONGEST_COUNTED
        card = cache.card(provider, found, thorough=thorough)
        yield _session(found, card, names[found.provider].get(found.session_id))


def session_of(found: Found, provider: Provider, home: Path, cache: CardCache = NO_CACHE) -> Session:
    """One session as the list shows it."""
    return _session(found, cache.card(provider, found), _names(provider, home).get(found.session_id))


def _session(found: Found, card: Card, name: str | None) -> Session:
    return Session(
        provider=found.provider,
        session_id=found.session_id,
        path=found.key if os.sep == "/" else str(found.path),
        title=name or card.title or (short(card.prompt) if card.prompt else None),
        cwd=card.cwd,
        branch=card.branch,
        model=card.model,
        version=card.version,
        created=card.created,
        modified=iso(found.modified),
        size=found.size,
        turns=card.turns,
        hidden=card.hidden,
        parent=card.parent,
        handed_from=card.handed_from,
    )


def _names(provider: Provider, home: Path) -> Mapping[str, str]:
    if provider.name_index is None:
        return {}
    path = home / provider.name_index.path
    if not path.is_file():
        return {}
    try:
        return provider.name_index.read(read.read_file(path)[0])
    except SeshError:  # a list goes on without names that cannot be read
        return {}


def short(text: str, most: int = 120) -> str:
    """The first line of a text, white space joined, cut to `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def iso(nanoseconds: int, timespec: str = "seconds") -> str:
    """A file's time as ISO text in UTC. One outside the years 1 to 9999 is the nearest that is inside.

    A file system may hold any number: a wrong clock must not keep the other sessions from being listed.
    """
    moment = _EPOCH + timedelta(microseconds=min(max(nanoseconds // 1000, _FIRST), _LAST))
    return moment.isoformat(timespec=timespec).replace("+00:00", "Z")


def folded(found: Iterable[Session]) -> list[tuple[Session, int]]:
    """Sessions whose parent is among them are counted under it and left out: pairs of a session and its children."""
    everything: Sequence[Session] = list(found)
    known = {(s.provider, s.session_id) for s in everything}
    children: dict[tuple[str, str], int] = {}
    for s in everything:
        if s.parent is not None and (s.provider, s.parent) in known:
            children[s.provider, s.parent] = children.get((s.provider, s.parent), 0) + 1
    return [
        (s, children.get((s.provider, s.session_id), 0))
        for s in everything
        if s.parent is None or (s.provider, s.parent) not in known
    ]
