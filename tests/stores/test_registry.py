"""A store by its URL, and third parties' schemes."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sesh.errors import SeshError, StoreFailed
from sesh.stores import append_all, open_store, registry
from sesh.stores.memory import MemoryMessageStore
from sesh.testing.store_suite import said, thread


class Minimal:
    """A third party's store: the five methods and nothing else."""

    def __init__(self, url: str) -> None:
        self.url = url
        inner = MemoryMessageStore()
        self.append_message, self.put_thread = inner.append_message, inner.put_thread
        self.get_thread, self.list_threads, self.get_messages = inner.get_thread, inner.list_threads, inner.get_messages


@pytest.fixture
def plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        EntryPoint("minimal", "tests.stores.test_registry:Minimal", registry.GROUP),
        EntryPoint("lacking", "builtins:str", registry.GROUP),
        EntryPoint("broken", "no_such_module_at_all:Store", registry.GROUP),
    ]
    monkeypatch.setattr(registry, "_entry_points", lambda: entries)


@pytest.mark.usefixtures("plugged_in")
def test_a_third_party() -> None:
    store = open_store("minimal:anything")
    assert isinstance(store, Minimal)
    assert store.url == "minimal:anything"
    append_all(store, [said("t", 1), said("t", 2)])
    assert store.get_messages("t", after_id="m1") == [said("t", 2)]
    assert registry.schemes()[-3:] == ("broken", "lacking", "minimal")


@pytest.mark.usefixtures("plugged_in")
def test_a_third_party_that_does_not_import() -> None:
    with pytest.raises(SeshError, match=r"does not import: .*no_such_module_at_all.*pip uninstall"):
        open_store("broken:x")


@pytest.mark.usefixtures("plugged_in")
def test_a_third_party_that_is_no_store() -> None:
    with pytest.raises(SeshError, match="five methods"):
        open_store("lacking:x")


def test_a_password_is_not_shown() -> None:
    with pytest.raises(registry.UnknownStore) as failure:
        open_store("postgress://me:hunter2@host/db?sslpassword=hunter2")
    assert "hunter2" not in str(failure.value)


@pytest.mark.parametrize("url", ["", "mongodb://x", "/a/path.db", "sqlite:", "jsonl:"])
def test_what_is_no_store_url(url: str) -> None:
    with pytest.raises(registry.UnknownStore) as failure:
        open_store(url)
    assert failure.value.exit_code == 2
    assert "sqlite:" in str(failure.value) or "jsonl:" in str(failure.value)


def test_without_psycopg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(StoreFailed, match="sesh-cli\\[postgres\\]"):
        open_store("postgresql://x/y")


def test_a_path_in_the_home_folder(private_home: Path) -> None:
    for url in ("sqlite:~/a/s.db", "jsonl:~/b"):
        store = open_store(url)
        store.put_thread(thread("t"))
        store.close()  # type: ignore[attr-defined]
    assert (private_home / "a/s.db").is_file()
    assert (private_home / "b/threads.jsonl").is_file()
