"""kill -9 at every step of a handoff and a merge: nothing or the whole file, and the book agrees with the disk."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sesh.handoff import state
from tests.handoff.desk import Desk, prompts, read

KILLED = """
import os, signal, sys
from sesh.files import place
from sesh.cli.app import run
at, steps = int(sys.argv[1]), []
def step(name):
    steps.append(name)
    if len(steps) == at:
        os.kill(os.getpid(), signal.SIGKILL)
place.step = step
if sys.argv[2] == "named":
    place._open_nameless = lambda folder: None
code = run(sys.argv[3:])
print(len(steps), file=sys.stderr)
raise SystemExit(code)
"""


def run(desk: Desk, at: int, way: str, *args: str) -> subprocess.CompletedProcess[str]:
    """One command line of sesh, killed at its step `at` (0: never). Its stderr ends with the number of steps."""
    environment = {
        **{k: os.environ[k] for k in ("PATH", "PYTHONPATH") if k in os.environ},
        "HOME": str(desk.root / "home"),
        "SESH_HOME": str(desk.root / "sesh"),
    }
    command = [sys.executable, "-c", KILLED, str(at), way, *args]
    return subprocess.run(command, cwd=desk.cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(params=["nameless", "named"])
def way(request: pytest.FixtureRequest) -> str:
    """Both ways in which a file is made."""
    return str(request.param)


def test_a_handoff(desk: Desk, way: str) -> None:
    origin = desk.claude("2-1-328-agents/fc1dfa12-8221-4994-99d9-9b493fa4745e.jsonl")
    arguments = ("handoff", str(origin), "--to", "codex", "--cwd", str(desk.cwd))
    _killed_at_every_step(desk, way, arguments, desk.homes["codex"][1], prompts(origin))


def test_a_merge(desk: Desk, way: str) -> None:
    origin = desk.claude()
    target = desk.handoff(origin, "codex")
    desk.say(target, "New one")
    arguments = ("merge", str(target))
    wanted = [*prompts(origin), "New one"]
    _killed_at_every_step(desk, way, arguments, desk.homes["claude-code"][1], wanted)


def _killed_at_every_step(desk: Desk, way: str, arguments: tuple[str, ...], home: Path, wanted: list[str]) -> None:
    before = desk.root.with_name("before")
    shutil.copytree(desk.root, before, symlinks=True)
    there = _sessions(home)
    links = len(desk.book.links())
    whole = run(desk, 0, way, *arguments)
    assert whole.returncode == 0, whole.stderr
    steps = int(whole.stderr.splitlines()[-1])
    assert steps >= 6
    (made,) = _mains(desk, home) - there
    finished = _sessions(home)
    for at in range(1, steps + 1):
        shutil.rmtree(desk.root)
        shutil.copytree(before, desk.root, symlinks=True)
        killed = run(desk, at, way, *arguments)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        new = _mains(desk, home) - there
        assert new <= {made}
        assert not [p for p in home.rglob("*") if p.is_file() and p.name.startswith(".sesh") and way == "nameless"]
        known = desk.book.links()
        if new:
            assert prompts(made) == wanted
            assert len(known) == links + 1 and Path(known[-1].to.path) == made
            assert state.states(known, desk.homes)[-1].state == "untouched"
        else:
            assert len(known) == links, "a link whose file never came about is none"
        again = run(desk, 0, way, *arguments)
        assert again.returncode == 0, again.stderr
        assert _sessions(home) == finished, "the next run ends where the first one would have"
        assert prompts(made) == wanted and read(made).report.adds_up()
        assert len(desk.book.links()) == links + 1


def _sessions(home: Path) -> set[Path]:
    return {p for p in home.rglob("*") if p.is_file() and "locks" not in str(p)}


def _mains(desk: Desk, home: Path) -> set[Path]:
    """What the client would list: main session files."""
    provider = next(p for p, folder in desk.homes.values() if folder == home)
    found = set()
    for path in home.rglob("*.jsonl"):
        if provider.layout.is_session(path.relative_to(home)) and b'"thread_spawn"' not in path.read_bytes():
            found.add(path)
    return found
