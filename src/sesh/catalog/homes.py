"""Where things are on this machine: each client's folder, and sesh's own. The environment is an argument."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from sesh.providers.api import Provider

_XDG: Final = {
    "config": ("XDG_CONFIG_HOME", "~/.config"),
    "data": ("XDG_DATA_HOME", "~/.local/share"),
    "cache": ("XDG_CACHE_HOME", "~/.cache"),
}


def client_home(provider: Provider, environment: Mapping[str, str], user_home: Path, named: Path | None = None) -> Path:
    """A client's folder: what the user named, else its environment variable, else the default under the home folder.

    `named` may be the client's folder itself or a home folder that holds one (`--home /tmp/x` with `/tmp/x/.codex`).
    It comes back absolute, since what is written down of it has to hold in every working folder.
    """
    if named is None:
        return Path(provider.layout.home(environment, user_home)).absolute()
    inside = Path(provider.layout.home({}, named))
    return (inside if inside.is_dir() else named).absolute()


def sesh_home(environment: Mapping[str, str]) -> Path:
    """sesh's own folder (links, store): $SESH_HOME, or the platform's place for a user's data. It may not exist yet."""
    own = environment.get("SESH_HOME")
    return Path(own) if own else platform_folder("data", environment)


def sesh_cache(environment: Mapping[str, str]) -> Path:
    """What can be made again (the list's cache, the search index): under $SESH_HOME, or the platform's cache folder."""
    own = environment.get("SESH_HOME")
    return Path(own) / "cache" if own else platform_folder("cache", environment)


def platform_folder(kind: Literal["config", "data", "cache"], environment: Mapping[str, str]) -> Path:
    """sesh's folder where the platform keeps a user's files of a kind.

    It is where platformdirs says, which takes a tenth of a small conversion to load; on Linux the rule is short.
    """
    variable, usual = _XDG[kind]
    base = environment.get(variable) or os.path.expanduser(usual)  # noqa: PTH111  # never raises
    if sys.platform == "linux" and "ANDROID_DATA" not in environment and Path(base).is_absolute():
        return Path(base, "sesh")
    import platformdirs

    found: Path = getattr(platformdirs, f"user_{kind}_path")("sesh", appauthor=False)
    return found
