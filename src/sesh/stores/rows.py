"""Records as the rows that back ends keep: the few columns they search by, and the record's own text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from sesh.errors import Conflict, SeshError
from sesh.format import wire
from sesh.format.jsontext import has_lone_surrogate
from sesh.format.message import Message
from sesh.format.thread import Thread

CHUNK_ROWS: Final = 1000
"""At most so many messages go to the back end at once, ..."""
CHUNK_BYTES: Final = 4 * 1024 * 1024
"""... and about so many bytes: a batch of any length needs no more memory than this."""
MOST_BYTES: Final = 1000
"""The longest id, in UTF-8. An entry of a Postgres index holds two of them and takes 2,704 bytes."""
_SHOWN: Final = 60


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

    def answers(self, agent_id: str | None, parent_thread_id: str | None) -> bool:
        """Whether it is that agent's and that thread's child; None asks for nothing."""
        return agent_id in (None, self.agent_id) and parent_thread_id in (None, self.parent_thread_id)


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
    if "" in names or "\0" in joined or not joined.isascii() or max(map(len, names)) > MOST_BYTES:
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
    """Whether every back end can hold an id and find it: no NUL, no lone surrogate, not too long.

    The rest of a record may hold anything.
    """
    if name.isascii():
        return len(name) <= MOST_BYTES and "\0" not in name
    return not has_lone_surrogate(name) and len(name.encode()) <= MOST_BYTES and "\0" not in name


def _unstorable(what: str, *names: str | None) -> SeshError:
    shown = ", ".join(ascii(name if name is None or len(name) <= _SHOWN else f"{name[:_SHOWN]}...") for name in names)
    return SeshError(
        f"An id of a {what} holds a NUL or a lone surrogate, or is longer than {MOST_BYTES:,} bytes: {shown}."
    )


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
