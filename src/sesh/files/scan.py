"""Which session files lie in a client's folder: names, sizes and times, without opening one of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from sesh.providers.api import Provider

_HEAD_BYTES: Final = 1 << 16


class Found(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A session's main file. `path` is its place on disk, `relative` the same below the client's home (POSIX).

    `beside` marks a transcript that only belongs to the session: a sub-agent's, in a file of its own. `size` is in
    bytes (as stored, compressed or not), `modified` in nanoseconds since 1970.
    """

    provider: str
    home: str
    relative: str
    session_id: str
    beside: bool = False
    size: int
    modified: int

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return Path(self.home, self.relative)

    @property
    def key(self) -> str:
        """The same as text, with the home first: what caches know the file by."""
        return f"{self.home}/{self.relative}"


def scan(provider: Provider, home: Path, *, beside: bool = False) -> Iterator[Found]:
    """Every main session file of a client below its home, in no order. Folders that cannot be read are passed over.

    With `beside`, also the transcripts that belong to sessions; those whose names do not say to which are opened.

    Symbolic links to folders are not followed: a loop would never end, and clients make none.
    """
    layout = provider.layout
    base = str(home)
    for root in layout.search_roots():
        pending = [root]
        while pending:
            folder = pending.pop()
            try:
                entries = list(os.scandir(f"{base}/{folder}"))
            except OSError:  # absent, or not ours to read: there is nothing to list in it
                continue
            holds: bool | None = None  # whether this folder is one for sessions: asked once, of the first such name
            for entry in entries:
                relative = f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    pending.append(relative)
                    continue
                session = layout.session_id(entry.name)
                own = True
                if session is None:
                    session, own = (_owner(provider, base, relative), False) if beside else (None, False)
                    if not session:
                        continue
                elif holds is None:
                    holds = layout.is_session(PurePosixPath(relative))
                if own and not holds:
                    continue
                try:
                    status = entry.stat()
                except OSError:  # gone since the folder was listed
                    continue
                if not stat.S_ISREG(status.st_mode):  # a pipe would never end, nor would a device
                    continue
                yield Found(
                    provider=provider.name,
                    home=base,
                    relative=relative,
                    session_id=session,
                    beside=not own,
                    size=status.st_size,
                    modified=status.st_mtime_ns,
                )


def _owner(provider: Provider, base: str, relative: str) -> str | None:
    """The session that a transcript beside the sessions belongs to, by its name or its first bytes."""
    session = provider.owner(relative)
    if session != "":
        return session
    path = f"{base}/{relative}"
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116  # opening a pipe would wait for ever
            return None
        with open(path, "rb", buffering=0) as f:  # noqa: PTH123  # one of thousands
            return provider.owner_in(f.read(_HEAD_BYTES))
    except OSError:  # gone, or not ours to read
        return None


def newest_files(found: Iterator[Found]) -> list[Found]:
    """One file for each session, newest first.

    A session may lie in several files (Codex: the segments that reverts made); the newest is where it goes on.
    """
    best: dict[tuple[str, str], Found] = {}
    for f in found:
        if f.beside:
            continue
        key = (f.provider, f.session_id)
        other = best.get(key)
        if other is None or (f.modified, f.relative) > (other.modified, other.relative):
            best[key] = f
    return sorted(best.values(), key=lambda f: (f.modified, f.relative), reverse=True)
