"""What the stores of sesh share: the five methods over a few questions to the back end."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores.api import Store
from sesh.stores.queries import MessageQuery, ThreadQuery
from sesh.stores.rows import MessageRow, ThreadRow, chunks, conflict, message_row, storable, thread_row


class QueryStore(Store):
    """A store that answers queries. What reaches it, it can store and ask for: names and limits were looked at."""

    def put_thread(self, thread: Thread, /) -> None:
        """See MessageStore."""
        self._put(thread_row(thread))

    def get_thread(self, thread_id: str, /) -> Thread | None:
        """See MessageStore."""
        return self._thread(thread_id) if storable(thread_id) else None

    def list_threads(
        self,
        *,
        agent_id: str | None = None,
        parent_thread_id: str | None = None,
        run_id: str | None = None,
        after_id: str | None = None,
        limit: int | None = None,
    ) -> list[Thread]:
        """See MessageStore."""
        return self._threads(ThreadQuery(agent_id, parent_thread_id, run_id, after_id, limit).checked())

    def get_messages(
        self,
        thread_id: str,
        /,
        *,
        after_id: str | None = None,
        limit: int | None = None,
        run_id: str | None = None,
    ) -> list[Message]:
        """See MessageStore."""
        return self._messages(MessageQuery(thread_id, after_id, limit, run_id).checked())

    @abstractmethod
    def _put(self, row: ThreadRow) -> None:
        """Add a thread, or replace the one of that id. Raises StoreFailed."""

    @abstractmethod
    def _thread(self, thread_id: str) -> Thread | None:
        """A thread. Raises StoreFailed."""

    @abstractmethod
    def _threads(self, query: ThreadQuery) -> list[Thread]:
        """A page of threads. Raises UnknownCursor, StoreFailed."""

    @abstractmethod
    def _messages(self, query: MessageQuery) -> list[Message]:
        """A page of messages. Raises UnknownCursor, StoreFailed."""


class RowStore(QueryStore):
    """A store that keeps rows, some of them at once."""

    def append_message(self, message: Message, /) -> None:
        """See MessageStore."""
        self._append([message_row(message)])

    def append_messages(self, messages: Iterable[Message], /) -> None:
        """See Store. Each piece (rows.CHUNK_ROWS) is one call to the back end."""
        for rows in chunks(messages):
            self._append(rows)

    def _append(self, rows: list[MessageRow]) -> None:
        clash: MessageRow | None = None
        # Where another process got in between with a clash before this one, what precedes that one is stored.
        while rows and (place := self._insert(rows)) is not None:
            clash, rows = rows[place], rows[:place]
        if clash is not None:
            raise conflict(clash)

    @abstractmethod
    def _insert(self, rows: list[MessageRow]) -> int | None:
        """Store the rows that are not there yet, or tell the place of the first that is there with other content.

        Where it tells one, what is stored is none of the rows or those before that one. Raises StoreFailed.
        """
