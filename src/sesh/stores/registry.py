"""A store by its URL: `memory:`, `jsonl:DIR`, `sqlite:FILE`, `postgresql://…`, or a third party's own scheme.

A package adds a scheme by an entry point in the group `sesh.stores`: its name is the scheme, its value a function
that takes the whole URL and returns a MessageStore.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final

from sesh.errors import SeshError, StoreFailed
from sesh.stores.api import MessageStore, Store
from sesh.stores.shown import shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from sesh.stores.aio import AsyncStore

GROUP: Final = "sesh.stores"
BUILT_IN: Final = ("memory", "jsonl", "sqlite", "postgresql", "postgres")


class UnknownStore(SeshError):
    """No store answers to that URL's scheme."""

    exit_code = 2


def open_store(url: str) -> MessageStore:
    """Open a store, making it where it does not exist. The built-in ones are `Store`s (batches, `close`, `with`).

    Raises UnknownStore, StoreFailed.
    """
    scheme, _, rest = url.partition(":")
    match scheme:
        case "memory":
            from sesh.stores.memory import MemoryMessageStore

            return MemoryMessageStore()
        case "jsonl":
            from sesh.stores.jsonl import JsonlMessageStore

            return JsonlMessageStore(_path(url, rest, "DIR"))
        case "sqlite":
            from sesh.stores.sqlite import SqliteMessageStore

            return SqliteMessageStore(_path(url, rest, "FILE"))
        case "postgresql" | "postgres":
            _need_psycopg()
            store: Store = import_module("sesh.stores.postgres").PostgresMessageStore(url)
            return store
        case _:
            return _third_party(scheme, url)


async def open_async_store(url: str) -> AsyncStore:
    """Open a store for an event loop: Postgres natively, all others through `AsyncAdapter`. Raises as `open_store`."""
    import asyncio

    from sesh.stores.aio import AsyncAdapter

    if url.partition(":")[0] in ("postgresql", "postgres"):
        _need_psycopg()
        native: AsyncStore = await import_module("sesh.stores.postgres_async").AsyncPostgresMessageStore.open(url)
        return native
    return AsyncAdapter(await asyncio.to_thread(open_store, url))


def schemes() -> tuple[str, ...]:
    """All schemes there are, the built-in ones first."""
    return (*BUILT_IN, *sorted({e.name for e in _entry_points()} - set(BUILT_IN)))


def _path(url: str, rest: str, what: str) -> str:
    if not rest:
        raise UnknownStore(f"The store URL {url!r} names no path.", hint=f"Write {url.partition(':')[0]}:{what}.")
    return rest


def _need_psycopg() -> None:
    try:
        import_module("psycopg_pool")
    except ImportError as e:
        raise StoreFailed(
            f"A Postgres store needs psycopg, which does not import: {e}.", hint="pip install 'sesh-cli[postgres]'"
        ) from e


def _third_party(scheme: str, url: str) -> MessageStore:
    for entry in _entry_points():
        if entry.name == scheme:
            store = _load(entry)(url)
            if not isinstance(store, MessageStore):
                raise SeshError(
                    f"What the entry point {entry.value!r} gives for {scheme}: lacks some of the five methods."
                )
            return store
    raise UnknownStore(
        f"No store answers to {shown(url)!r}.",
        hint=f"A store URL begins with one of: {', '.join(f'{s}:' for s in schemes())}",
    )


def _load(entry: EntryPoint) -> Callable[[str], MessageStore]:
    package = entry.dist.name if entry.dist is not None else entry.value
    try:
        factory: Callable[[str], MessageStore] = entry.load()
    except Exception as e:
        raise SeshError(
            f"The store {entry.name!r} of the package {package} does not import: {e}.",
            hint=f"Update the package or remove it: pip uninstall {package}",
        ) from e
    return factory


def _entry_points() -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return list(entry_points(group=GROUP))
