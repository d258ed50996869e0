"""Numbered SQL files, `NNNN_what.sql`, applied once and in order. A file that was released is never edited."""

from __future__ import annotations

from importlib.resources import files
from typing import Final, NamedTuple

from sesh.errors import StoreFailed

_FOLDER: Final = files(__name__)


class Migration(NamedTuple):
    """One step of a database's schema."""

    number: int
    sql: str


def after(dialect: str, version: int, where: str) -> list[Migration]:
    """The steps that a database of schema `version` still needs; `dialect` is a folder beside this file.

    `where` names the database in the error. Raises StoreFailed where its schema is newer than this release.
    """
    names = sorted(f.name for f in _FOLDER.joinpath(dialect).iterdir() if f.name.endswith(".sql"))
    steps = {int(name.split("_", 1)[0]): name for name in names}
    newest = max(steps)
    if version > newest:
        raise StoreFailed(
            f"{where} was made by a newer sesh (schema {version}; this one knows {newest}).",
            hint="Update sesh: pip install --upgrade sesh-cli",
        )
    return [
        Migration(n, _FOLDER.joinpath(dialect, name).read_text(encoding="utf-8"))
        for n, name in sorted(steps.items())
        if n > version
    ]
