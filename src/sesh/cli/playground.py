"""A home to play in: the two bundled sessions as if made in its folder `orchard`, and nothing done yet."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Final

from sesh import demo
from sesh.demo import far_side
from sesh.errors import Refused
from sesh.handoff import locate
from sesh.handoff.book import Book
from sesh.providers import registry
from sesh.providers.api import Provider
from sesh.providers.claude_code.layout import munge

_MADE_IN: Final = "/home/ada"
"""The home folder that the bundled sessions name."""


def homes(folder: Path) -> dict[str, tuple[Provider, Path]]:
    """Each client with its folder below this one."""
    return {p.name: (p, Path(p.layout.home({}, folder))) for p in registry.built_in()}


def lay_out(folder: Path) -> None:
    """Make the folder, `orchard` in it, and the sessions. Raises OSError, FileExistsError among them."""
    (folder / "orchard").mkdir(parents=True)
    for name, (_, home) in homes(folder).items():
        shutil.copytree(demo.FOLDER / name, home)
        for path in sorted(home.rglob("*"), reverse=True):  # what is in a folder before the folder
            if path.is_file():
                path.write_bytes(path.read_bytes().replace(_MADE_IN.encode(), folder.as_posix().encode()))
            elif path.name == munge(f"{_MADE_IN}/orchard"):
                path.rename(path.with_name(munge(str(folder / "orchard"))))


def settings(folder: Path) -> str:
    """The shell lines that lead sesh and both clients there."""
    names = {"CLAUDE_CONFIG_DIR": folder / ".claude", "CODEX_HOME": folder / ".codex", "SESH_HOME": folder / "sesh"}
    exports = " ".join(f"{name}={shlex.quote(str(path))}" for name, path in names.items())
    return f"export {exports}\ncd {shlex.quote(str(folder / 'orchard'))}"


def go_on(folder: Path) -> Path:
    """Stand in for the client: one scripted turn at the end of the session that was handed off last. Returns its file.

    Raises Refused where the folder is no such home, or nothing was handed off in it.
    """
    links = Book(folder / "sesh").links() if (folder / "orchard").is_dir() else []
    file = locate.find(links[-1].to, homes(folder)) if links else None
    if file is None:
        hint = "Hand a session of it off first, or name a folder that is not there yet."
        raise Refused(f"{folder} is there already, and nothing was handed off in it.", hint=hint)
    added = far_side.turn(links[-1].to.provider, file.read_bytes().splitlines())
    with file.open("ab") as f:
        f.writelines(line + b"\n" for line in added)
    return file
