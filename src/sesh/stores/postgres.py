"""A store on a PostgreSQL server, for when one machine is outgrown: many writers, many readers, pooled connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import psycopg
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores import postgres_link as link
from sesh.stores import postgres_sql as scripts
from sesh.stores.base import RowStore
from sesh.stores.postgres_sql import Script
from sesh.stores.queries import MessageQuery, ThreadQuery
from sesh.stores.rows import MessageRow, ThreadRow
from sesh.stores.shown import shown

T = TypeVar("T")


class PostgresMessageStore(RowStore):
    """`postgresql://…`. Makes its tables (`sesh_…`) in the connection's schema on first use. Safe for threads.

    A call whose connection is lost is made once more on another one before it fails.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url: Final = url
        try:
            with psycopg.connect(url, **link.settings(url)) as connection:
                _configure(connection)
                if not _run(connection, scripts.is_current()):
                    with connection.transaction():
                        _run(connection, scripts.migrate(shown(url)))
        except psycopg.Error as e:
            raise link.failed(url, e) from e
        self._pool: Final = ConnectionPool(
            url,
            kwargs=link.settings(url),
            configure=_configure,
            min_size=0,
            max_size=link.POOL_SIZE,
            timeout=link.CONNECT_SECONDS,
            reconnect_timeout=link.CONNECT_SECONDS,
            open=True,
        )

    def _insert(self, rows: list[MessageRow]) -> int | None:
        try:
            self._write(lambda: scripts.append(rows))
        except scripts.Clash as e:
            return e.place
        return None

    def _put(self, row: ThreadRow) -> None:
        self._write(lambda: scripts.put_thread(row))

    def _thread(self, thread_id: str) -> Thread | None:
        return self._read(lambda: scripts.get_thread(thread_id))

    def _threads(self, query: ThreadQuery) -> list[Thread]:
        return self._read(lambda: scripts.list_threads(query))

    def _messages(self, query: MessageQuery) -> list[Message]:
        return self._read(lambda: scripts.get_messages(query))

    def close(self) -> None:
        """See Store."""
        self._pool.close()

    def _write(self, make: Callable[[], Script[None]]) -> None:
        def act(connection: psycopg.Connection) -> None:
            with connection.transaction():
                _run(connection, make())

        self._on_connection(act)

    def _read(self, make: Callable[[], Script[T]]) -> T:
        return self._on_connection(lambda connection: _run(connection, make()))

    def _on_connection(self, act: Callable[[psycopg.Connection], T]) -> T:
        try:
            try:
                with self._pool.connection() as connection:
                    return act(connection)
            except psycopg.Error as e:
                if isinstance(e, PoolTimeout | PoolClosed) or not link.is_worth_another_try(e):
                    raise
                self._pool.check()  # after a restart of the server all that lie ready are dead
                with self._pool.connection() as connection:
                    return act(connection)
        except psycopg.Error as e:
            raise link.failed(self._url, e) from e


def _configure(connection: psycopg.Connection) -> None:
    link.register(connection)
    connection.set_isolation_level(link.ISOLATION)


def _run(connection: psycopg.Connection, script: Script[T]) -> T:
    """Say what the script says, give it the answers, and return what it returns."""
    try:
        statement = next(script)
        while True:
            cursor = connection.execute(statement.sql, statement.values or None)
            statement = script.send(cursor.fetchall() if cursor.description else [])
    except StopIteration as end:
        result: T = end.value
        return result
