"""The asynchronous stores: the adapter over each back end, and Postgres natively."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sesh.errors import Conflict, StoreFailed, UnknownCursor
from sesh.format.message import Message
from sesh.stores import open_async_store
from sesh.stores.aio import AsyncAdapter, AsyncMessageStore
from sesh.testing.store_suite import said, thread
from tests.stores.test_postgres import end_connections


@pytest.fixture(params=["memory", "sqlite", "jsonl", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        found: str = request.getfixturevalue("postgres_url")
        return found
    return f"{request.param}:{tmp_path}/store"


def test_the_five_methods(url: str) -> None:
    async def use() -> None:
        async with await open_async_store(url) as store:
            assert isinstance(store, AsyncMessageStore)
            assert await store.get_thread("t") is None
            await store.put_thread(thread("t", agent_id="a"))
            await store.put_thread(thread("u", parent_thread_id="t"))
            await store.put_thread(thread("t", agent_id="b"))
            assert await store.get_thread("t") == thread("t", agent_id="b")
            assert [t.id for t in await store.list_threads()] == ["t", "u"]
            assert [t.id for t in await store.list_threads(parent_thread_id="t", after_id="t", limit=5)] == ["u"]
            for n in range(5):
                await store.append_message(said("t", n, run_id="r" if n == 3 else None))
            await store.append_message(said("t", 2))
            with pytest.raises(Conflict):
                await store.append_message(said("t", 2, "other"))
            with pytest.raises(UnknownCursor):
                await store.get_messages("t", after_id="none")
            assert await store.get_messages("t", after_id="m1", limit=2) == [said("t", 2), said("t", 3, run_id="r")]
            assert [m.id for m in await store.get_messages("t", run_id="r")] == ["m3"]
            assert [t.id for t in await store.list_threads(run_id="r")] == ["t"]

    asyncio.run(use())


def test_batches_from_both_kinds_of_iterables(url: str) -> None:
    everything = [said("t", n) for n in range(700)]

    async def stream() -> AsyncIterator[Message]:
        for message in everything:
            yield message
            await asyncio.sleep(0)

    async def use() -> None:
        async with await open_async_store(url) as store:
            await store.append_messages(everything[:300])
            await store.append_messages(stream())
            assert await store.get_messages("t") == everything
            with pytest.raises(Conflict):
                await store.append_messages([said("u", 1), said("t", 5, "other"), said("u", 2)])
            assert await store.get_messages("u") == [said("u", 1)]

    asyncio.run(use())


def test_many_at_once(url: str) -> None:
    async def use() -> None:
        async with await open_async_store(url) as store:
            await asyncio.gather(*(store.append_message(said(f"t{n % 4}", n)) for n in range(60)))
            found = [m.id for n in range(4) for m in await store.get_messages(f"t{n}")]
            assert sorted(found) == sorted(f"m{n}" for n in range(60))

    asyncio.run(use())


def test_the_loop_goes_on_meanwhile() -> None:
    """The adapter's calls wait in a thread, so that others get their turn."""

    async def use() -> None:
        release = asyncio.Event()
        loop = asyncio.get_running_loop()

        class Slow:
            def get_thread(self, thread_id: str, /) -> None:
                asyncio.run_coroutine_threadsafe(release.wait(), loop).result()

        waiting = asyncio.create_task(AsyncAdapter(Slow()).get_thread("t"))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        release.set()
        await waiting

    asyncio.run(use())


def test_a_lost_connection(postgres_url: str) -> None:
    async def use() -> None:
        async with await open_async_store(postgres_url) as store:
            await store.append_message(said("t", 1))
            end_connections(postgres_url)
            await store.append_message(said("t", 2))
            end_connections(postgres_url)
            assert await store.get_messages("t") == [said("t", 1), said("t", 2)]

    asyncio.run(use())


def test_no_server() -> None:
    with pytest.raises(StoreFailed, match="Is the server up"):
        asyncio.run(open_async_store("postgresql://postgres@127.0.0.1:1/nowhere"))
