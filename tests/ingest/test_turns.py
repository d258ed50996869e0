"""Several processes at one session: nothing that one of them took is taken for what the client went back behind."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from sesh.errors import StoreFailed
from sesh.ingest import onward, session, turns
from sesh.ingest.thread import Mark, grow, put
from sesh.ingest.turns import turn
from sesh.stores import MessageStore, open_store
from tests.ingest.roads import Roads, Whole, contents
from tests.ingest.test_onward import begun, goes_short

HOLD = """
import sys
from pathlib import Path
from sesh.ingest.turns import turn
with turn(Path(sys.argv[1]), Path(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.read()
"""


def left(store: MessageStore) -> list[str]:
    """All ids that threads name as left."""
    return [i for t in store.list_threads() for i in (t.metadata or {}).get("left", [])]


def overtaken(road: Callable[..., Any], roads: Roads, more: Iterator[bytes], other: Whole) -> Callable[..., Any]:
    """A step of a take, after which, the first time, another process takes more of the file."""
    waits = [True]

    def step(*what: Any) -> Any:
        found = road(*what)
        if waits and waits.pop():
            for _ in range(30):
                roads.add(next(more))
            other.take(roads.path, roads.path.stat().st_mtime_ns)
        return found

    return step


@pytest.mark.parametrize("kind", ["claude", "codex"])
@pytest.mark.parametrize("road", ["short", "whole"])
def test_another_process_takes_more_meanwhile(
    kind: str, road: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roads, more = begun(tmp_path, kind)
    assert goes_short(roads, more)
    roads.add(next(more))
    points = roads.points if road == "short" else None
    one, other = (Whole(roads.short, roads.book, {}, points=points) for _ in range(2))
    with monkeypatch.context() as patched:
        module, name = (onward, "grown") if road == "short" else (session, "open_session")
        patched.setattr(module, name, overtaken(getattr(module, name), roads, more, other))
        one.take(roads.path, roads.path.stat().st_mtime_ns)
    assert one.read_whole and not left(roads.short)
    Whole(roads.long, roads.book, {}).take(roads.path, roads.path.stat().st_mtime_ns)
    assert contents(roads.short) == contents(roads.long)
    goes_short(roads, more)
    assert goes_short(roads, more)


def test_an_end_is_never_compared_with_a_thread() -> None:
    from tests.ingest.test_settle import told

    store, messages = open_store("memory:"), told("uaua")
    growth = grow(store, None, "t", "x:s", messages, 4)
    thread = session.Thread(id="t", created_at="")
    put(store, None, thread, {"x:s": growth.mark}, growth)
    assert growth.mark == Mark(messages=4, settled=4, last="3")
    with pytest.raises(AssertionError):
        grow(store, thread, "t", "x:s", messages[2:], 2, before=2)


def refused(folder: Path, session: Path) -> str:
    """What is said where a turn does not come. (A traceback that is kept would keep the lock.)"""
    try:
        with turn(folder, session):
            return "it came"
    except StoreFailed as e:
        return str(e)


def test_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.jsonl"
    with (
        subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as held,
        monkeypatch.context() as patched,
    ):
        assert held.stdout is not None and held.stdout.readline() == b"held\n"
        patched.setattr(turns, "_WAIT_SECONDS", 0.1)
        said = refused(tmp_path, path)
        assert "Another sesh" in said and str(path) in said
        if sys.platform.startswith("linux"):
            assert f"(process {held.pid})" in said and f"`kill {held.pid}`" in said
        with turn(tmp_path, tmp_path / "another.jsonl"):
            pass
        held.communicate(b"")
    with turn(tmp_path, path), turn(tmp_path, path):
        pass
    [*locks] = (tmp_path / "turns").iterdir()
    assert len(locks) == 2
    with FileLock(locks[0], timeout=1):
        pass


def test_no_folder_for_locks(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with turn(tmp_path / "file", tmp_path / "s.jsonl"):
        pass
