"""What `ingest` and `follow` share: which store, whose threads, and how a session that was taken is told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from sesh.catalog.homes import sesh_cache, sesh_home
from sesh.ingest.many import Failed
from sesh.ingest.points import Points
from sesh.ingest.session import Taken
from sesh.stores import MessageStore, Store, open_store

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--store",
        "url",
        envvar="SESH_STORE",
        metavar="URL",
        help="memory:, jsonl:DIR, sqlite:FILE, postgresql://... Default: store.db in sesh's own folder.",
    ),
    click.option("--agent", "agent_id", metavar="ID", help="Stamp the threads as this agent's."),
    click.option("--run", "run_id", metavar="ID", help="Stamp the new messages as this run's."),
    click.option("--keep-raw", is_flag=True, help="Keep each message's source record with it."),
)


def storing_options(function: F) -> F:
    """The options of every command that writes to a store."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@contextmanager
def opened(url: str | None) -> Iterator[MessageStore]:
    """The store that is meant, closed at the end. Raises UnknownStore, StoreFailed."""
    store = open_store(url or default_url())
    try:
        yield store
    finally:
        if isinstance(store, Store):
            store.close()


def default_url() -> str:
    """The store where none is named: one SQLite file in sesh's own folder."""
    return f"sqlite:{sesh_home(os.environ) / 'store.db'}"


def points(url: str | None) -> Points:
    """Where sessions may be read on from, for the store that is meant, in sesh's cache folder."""
    return Points(sesh_cache(os.environ) / "onward", url or default_url())


def told(taken: Taken | Failed) -> str:
    """One session in one line."""
    name = f"{taken.provider}:{taken.session_id}"
    if isinstance(taken, Failed):
        return f"{name}: {taken.error}"
    added = counted(taken.messages + taken.child_messages, "message")
    where = f"in thread {taken.thread_id}" + (" (goes on there)" if taken.continues else "")
    parts = [f"{name}: {added} added {where}" if taken.state != "unchanged" else f"{name}: nothing new {where}"]
    if taken.held:
        parts.append(f"{counted(taken.held, 'message')} of a step still being written held back")
    if taken.differing:
        parts.append(f"{counted(taken.differing, 'stored message')} would read differently now and stayed as stored")
    return "; ".join(parts)


def counted(number: int, what: str) -> str:
    """`1 message`, `3 messages`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
