"""files/live.py: who has a session open, from the very files that the clients leave."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sesh.files.live import holder
from sesh.files.locks import held_by_another
from sesh.providers import registry

SESSION = "01a22dbd-6abe-7901-a7da-f61b02805c1f"


def codex_lock(home: Path) -> Path:
    lock = home / "thread-writer-locks" / f"{SESSION}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    return lock


def test_codex_holds_a_lock_while_it_has_the_thread_open(tmp_path: Path) -> None:
    lock = codex_lock(tmp_path)
    codex = registry.get("codex")
    assert holder(codex, tmp_path, SESSION) is None  # a lock file that nobody holds is left by every run
    with lock.open() as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        found = holder(codex, tmp_path, SESSION)
        assert found is not None and str(found) == "Codex" and found.sign == lock
        assert holder(codex, tmp_path, "01a22dbd-6abe-7901-a7da-000000000000") is None
    assert holder(codex, tmp_path, SESSION) is None


def test_asking_for_a_lock_does_not_keep_it(tmp_path: Path) -> None:
    lock = codex_lock(tmp_path)
    assert not held_by_another(lock)
    with lock.open() as f:
        fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)


def entry(home: Path, pid: int, **fields: object) -> None:
    folder = home / "sessions"
    folder.mkdir(exist_ok=True)
    (folder / f"{pid}.json").write_text(json.dumps({"pid": pid, "sessionId": SESSION, **fields}))


def start_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_claude_code_is_looked_up_in_its_registry(tmp_path: Path) -> None:
    claude = registry.get("claude-code")
    assert holder(claude, tmp_path, SESSION) is None
    entry(tmp_path, os.getpid(), procStart=start_of(os.getpid()))
    found = holder(claude, tmp_path, SESSION)
    assert found is not None and found.pid == os.getpid() and str(found) == f"Claude Code (process {os.getpid()})"
    assert holder(claude, tmp_path, "another") is None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_an_entry_of_a_process_that_is_gone_or_another_by_now_does_not_count(tmp_path: Path) -> None:
    claude = registry.get("claude-code")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    entry(tmp_path, gone.pid)
    assert holder(claude, tmp_path, SESSION) is None
    entry(tmp_path, os.getpid(), procStart="1")  # the number was given to a new process
    assert holder(claude, tmp_path, SESSION) is None


def test_a_broken_registry_is_no_reason_to_stop(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "1.json").write_text("{")
    (folder / "2.json").write_text("[1]")
    (folder / "3.json").write_text(json.dumps({"pid": "x", "sessionId": SESSION}))
    assert holder(registry.get("claude-code"), tmp_path, SESSION) is None
