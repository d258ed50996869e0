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


@pytest.mark.parametrize(
    ("name", "says"),
    [("SESH_LST_LIMIT", "Is $SESH_LIST_LIMIT meant?"), ("SESH_PAGERS", "Is $SESH_PAGER meant?")],
)
def test_a_misspelt_variable_is_said(
    sesh: Sesh, file: Path, monkeypatch: pytest.MonkeyPatch, name: str, says: str
) -> None:
    monkeypatch.setenv(name, "1")
    ran = sesh("list")
    assert ran.code == 2 and f"${name} is no setting of sesh. {says}" in ran.err
    assert f"${name} is no setting of sesh. {says}" in sesh("doctor", "--json").json["problems"]


@pytest.mark.parametrize("text", ["[list", "limit = 1", "[lst]\na = 1", "[doctor]\nx = 1"])
def test_doctor_runs_whatever_the_settings(sesh: Sesh, file: Path, text: str) -> None:
    file.write_text(text)
    ran = sesh("doctor", "--json")
    assert ran.code == 0 and any(str(file) in problem for problem in ran.json["problems"])


def test_a_variable_of_somebody_else_is_left_alone(sesh: Sesh, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESH_CLIENTS_OF_THE_TESTS", "1")
    assert sesh("list").code == 0
    assert not [p for p in sesh("doctor", "--json").json["problems"] if "SESH_CLIENTS" in p]


def test_a_wrong_value_is_blamed_on_where_it_stands(sesh: Sesh, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('[list]\nlimit = "few"\n')
    assert f"Invalid value for list.limit in {file}: 'few' is not a valid whole number." in sesh("list").err
    monkeypatch.setenv("SESH_LIST_LIMIT", "many")
    assert "Invalid value for $SESH_LIST_LIMIT: 'many' is not" in sesh("list").err
    assert "Invalid value for '--limit' / '-n': 'x' is not" in sesh("list", "-n", "x").err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("limit = [1]", "is [1]"),
        ("limit = true", "is True"),
        ("limit = {a = 1}", "is {'a': 1}"),
        ("limit = 1.5", "'1.5' is not a valid whole number"),
        ('all = "banana"', "is 'banana'. It is true or false."),
        ("provider = 5", "'5' is not one of"),
        ("since = 5", "'5' is no time"),
    ],
)
def test_a_value_of_another_kind_is_no_bug(sesh: Sesh, file: Path, text: str, says: str) -> None:
    file.write_text(f"[list]\n{text}\n")
    ran = sesh("list")
    assert ran.code == 2 and says in ran.err and f"in {file}" in ran.err


def test_values_as_toml_has_them(sesh: Sesh, file: Path) -> None:
    for text, number in (("since = 2001-01-01", 2), ('provider = "codex"', 1), ("provider = []", 2)):
        file.write_text(f"[list]\n{text}\n")
        assert count(sesh) == number


def test_an_error_is_a_document_where_a_setting_asks_for_one(
    sesh: Sesh, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SESH_SHOW_JSON", "1")
    assert sesh("show", "nothing-of-that-name").json["exitCode"] == 4
    assert sesh("show", "--tail", "0").json["exitCode"] == 2
