"""files/locks.py: who holds a lock, as the error of whoever waited for it says."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sesh.files.locks import Keeper, keeper, waiting_advice

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells who holds a lock")

HOLD = """
import fcntl, sys
f = open(sys.argv[1], "w")
fcntl.flock(f, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A lock that another process holds, and that process."""
    file = tmp_path / "a lock"
    command = [sys.executable, "-c", HOLD, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holding:
        assert holding.stdout is not None and holding.stdout.readline() == b"held\n"
        yield file, holding.pid
        holding.kill()


def test_the_process_that_holds_it(held: tuple[Path, int], tmp_path: Path) -> None:
    file, pid = held
    assert keeper(file) == Keeper(pid, stopped=False)
    assert str(keeper(file)) == f"process {pid}"
    assert f"`kill {pid}`" in waiting_advice(keeper(file))
    other = tmp_path / "another"
    other.touch()
    assert keeper(other) is None
    assert keeper(tmp_path / "nothing") is None


def test_one_that_is_stopped(held: tuple[Path, int]) -> None:
    file, pid = held
    os.kill(pid, signal.SIGSTOP)
    try:
        found = keeper(file)
        for _ in range(100):
            if found == Keeper(pid, stopped=True):
                break
            time.sleep(0.02)
            found = keeper(file)
        assert str(found) == f"process {pid}, which is stopped"
        assert f"`kill -CONT {pid}`" in waiting_advice(found)
    finally:
        os.kill(pid, signal.SIGCONT)
