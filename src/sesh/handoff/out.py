"""Handing a session off: the whole conversation made anew for another client, and a link back.

Plan, then act. The session may be live: what was on the disk when it was opened is what goes over, up to the last
whole line. The same bytes handed off again give the same session, which is then there already.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from sesh import __version__
from sesh.catalog.resolve import Homes
from sesh.errors import Refused, SeshError
from sesh.files.live import holder
from sesh.files.place import NewFile
from sesh.files.read import Opened, companions
from sesh.format import walk
from sesh.format.json import JsonObject
from sesh.handoff import extent, locate, placing
from sesh.handoff.book import Book
from sesh.handoff.link import End, Link, link_id, stamp, target_id
from sesh.handoff.wording import turns
from sesh.providers.api import EmitOptions, EmitResult, IngestResult, Provider, SessionSource

IN_ID: Final = ("tools", "keep_context", "history", "since_compaction", "last_turns")
"""Options that make another session of the same bytes, and so are part of its id where they are given. A folder that
is not the session's own is another."""


@dataclass(frozen=True, kw_only=True)
class Handoff:
    """What a handoff will do, or find done. `there` is the file of an earlier one of the same bytes."""

    to: Provider
    home: Path
    read: IngestResult
    emitted: EmitResult
    link: Link
    files: Sequence[NewFile]
    there: Path | None
    superseded: Link | None
    remarks: Sequence[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """Where the new session lies, or will."""
        return self.there or self.home / self.emitted.path

    @property
    def tokens(self) -> int | None:
        """How many tokens the first client's model held when it last answered; None where only a part goes over."""
        return None if self.link.options.get("last_turns") else walk.tokens_held(self.read.messages)


def plan(
    opened: Opened,
    to: Provider,
    homes: Homes,
    book: Book,
    *,
    now: str,
    cwd: str | None = None,
    here: str | None = None,
    options: EmitOptions,
) -> Handoff:
    """What handing off `opened` to the client `to` comes to. Nothing is written.

    cwd: the folder the new session is to belong to, where it is not the old one's; `here`: the one it gets where the
    session names none. now: an ISO time. Raises SeshError.
    """
    remarks: list[str] = []
    source, torn = extent.without_torn_line(opened.source)
    if torn:
        remarks.append("The last line is not finished (the client may be writing): it was left out.")
    read = opened.provider.parse(source)
    if to.name == opened.provider.name:
        command = " ".join(to.layout.resume_command(locate.end_of(opened, read).session_id))
        raise Refused(
            f"This is a {to.title} session already.",
            hint=f"`{command}` goes on with it; `sesh convert` writes it again.",
        )
    if not any(m.kind != "context" for m in read.messages):
        raise SeshError(f"{opened.path} holds no conversation to hand off.", hint="Say something in it first.")
    home = homes[to.name][1]
    folder = _folder(cwd, read, here, remarks)
    origin = locate.end_of(opened, read)
    reached = extent.measure(source.main, read)
    chosen: JsonObject = {k: v for k, v in options.items() if k in IN_ID and v}
    if folder != _own_folder(read):
        chosen["cwd"] = folder
    new_id = target_id("handoff", origin.key, to.name, (reached.sha256,), chosen, _began(read))
    link = Link(
        id=link_id((to.name, new_id)),
        kind="handoff",
        source=origin,
        to=End(provider=to.name, session_id=new_id, path="", home=str(home)),
        thread=read.thread.id,
        read=reached,
        made=extent.EMPTY,
        cwd=folder,
        at=now,
        sesh=__version__,
        options=chosen,
    )
    options = {**options, "session_id": new_id, "cwd": folder, "link": stamp(link)}
    options.setdefault("children", read.children)
    emitted = to.emit(read.thread, read.messages, **options)
    there = locate.find(link.to, homes)
    files = placing.files_of(emitted, home)
    superseded = _superseded(link, book)
    link = msgspec.structs.replace(link, supersedes=superseded.id if superseded else None)
    link = finished(link, emitted, files[-1], to, there)
    remarks += _about_earlier(superseded, there, origin, book, homes)
    if there is None and (why := opened.provider.graft_refusal(source)) is not None:
        remarks.append(f"What is said there cannot be merged back onto this session. {why}")
    if there is None and (live := holder(opened.provider, Path(origin.home), origin.session_id)):
        remarks.append(f"{live} has the session open; what it says from now on is not in the new one.")
    return Handoff(
        to=to,
        home=home,
        read=read,
        emitted=emitted,
        link=link,
        files=files,
        there=there,
        superseded=superseded,
        remarks=remarks,
    )


def act(handoff: Handoff, book: Book) -> bool:
    """Do it; False where it was done before and only the book or the list of names had to be set right.

    Raises SeshError.
    """
    with book.open():
        if handoff.there is None:
            return placing.act(handoff.link, handoff.files, handoff.emitted, handoff.home, book)
        if book.made(handoff.link.to.key) is None:
            book.planned(handoff.link)
            book.placed(handoff.link)
        placing.names(handoff.emitted, handoff.home)
        return False


def finished(link: Link, emitted: EmitResult, main: NewFile, to: Provider, there: Path | None) -> Link:
    """A link with the place and the extent of what was made, which is read back for it. Raises SeshError.

    It is read as it will be where it lies: a copy of a Codex fork has a part of its history in another rollout.
    """
    data = b"".join(main.chunks)
    back = to.parse(SessionSource(main=data, name=main.path.name, companions=companions(main.path, to)))
    path = there or main.path
    return msgspec.structs.replace(
        link,
        to=msgspec.structs.replace(link.to, path=str(path)),
        made=extent.measure(data, back),
    )


def _folder(cwd: str | None, read: IngestResult, here: str | None, remarks: list[str]) -> str:
    if cwd is not None:
        return str(_real(cwd))
    own = _own_folder(read)
    if own is not None:
        if Path(own).is_dir():
            return own
        remarks.append(f"The session's folder {own} is not on this machine: --cwd names another one.")
        return own
    if here is None:
        raise SeshError("The session does not say which folder it belongs to.", hint="Name it with --cwd DIR.")
    remarks.append(f"The session does not say which folder it belongs to; it was given this one ({here}).")
    return here


def _own_folder(read: IngestResult) -> str | None:
    """The folder that the session names, symbolic links resolved where it is there."""
    own = (read.thread.metadata or {}).get("cwd")
    return os.path.realpath(own) if isinstance(own, str) and own else None


def _real(cwd: str | None) -> str | None:
    return None if cwd is None else os.path.realpath(Path(cwd).expanduser())


def _began(read: IngestResult) -> int:
    """Milliseconds of the session's beginning, for the new id."""
    at = placing.nanoseconds(read.thread.created_at)
    return (at or 0) // 1_000_000


def _superseded(link: Link, book: Book) -> Link | None:
    """The last handoff of the same session to the same client, of other bytes."""
    for earlier in reversed(book.links()):
        same = earlier.kind == "handoff" and earlier.source.key == link.source.key
        grown = earlier.read.sha256 != link.read.sha256
        if same and grown and earlier.to.provider == link.to.provider:
            return earlier
    return None


def _about_earlier(superseded: Link | None, there: Path | None, origin: End, book: Book, homes: Homes) -> list[str]:
    """What the user should know of earlier handoffs before going on with this one."""
    found: list[str] = []
    if there is not None:
        return [f"The same bytes were handed off before: {there}. Nothing was written."]
    if superseded is not None:
        found.append(f"It takes the place of {superseded.to}, made of an earlier state at {superseded.at}.")
        opened = locate.open_end(superseded.to, homes)
        news = extent.since(superseded.made, opened.provider, opened.source) if opened else None
        if news is not None and news.turns:
            found.append(
                f"{superseded.to} has {turns(news.turns)} of its own, not in the new session: "
                f"`sesh merge {superseded.to.session_id}` brings them back."
            )
    came = book.made(origin.key)
    if came is not None:
        found.append(
            f"This session was itself made from {came.source}: `sesh merge {origin.session_id}` would put its new "
            "turns back there."
        )
    return found
