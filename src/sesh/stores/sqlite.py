"""The default store: one SQLite file, by the standard library's driver.

Write-ahead logging lets readers page while one process appends; writers of several processes wait for each other.
`synchronous=FULL`: what a call acknowledged is on the disk when it returns.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any, Final

from sesh.errors import StoreFailed
from sesh.format import wire
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores import migrations
from sesh.stores.base import RowStore
from sesh.stores.queries import MessageQuery, ThreadQuery
from sesh.stores.rows import MessageRow, ThreadRow

_WAIT_SECONDS: Final = 60.0
_INSERT: Final = (
    "INSERT INTO messages (thread_id, id, run_id, record) VALUES (?, ?, ?, CAST(? AS TEXT))"
    " ON CONFLICT (thread_id, id) DO NOTHING"
)
_PUT: Final = (
    "INSERT INTO threads (id, agent_id, parent_thread_id, record) VALUES (?, ?, ?, CAST(? AS TEXT)) ON CONFLICT (id)"
    " DO UPDATE SET agent_id = excluded.agent_id, parent_thread_id = excluded.parent_thread_id,"
    " record = excluded.record"
)


class SqliteMessageStore(RowStore):
    """`sqlite:FILE`. The file and its folder are made where they are missing. One connection, safe for threads."""

    def __init__(self, path: Path | str) -> None:
        super().__init__()
        # Whole, because SQLite takes the bare name `:memory:` for no file.
        self.path: Final = Path(path).expanduser().absolute()
        self._lock: Final = RLock()
        with self._failing():
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # A new file is its owner's alone, as the clients' own sessions are; SQLite would ask the umask only.
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            self._db: Final = sqlite3.connect(
                self.path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._file: Final = _identity(self.path)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        self._db.execute("PRAGMA synchronous = FULL")
        if self._db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            self._db.execute("PRAGMA journal_mode = WAL")
        if not self._missing():
            return
        with self._transaction():
            for number, sql in self._missing():  # asked again: another process may have done it meanwhile
                for statement in _statements(sql):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {number}")

    def _missing(self) -> list[migrations.Migration]:
        return migrations.after("sqlite", self._db.execute("PRAGMA user_version").fetchone()[0], str(self.path))

    def _insert(self, rows: list[MessageRow]) -> int | None:
        with self._lock, self._failing(), self._transaction():
            values = ((row.thread_id, row.id, row.run_id, row.text) for row in rows)
            if self._db.executemany(_INSERT, values).rowcount == len(rows):
                return None
            for place, row in enumerate(rows):
                if not wire.same(self._text(row), row.text):
                    self._db.execute("ROLLBACK")
                    return place
        return None

    def _text(self, row: MessageRow) -> bytes:
        found = self._db.execute(
            "SELECT CAST(record AS BLOB) FROM messages WHERE thread_id = ? AND id = ?", (row.thread_id, row.id)
        ).fetchone()
        text: bytes = found[0]
        return text

    def _put(self, row: ThreadRow) -> None:
        with self._lock, self._failing(), self._transaction():
            self._db.execute(_PUT, row)

    def _thread(self, thread_id: str) -> Thread | None:
        found = self._rows("SELECT CAST(record AS BLOB) FROM threads WHERE id = ?", [thread_id])
        return wire.load_thread(found[0][0]) if found else None

    def _threads(self, query: ThreadQuery) -> list[Thread]:
        where, values = ["TRUE"], list[Any]()
        if query.after_id is not None:
            cursor = self._rows("SELECT seq FROM threads WHERE id = ?", [query.after_id])
            if not cursor:
                raise query.unknown_cursor()
            where.append("seq > ?")
            values.append(cursor[0][0])
        if query.agent_id is not None:
            where.append("agent_id = ?")
            values.append(query.agent_id)
        if query.parent_thread_id is not None:
            where.append("parent_thread_id = ?")
            values.append(query.parent_thread_id)
        if query.run_id is not None:
            where.append("id IN (SELECT thread_id FROM messages WHERE run_id = ?)")
            values.append(query.run_id)
        sql = f"SELECT CAST(record AS BLOB) FROM threads WHERE {' AND '.join(where)} ORDER BY seq LIMIT ?"
        return [wire.load_thread(r[0]) for r in self._rows(sql, [*values, _limit(query.limit)])]

    def _messages(self, query: MessageQuery) -> list[Message]:
        where, values = ["thread_id = ?"], list[Any]([query.thread_id])
        if query.after_id is not None:
            cursor = self._rows(
                "SELECT seq FROM messages WHERE thread_id = ? AND id = ?", [query.thread_id, query.after_id]
            )
            if not cursor:
                raise query.unknown_cursor()
            where.append("seq > ?")
            values.append(cursor[0][0])
        if query.run_id is not None:
            where.append("run_id = ?")
            values.append(query.run_id)
        sql = f"SELECT CAST(record AS BLOB) FROM messages WHERE {' AND '.join(where)} ORDER BY seq LIMIT ?"
        return [wire.load_message(r[0]) for r in self._rows(sql, [*values, _limit(query.limit)])]

    def close(self) -> None:
        """See Store."""
        with self._lock:
            self._db.close()

    def _rows(self, sql: str, values: list[Any]) -> list[Any]:
        with self._lock, self._failing():
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A write transaction, committed at the end unless it was rolled back inside; rolled back where that fails.

        Raises StoreFailed where the file is no longer the one that was opened: SQLite would go on writing to what
        nobody finds any more.
        """
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            if self._db.in_transaction:
                if _identity(self.path) != self._file:
                    raise StoreFailed(
                        f"The store {self.path} was moved or deleted while it was open.",
                        hint="What was stored is in the file that was moved; this call is not. Run it again.",
                    )
                self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """The driver's and the system's errors as StoreFailed, with the next step."""
        try:
            yield
        except sqlite3.Error as e:
            raise StoreFailed(f"The store {self.path}: {e}.", hint=_hint(e)) from e
        except OSError as e:
            raise StoreFailed(f"The store {self.path}: {e.strerror or e}.") from e


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file it is; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _limit(limit: int | None) -> int:
    """SQLite's word for no limit is a negative one."""
    return -1 if limit is None else limit


def _statements(sql: str) -> Iterator[str]:
    """The statements of a migration, which `executescript` would run outside of our transaction."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _hint(error: sqlite3.Error) -> str | None:
    match getattr(error, "sqlite_errorname", "").split("_")[:2]:
        case ["SQLITE", "FULL"]:
            return "Free some space and run it again; what was stored is kept."
        case ["SQLITE", "BUSY"]:
            return f"Another process has been writing to it for {_WAIT_SECONDS:.0f} s; try again."
        case ["SQLITE", "NOTADB" | "CORRUPT"]:
            return "It is no SQLite file, or damaged; name another file after `sqlite:`."
        case _:
            return None
