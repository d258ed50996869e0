"""The store of plain files keeps the suite; and what is its own: torn lines, file names, damage, other writers."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sesh.errors import Conflict, StoreFailed
from sesh.format import wire
from sesh.stores.jsonl import JsonlMessageStore, file_name
from sesh.stores.jsonl_file import RecordFile
from sesh.stores.jsonl_index import OffsetIndex
from sesh.testing.store_suite import HOSTILE_IDS, StoreSuite, said, thread

NAME = "thread-with-a-plain-id"


class TestJsonl(StoreSuite):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"jsonl:{tmp_path}/deep/store"

    def impossible_url(self) -> str:
        return "jsonl:/dev/null/store"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JsonlMessageStore]:
    with JsonlMessageStore(tmp_path) as opened:
        yield opened


def log(tmp_path: Path) -> Path:
    return tmp_path / "messages" / f"{NAME}.jsonl"


def test_the_files_are_canonical_json_lines(store: JsonlMessageStore, tmp_path: Path) -> None:
    store.put_thread(thread(NAME))
    store.append_messages([said(NAME, 1), said(NAME, 2)])
    assert (tmp_path / "threads.jsonl").read_bytes() == wire.encode(thread(NAME)) + b"\n"
    assert log(tmp_path).read_bytes() == wire.encode(said(NAME, 1)) + b"\n" + wire.encode(said(NAME, 2)) + b"\n"


def test_every_cut_of_the_last_line_is_survived(tmp_path: Path) -> None:
    first, second = said(NAME, 1), said(NAME, 2, "wörds\n" * 3)
    whole = wire.encode(first) + b"\n"
    last = wire.encode(second)
    for cut in range(1, len(last) + 1):
        folder = tmp_path / str(cut)
        (folder / "messages").mkdir(parents=True)
        log(folder).write_bytes(whole + last[:cut])
        store = JsonlMessageStore(folder)
        assert store.get_messages(NAME) == [first], "a reader takes whole lines only"
        store.append_message(said(NAME, 3))
        if cut == len(last):  # only the line feed was missing: the record is there
            assert store.get_messages(NAME) == [first, second, said(NAME, 3)]
            assert "lacked its line feed" in store.notes[0]
            assert not (folder / "messages/torn.jsonl").exists()
        else:
            assert store.get_messages(NAME) == [first, said(NAME, 3)]
            assert f"torn ({cut} bytes at {len(whole)}" in store.notes[0]
            [entry] = (folder / "messages/torn.jsonl").read_text().splitlines()
            assert json.loads(entry)["offset"] == len(whole)
            assert json.loads(entry)["text"].encode()[:10] == last[:cut][:10]
        assert log(folder).read_bytes().endswith(b"}\n")


def test_a_torn_thread_record(tmp_path: Path) -> None:
    (tmp_path / "threads.jsonl").write_bytes(wire.encode(thread("a")) + b"\n" + wire.encode(thread("b"))[:-5])
    with JsonlMessageStore(tmp_path) as store:
        assert [t.id for t in store.list_threads()] == ["a"]
        store.put_thread(thread("c"))
        assert [t.id for t in store.list_threads()] == ["a", "c"]
        assert "threads.jsonl: the last line was torn" in store.notes[0]


def test_a_damaged_line_is_named_and_the_rest_is_read(store: JsonlMessageStore, tmp_path: Path) -> None:
    store.append_messages([said(NAME, 1), said(NAME, 2)])
    log(tmp_path).write_bytes(log(tmp_path).read_bytes().replace(b'"content":', b'"content"#', 1))
    assert store.get_messages(NAME) == [said(NAME, 2)]
    assert len(store.notes) == 1
    assert f"{NAME}.jsonl: what stands at byte 0 is left out: not JSON" in store.notes[0]
    with pytest.raises(Conflict):
        store.append_message(said(NAME, 1))


def test_a_thread_record_of_another_program_whose_id_is_none(store: JsonlMessageStore, tmp_path: Path) -> None:
    store.put_thread(thread("a"))
    with (tmp_path / "threads.jsonl").open("ab") as f:
        f.write(b'{"v":1,"id":"","createdAt":""}\n{"v":1,"id":"nul \\u0000","createdAt":""}\n')
    store.put_thread(thread("b"))
    assert [t.id for t in store.list_threads()] == ["a", "b"]
    assert len(store.notes) == 2


def test_files_that_were_cut_short_or_replaced(store: JsonlMessageStore, tmp_path: Path) -> None:
    """Somebody puts back an older copy while the store is open: what is there counts, and nothing is made up."""
    store.put_thread(thread(NAME))
    store.append_messages([said(NAME, n) for n in range(3)])
    first = wire.encode(said(NAME, 0)) + b"\n"
    log(tmp_path).write_bytes(first)
    store.append_message(said(NAME, 3))
    assert log(tmp_path).read_bytes() == first + wire.encode(said(NAME, 3)) + b"\n"
    assert store.notes == [f"{NAME}.jsonl: another program replaced it or cut it short; it was read anew."]

    copy = tmp_path / "copy"
    copy.write_bytes(b"".join(wire.encode(said(NAME, n)) + b"\n" for n in range(10, 20)))
    copy.replace(log(tmp_path))
    store.append_messages([said(NAME, 3), said(NAME, 10), said(NAME, 20)])
    assert [m.id for m in store.get_messages(NAME)] == [f"m{n}" for n in (*range(10, 20), 3, 20)]

    (tmp_path / "threads.jsonl").write_bytes(b"")
    assert store.list_threads() == []
    store.put_thread(thread("b"))
    assert [t.id for t in store.list_threads()] == ["b"]


def test_a_folder_that_was_deleted(store: JsonlMessageStore, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with JsonlMessageStore(folder) as store:
        store.put_thread(thread(NAME))
        store.append_message(said(NAME, 1))
        shutil.rmtree(folder)
        assert store.get_messages(NAME) == store.list_threads() == []
        store.append_message(said(NAME, 2))
        store.put_thread(thread("b"))
    with JsonlMessageStore(folder) as again:
        assert [m.id for m in again.get_messages(NAME)] == ["m2"]
        assert [t.id for t in again.list_threads()] == ["b"]
    assert os.name == "nt" or folder.stat().st_mode & 0o077 == 0


def test_a_torn_line_that_is_taken_away_while_it_is_read(tmp_path: Path) -> None:
    """A reader is in the middle of a long torn line when the next writer puts a record in its place."""
    path = tmp_path / "log.jsonl"
    first = wire.encode(said(NAME, 0)) + b"\n"
    path.write_bytes(first + wire.encode(said(NAME, 1, "x" * 900_000))[:-1])
    lines = RecordFile(path, print).lines(0)
    assert next(lines).data + b"\n" == first
    with path.open("r+b") as f:
        f.truncate(len(first))
    there = wire.encode(said(NAME, 2, "y" * 890_000)) + b"\n" + wire.encode(said(NAME, 3)) + b"\n"
    with path.open("ab") as f:
        f.write(there)
    seen = [line.data for line in lines]
    assert seen == there.splitlines()[: len(seen)]


def test_lines_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    sizes = (10, 70_000, 5_000_000, 3, 0, 65_536, 65_535, 1_048_576, 200_000, 1)
    whole = [bytes([97 + n]) * size for n, size in enumerate(sizes)]
    path.write_bytes(b"\n".join(whole) + b"\n" + b"torn" * 300_000)
    for start in range(len(whole)):
        offset = sum(len(line) + 1 for line in whole[:start])
        found = list(RecordFile(path, print).lines(offset))
        assert [line.data for line in found] == whole[start:]
        assert found[0].offset == offset


def test_a_record_written_by_another_program(store: JsonlMessageStore, tmp_path: Path) -> None:
    theirs = b'{"role":"user","ts":"","content":[],"threadId":"%s","id":"theirs","v":1}' % NAME.encode()
    log(tmp_path).write_bytes(theirs + b"\n")
    store.append_message(said(NAME, 1))
    assert [m.id for m in store.get_messages(NAME)] == ["theirs", "m1"]
    assert store.get_messages(NAME, after_id="theirs") == [said(NAME, 1)]
    store.append_message(wire.load_message(theirs))
    assert len(store.get_messages(NAME)) == 2


def test_file_names() -> None:
    assert file_name("01a2f000-0000-7000-8000-0000000000aa") == "01a2f000-0000-7000-8000-0000000000aa.jsonl"
    names = [file_name(i) for i in HOSTILE_IDS]
    assert len({n.lower() for n in names}) == len(HOSTILE_IDS)
    for name in names:
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
        assert 12 < len(name) < 120


def test_more_threads_than_are_kept_open(store: JsonlMessageStore) -> None:
    for n in range(5):
        store.append_messages([said(f"thread-number-{t}", n) for t in range(40)])
    assert all(len(store.get_messages(f"thread-number-{t}", after_id="m1")) == 3 for t in range(40))
    assert len(store._open) == 16


def test_a_lock_that_is_never_released(
    store: JsonlMessageStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from filelock import FileLock

    monkeypatch.setattr(store._file_lock, "timeout", 0)
    with FileLock(tmp_path / "lock"), pytest.raises(StoreFailed, match="Another process"):
        store.append_message(said(NAME, 1))
    store.append_message(said(NAME, 1))


def test_the_index_never_misses_and_seldom_errs() -> None:
    index = OffsetIndex()
    for n in range(50_000):
        index.add(b"id-%d" % n, n * 1000)
    assert all(n * 1000 in index.maybe(b"id-%d" % n) for n in range(50_000))
    assert sum(len(list(index.maybe(b"other-%d" % n))) for n in range(50_000)) < 5


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    with JsonlMessageStore(tmp_path / "store") as store:
        store.put_thread(thread(NAME))
        store.append_message(said(NAME, 1))
        made = [p for p in (tmp_path / "store", *(tmp_path / "store").rglob("*.jsonl")) if p.is_file()]
        assert made
        assert {p.stat().st_mode & 0o077 for p in made} == {0}
