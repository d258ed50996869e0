"""Where this run stands: the clients' folders, sesh's own, the working folder. The only reader of the environment."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from sesh.catalog.homes import client_home, sesh_cache
from sesh.providers import registry
from sesh.providers.api import IngestResult

if TYPE_CHECKING:  # what looks through folders is not needed where a file is named
    from sesh.catalog.cards import CardCache
    from sesh.catalog.resolve import Homes


def now() -> datetime:
    """This moment, by the machine's clock. The one place that asks, so that tests can say what time it is."""
    return datetime.now(UTC)


def homes(named: Path | None = None, only: tuple[str, ...] = ()) -> Homes:
    """Each client with its folder; `named` is --home, `only` the clients asked for (default: all)."""
    return {
        provider.name: (provider, client_home(provider, os.environ, Path.home(), named))
        for provider in map(registry.get, only or registry.names())
    }


def folder(named: str) -> str:
    """A folder as a session names it: absolute. One of another machine, of whichever system, stays as it is."""
    if PureWindowsPath(named).is_absolute() or PurePosixPath(named).is_absolute():
        return named
    return os.path.realpath(Path(named).expanduser())


def cards() -> CardCache:
    """The list's cache, in sesh's cache folder."""
    from sesh.catalog.cards import CardCache

    return CardCache(sesh_cache(os.environ) / "cards.msgpack")


def search_index() -> Path:
    """The search's index, in sesh's cache folder."""
    return sesh_cache(os.environ) / "search.sqlite"


def client_version(name: str, named_home: Path | None) -> str | None:
    """The version of a client to write for, as its sessions say; only where it has none is the program asked."""
    from sesh.catalog.client_version import program_version, session_version  # not every command writes

    provider, home = homes(named_home, (name,))[name]
    return session_version(provider, home) or program_version(provider)


def client_title(read: IngestResult, otherwise: str) -> str:
    """The name of the client that a session comes from, however often it was converted; or `otherwise`."""
    name = (read.thread.metadata or {}).get("provider")
    return registry.get(name).title if isinstance(name, str) and registry.is_built_in(name) else otherwise


def is_file(text: str) -> bool:
    """Whether a SESSION argument is a file's path. A title may be longer than any path."""
    try:
        return Path(text).is_file()
    except OSError:
        return False


def session_path(wanted: str | None, named_home: Path | None = None) -> Path:
    """The file that a SESSION argument means (catalog.resolve). Raises NoSuchSession, Ambiguous."""
    if wanted is not None and is_file(wanted):
        return Path(wanted)
    from sesh.catalog.resolve import resolve

    cache = cards()
    found = resolve(wanted, homes(named_home), Path.cwd(), cache)
    cache.save()
    return found
