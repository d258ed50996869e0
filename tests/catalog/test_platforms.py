"""Paths of Windows and macOS, as far as they can be told without the platform."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from sesh.catalog.resolve import _looks_like_path
from sesh.cli import table
from sesh.export.redact import text
from sesh.providers import registry
from sesh.providers.claude_code.layout import munge


@pytest.mark.parametrize(
    ("name", "windows", "mac"),
    [
        ("claude-code", r"C:\Users\Ada\.claude", "/Users/ada/.claude"),
        ("codex", r"C:\Users\Ada\.codex", "/Users/ada/.codex"),
    ],
)
def test_homes(name: str, windows: str, mac: str) -> None:
    layout = registry.get(name).layout
    assert layout.home({}, PureWindowsPath(r"C:\Users\Ada")) == PureWindowsPath(windows)
    assert layout.home({}, PurePosixPath("/Users/ada")) == PurePosixPath(mac)
    variable = registry.get(name).home_variable
    assert variable is not None
    named = layout.home({variable: r"D:\clients\x"}, PureWindowsPath(r"C:\Users\Ada"))
    assert named == PureWindowsPath(r"D:\clients\x")


def test_claude_codes_folder_names() -> None:
    assert munge(r"C:\Users\Ada\my proj") == "C--Users-Ada-my-proj"
    assert munge("/Users/ada/Öl") == "-Users-ada--l"


def test_windows_paths_are_seen_as_paths() -> None:
    assert _looks_like_path(r"C:\Users\Ada\x.jsonl")
    assert _looks_like_path(r"sessions\x")
    assert not _looks_like_path("codex:01a2")
    assert not _looks_like_path("fix a/b in the parser")


@pytest.mark.parametrize(
    ("home", "path", "shown"),
    [
        (r"C:\Users\Ada", r"C:\Users\Ada\orchard", r"~\orchard"),
        (r"C:\Users\Ada", r"C:\Users\Adam", r"C:\Users\Adam"),
        ("/Users/ada", "/Users/ada", "~"),
    ],
)
def test_the_home_is_a_tilde_on_every_platform(
    monkeypatch: pytest.MonkeyPatch, home: str, path: str, shown: str
) -> None:
    monkeypatch.setattr(Path, "home", lambda: home)
    assert table.folder(path) == shown


def test_redaction_knows_the_homes_of_all_three() -> None:
    from collections import Counter

    removed: Counter[str] = Counter()
    line = text(r"C:\Users\Ada\x and C:\\Users\\Ada\\x and /Users/ada/x and /home/ada/x", removed)
    assert "da\\" not in line
    assert "ada" not in line
    assert removed == {"home folder": 4}
