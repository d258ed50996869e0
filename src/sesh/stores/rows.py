"""Records as the rows that back ends keep: the few columns they search by, and the record's own text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from sesh.errors import Conflict, SeshError, UnknownCursor
from sesh.format import wire
from sesh.format.jsontext import has_lone_surrogate
from sesh.format.message import Message
from sesh.format.thread import Thread

CHUNK_ROWS: Final = 1000
"""At most so many messages go to the back end at once, ..."""
CHUNK_BYTES: Final = 4 * 1024 * 1024
"""... and about so many bytes: a batch of any length needs no more memory than this."""


class MessageRow(msgspec.Struct, frozen=True, gc=False):
    """A message to be kept. `text` is one line of JSON. (A struct, because one is made for each message.)"""

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
    check(message)
    return MessageRow(message.thread_id, message.id, message.run_id, wire.encode(message))


def check(message: Message) -> None:
    """Raises SeshError where an id of the message is not one."""
    thread_id, message_id, run_id = message.thread_id, message.id, message.run_id
    if not (thread_id and message_id):
        raise SeshError("A message needs an id and a threadId that are not empty.")
    if not (storable(thread_id) and storable(message_id) and (run_id is None or storable(run_id))):
        raise _unstorable("message", thread_id, message_id, run_id)


def check_all(messages: Sequence[Message]) -> None:
    """`check` for many at once: each is looked at only where something is odd."""
    names = [message.id for message in messages]
    names += {message.thread_id for message in messages}
    names += {message.run_id for message in messages if message.run_id}
    joined = "".join(names)
    if "" in names or "\0" in joined or not joined.isascii():
        for message in messages:
            check(message)


def thread_row(thread: Thread) -> ThreadRow:
    """The row of a thread. Raises SeshError where an id is not one."""
    names = (thread.id, thread.agent_id, thread.parent_thread_id)
    if not thread.id:
        raise SeshError("A thread needs an id that is not empty.")
    if not all(name is None or storable(name) for name in names):
        raise _unstorable("thread", *names)
    return ThreadRow(*names, wire.encode(thread))


def storable(name: str) -> bool:
    """Whether SQL text can hold an id: no NUL, no lone surrogate. The rest of a record may hold anything."""
    return "\0" not in name and (name.isascii() or not has_lone_surrogate(name))


def _unstorable(what: str, *names: str | None) -> SeshError:
    return SeshError(f"An id of a {what} holds a NUL or a lone surrogate: {names!a}.")


def chunks(messages: Iterable[Message]) -> Iterator[list[MessageRow]]:
    """The rows of a batch in pieces of bounded size. Raises SeshError where an id is not one."""
    chunk: list[MessageRow] = []
    size = 0
    for message in messages:
        row = message_row(message)
        chunk.append(row)
        size += len(row.text)
        if size >= CHUNK_BYTES or len(chunk) >= CHUNK_ROWS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def conflict(row: MessageRow | Message) -> Conflict:
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
