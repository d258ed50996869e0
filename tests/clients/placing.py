"""Putting sessions into a private home, for the tests: a copy of a file, or what a writer emitted."""

from __future__ import annotations

import os
import shutil
from datetime import datetime
from pathlib import Path

from sesh.providers.api import EmitResult


def place(result: EmitResult, home: Path) -> Path:
    """Write an emitted session, with its child files, into a client's home; returns the main file.

    `appends` (Codex's list of names) are written as a handoff would write them into a home without any.
    """
    main = _write(home / result.path, result.lines, result.modified)
    for file in result.files:
        _write(home / file.path, file.lines, file.modified)
    for file in result.appends:
        path = home / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as f:
            f.write(b"".join(line + b"\n" for line in file.lines))
    return main


def _write(path: Path, lines: list[bytes], modified: str | None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as f:
        f.write(b"".join(line + b"\n" for line in lines))
    if modified is not None:
        at = datetime.fromisoformat(modified).timestamp()
        os.utime(path, (at, at))
    return path


def copy(source: Path, target: Path) -> Path:
    """A copy of a session file at another place, its time kept; returns the place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)
    return target
