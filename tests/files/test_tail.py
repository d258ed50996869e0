"""The end of a file that only grew, and whether it only grew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sesh.files.read import FolderView
from sesh.files.tail import looks, print_of, tail


@pytest.mark.parametrize("size", [0, 1, 10, 4095, 4097, 16_384, 16_385, 50_000])
@pytest.mark.parametrize("more", [0, 1, 5000, 40_000])
def test_what_was_added(size: int, more: int, tmp_path: Path) -> None:
    data = os.urandom(size + more)
    path = tmp_path / "s.jsonl"
    path.write_bytes(data[:size])
    known = print_of(path, data[:size])
    with path.open("ab") as f:
        f.write(data[size:])
    assert known is not None
    for offset in {0, size // 2, size}:
        found = tail(path, offset, known)
        assert found is not None
        assert (found.data, found.size) == (data[offset:], size + more)
        assert found.print == print_of(path, data)
    assert tail(path, size + 1, known) is None


def test_what_is_no_growth(tmp_path: Path) -> None:
    path, data = tmp_path / "s.jsonl", os.urandom(60_000)
    path.write_bytes(data)
    known = print_of(path, data)
    assert known is not None
    for changed in (data[:-1], data[:-1] + b"!!", b"!" + data[1:], data[:45_000] + b"!" + data[45_001:]):
        with path.open("r+b") as f:
            f.truncate(0)
            f.write(changed)
        assert tail(path, 50_000, known) is None
    other = tmp_path / "other"
    other.write_bytes(data)
    other.replace(path)
    assert tail(path, 50_000, known) is None, "another file with the same bytes"
    path.unlink()
    assert tail(path, 50_000, known) is None
    assert print_of(path, data) is None


def test_a_compressed_file_has_no_middle(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl.zst"
    path.write_bytes(b"abc")
    assert print_of(path, b"abc") is None


def test_looks_are_those_before_it_was_read(tmp_path: Path) -> None:
    """What is written while a file is read is then something new."""
    main, beside = tmp_path / "main", tmp_path / "beside.txt"
    main.touch()
    beside.write_text("one")
    views = [FolderView(tmp_path, ("*.txt",), main) for _ in range(2)]
    assert views[0]["beside.txt"] == b"one"
    before = looks(views[1], ["beside.txt"])
    beside.write_text("one and two")
    assert looks(views[0], ["beside.txt"]) == before
    later = FolderView(tmp_path, ("*.txt",), main)
    assert looks(later, ["beside.txt"]) != before
    assert later.stamp("gone.txt") is None
    assert later.stamp("beside.txt") == (11, beside.stat().st_mtime_ns)
