"""Where things are on this machine: each client's folder, and sesh's own. The environment is an argument."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sesh.providers.api import Provider


def client_home(provider: Provider, environment: Mapping[str, str], user_home: Path, named: Path | None = None) -> Path:
    """A client's folder: what the user named, else its environment variable, else the default under the home folder.

    `named` may be the client's folder itself or a home folder that holds one (`--home /tmp/x` with `/tmp/x/.codex`).
    """
    if named is None:
        return Path(provider.layout.home(environment, user_home))
    inside = Path(provider.layout.home({}, named))
    return inside if inside.is_dir() else named


def sesh_home(environment: Mapping[str, str]) -> Path:
    """sesh's own folder (links, store): $SESH_HOME, or the platform's place for a user's data. It may not exist yet."""
    own = environment.get("SESH_HOME")
    if own:
        return Path(own)
    from platformdirs import user_data_path  # only where no SESH_HOME says it

    return user_data_path("sesh", appauthor=False)


def sesh_cache(environment: Mapping[str, str]) -> Path:
    """What can be made again (the list's cache, the search index): under $SESH_HOME, or the platform's cache folder."""
    own = environment.get("SESH_HOME")
    if own:
        return Path(own) / "cache"
    from platformdirs import user_cache_path

    return user_cache_path("sesh", appauthor=False)
