"""The Postgres store for programs that run an event loop: psycopg's own asynchronous connections, no threads."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable
from typing import Final, Self, TypeVar

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores import postgres_link as link
from sesh.stores import postgres_sql as scripts
from sesh.stores.aio import AsyncStore, pieces
from sesh.stores.postgres_sql import Script
from sesh.stores.queries import MessageQuery, ThreadQuery
from sesh.stores.rows import MessageRow, chunks, conflict, message_row, storable, thread_row
from sesh.stores.shown import shown

T = TypeVar("T")


class AsyncPostgresMessageStore(AsyncStore):
    """`PostgresMessageStore`, awaited. Make it with `await AsyncPostgresMessageStore.open(url)`."""

    def __init__(self, url: str, pool: AsyncConnectionPool[psycopg.AsyncConnection]) -> None:
        self._url: Final = url
        self._pool: Final = pool

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect, and make the tables where they are missing. Raises StoreFailed."""
        try:
            connection = await psycopg.AsyncConnection.connect(url, **link.settings(url))
            async with connection:
                await _configure(connection)
                if not await _run(connection, scripts.is_current()):
                    async with connection.transaction():
                        await _run(connection, scripts.migrate(shown(url)))
        except psycopg.Error as e:
            raise link.failed(url, e) from e
        pool = AsyncConnectionPool(
            url,
            kwargs=link.settings(url),
            configure=_configure,
            min_size=0,
            max_size=link.POOL_SIZE,
            timeout=link.CONNECT_SECONDS,
            reconnect_timeout=link.CONNECT_SECONDS,
            open=False,
        )
        await pool.open()
        return cls(url, pool)

    async def append_message(self, message: Message, /) -> None:
        """See MessageStore."""
        await self._append([message_row(message)])

    async def append_messages(self, messages: Iterable[Message] | AsyncIterable[Message], /) -> None:
        """See Store."""
        if isinstance(messages, AsyncIterable):
            async for piece in pieces(messages):
                await self._append([message_row(m) for m in piece])
            return
        for rows in chunks(messages):
            await self._append(rows)

    async def _append(self, rows: list[MessageRow]) -> None:
        clash: MessageRow | None = None
        while rows and (place := await self._insert(rows)) is not None:  # as in RowStore
            clash, rows = rows[place], rows[:place]
        if clash is not None:
            raise conflict(clash)

    async def _insert(self, rows: list[MessageRow]) -> int | None:
        try:
            await self._write(lambda: scripts.append(rows))
        except scripts.Clash as e:
            return e.place
        return None

    async def put_thread(self, thread: Thread, /) -> None:
        """See MessageStore."""
        row = thread_row(thread)
        await self._write(lambda: scripts.put_thread(row))

    async def get_thread(self, thread_id: str, /) -> Thread | None:
        """See MessageStore."""
        return await self._read(lambda: scripts.get_thread(thread_id)) if storable(thread_id) else None

    async def _threads(self, query: ThreadQuery) -> list[Thread]:
        return await self._read(lambda: scripts.list_threads(query))

    async def _messages(self, query: MessageQuery) -> list[Message]:
        return await self._read(lambda: scripts.get_messages(query))

    async def close(self) -> None:
        """See Store."""
        await self._pool.close()

    async def _write(self, make: Callable[[], Script[None]]) -> None:
        async def act(connection: psycopg.AsyncConnection) -> None:
            async with connection.transaction():
                await _run(connection, make())

        await self._on_connection(act)

    async def _read(self, make: Callable[[], Script[T]]) -> T:
        return await self._on_connection(lambda connection: _run(connection, make()))

    async def _on_connection(self, act: Callable[[psycopg.AsyncConnection], Awaitable[T]]) -> T:
        try:
            try:
                async with self._pool.connection() as connection:
                    return await act(connection)
            except psycopg.Error as e:
                if isinstance(e, PoolTimeout | PoolClosed) or not link.is_worth_another_try(e):
                    raise
                await self._pool.check()
                async with self._pool.connection() as connection:
                    return await act(connection)
        except psycopg.Error as e:
            raise link.failed(self._url, e) from e


async def _configure(connection: psycopg.AsyncConnection) -> None:
    link.register(connection)
    await connection.set_isolation_level(link.ISOLATION)


async def _run(connection: psycopg.AsyncConnection, script: Script[T]) -> T:
    """Say what the script says, give it the answers, and return what it returns."""
    try:
        statement = next(script)
        while True:
            cursor = await connection.execute(statement.sql, statement.values or None)
            statement = script.send(await cursor.fetchall() if cursor.description else [])
    except StopIteration as end:
        result: T = end.value
        return result
