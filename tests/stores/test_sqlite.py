"""The SQLite store keeps the suite; and what is its own: migrations, damaged files, a disk that is really full."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from sesh.errors import StoreFailed
from sesh.stores import open_store
from sesh.stores.sqlite import SqliteMessageStore
from sesh.testing.store_suite import StoreSuite, said, thread


class TestSqlite(StoreSuite):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"sqlite:{tmp_path}/deep/store.db"

    def impossible_url(self) -> str:
        return "sqlite:/dev/null/store.db"


def test_a_file_that_is_something_else(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Buy milk. " * 100)
    with pytest.raises(StoreFailed, match="no SQLite file"):
        open_store(f"sqlite:{path}")
    assert path.read_text() == "Buy milk. " * 100


@pytest.mark.skipif(os.name == "nt", reason="Windows moves no file that is open")
@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
def test_a_file_that_goes_while_it_is_open(tmp_path: Path, how: str) -> None:
    """SQLite itself would go on writing to a file that nobody finds: what is acknowledged has to be there."""
    path = tmp_path / "s.db"
    with SqliteMessageStore(path) as store:
        store.append_message(said("t", 1))
        if how == "moved":
            path.rename(tmp_path / "kept.db")
        else:
            path.unlink()
        if how == "replaced":
            path.touch()
        for call in (lambda: store.append_message(said("t", 2)), lambda: store.put_thread(thread("t"))):
            with pytest.raises(StoreFailed, match="moved or deleted"):
                call()


def test_the_name_that_sqlite_takes_for_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with SqliteMessageStore(":memory:") as store:
        store.append_message(said("t", 1))
    with SqliteMessageStore(":memory:") as again:
        assert again.get_messages("t") == [said("t", 1)]


def test_a_store_of_a_newer_release(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    SqliteMessageStore(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreFailed, match="newer sesh"):
        SqliteMessageStore(path)


def test_records_are_text_that_any_sqlite_program_reads(tmp_path: Path) -> None:
    with SqliteMessageStore(tmp_path / "s.db") as store:
        store.append_message(said("t", 1, "grüße"))
    with sqlite3.connect(tmp_path / "s.db") as db:
        row = db.execute("SELECT json_extract(record, '$.content[0].text'), typeof(record) FROM messages").fetchone()
    assert row == ("grüße", "text")


def test_acknowledged_means_on_the_disk(tmp_path: Path) -> None:
    with SqliteMessageStore(tmp_path / "s.db") as store:
        assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_page_is_found_by_an_index(tmp_path: Path) -> None:
    with SqliteMessageStore(tmp_path / "s.db") as store:
        plan = store._db.execute(
            "EXPLAIN QUERY PLAN SELECT record FROM messages WHERE thread_id = 't' AND seq > 5 ORDER BY seq LIMIT 50"
        ).fetchall()
    assert "messages_in_order (thread_id=? AND seq>?)" in plan[0][3]
    assert len(plan) == 1, "no sorting"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    with SqliteMessageStore(tmp_path / "s.db") as store:
        store.put_thread(thread())
        store.append_message(said("t", 1))
        made = [p for p in (tmp_path / "s.db", *(tmp_path / "s.db").rglob("*.jsonl")) if p.is_file()]
        assert made
        assert {p.stat().st_mode & 0o077 for p in made} == {0}
