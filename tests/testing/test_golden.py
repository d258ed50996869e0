"""Goldens compare, say how to write them, and are written when asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesh.testing import golden


def test_a_golden_that_differs_shows_the_difference(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\n")
    golden.matches(file, "one\ntwo\n")
    with pytest.raises(AssertionError, match=r"-two\n\+2"):
        golden.matches(file, "one\n2\n")


def test_a_golden_that_is_missing_says_how_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=f"{golden.VARIABLE}=write"):
        golden.matches(tmp_path / "a.txt", "one\n")


def test_a_golden_is_written_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(golden.VARIABLE, "write")
    golden.matches(tmp_path / "deep" / "a.txt", "one\n")
    assert (tmp_path / "deep" / "a.txt").read_text() == "one\n"
