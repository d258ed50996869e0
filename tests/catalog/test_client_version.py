"""The version to write for: by the newest session that the client began, by the program, and the older of both."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sesh.catalog.client_version import client_version, program_version, session_version
from sesh.providers import registry

CODEX = registry.get("codex")


def rollout(home: Path, second: int, version: str, **meta: object) -> None:
    thread = f"01a1f866-0d00-7226-b63c-{second:012d}"
    folder = home / "sessions/2026/11/20"
    folder.mkdir(parents=True, exist_ok=True)
    payload = {"id": thread, "timestamp": "2026-11-20T10:00:00Z", "cwd": "/w", "cli_version": version, **meta}
    line = {"timestamp": "2026-11-20T10:00:00Z", "type": "session_meta", "payload": payload}
    path = folder / f"rollout-2026-11-20T10-00-{second:02d}-{thread}.jsonl"
    path.write_text(json.dumps(line) + "\n")
    os.utime(path, (1_700_000_000 + second, 1_700_000_000 + second))


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `codex` on PATH that says 0.142.0."""
    folder = tmp_path / "bin"
    folder.mkdir()
    file = folder / "codex"
    file.write_text("#!/bin/sh\necho codex-cli 0.142.0\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return file


def test_the_newest_session_tells(tmp_path: Path) -> None:
    rollout(tmp_path, 1, "0.104.0")
    rollout(tmp_path, 2, "0.169.0")
    assert session_version(CODEX, tmp_path) == "0.169.0"


def test_what_sesh_made_tells_nothing(tmp_path: Path) -> None:
    rollout(tmp_path, 1, "0.142.0")
    stamp = {"provider": "claude-code", "sessionId": "s"}
    rollout(tmp_path, 2, "0.169.0", sesh=stamp)
    assert session_version(CODEX, tmp_path) == "0.142.0"


def test_a_version_that_is_no_version_is_passed_over(tmp_path: Path) -> None:
    rollout(tmp_path, 1, "0.142.0")
    rollout(tmp_path, 2, "nightly")
    assert session_version(CODEX, tmp_path) == "0.142.0"


def test_an_empty_or_absent_folder_tells_nothing(tmp_path: Path) -> None:
    assert session_version(CODEX, tmp_path) is None
    assert session_version(CODEX, tmp_path / "nowhere") is None


def test_the_program_tells(program: Path) -> None:
    assert program_version(CODEX) == "0.142.0"


def test_a_program_that_fails_tells_nothing(program: Path) -> None:
    program.write_text("#!/bin/sh\necho 0.1; exit 3\n")
    assert program_version(CODEX) is None


def test_the_older_of_both_counts(tmp_path: Path, program: Path) -> None:
    home = tmp_path / "codex"
    rollout(home, 1, "0.169.0")
    assert client_version(CODEX, home) == "0.142.0"
    program.write_text("#!/bin/sh\necho codex-cli 0.170.0\n")
    assert client_version(CODEX, home) == "0.169.0"


def test_neither_is_no_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert client_version(CODEX, tmp_path) is None
