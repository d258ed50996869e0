"""`sesh list`: what is listed, in which order, and what is left to --all."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sesh.cli.commands.list import Since
from sesh.cli.table import age, folder, size
from tests.cli.conftest import CLAUDE, CODEX, Sesh
from tests.sessions import CORPUS


def test_both_clients_newest_first(sesh: Sesh, demo_home: Path) -> None:
    claude = next((demo_home / ".claude").rglob(CLAUDE.name))
    codex = next((demo_home / ".codex").rglob(CODEX.name))
    os.utime(claude, (1_795_000_000, 1_795_000_000))
    os.utime(codex, (1_795_100_000, 1_795_100_000))
    ran = sesh("list", "--json")
    assert ran.code == 0
    first, second = ran.json["sessions"]
    assert first == {
        "provider": "codex",
        "sessionId": "01a1fd2e-6c00-7a41-b3d5-2f6e1c9a8d70",
        "path": str(codex),
        "title": "export.py counts pages wrongly when the rows fill them. Fix it like report.py, and add a test.",
        "cwd": "/home/ada/orchard",
        "branch": "main",
        "model": "gpt-6",
        "version": "0.169.0",
        "created": "2026-11-20T14:00:00.000Z",
        "modified": "2026-11-19T14:53:20Z",
        "size": codex.stat().st_size,
        "turns": 1,
    }
    assert second["provider"] == "claude-code"
    assert second["title"] == "Fix the empty last page of the harvest report"
    assert (second["turns"], second["branch"], second["model"]) == (2, "main", "claude-opus-5-5")


def test_a_table_for_people(sesh: Sesh, demo_home: Path) -> None:
    ran = sesh("list")
    assert ran.code == 0
    head, *rows = ran.out.splitlines()
    assert head.split() == ["AGE", "CLIENT", "ID", "TURNS", "SIZE", "FOLDER", "TITLE"]
    assert len(rows) == 2
    assert all(len(line) <= 100 for line in ran.out.splitlines())
    assert "\x1b" not in ran.out


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_a_narrow_terminal_gets_fewer_columns(
    sesh: Sesh, demo_home: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    head, *rows = sesh("list").out.splitlines()
    assert all(len(line) <= columns for line in [head, *rows])
    assert head.split()[:3] == ["AGE", "CLIENT", "ID"] and head.endswith("TITLE")
    assert len(rows) == 2 and all("…" in row for row in rows)
    assert ("FOLDER" in head, "SIZE" in head) == (columns > 40, columns > 60)


@pytest.mark.parametrize("columns", [60, 80, 100, 300])
def test_marks_leave_the_title_its_room(
    sesh: Sesh, demo_home: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    sesh("handoff", "7c9e6a54", "--to", "codex")
    monkeypatch.setenv("COLUMNS", str(columns))
    _, *rows = sesh("list").out.splitlines()
    assert all(len(line) <= columns for line in rows)
    marks = [row.rpartition("  ")[2] for row in rows if "Fix the emp" in row]
    assert sorted(mark.split()[0] for mark in marks) == ["←claude", "→codex"]
    assert all("Fix the emp" in row or "export.py coun" in row for row in rows)


def test_nothing_to_list_is_said_on_stderr(sesh: Sesh, private_home: Path) -> None:
    ran = sesh("list")
    assert (ran.code, ran.out) == (0, "")
    assert "No sessions" in ran.err
    assert sesh("list", "--json").json == {"sessions": []}


def test_where_nothing_fits_it_says_what_was_asked_for(sesh: Sesh, demo_home: Path, tmp_path: Path) -> None:
    ran = sesh("list", "-p", "codex", "--cwd", str(tmp_path / "nowhere"), "--since", "2099-01-01", "--all")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"No sessions of Codex in or below {tmp_path / 'nowhere'} since 2099-01-01 00:00.\n"
    assert sesh("list", "--here").err.startswith(f"No sessions in {Path.cwd()}. `sesh list --all`")


def test_filters(sesh: Sesh, demo_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def listed(*arguments: str) -> list[str]:
        return [s["provider"] for s in sesh("list", "--json", *arguments).json["sessions"]]

    assert listed("--provider", "codex") == ["codex"]
    assert sorted(listed("--cwd", "/home/ada")) == ["claude-code", "codex"]
    assert listed("--cwd", "/home/ad") == []
    assert len(listed("--limit", "1")) == 1
    assert len(listed("--since", "1d")) == 2
    assert listed("--since", "2100-01-01") == []
    monkeypatch.chdir(tmp_path)
    assert listed("--here") == []


def test_a_time_that_is_none(sesh: Sesh) -> None:
    ran = sesh("list", "--since", "yesterday")
    assert ran.code == 2
    assert "is no time" in ran.err


def test_hidden_ones_are_for_all(sesh: Sesh, private_home: Path) -> None:
    shutil.copytree(CORPUS / "codex/trees/app-fork-review-archive", private_home / ".codex")
    plain = sesh("list", "--json").json["sessions"]
    everything = sesh("list", "--all", "--json").json["sessions"]
    assert {s["hidden"] for s in everything if "hidden" in s} == {"archived", "sub-agent"}
    assert [s for s in everything if "hidden" not in s] == plain
    assert {s["title"] for s in plain} == {"My nice name"}
    text = sesh("list").out
    assert "  +1 sub-agent" in text


def test_environment_and_home_option_say_where(sesh: Sesh, private_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = CORPUS / "codex/trees/legacy-continued"
    assert len(sesh("list", "--json", "--home", tree).json["sessions"]) == 1
    assert sesh("list", "--json").json["sessions"] == []
    monkeypatch.setenv("CODEX_HOME", str(tree))
    assert len(sesh("list", "--json").json["sessions"]) == 1


def test_a_second_list_opens_no_file(sesh: Sesh, demo_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sesh("list", "--json").json
    opened: list[object] = []
    monkeypatch.setattr("sesh.catalog.cards.glimpse", lambda *a: opened.append(a))
    assert sesh("list", "--json").json == first
    assert opened == []


def test_ages_and_sizes() -> None:
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert [age(t, now) for t in ("2026-11-30T11:59:30Z", "2026-11-30T10:00:00Z", "2026-11-28T12:00:00Z")] == [
        "30s",
        "2h",
        "2d",
    ]
    assert age("2025-01-02T00:00:00Z", now) == "2025-01-02"
    assert age("2026-11-30T12:00:09Z", now) == "0s"
    assert [size(n) for n in (999, 1500, 99_000, 3_200_000, 5_000_000_000)] == [
        "999 B",
        "1.5 KB",
        "99 KB",
        "3.2 MB",
        "5.0 GB",
    ]


def test_home_is_a_tilde(private_home: Path) -> None:
    assert folder(str(private_home / "x")) == "~/x"
    assert folder(f"{private_home}x") == f"{private_home}x"
    assert folder(None) == ""


def test_since_reads_ages_and_dates() -> None:
    assert Since().convert("2026-11-30", None, None).date().isoformat() == "2026-11-30"
    assert (datetime.now(UTC) - Since().convert("2w", None, None)).days in (13, 14)
