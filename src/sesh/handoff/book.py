"""sesh's own book of links: append-only JSON Lines in sesh's folder, which outlives whatever clients rewrite.

A link is written down before its files are made (`planned`) and confirmed after (`placed`). A reader believes a
confirmed link, and a planned one whose file is there: so whatever instant a process is killed at, the book agrees
with the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

import msgspec

from sesh.errors import Refused, SeshError
from sesh.files import locks, place
from sesh.format import jsontext, lines
from sesh.handoff.link import Link

NAME: Final = "links.jsonl"
_WAIT_SECONDS: Final = 30.0


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the book. `planned` holds the link; `placed` only names it."""

    event: Literal["planned", "placed"]
    id: str
    at: str
    link: Link | None = None


class Book:
    """The links that sesh made on this machine. `folder` is sesh's own; it is made with the first link."""

    def __init__(self, folder: Path) -> None:
        self.path: Final = folder / NAME

    @contextmanager
    def open(self) -> Iterator[None]:
        """Keep other processes of sesh from making links meanwhile. Raises Refused (30 s), SeshError."""
        from filelock import FileLock, Timeout  # only where something is written

        file = self.path.with_suffix(".lock")
        lock = FileLock(file, timeout=_WAIT_SECONDS)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock.acquire()
        except Timeout:
            held = locks.keeper(file)
            raise Refused(
                f"Another sesh{f' ({held})' if held else ''} has been making links for {_WAIT_SECONDS:.0f} s ({file}).",
                hint=locks.waiting_advice(held),
            ) from None
        except OSError as e:
            raise place.sorry(e, file) from e
        try:
            yield
        finally:
            lock.release()

    def planned(self, link: Link) -> None:
        """Write a link down before its files are made."""
        self._append(Entry(event="planned", id=link.id, at=link.at, link=link))

    def placed(self, link: Link) -> None:
        """Confirm that a link's files are there."""
        self._append(Entry(event="placed", id=link.id, at=link.at))

    def _append(self, entry: Entry) -> None:
        place.append(self.path, [jsontext.dumps(entry)])

    def links(self) -> list[Link]:
        """All links that came about, oldest first. A line that is no entry (a torn one) is passed over."""
        planned: dict[str, Link] = {}
        placed: set[str] = set()
        for entry in self._entries():
            if entry.link is not None:
                planned.pop(entry.id, None)  # made again, after its file was deleted: it counts from now
                planned[entry.id] = entry.link
            elif entry.id in planned:
                placed.add(entry.id)
        return [link for link in planned.values() if link.id in placed or Path(link.to.path).exists()]

    def _entries(self) -> Iterator[Entry]:
        try:
            data = self.path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return  # sesh's folder cannot be made where a file is: that is said when something is to be written
        except OSError as e:
            raise SeshError(
                f"sesh's book of links {self.path} cannot be read: {e.strerror or e}.",
                hint="Mend its permissions, or move it away: sessions say themselves where they came from.",
            ) from e
        decode = msgspec.json.Decoder(Entry).decode
        for line in lines.split(data):
            try:
                yield decode(line.data)
            except msgspec.MsgspecError:
                continue  # a line torn by a kill or a full disk: its link never came about

    def made(self, key: tuple[str, str]) -> Link | None:
        """The link that made a session."""
        return next((link for link in reversed(self.links()) if link.to.key == key), None)
