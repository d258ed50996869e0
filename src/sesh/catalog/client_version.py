"""Which version of a client goes on with what is written: what decides the form of history that Codex gets.

Two witnesses: the newest session in the client's folder that the client itself began, and the program on PATH. Where
they differ, the older one counts, because a form that is too new may be spoilt by an older client for ever
(formats/codex.md §7, trap b), and one that is older is read by all.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from sesh.files.glimpse import glimpse
from sesh.files.scan import newest_files, scan
from sesh.providers.api import Provider

_LOOKED_AT: Final = 20
"""How many of the newest sessions are looked at for one that the client began and that says its version."""
_SECONDS: Final = 10
"""How long a client may take to say its version."""


def client_version(provider: Provider, home: Path) -> str | None:
    """The version to write for; None where neither the folder nor the program tells."""
    told = [v for v in (session_version(provider, home), program_version(provider)) if v is not None]
    return min(told, key=_order, default=None)


def session_version(provider: Provider, home: Path) -> str | None:
    """The version that the newest session in `home` names, of those that sesh did not make."""
    for found in newest_files(scan(provider, home))[:_LOOKED_AT]:
        seen = glimpse(found.path, found.relative)
        card = provider.card(seen) if seen is not None and provider.card is not None else None
        if card is not None and card.handed_from is None and card.version and _order(card.version):
            return card.version
    return None


def program_version(provider: Provider) -> str | None:
    """The version of the program on PATH, as it says itself; None where it is not here or does not say."""
    program = _on_path(provider.program)
    if program is None:
        return None
    import subprocess  # only where there is a program to ask

    try:
        said = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return None
    words = [w for w in said.stdout.split() if w[:1].isdigit()]
    return words[0] if said.returncode == 0 and words else None


def _on_path(program: str) -> str | None:
    """Where a program is. As `shutil.which`, which loads every kind of compression with it."""
    if os.name == "nt":
        import shutil  # there, endings count

        return shutil.which(program)
    paths = (os.path.join(folder, program) for folder in os.get_exec_path())  # noqa: PTH118  # a folder may be ""
    return next((p for p in paths if os.access(p, os.X_OK) and Path(p).is_file()), None)


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))
