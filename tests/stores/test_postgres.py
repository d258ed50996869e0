"""The Postgres store keeps the suite on a real server; and what is its own: lost connections, races, encodings."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from sesh.errors import StoreFailed
from sesh.stores import open_store
from sesh.testing.store_suite import StoreSuite, said, thread
from tests.stores.wire_cutter import WireCutter

if TYPE_CHECKING:
    from sesh.stores.postgres import PostgresMessageStore

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'sesh-cli[postgres]'")


def end_connections(url: str) -> None:
    """Make the server end every other connection to this database, as a restart or an administrator would."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


class TestPostgres(StoreSuite):
    files = False

    @pytest.fixture
    def url(self, postgres_url: str) -> str:
        return postgres_url

    def lose_connection(self, url: str) -> str | None:
        end_connections(url)
        return None

    def impossible_url(self) -> str:
        return "postgresql://postgres@127.0.0.1:1/nowhere"


@pytest.fixture
def cutter(postgres_url: str) -> Iterator[WireCutter]:
    parts = urlsplit(postgres_url)
    with WireCutter(parts.hostname or "127.0.0.1", parts.port or 5432) as between:
        yield between


def test_a_line_cut_at_any_moment_loses_nothing(postgres_url: str, cutter: WireCutter) -> None:
    """The connection breaks after so many bytes, from the first to beyond the commit: the call is made again."""
    url = cutter.url(postgres_url)
    with PostgresStore(url) as store:
        store.append_message(said("t", 0))
        for number, after in enumerate(range(0, 1500, 25), 1):
            cutter.cut_after(after)
            store.append_message(said("t", number))
        cutter.cut_after(None)
        assert [m.id for m in store.get_messages("t")] == [f"m{n}" for n in range(number + 1)]
    assert cutter.cuts > 20


def test_a_server_that_does_not_come_back(postgres_url: str, cutter: WireCutter) -> None:
    with PostgresStore(cutter.url(postgres_url), wait=0.2) as store:
        store.append_message(said("t", 0))
        cutter.close()
        with pytest.raises(StoreFailed, match="Is the server up") as failure:
            store.append_message(said("t", 1))
        assert "127.0.0.1" in str(failure.value)


def test_a_password_is_not_shown() -> None:
    with pytest.raises(StoreFailed) as failure:
        open_store("postgresql://me:hunter2@127.0.0.1:1/db")
    assert "hunter2" not in str(failure.value)
    assert "me:***@127.0.0.1:1/db" in str(failure.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://127.0.0.1:1/db?user=me&password=hunter2",
        "postgresql://me:hunter2%zz@127.0.0.1:1/db",
        "postgresql://me:hunter2@[::1/db",
        "postgresql://me:hunter2/@127.0.0.1:1/db",
    ],
)
def test_nor_is_one_that_the_driver_quotes(url: str) -> None:
    with pytest.raises(StoreFailed) as failure:
        open_store(url)
    assert "hunter2" not in str(failure.value)


def test_a_database_that_isolates_strictly(postgres_url: str) -> None:
    """The scripts ask for the isolation that they are written for, whatever the database's default is."""
    from sesh.stores.postgres_sql import Script, Statement

    def asked(seen: list[bytes]) -> Script[None]:
        seen.append((yield Statement("SHOW transaction_isolation"))[0][0])

    seen: list[bytes] = []
    name = urlsplit(postgres_url).path[1:]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE \"{name}\" SET default_transaction_isolation = 'serializable'")
    with PostgresStore(postgres_url) as store, PostgresStore(postgres_url) as other:
        for number in range(20):
            both = [
                threading.Thread(target=s.append_messages, args=([said("t", number), said("t", 1000 + number)],))
                for s in (store, other)
            ]
            for one in both:
                one.start()
            for one in both:
                one.join()
        assert len(store.get_messages("t")) == 40
        store._write(lambda: asked(seen))
    assert seen == [b"read committed"]


def test_several_make_the_tables_at_once(postgres_url: str) -> None:
    failures: list[Exception] = []

    def use(number: int) -> None:
        try:
            with PostgresStore(postgres_url) as store:
                store.put_thread(thread(f"t{number}"))
                store.put_thread(thread("shared"))
                store.append_messages([said(f"t{n}", number) for n in range(8)])
        except Exception as e:  # noqa: BLE001 - whatever it is, the test shows it
            failures.append(e)

    users = [threading.Thread(target=use, args=(n,)) for n in range(8)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert failures == []
    with PostgresStore(postgres_url) as store:
        assert {t.id for t in store.list_threads()} == {"shared", *(f"t{n}" for n in range(8))}
        assert all(len(store.get_messages(f"t{n}")) == 8 for n in range(8))


def test_a_reader_never_passes_a_message_that_is_not_committed_yet(postgres_url: str) -> None:
    """A transaction that appended and has not ended holds the next one of that thread back, not those of others."""
    from sesh.stores import postgres_link as link
    from sesh.stores import postgres_sql as scripts
    from sesh.stores.postgres import _run
    from sesh.stores.rows import message_row

    with PostgresStore(postgres_url) as store, psycopg.connect(postgres_url, **link.settings(postgres_url)) as slow:
        link.register(slow)
        second = threading.Thread(target=store.append_message, args=(said("t", 2),))
        with slow.transaction():
            _run(slow, scripts.append([message_row(said("t", 1))]))
            second.start()
            store.append_message(said("other", 1))
            assert store.get_messages("t") == []
        second.join()
        assert store.get_messages("t") == [said("t", 1), said("t", 2)]


def test_a_database_that_cannot_hold_every_text(postgres_url: str) -> None:
    name = urlsplit(postgres_url).path[1:] + "_latin"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE \"{name}\" ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        )
        try:
            with pytest.raises(StoreFailed, match="LATIN1"):
                open_store(postgres_url + "_latin")
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def test_a_store_of_a_newer_release(postgres_url: str) -> None:
    PostgresStore(postgres_url).close()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("INSERT INTO sesh_schema VALUES (99)")
    with pytest.raises(StoreFailed, match="newer sesh"):
        PostgresStore(postgres_url)


def test_records_can_be_queried_as_json(postgres_url: str) -> None:
    with PostgresStore(postgres_url) as store:
        store.append_message(said("t", 1, "grüße"))
    with psycopg.connect(postgres_url) as connection:
        found = connection.execute("SELECT record::jsonb #>> '{content,0,text}' FROM sesh_messages").fetchone()
    assert found == ("grüße",)


def PostgresStore(url: str, wait: float | None = None) -> PostgresMessageStore:
    from sesh.stores import postgres_link
    from sesh.stores.postgres import PostgresMessageStore

    if wait is None:
        return PostgresMessageStore(url)
    patch = pytest.MonkeyPatch()
    with patch.context() as p:
        p.setattr(postgres_link, "CONNECT_SECONDS", wait)
        return PostgresMessageStore(url)
