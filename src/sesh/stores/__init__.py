"""Message stores: the same five methods over memory, JSON Lines, SQLite and Postgres."""

from sesh.stores.api import MessageStore, Store, append_all
from sesh.stores.registry import open_async_store, open_store

__all__ = ["MessageStore", "Store", "append_all", "open_async_store", "open_store"]
