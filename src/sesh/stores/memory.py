"""A store that lives and dies with the process: for tests, and for a thread that needs no keeping."""

from __future__ import annotations

from threading import RLock

from sesh.format import wire
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores.api import Store
from sesh.stores.rows import MessageRow, ThreadRow, checked_limit, conflict, message_row, thread_row, unknown_cursor


class MemoryMessageStore(Store):
    """`memory:`. Keeps each record's text: a later change of a dict inside a record does not reach the store."""

    def __init__(self) -> None:
        super().__init__()
        self._threads: dict[str, ThreadRow] = {}
        self._messages: dict[str, list[MessageRow]] = {}
        self._places: dict[tuple[str, str], int] = {}
        self._lock = RLock()

    def append_message(self, message: Message, /) -> None:
        """See MessageStore."""
        row = message_row(message)
        with self._lock:
            rows = self._messages.setdefault(row.thread_id, [])
            place = self._places.setdefault((row.thread_id, row.id), len(rows))
            if place == len(rows):
                rows.append(row)
            elif not wire.same(rows[place].text, row.text):
                raise conflict(row)

    def put_thread(self, thread: Thread, /) -> None:
        """See MessageStore."""
        row = thread_row(thread)
        with self._lock:
            self._threads[row.id] = row

    def get_thread(self, thread_id: str, /) -> Thread | None:
        """See MessageStore."""
        with self._lock:
            row = self._threads.get(thread_id)
        return None if row is None else wire.load_thread(row.text)

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
        checked_limit(limit)
        with self._lock:
            rows = list(self._threads.values())
            if after_id is not None:
                if after_id not in self._threads:
                    raise unknown_cursor(after_id, "this store")
                rows = rows[list(self._threads).index(after_id) + 1 :]
            found = [
                row
                for row in rows
                if (agent_id is None or row.agent_id == agent_id)
                and (parent_thread_id is None or row.parent_thread_id == parent_thread_id)
                and (run_id is None or any(m.run_id == run_id for m in self._messages.get(row.id, ())))
            ]
        return [wire.load_thread(row.text) for row in found[:limit]]

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
        checked_limit(limit)
        with self._lock:
            start = 0
            if after_id is not None:
                place = self._places.get((thread_id, after_id))
                if place is None:
                    raise unknown_cursor(after_id, f"thread {thread_id}")
                start = place + 1
            rows = self._messages.get(thread_id, [])
            if run_id is None:
                found = rows[start : None if limit is None else start + limit]
            else:
                found = [row for row in rows[start:] if row.run_id == run_id][:limit]
        return [wire.load_message(row.text) for row in found]
