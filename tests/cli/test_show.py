"""`sesh show`: plain text for pipes, colours where a terminal takes them, the source's own lines on request."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import CLAUDE, CODEX, Sesh
from tests.sessions import CORPUS, every_file


def test_a_pipe_gets_plain_text(sesh: Sesh) -> None:
    ran = sesh("show", CLAUDE)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "> The last page of the harvest report is always empty." in ran.out
    assert "… 4 more lines" in ran.out


def test_colours_where_they_are_asked_for_and_never_against_no_color(
    sesh: Sesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in sesh("show", CLAUDE).out
    assert "\x1b[" in sesh("list", "--home", CLAUDE.parents[2]).out
    monkeypatch.setenv("NO_COLOR", "1")
    for arguments in (
        ["show", CLAUDE],
        ["list", "--home", CLAUDE.parents[2]],
        ["search", "page", "--home", CLAUDE.parents[2]],
    ):
        assert "\x1b" not in sesh(*arguments).out


def test_the_width_is_kept(sesh: Sesh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    lines = re.sub(r"\x1b\[[0-9;]*m", "", sesh("show", CLAUDE).out).split("\n")
    assert max(map(len, lines)) <= 60


def test_raw_is_the_file(sesh: Sesh) -> None:
    assert sesh("show", CODEX, "--raw").raw == CODEX.read_bytes()


def test_raw_of_a_compressed_rollout_is_readable(sesh: Sesh) -> None:
    file = next((CORPUS / "codex/trees/compressed").rglob("*.zst"))
    assert sesh("show", file, "--raw").raw.startswith(b'{"timestamp"')
    assert "USER items" in sesh("show", file).out


def test_every_file_of_the_corpus_is_shown_or_refused_in_one_sentence(sesh: Sesh) -> None:
    for _, path in every_file():
        ran = sesh("show", path)
        assert ran.code in (0, 1)
        if ran.code:
            assert ran.err.startswith("sesh: ")
            assert ran.err.count("\n") == 1
            assert "bug" not in ran.err
        else:
            assert ran.out.strip()


def test_nothing_named_means_the_newest_of_this_folder(
    sesh: Sesh, demo_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sesh("show").code == 4
    file = next((demo_home / ".codex").rglob(CODEX.name))
    file.write_bytes(file.read_bytes().replace(b"/home/ada/orchard", str(tmp_path).encode()))
    assert "export.py counts pages wrongly" in sesh("show").out


def test_images_only_where_they_can_be_drawn(sesh: Sesh, monkeypatch: pytest.MonkeyPatch) -> None:
    file = next((CORPUS / "claude-code/2.1.328").glob("*tools/*.jsonl"))
    monkeypatch.setenv("FORCE_COLOR", "1")
    for name in ("TERM_PROGRAM", "KITTY_WINDOW_ID", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    ran = sesh("show", file, "--images")
    assert (ran.code, ran.out) == (1, "")
    assert "does not say that it can draw images" in ran.err
    monkeypatch.setenv("TERM_PROGRAM", "WezTerm")
    assert "\x1b]1337;File=inline=1" in sesh("show", file, "--images").out
    assert "\x1b]1337" not in sesh("show", file).out
