"""A store that lives and dies with the process: for tests, and for a thread that needs no keeping."""

from __future__ import annotations

from threading import RLock

from sesh.format import wire
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores.base import RowStore
from sesh.stores.queries import MessageQuery, ThreadQuery
from sesh.stores.rows import MessageRow, ThreadRow


class MemoryMessageStore(RowStore):
    """`memory:`. Keeps each record's text: a later change of a dict inside a record does not reach the store."""

    def __init__(self) -> None:
        super().__init__()
        self._put_threads: dict[str, ThreadRow] = {}
        self._appended: dict[str, list[MessageRow]] = {}
        self._places: dict[tuple[str, str], int] = {}
        self._lock = RLock()

    def _insert(self, rows: list[MessageRow]) -> int | None:
        with self._lock:
            for number, row in enumerate(rows):
                known = self._appended.setdefault(row.thread_id, [])
                place = self._places.setdefault((row.thread_id, row.id), len(known))
                if place == len(known):
                    known.append(row)
                elif not wire.same(known[place].text, row.text):
                    return number
        return None

    def _put(self, row: ThreadRow) -> None:
        with self._lock:
            self._put_threads[row.id] = row

    def _thread(self, thread_id: str) -> Thread | None:
        with self._lock:
            row = self._put_threads.get(thread_id)
        return None if row is None else wire.load_thread(row.text)

    def _threads(self, query: ThreadQuery) -> list[Thread]:
        with self._lock:
            rows = list(self._put_threads.values())
            if query.after_id is not None:
                if query.after_id not in self._put_threads:
                    raise query.unknown_cursor()
                rows = rows[list(self._put_threads).index(query.after_id) + 1 :]
            found = [
                row
                for row in rows
                if row.answers(query.agent_id, query.parent_thread_id)
                and (query.run_id is None or any(m.run_id == query.run_id for m in self._appended.get(row.id, ())))
            ]
        return [wire.load_thread(row.text) for row in found[: query.limit]]

    def _messages(self, query: MessageQuery) -> list[Message]:
        with self._lock:
            start = 0
            if query.after_id is not None:
                place = self._places.get((query.thread_id, query.after_id))
                if place is None:
                    raise query.unknown_cursor()
                start = place + 1
            rows = self._appended.get(query.thread_id, [])
            if query.run_id is None:
                found = rows[start : None if query.limit is None else start + query.limit]
            else:
                found = [row for row in rows[start:] if row.run_id == query.run_id][: query.limit]
        return [wire.load_message(row.text) for row in found]
