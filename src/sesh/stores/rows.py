"""Records as the rows that back ends keep: the few columns they search by, and the record's own text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sesh.errors import Conflict, SeshError, UnknownCursor
from sesh.format import wire
from sesh.format.jsontext import has_lone_surrogate
from sesh.format.message import Message
from sesh.format.thread import Thread

CHUNK_ROWS: Final = 1000
"""At most so many messages go to the back end at once, ..."""
CHUNK_BYTES: Final = 4 * 1024 * 1024
"""... and about so many bytes: a batch of any length needs no more memory than this."""


class MessageRow(NamedTuple):
    """A message to be kept. `text` is one line of JSON."""

    thread_id: str
    id: str
    run_id: str | None
    text: bytes


class ThreadRow(NamedTuple):
    """A thread to be kept."""

    id: str
    agent_id: str | None
    parent_thread_id: str | None
    text: bytes


def message_row(message: Message) -> MessageRow:
    """The row of a message. Raises SeshError where an id is not one."""
    row = MessageRow(message.thread_id, message.id, message.run_id, wire.encode(message))
    if not (row.thread_id and row.id):
        raise SeshError("A message needs an id and a threadId that are not empty.")
    if not storable(row.thread_id, row.id, row.run_id):
        _check("message", row.id, row.thread_id, row.run_id)
    return row


def thread_row(thread: Thread) -> ThreadRow:
    """The row of a thread. Raises SeshError where an id is not one."""
    if not thread.id:
        raise SeshError("A thread needs an id that is not empty.")
    _check("thread", thread.id, thread.agent_id, thread.parent_thread_id)
    return ThreadRow(thread.id, thread.agent_id, thread.parent_thread_id, wire.encode(thread))


def storable(*names: str | None) -> bool:
    """Whether SQL text can hold these ids. No stored record has one that it cannot."""
    for name in names:
        if name is not None and not name.isascii() and has_lone_surrogate(name):
            return False
        if name is not None and "\0" in name:
            return False
    return True


def _check(what: str, *names: str | None) -> None:
    """Refuse ids that SQL text cannot hold; the rest of a record may hold anything."""
    for name in names:
        if not storable(name):
            raise SeshError(f"An id of a {what} holds a NUL or a lone surrogate: {name!a}.")


def chunks(messages: Iterable[Message]) -> Iterator[list[MessageRow]]:
    """The rows of a batch in pieces of bounded size."""
    chunk: list[MessageRow] = []
    size = 0
    for message in messages:
        row = message_row(message)
        chunk.append(row)
        size += len(row.text)
        if len(chunk) >= CHUNK_ROWS or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def conflict(row: MessageRow) -> Conflict:
    """The error for an id that is taken by other content."""
    return Conflict(
        f"Message {row.id} of thread {row.thread_id} is stored already, with other content.",
        hint="A stored message never changes; give the new one an id of its own.",
    )


def unknown_cursor(after_id: str, where: str) -> UnknownCursor:
    """The error for an `after_id` that is not there. `where` is like `thread T`."""
    return UnknownCursor(f"There is no {after_id!r} in {where} to go on after.")


def checked_limit(limit: int | None) -> int | None:
    """`limit` as it is. Raises ValueError where it is negative: a caller's mistake, not a page."""
    if limit is not None and limit < 0:
        raise ValueError(f"limit must be 0 or more, not {limit}")
    return limit
