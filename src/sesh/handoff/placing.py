"""From what a writer returns to files on the disk, with the link written down before and confirmed after."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from sesh.errors import SeshError
from sesh.files.place import NewFile, TextChunks, append, place
from sesh.handoff.book import Book
from sesh.handoff.link import Link
from sesh.providers.api import CopiedFile, EmitResult


def files_of(emitted: EmitResult, home: Path, copies: Sequence[CopiedFile] = ()) -> list[NewFile]:
    """What is to be made below a client's home: files beside the session first, the session itself last.

    The client sees the session only when its main file is there, so whatever it needs is there by then.
    """
    beside = [
        NewFile(path=home / file.path, chunks=TextChunks(file.lines), modified=nanoseconds(file.modified))
        for file in emitted.files
    ]
    copied = [NewFile(path=home / copy.path, chunks=[copy.data]) for copy in copies]
    main = NewFile(path=home / emitted.path, chunks=TextChunks(emitted.lines), modified=nanoseconds(emitted.modified))
    return [*beside, *copied, main]


def act(link: Link, files: Sequence[NewFile], emitted: EmitResult, home: Path, book: Book) -> bool:
    """Make the files and the link; False where another sesh has made the session meanwhile.

    Raises SeshError; then neither is there, or the message says what is.
    """
    book.planned(link)
    made = place(files)
    try:
        book.placed(link)
        names(emitted, home)
    except SeshError as e:  # the link holds all the same: its file is there (book.py)
        raise SeshError(
            f"The session was made ({link.to.path}), but not all that goes with it: {e.message}",
            hint="Once that is mended, run it again: the session stays as it is, and what is missing is added.",
        ) from e
    return files[-1].path in made


def names(emitted: EmitResult, home: Path) -> None:
    """Append to the user's own files what the writer asks for, unless it stands there already."""
    for file in emitted.appends:
        append(home / file.path, file.lines)


def nanoseconds(time: str | None) -> int | None:
    """An ISO time as a file's mtime, or None where it is none."""
    if time is None:
        return None
    try:
        seconds = datetime.fromisoformat(time).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0, int(seconds * 1_000_000_000))
