"""A list's look at a file: its first and last bytes, and not one more, whatever the file's size."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from sesh.files.glimpse import HEAD_BYTES, TAIL_BYTES, glimpse

MOST = HEAD_BYTES + TAIL_BYTES


class Counted(io.FileIO):
    """An open file that adds up what is read from it."""

    bytes_read = 0

    def read(self, size: int | None = -1) -> bytes:
        """As usual."""
        data = super().read(size) or b""
        Counted.bytes_read += len(data)
        return data


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Counted]]:
    """Files open as `Counted` ones."""
    Counted.bytes_read = 0
    opened = Path.open

    def read_counted(path: Path, mode: str = "r", *more: Any, **named: Any) -> Any:
        return Counted(str(path)) if mode == "rb" else opened(path, mode, *more, **named)

    monkeypatch.setattr(Path, "open", read_counted)
    yield Counted


@pytest.mark.parametrize("size", [0, 1, MOST - 1, MOST])
def test_a_small_file_is_read_whole(tmp_path: Path, counted: type[Counted], size: int) -> None:
    file = tmp_path / "small.jsonl"
    file.write_bytes(b"x" * size)
    seen = glimpse(file, "small.jsonl")
    assert seen is not None
    assert (len(seen.head), seen.tail, seen.whole) == (size, b"", True)
    assert counted.bytes_read == size


@pytest.mark.parametrize("size", [MOST + 1, 100 * MOST])
def test_of_a_large_file_only_both_ends_are_read(tmp_path: Path, counted: type[Counted], size: int) -> None:
    file = tmp_path / "large.jsonl"
    file.write_bytes(b"head" + bytes(size - 8) + b"tail")
    seen = glimpse(file, "large.jsonl")
    assert seen is not None
    assert seen.head.startswith(b"head")
    assert seen.tail.endswith(b"tail")
    assert not seen.whole
    assert counted.bytes_read == MOST


def test_whole_reads_all_of_it(tmp_path: Path) -> None:
    file = tmp_path / "large.jsonl"
    file.write_bytes(b"y" * (3 * MOST))
    seen = glimpse(file, "large.jsonl", whole=True)
    assert seen is not None
    assert seen.whole
    assert len(seen.head) == 3 * MOST


def test_a_compressed_file_is_unpacked_only_as_far(tmp_path: Path) -> None:
    file = tmp_path / "rollout.jsonl.zst"
    file.write_bytes(zstandard.compress(b"z" * (50 * MOST)))
    seen = glimpse(file, file.name)
    assert seen is not None
    assert (len(seen.head), seen.whole) == (MOST, False)


def test_damaged_compression_shows_nothing(tmp_path: Path) -> None:
    file = tmp_path / "rollout.jsonl.zst"
    file.write_bytes(b"no zstd")
    seen = glimpse(file, file.name)
    assert seen is not None
    assert seen.head == b""


@pytest.mark.parametrize("whole", [False, True])
def test_what_is_gone_is_no_error(tmp_path: Path, *, whole: bool) -> None:
    assert glimpse(tmp_path / "gone.jsonl", "gone.jsonl", whole=whole) is None
