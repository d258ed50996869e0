"""Connections to Postgres: settings that both stores share, and which errors mean that a connection was lost."""

from __future__ import annotations

import logging
from typing import Any, Final

import psycopg
from psycopg.abc import AdaptContext
from psycopg.adapt import Loader

from sesh.errors import StoreFailed
from sesh.stores.shown import hidden, shown

CONNECT_SECONDS: Final = 10
POOL_SIZE: Final = 8
_LOST: Final = ("08", "57P")
"""SQLSTATE classes: connection exception; the server is going down, or has ended this connection."""
ISOLATION: Final = psycopg.IsolationLevel.READ_COMMITTED
"""What the scripts are written for. Where the database's own default is stricter, the server would refuse some of them
("could not serialize access"), though the lock of a thread lets no two appends to it meet."""
_AGAIN: Final = ("40001", "40P01")
"""Serialization failure and deadlock: the server undid the whole transaction and asks for another try."""

# What the pool logs while it tries to connect, the caller gets as a StoreFailed.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())


class BytesLoader(Loader):
    """Text columns as the bytes the server sent: records are decoded by msgspec, which wants no str."""

    def load(self, data: Any) -> bytes:
        """The bytes, copied out of the driver's buffer."""
        return bytes(data)


def settings(url: str) -> dict[str, Any]:
    """How to connect. What the URL says itself counts more."""
    kept = {"autocommit": True, "client_encoding": "UTF8", "application_name": "sesh"}
    if "connect_timeout" not in url:
        kept["connect_timeout"] = CONNECT_SECONDS
    return kept


def register(context: AdaptContext) -> None:
    """Make a connection give text as bytes."""
    context.adapters.register_loader("text", BytesLoader)


def is_worth_another_try(error: psycopg.Error) -> bool:
    """Whether the same transaction may succeed on a new connection: it was lost, or the server undid the work.

    Every script may be run again, because appending and putting are idempotent.
    """
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return state.startswith(_LOST) or state in _AGAIN


def failed(url: str, error: Exception) -> StoreFailed:
    """The error for the caller, with no password in it."""
    state = getattr(error, "sqlstate", None)
    hint = "Is the server up? What was acknowledged is kept; the call can be repeated."
    if state == "53100":
        hint = "The server's disk is full. What was acknowledged is kept; the call can be repeated."
    elif state is None and isinstance(error, psycopg.ProgrammingError):
        hint = "Write postgresql://USER@HOST/DATABASE."
    elif state is not None and not state.startswith(_LOST):
        hint = "The server refused it; see its log."
    reason = hidden(" ".join(str(error).split()), url) or type(error).__name__
    return StoreFailed(f"The store {shown(url)}: {reason}.", hint=hint)
