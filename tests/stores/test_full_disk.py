"""No space left: what was acknowledged stays, nothing torn is read, and with space again the same call succeeds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from sesh.errors import StoreFailed
from sesh.format.blocks import TextBlock
from sesh.stores import Store, open_store
from sesh.testing.store_worker import made
from tests.stores.disk import small_disk


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 2048) as folder:
        yield folder


@pytest.mark.parametrize("scheme", ["jsonl", "sqlite"])
@pytest.mark.parametrize("batch", [1, 20])
def test_no_space_left(disk: Path, scheme: str, batch: int) -> None:
    ballast = disk / "ballast"
    ballast.write_bytes(b"x" * 500_000)
    messages = [made("thread-of-the-full-disk", "w", n, 9000) for n in range(400)]
    acknowledged = 0
    store = open_store(f"{scheme}:{disk}/store")
    assert isinstance(store, Store)
    with pytest.raises(StoreFailed, match=r"full|No space") as failure:
        for start in range(0, len(messages), batch):
            store.append_messages(messages[start : start + batch])
            acknowledged += batch
    assert failure.value.exit_code == 1
    assert acknowledged
    other = open_store(f"{scheme}:{disk}/store")
    assert isinstance(other, Store)
    for reader in (store, other):
        found = reader.get_messages("thread-of-the-full-disk")
        assert acknowledged <= len(found)
        assert found == messages[: len(found)]
    other.close()
    ballast.unlink()
    store.append_messages(messages[: acknowledged + batch])
    assert store.get_messages("thread-of-the-full-disk")[: acknowledged + batch] == messages[: acknowledged + batch]
    store.close()


def test_no_space_left_on_the_server(postgres_url: str) -> None:
    """A database whose files lie on a small disk: the server's own word for it, and no message lost or doubled."""
    import tempfile
    from urllib.parse import urlsplit

    psycopg = pytest.importorskip("psycopg")
    parts = urlsplit(postgres_url)
    if parts.hostname not in ("127.0.0.1", "localhost"):
        pytest.skip("a small disk needs a server on this machine")
    name = f"{parts.path[1:]}_small"
    with tempfile.TemporaryDirectory(prefix="sesh-disk-") as folder:
        Path(folder).chmod(0o755)  # pytest's own folders are closed to the server's user
        place = Path(folder) / "disk"
        with small_disk(place, 40_000, "postgres"), psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"CREATE TABLESPACE {name} LOCATION '{place}'")
            try:
                connection.execute(f"CREATE DATABASE {name} TABLESPACE {name} TEMPLATE template0")
                _fill(postgres_url + "_small")
            finally:
                connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
                connection.execute(f"DROP TABLESPACE {name}")


def _fill(url: str) -> None:
    store = open_store(url)
    assert isinstance(store, Store)
    noise = random.Random(1)
    messages = [
        msgspec.structs.replace(made("t", "w", n), content=[TextBlock(text=noise.randbytes(30_000).hex())])
        for n in range(2000)
    ]
    acknowledged = 0
    with pytest.raises(StoreFailed, match="disk is full"):
        for start in range(0, len(messages), 20):
            store.append_messages(messages[start : start + 20])
            acknowledged += 20
    assert acknowledged
    found = store.get_messages("t")
    assert found == messages[:acknowledged]
    store.close()
