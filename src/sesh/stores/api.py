"""The contract of a message store: five methods, the same over every back end (docs/reference/stores.md).

* A thread is put, and put again to change it; the last one counts. It keeps the place of its first put.
* A message is appended to the thread it names and never changes: the same id in the same thread again is no error
  and no change where the content is the same JSON value, and `Conflict` where it is not.
* Reading gives messages in the order in which they were appended, threads in the order of their first put.
* `after_id` and `limit` make pages without gaps or repeats, also while others append. An `after_id` that is not there
  is `UnknownCursor`: going on from nowhere would repeat or lose messages.
* A call that returned is kept: on disk, or by the server.
* A record with unknown keys, or of a newer schema, is stored and given back with its text untouched
  (`sesh.format.wire.load` makes it, `encode` gives its text).
* A message may come before its thread. Thread and message ids are any text that is not empty, holds neither NUL nor a
  lone surrogate, and takes at most 1,000 bytes in UTF-8; so are an agent's and a run's, which may be empty.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from sesh.format.message import Message
from sesh.format.thread import Thread


@runtime_checkable
class MessageStore(Protocol):
    """What a store has to have (seeds/canonical-message-format). Raises SeshError and its kinds, nothing else."""

    @abstractmethod
    def append_message(self, message: Message, /) -> None:
        """Add a message at the end of its thread. Raises Conflict, StoreFailed."""

    @abstractmethod
    def put_thread(self, thread: Thread, /) -> None:
        """Add a thread, or replace the record of that id. Raises StoreFailed."""

    @abstractmethod
    def get_thread(self, thread_id: str, /) -> Thread | None:
        """The thread's record, or None. Raises StoreFailed."""

    @abstractmethod
    def list_threads(
        self,
        *,
        agent_id: str | None = None,
        parent_thread_id: str | None = None,
        run_id: str | None = None,
        after_id: str | None = None,
        limit: int | None = None,
    ) -> list[Thread]:
        """The threads that answer to all the filters given.

        `run_id`: threads that hold a message of that run. `after_id`: the last thread of the page before; it need not
        answer to the filters. Raises UnknownCursor, StoreFailed.
        """

    @abstractmethod
    def get_messages(
        self,
        thread_id: str,
        /,
        *,
        after_id: str | None = None,
        limit: int | None = None,
        run_id: str | None = None,
    ) -> list[Message]:
        """The messages of a thread (none where there is no such thread), or those of one run in it.

        `after_id`: the last message of the page before. Raises UnknownCursor, StoreFailed.
        """


class Store(MessageStore):
    """What the stores of sesh have besides the five methods: batches, closing, `with`. A third party may start here."""

    notes: list[str]
    """What was found amiss and got round (a torn line, say), as sentences."""

    def __init__(self) -> None:
        self.notes = []

    def append_messages(self, messages: Iterable[Message], /) -> None:
        """Append many, in order, with as few writes as the back end allows; `messages` is read bit by bit.

        Where it raises Conflict, all messages before that one are stored and none after it. Where it raises
        StoreFailed, some of the first ones are; the same call may be made again.
        """
        for message in messages:
            self.append_message(message)

    def close(self) -> None:
        """Let go of files and connections. A closed store is not to be used again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def append_all(store: MessageStore, messages: Iterable[Message]) -> None:
    """`Store.append_messages` where the store has it, one by one where it has not (a third party's)."""
    if isinstance(store, Store):
        store.append_messages(messages)
        return
    for message in messages:
        store.append_message(message)
