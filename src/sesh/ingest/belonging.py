"""Which thread a session belongs to: its own, or, where sesh made it from another session, that session's.

A handed-off or merged session repeats what was said before it was made. What it says after that goes on in the thread
of the session it came from; the repetition is in the store already, under the ids of the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from sesh.files.read import Opened
from sesh.format.message import Message
from sesh.handoff import carry, choose, extent, locate
from sesh.handoff.book import Book
from sesh.handoff.link import End, Link, find_stamp
from sesh.providers.api import IngestedThread, IngestResult


@dataclass(frozen=True, kw_only=True)
class Continuation:
    """What a session says after it was made: the messages and children that go on in another session's thread."""

    messages: Sequence[Message]
    children: Sequence[IngestedThread]


def link_to(opened: Opened, read: IngestResult, book: Book) -> Link | None:
    """The link that made a session: from sesh's book, or from the stamp in the file. None: nobody's copy.

    A fork of a handed-off session bears a copy of the stamp, and is a conversation of its own.
    """
    end = locate.end_of(opened, read)
    made = book.made(end.key)
    if made is not None or (read.thread.metadata or {}).get("forkedFrom"):
        return made
    stamp = find_stamp(opened.source.main)
    if stamp is None:
        return None
    return choose.from_stamp(stamp, choose.Side(end=end, opened=opened, source=opened.source, read=read, torn=False))


def origins(link: Link) -> list[End]:
    """The sessions that a linked session repeats, the one whose thread it continues first."""
    return [link.onto, link.source] if link.onto is not None else [link.source]


def continuation(link: Link, opened: Opened, read: IngestResult, thread_id: str, *, all_merged: bool) -> Continuation:
    """What to append to the thread `thread_id`.

    all_merged: whether the turns that a merge took over are in the store already, from the session they were said in;
    else they are taken from the copy.
    """
    reached = link.made
    if not all_merged and link.onto_read is not None:
        reached = link.onto_read
    news = extent.since(reached, opened.provider, opened.source, read)
    messages = carry.messages(news)
    ids = {m.id for m in messages}
    return Continuation(
        messages=[_moved(m, thread_id, ids) for m in messages],
        children=[_child(c, ids) for c in carry.children(news, thread_id)],
    )


def _moved(message: Message, thread_id: str, ids: set[str]) -> Message:
    """A message of the repeated part is not in this thread, so it cannot be named as a parent."""
    parent = message.parent_id if message.parent_id in ids else None
    return msgspec.structs.replace(message, thread_id=thread_id, parent_id=parent)


def _child(child: IngestedThread, ids: set[str]) -> IngestedThread:
    origin = child.thread.origin_message_id if child.thread.origin_message_id in ids else None
    return IngestedThread(
        thread=msgspec.structs.replace(child.thread, origin_message_id=origin), messages=child.messages
    )
