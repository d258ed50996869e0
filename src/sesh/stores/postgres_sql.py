"""What the two Postgres stores say to the server, as scripts that do no I/O themselves.

A script is a generator: it yields statements, is sent their rows, and returns its result. The blocking and the
asynchronous store each run the same scripts (postgres.py, postgres_async.py).

Order without gaps: a sequence hands out numbers before their transactions commit, so a reader could see 10, go on
from there and miss a 9 that commits later. Hence whoever appends to a thread first takes a lock of that thread and
keeps it to the end of the transaction: within a thread, numbers become visible in their order. The same for new
threads.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from sesh.errors import StoreFailed
from sesh.format import wire
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores import migrations
from sesh.stores.queries import MessageQuery, ThreadQuery
from sesh.stores.rows import MessageRow, ThreadRow

T = TypeVar("T")


class Statement(NamedTuple):
    """One statement. Text comes back as bytes (`loads_bytes` of the stores)."""

    sql: str
    values: tuple[Any, ...] = ()


Rows: TypeAlias = list[tuple[Any, ...]]
Script: TypeAlias = Generator[Statement, Rows, T]

_LOCKS: Final = 0x73657368
"""The first half of our advisory locks' names ("sesh"), so that they meet nobody else's."""
_LOCK_MIGRATION: Final = Statement("SELECT pg_advisory_xact_lock(%s, 0)", (_LOCKS,))
_LOCK_THREADS: Final = Statement("SELECT pg_advisory_xact_lock(%s, 1)", (_LOCKS + 1,))


class Clash(Exception):
    """The row at `place` is stored already with other content: undo the transaction, store what precedes, complain."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


def migrate(where: str) -> Script[None]:
    """Bring the schema up to date; one transaction. Raises StoreFailed where the server cannot hold any text."""
    encoding = yield Statement("SELECT current_setting('server_encoding')")
    if encoding[0][0] != b"UTF8":
        raise StoreFailed(
            f"{where} is encoded in {encoding[0][0].decode()}, which cannot hold every message.",
            hint="Make a database with ENCODING 'UTF8' (and TEMPLATE template0).",
        )
    yield _LOCK_MIGRATION
    yield Statement("CREATE TABLE IF NOT EXISTS sesh_schema (version integer NOT NULL)")
    found = yield Statement("SELECT max(version) FROM sesh_schema")
    for number, sql in migrations.after("postgres", found[0][0] or 0, where):
        yield Statement(sql)
        yield Statement("INSERT INTO sesh_schema (version) VALUES (%s)", (number,))


def is_current() -> Script[bool]:
    """Whether there is nothing to migrate, asked without rights to create anything."""
    there = yield Statement("SELECT to_regclass('sesh_schema') IS NOT NULL")
    if not there[0][0]:
        return False
    found = yield Statement("SELECT max(version) FROM sesh_schema")
    return not migrations.after("postgres", found[0][0] or 0, "the database")


def append(rows: list[MessageRow]) -> Script[None]:
    """Store the rows that are new; one transaction. Raises Clash.

    Arrays go in binary form (%b): as text, psycopg escapes them with a regular expression, at eight times the cost.
    """
    yield Statement(
        "SELECT pg_advisory_xact_lock(name) FROM (SELECT DISTINCT hashtextextended(thread, %s) AS name"
        " FROM unnest(%b::text[]) AS thread ORDER BY name) AS names",  # in one order, so that no two wait in a ring
        (_LOCKS, sorted({row.thread_id for row in rows})),
    )
    stored = yield Statement(
        "INSERT INTO sesh_messages (thread_id, id, run_id, record)"
        " SELECT thread_id, id, run_id, record"
        " FROM unnest(%b::text[], %b::text[], %b::text[], %b::text[])"
        " WITH ORDINALITY AS new (thread_id, id, run_id, record, place) ORDER BY place"
        " ON CONFLICT (thread_id, id) DO NOTHING RETURNING 1",
        (
            [row.thread_id for row in rows],
            [row.id for row in rows],
            [row.run_id for row in rows],
            [row.text.decode() for row in rows],
        ),
    )
    if len(stored) == len(rows):
        return
    found = yield Statement(
        "SELECT thread_id, id, record FROM sesh_messages WHERE (thread_id, id) IN"
        " (SELECT * FROM unnest(%b::text[], %b::text[]))",
        ([row.thread_id for row in rows], [row.id for row in rows]),
    )
    texts = {(thread_id, message_id): text for thread_id, message_id, text in found}
    for place, row in enumerate(rows):
        if not wire.same(texts[row.thread_id.encode(), row.id.encode()], row.text):
            raise Clash(place)


def put_thread(row: ThreadRow) -> Script[None]:
    """Add or replace a thread; one transaction."""
    values = (row.agent_id, row.parent_thread_id, row.text.decode(), row.id)
    update = Statement(
        "UPDATE sesh_threads SET agent_id = %s, parent_thread_id = %s, record = %s WHERE id = %s RETURNING 1", values
    )
    if (yield update):
        return
    yield _LOCK_THREADS
    if (yield update):
        return
    yield Statement(
        "INSERT INTO sesh_threads (agent_id, parent_thread_id, record, id) VALUES (%s, %s, %s, %s)",
        values,
    )


def get_thread(thread_id: str) -> Script[Thread | None]:
    """A thread's record."""
    found = yield Statement("SELECT record FROM sesh_threads WHERE id = %s", (thread_id,))
    return wire.load_thread(found[0][0]) if found else None


def list_threads(query: ThreadQuery) -> Script[list[Thread]]:
    """A page of threads. Raises UnknownCursor."""
    where, values = ["TRUE"], list[Any]()
    if query.after_id is not None:
        cursor = yield Statement("SELECT seq FROM sesh_threads WHERE id = %s", (query.after_id,))
        if not cursor:
            raise query.unknown_cursor()
        where.append("seq > %s")
        values.append(cursor[0][0])
    if query.agent_id is not None:
        where.append("agent_id = %s")
        values.append(query.agent_id)
    if query.parent_thread_id is not None:
        where.append("parent_thread_id = %s")
        values.append(query.parent_thread_id)
    if query.run_id is not None:
        where.append("id IN (SELECT thread_id FROM sesh_messages WHERE run_id = %s)")
        values.append(query.run_id)
    sql = f"SELECT record FROM sesh_threads WHERE {' AND '.join(where)} ORDER BY seq LIMIT %s"
    found = yield Statement(sql, (*values, query.limit))
    return [wire.load_thread(row[0]) for row in found]


def get_messages(query: MessageQuery) -> Script[list[Message]]:
    """A page of messages. Raises UnknownCursor."""
    where, values = ["thread_id = %s"], list[Any]([query.thread_id])
    if query.after_id is not None:
        cursor = yield Statement(
            "SELECT seq FROM sesh_messages WHERE thread_id = %s AND id = %s", (query.thread_id, query.after_id)
        )
        if not cursor:
            raise query.unknown_cursor()
        where.append("seq > %s")
        values.append(cursor[0][0])
    if query.run_id is not None:
        where.append("run_id = %s")
        values.append(query.run_id)
    sql = f"SELECT record FROM sesh_messages WHERE {' AND '.join(where)} ORDER BY seq LIMIT %s"
    found = yield Statement(sql, (*values, query.limit))
    return [wire.load_message(row[0]) for row in found]
