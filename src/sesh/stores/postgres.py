"""A store on a PostgreSQL server, for when one machine is outgrown: many writers, many readers, pooled connections."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

import psycopg
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores import postgres_link as link
from sesh.stores import postgres_sql as scripts
from sesh.stores.api import Store
from sesh.stores.postgres_sql import Script
from sesh.stores.rows import MessageRow, chunks, conflict, message_row, thread_row

T = TypeVar("T")


class PostgresMessageStore(Store):
    """`postgresql://…`. Makes its tables (`sesh_…`) in the connection's schema on first use. Safe for threads.

    A call whose connection is lost is made once more on another one before it fails.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url: Final = url
        try:
            with psycopg.connect(url, **link.settings(url)) as connection:
                link.register(connection)
                if not _run(connection, scripts.is_current()):
                    with connection.transaction():
                        _run(connection, scripts.migrate(link.shown(url)))
        except psycopg.Error as e:
            raise link.failed(url, e) from e
        self._pool: Final = ConnectionPool(
            url,
            kwargs=link.settings(url),
            configure=link.register,
            min_size=0,
            max_size=link.POOL_SIZE,
            timeout=link.CONNECT_SECONDS,
            reconnect_timeout=link.CONNECT_SECONDS,
            open=True,
        )

    def append_message(self, message: Message, /) -> None:
        """See MessageStore."""
        self._append([message_row(message)])

    def append_messages(self, messages: Iterable[Message], /) -> None:
        """See Store. Each piece (rows.CHUNK_ROWS) is one transaction."""
        for rows in chunks(messages):
            self._append(rows)

    def _append(self, rows: list[MessageRow]) -> None:
        try:
            self._write(lambda: scripts.append(rows))
        except scripts.Clash as e:
            before, clash = rows[: e.place], rows[e.place]
        else:
            return
        if before:
            self._write(lambda: scripts.append(before))
        raise conflict(clash)

    def put_thread(self, thread: Thread, /) -> None:
        """See MessageStore."""
        row = thread_row(thread)
        self._write(lambda: scripts.put_thread(row))

    def get_thread(self, thread_id: str, /) -> Thread | None:
        """See MessageStore."""
        return self._read(lambda: scripts.get_thread(thread_id))

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
        return self._read(lambda: scripts.list_threads(agent_id, parent_thread_id, run_id, after_id, limit))

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
        return self._read(lambda: scripts.get_messages(thread_id, after_id, limit, run_id))

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
