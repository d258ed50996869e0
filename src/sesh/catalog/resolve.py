"""Finding the one session a user means: a path, an id, the beginning of one, `provider:id`, a title, or nothing.

sesh show ~/.codex/sessions/2026/11/30/rollout-….jsonl      a path
sesh show 01a22d3c                                           an id or its beginning (four characters at least)
sesh show codex:01a22d3c                                     the same, of one client
sesh show "Fix the parser"                                   a title, or a part of one
sesh show                                                    the newest session of this folder
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from sesh.catalog import listing
from sesh.catalog.cards import CardCache
from sesh.catalog.listing import NO_CACHE, Session
from sesh.errors import Ambiguous, NoSuchSession
from sesh.files.scan import Found
from sesh.providers import registry
from sesh.providers.api import Provider

Homes: TypeAlias = Mapping[str, tuple[Provider, Path]]

_ID: Final = re.compile(r"[0-9a-fA-F][0-9a-fA-F-]{3,35}")
_SHOWN: Final = 8


def resolve(wanted: str | None, homes: Homes, cwd: Path, cache: CardCache = NO_CACHE) -> Path:
    """The file of the session that is meant. A path is given back as it is, whether or not a file is there.

    Raises NoSuchSession, or Ambiguous with the sessions that answer to it.
    """
    if wanted is None:
        return _newest(homes, cwd, cache)
    if not wanted.strip():
        raise NoSuchSession("The session's name is empty.", hint="Leave it out for the newest of this folder.")
    if _looks_like_path(wanted):
        return Path(wanted).expanduser()
    name, colon, rest = wanted.partition(":")
    if colon and name in registry.names():
        homes, wanted = {k: v for k, v in homes.items() if k == name}, rest
    if _ID.fullmatch(wanted):
        found = _by_id(wanted.lower(), homes)
        if found is not None:
            return found.path
    return Path(_by_title(wanted, homes, cache).path)


def _looks_like_path(text: str) -> bool:
    return (
        text.endswith((".jsonl", ".zst", ".json"))
        or text.startswith(("/", "./", "../", "~"))
        or text in (".", "..")
        or "\\" in text
        or _exists(text)
        or ("/" in text and " " not in text)
    )


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except OSError:  # longer than a path can be: a title, perhaps
        return False


def _by_id(prefix: str, homes: Homes) -> Found | None:
    everything = listing.find(homes)
    exact = [f for f in everything if f.session_id.lower() == prefix]
    matches = exact or [f for f in everything if f.session_id.lower().startswith(prefix)]
    if len(matches) > 1:
        sessions = [listing.session_of(f, *homes[f.provider]) for f in matches[:_SHOWN]]
        raise _ambiguous(f"{len(matches)} sessions begin with {prefix!r}", sessions, len(matches))
    return matches[0] if matches else None


def _by_title(wanted: str, homes: Homes, cache: CardCache) -> Session:
    words = wanted.casefold().strip()
    everything = [s for s in listing.sessions(homes, cache) if s.title]
    exact = [s for s in everything if s.title and s.title.casefold() == words]
    part = any(c.isalnum() for c in words)  # a dash stands in many titles and means none
    matches = exact or [s for s in everything if part and s.title and words in s.title.casefold()]
    if not matches and words == "-":
        raise NoSuchSession("No session is called '-'.", hint="Only `sesh convert -` reads one from stdin.")
    if not matches:
        where = ", ".join(f"{p.title} in {home}" for p, home in homes.values())
        raise NoSuchSession(
            f"No session answers to {wanted!r}, neither as an id, a title nor a path ({where}).",
            hint="`sesh list --all` shows them all.",
        )
    if len(matches) > 1:
        how = f"are called {wanted!r}" if exact else f"have {wanted!r} in their title"
        raise _ambiguous(f"{len(matches)} sessions {how}", matches[:_SHOWN], len(matches))
    return matches[0]


def _newest(homes: Homes, cwd: Path, cache: CardCache) -> Path:
    """The newest that a list of this folder shows; where it shows none, the newest of those a client hides."""
    here, hidden = str(cwd), None
    for session in listing.sessions(homes, cache):
        if session.cwd == here and session.hidden not in ("sub-agent", "empty") and session.parent is None:
            if session.hidden is None:
                return Path(session.path)
            hidden = hidden or Path(session.path)
    if hidden is not None:
        return hidden
    raise NoSuchSession(
        f"There is no session of this folder ({here}).",
        hint="Name one: `sesh list` shows those of every folder.",
    )


def _ambiguous(what: str, shown: Sequence[Session], total: int) -> Ambiguous:
    listed = "; ".join(f"{s.provider}:{s.session_id} {listing.short(s.title or '', 50)}".rstrip() for s in shown)
    more = f"; and {total - len(shown)} more" if total > len(shown) else ""
    return Ambiguous(f"{what}: {listed}{more}.", hint="Give more of the id.")
