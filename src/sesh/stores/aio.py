"""The same five methods for programs that run an event loop, and an adapter that gives them to any store."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterable, Iterable
from functools import partial
from types import TracebackType
from typing import Final, Protocol, Self, runtime_checkable

from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores.api import MessageStore, Store, append_all
from sesh.stores.queries import MessageQuery, ThreadQuery


@runtime_checkable
class AsyncMessageStore(Protocol):
    """`MessageStore`, to be awaited. The semantics are the same (stores/api.py)."""

    @abstractmethod
    async def append_message(self, message: Message, /) -> None:
        """See MessageStore."""

    @abstractmethod
    async def put_thread(self, thread: Thread, /) -> None:
        """See MessageStore."""

    @abstractmethod
    async def get_thread(self, thread_id: str, /) -> Thread | None:
        """See MessageStore."""

    @abstractmethod
    async def list_threads(
        self,
        *,
        agent_id: str | None = None,
        parent_thread_id: str | None = None,
        run_id: str | None = None,
        after_id: str | None = None,
        limit: int | None = None,
    ) -> list[Thread]:
        """See MessageStore."""

    @abstractmethod
    async def get_messages(
        self,
        thread_id: str,
        /,
        *,
        after_id: str | None = None,
        limit: int | None = None,
        run_id: str | None = None,
    ) -> list[Message]:
        """See MessageStore."""


class AsyncStore(AsyncMessageStore):
    """What the asynchronous stores of sesh have besides: batches, closing, `async with`; and how they share it."""

    async def list_threads(
        self,
        *,
        agent_id: str | None = None,
        parent_thread_id: str | None = None,
        run_id: str | None = None,
        after_id: str | None = None,
        limit: int | None = None,
    ) -> list[Thread]:
        """See MessageStore."""
        return await self._threads(ThreadQuery(agent_id, parent_thread_id, run_id, after_id, limit).checked())

    async def get_messages(
        self,
        thread_id: str,
        /,
        *,
        after_id: str | None = None,
        limit: int | None = None,
        run_id: str | None = None,
    ) -> list[Message]:
        """See MessageStore."""
        return await self._messages(MessageQuery(thread_id, after_id, limit, run_id).checked())

    @abstractmethod
    async def append_messages(self, messages: Iterable[Message] | AsyncIterable[Message], /) -> None:
        """See Store."""

    @abstractmethod
    async def close(self) -> None:
        """See Store."""

    @abstractmethod
    async def _threads(self, query: ThreadQuery) -> list[Thread]:
        """A page of threads. Raises UnknownCursor, StoreFailed."""

    @abstractmethod
    async def _messages(self, query: MessageQuery) -> list[Message]:
        """A page of messages. Raises UnknownCursor, StoreFailed."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()


class AsyncAdapter(AsyncStore):
    """Any store of this kind, its calls run in worker threads, so that the loop goes on meanwhile.

    A call that is cancelled runs to its end in its thread; it can be repeated.
    """

    def __init__(self, store: MessageStore) -> None:
        self._store: Final = store

    async def append_message(self, message: Message, /) -> None:
        """See MessageStore."""
        await asyncio.to_thread(self._store.append_message, message)

    async def append_messages(self, messages: Iterable[Message] | AsyncIterable[Message], /) -> None:
        """See Store."""
        if isinstance(messages, AsyncIterable):
            async for piece in pieces(messages):
                await asyncio.to_thread(append_all, self._store, piece)
        else:
            await asyncio.to_thread(append_all, self._store, messages)

    async def put_thread(self, thread: Thread, /) -> None:
        """See MessageStore."""
        await asyncio.to_thread(self._store.put_thread, thread)

    async def get_thread(self, thread_id: str, /) -> Thread | None:
        """See MessageStore."""
        return await asyncio.to_thread(self._store.get_thread, thread_id)

    async def _threads(self, query: ThreadQuery) -> list[Thread]:
        return await asyncio.to_thread(partial(self._store.list_threads, **query._asdict()))

    async def _messages(self, query: MessageQuery) -> list[Message]:
        asked = query._asdict()
        return await asyncio.to_thread(partial(self._store.get_messages, asked.pop("thread_id"), **asked))

    async def close(self) -> None:
        """See Store."""
        if isinstance(self._store, Store):
            await asyncio.to_thread(self._store.close)


async def pieces(messages: AsyncIterable[Message], size: int = 256) -> AsyncIterable[list[Message]]:
    """An asynchronous stream of messages in lists, for calls that want an ordinary iterable."""
    piece: list[Message] = []
    async for message in messages:
        piece.append(message)
        if len(piece) >= size:
            yield piece
            piece = []
    if piece:
        yield piece
