"""No space left: what was acknowledged stays, nothing torn is read, and with space again the same call succeeds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sesh.errors import StoreFailed
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
