"""Waking up: at once at the beginning, then by signal or by the clock, until told to stop."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from sesh.files.follow import wakes


@pytest.fixture(params=["signals", "clock"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "clock":
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    else:
        pytest.importorskip("watchfiles", reason="the extra `watch` is not installed")
    return str(request.param)


def test_it_wakes_for_a_change(tmp_path: Path, way: str) -> None:
    stop = threading.Event()
    waking = wakes([tmp_path, tmp_path / "not there yet"], stop, poll_seconds=0.01)
    next(waking)
    (tmp_path / "new.jsonl").write_text("x")
    next(waking)
    stop.set()
    assert list(waking) in ([], [None])


def test_a_folder_that_comes_later(tmp_path: Path, way: str) -> None:
    stop, folder = threading.Event(), tmp_path / "later"
    waking = wakes([folder], stop, poll_seconds=0.01)
    next(waking)
    next(waking)
    folder.mkdir()
    next(waking)
    (folder / "new.jsonl").write_text("x")
    next(waking)
    stop.set()


def test_stopped_before_it_began(tmp_path: Path, way: str) -> None:
    stop = threading.Event()
    stop.set()
    assert list(wakes([tmp_path], stop)) == [None]
