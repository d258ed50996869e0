"""The command line in this process: arguments in; exit code, stdout and stderr out."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from sesh.cli.app import run

DEMO = Path(str(files("sesh") / "demo"))
CLAUDE = DEMO / "claude-code/projects/-home-ada-orchard/7c9e6a54-2b1d-4f3a-9a0e-5d1f0c8b7e21.jsonl"
CODEX = DEMO / "codex/sessions/2026/11/20/rollout-2026-11-20T14-00-00-01a1fd2e-6c00-7a41-b3d5-2f6e1c9a8d70.jsonl"


@dataclass(frozen=True)
class Ran:
    """How a run ended, and what it printed."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        """stdout as text."""
        return self.raw.decode()

    @property
    def json(self) -> Any:
        """stdout as the one JSON document that it must be."""
        return json.loads(self.raw)


Sesh = Callable[..., Ran]


@pytest.fixture
def sesh(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Sesh:
    """Run `sesh` with these arguments. `stdin` are bytes to read."""
    for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "PAGER", "SESH_PAGER"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str | Path, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfdbinary.readouterr()
        code = run([str(a) for a in arguments])
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return Ran(code, captured.out, captured.err.decode())

    return call


@pytest.fixture
def demo_home(private_home: Path) -> Path:
    """A home with the two bundled sessions in it, as their clients would have left them."""
    shutil.copytree(DEMO / "claude-code", private_home / ".claude")
    shutil.copytree(DEMO / "codex", private_home / ".codex")
    return private_home
