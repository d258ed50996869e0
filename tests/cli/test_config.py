"""Settings: the file, then the environment, then flags; a wrong one is said, not passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesh.cli import config
from tests.cli.conftest import Sesh


@pytest.fixture
def file(demo_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The config file, not there yet."""
    path = demo_home / "c.toml"
    monkeypatch.setenv("SESH_CONFIG", str(path))
    return path


def count(sesh: Sesh, *arguments: str) -> int:
    """How many sessions are listed."""
    return len(sesh("list", "--json", *arguments).json["sessions"])


def test_later_wins(sesh: Sesh, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert count(sesh) == 2
    file.write_text('[list]\nprovider = ["codex"]\n')
    assert count(sesh) == 1
    file.write_text("[list]\nlimit = 1\n")
    assert count(sesh) == 1
    monkeypatch.setenv("SESH_LIST_LIMIT", "2")
    assert count(sesh) == 2
    assert count(sesh, "--limit", "1") == 1


def test_doctor_says_where_values_come_from(sesh: Sesh, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('[list]\nlimit = 1\n[handoff]\ntools = "native"\n[show]\nnonsense = 1\n')
    monkeypatch.setenv("SESH_LIST_LIMIT", "2")
    document = sesh("doctor", "--json").json
    assert document["settings"] == [
        {"name": "list.limit", "value": 1, "from": str(file)},
        {"name": "handoff.tools", "value": "native", "from": str(file)},
        {"name": "show.nonsense", "value": 1, "from": str(file)},
        {"name": "config file", "value": str(file), "from": "$SESH_CONFIG"},
        {"name": "list.limit", "value": "2", "from": "$SESH_LIST_LIMIT"},
    ]
    assert any("show.nonsense" in p for p in document["problems"])


def test_a_variable_of_no_option_is_said(sesh: Sesh, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESH_LIST_LIMITS", "1")
    ran = sesh("list")
    assert ran.code == 2 and "$SESH_LIST_LIMITS: `sesh list` has no such option. It has provider," in ran.err
    assert sesh("links").code == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[list\n", "is no TOML"),
        ("limit = 1\n", "stands outside of a table"),
        ("[list]\nlimits = 1\n", "has no option 'limits'"),
        ("[list]\nlimit = 'many'\n", "not a valid"),
    ],
)
def test_a_wrong_file_is_said(sesh: Sesh, file: Path, text: str, says: str) -> None:
    file.write_text(text)
    ran = sesh("list")
    assert ran.code == 2
    assert says in ran.err


def test_where_the_file_is() -> None:
    assert config.file({"SESH_CONFIG": "/c.toml", "SESH_HOME": "/s"}) == Path("/c.toml")
    assert config.file({"SESH_HOME": "/s"}) == Path("/s/config.toml")
    assert config.file({}).name == "config.toml"
