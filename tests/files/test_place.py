"""files/place.py: whole or not at all, never in place of another file, and a clear word where it cannot be done."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sesh.errors import Refused, SeshError
from sesh.files import place as placing
from sesh.files.place import NewFile, TextChunks, append, place

SECOND = 1_000_000_000


def new(path: Path, data: bytes = b"one\ntwo\n", modified: int | None = None) -> NewFile:
    return NewFile(path=path, chunks=[data[:3], data[3:]], modified=modified)


@pytest.fixture(params=["nameless", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to make a file: as Linux can, and as every file system can."""
    if request.param == "named":
        monkeypatch.setattr(placing, "_open_nameless", lambda folder: None)
    return str(request.param)


def test_a_file_is_there_with_its_bytes_its_time_and_for_its_owner_only(tmp_path: Path, way: str) -> None:
    path = tmp_path / "a" / "b" / "s.jsonl"
    assert place([new(path, modified=5 * SECOND)]) == [path]
    assert path.read_bytes() == b"one\ntwo\n"
    assert path.stat().st_mtime_ns == 5 * SECOND
    assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(p.name for p in path.parent.iterdir()) == ["s.jsonl"]


def test_every_line_ends_with_a_line_feed() -> None:
    lines = [str(n).encode() for n in range(1500)]
    assert b"".join(TextChunks(lines)) == b"".join(line + b"\n" for line in lines)
    assert list(TextChunks([])) == []


def test_another_file_of_that_name_stays_as_it_is(tmp_path: Path, way: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"somebody's\n")
    with pytest.raises(Refused, match="is there already, with other content"):
        place([new(tmp_path / "first.jsonl"), new(path)])
    assert path.read_bytes() == b"somebody's\n"
    assert not (tmp_path / "first.jsonl").exists()


def test_the_same_bytes_are_left_alone(tmp_path: Path, way: str) -> None:
    path = tmp_path / "s.jsonl"
    place([new(path, modified=5 * SECOND)])
    assert place([new(path, modified=9 * SECOND)]) == []
    assert path.stat().st_mtime_ns == 5 * SECOND


@pytest.mark.parametrize("there", [b"one\ntwo\nthree\n", b"one\n", b"", b"two\none\n"])
def test_longer_shorter_and_other_bytes_are_not_the_same(tmp_path: Path, there: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(there)
    with pytest.raises(Refused):
        place([new(path)])
    assert path.read_bytes() == there


def test_a_name_that_is_taken_between_the_look_and_the_link_is_not_replaced(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.jsonl"

    def somebody(name: str) -> None:
        if name.startswith("link "):
            path.write_bytes(b"faster\n")

    monkeypatch.setattr(placing, "step", somebody)
    with pytest.raises(Refused):
        place([new(path)])
    assert path.read_bytes() == b"faster\n"
    assert [p.name for p in tmp_path.iterdir()] == ["s.jsonl"]


def test_a_dangling_link_is_not_written_through(tmp_path: Path) -> None:
    target, path = tmp_path / "elsewhere", tmp_path / "s.jsonl"
    path.symlink_to(target)
    with pytest.raises(Refused):
        place([new(path)])
    assert not target.exists()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "no room on the disk"),
        (errno.EACCES, "may not be written to"),
        (errno.EROFS, "may not be written to"),
        (errno.ENOENT, "vanished"),
        (errno.EIO, "cannot be written"),
    ],
)
def test_an_error_of_the_disk_is_said_and_leaves_nothing(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    def fails(descriptor: int, file: NewFile) -> None:
        if file.path.name == "main.jsonl":
            raise OSError(code, os.strerror(code))
        os.write(descriptor, b"".join(file.chunks))

    monkeypatch.setattr(placing, "_fill", fails)
    with pytest.raises(SeshError, match=words):
        place([new(tmp_path / "x" / "child" / "agent.jsonl"), new(tmp_path / "x" / "main.jsonl")])
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for 64 KiB, where this machine lets a test mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"no mount here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    with pytest.raises(SeshError, match="no room on the disk"):
        place([new(small_disk / "ok.jsonl"), NewFile(path=small_disk / "big.jsonl", chunks=[b"x" * 200_000])])
    assert list(small_disk.iterdir()) == []


def test_what_does_not_fit_is_not_appended_in_part(small_disk: Path) -> None:
    """A disk with a little room takes a part of a write and says so: the torn line would cost the next one as well."""
    names = small_disk / "names.jsonl"
    assert append(names, [b"one"]) == [b"one"]
    filler = os.open(small_disk / "filler", os.O_WRONLY | os.O_CREAT)
    with suppress(OSError):
        while os.write(filler, b"x" * 4096):
            pass
    os.close(filler)
    with pytest.raises(SeshError, match="no room on the disk"):
        append(names, [b"y" * 9000])
    assert names.read_bytes() == b"one\n"
    assert append(names, [b"two"]) == [b"two"]
    assert names.read_bytes() == b"one\ntwo\n"


def test_a_part_that_somebody_wrote_behind_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = tmp_path / "names.jsonl"
    names.write_bytes(b"one\n")
    write = os.write

    def part(descriptor: int, data: bytes) -> int:
        if not data.startswith(b"two"):
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(descriptor, data[:3])
        with names.open("ab") as other:
            other.write(b"\nother\n")
        return written

    monkeypatch.setattr(os, "write", part)
    with pytest.raises(SeshError, match="no room on the disk"):
        append(names, [b"two and more"])
    assert names.read_bytes() == b"one\ntwo\nother\n"


def test_a_disk_that_is_read_only(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(SeshError, match="may not be written to"):
        place([new(small_disk / "a" / "s.jsonl")])
    with pytest.raises(SeshError, match="may not be written to"):
        append(small_disk / "names.jsonl", [b"{}"])


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with pytest.raises(SeshError, match="may not be written to"):
        place([new(folder / "s.jsonl")])


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "projects").write_text("a file")
    with pytest.raises(SeshError, match="in part no folder"):
        place([new(tmp_path / "projects" / "p" / "s.jsonl")])


def test_a_name_too_long(tmp_path: Path) -> None:
    with pytest.raises(SeshError, match="too long"):
        place([new(tmp_path / ("x" * 300) / "s.jsonl")])


KILLED = """
import os, signal, sys
from pathlib import Path
from sesh.files import place as placing
if sys.argv[3] == "named":
    placing._open_nameless = lambda folder: None
count = 0
def step(name):
    global count
    count += 1
    if count == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
placing.step = step
folder = Path(sys.argv[1])
placing.place([
    placing.NewFile(path=folder / "new" / "agent.jsonl", chunks=[b"child\\n"]),
    placing.NewFile(path=folder / "new.jsonl", chunks=[b"main\\n"]),
])
print(count)
"""


@pytest.mark.parametrize("kind", ["nameless", "named"])
def test_killed_at_any_step_there_is_nothing_or_the_whole_file(tmp_path: Path, kind: str) -> None:
    def run(at: int, folder: Path) -> subprocess.CompletedProcess[str]:
        folder.mkdir()
        return subprocess.run(
            [sys.executable, "-c", KILLED, str(folder), str(at), kind], capture_output=True, text=True, check=False
        )

    whole = run(0, tmp_path / "whole")
    steps = int(whole.stdout)
    assert steps >= 6
    for at in range(1, steps + 1):
        folder = tmp_path / str(at)
        assert run(at, folder).returncode == -9
        for path in folder.rglob("*.jsonl"):
            assert path.read_bytes() == (b"main\n" if path.name == "new.jsonl" else b"child\n")
        if (folder / "new.jsonl").exists():
            assert (folder / "new" / "agent.jsonl").exists(), "the main file comes last"
        # and the next run makes it whole, whatever the kill left
        again = subprocess.run([sys.executable, "-c", KILLED, str(folder), "0", kind], capture_output=True, check=False)
        assert again.returncode == 0, again.stderr
        names = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
        assert names == ["new.jsonl", "new/agent.jsonl"]


def test_append_adds_only_what_is_not_there_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "session_index.jsonl"
    path.write_bytes(b'{"id":"1"}\n{"id":"2"}')  # the client was killed before its line feed
    assert append(path, [b'{"id":"1"}', b'{"id":"3"}']) == [b'{"id":"3"}']
    assert path.read_bytes() == b'{"id":"1"}\n{"id":"2"}\n{"id":"3"}\n'
    assert append(path, [b'{"id":"3"}']) == []
    assert path.read_bytes() == b'{"id":"1"}\n{"id":"2"}\n{"id":"3"}\n'


def test_append_makes_the_file(tmp_path: Path) -> None:
    append(tmp_path / "new" / "names.jsonl", [b"{}"])
    assert (tmp_path / "new" / "names.jsonl").read_bytes() == b"{}\n"


APPENDING = """
import sys
from pathlib import Path
from sesh.files.place import append
for n in range(40):
    append(Path(sys.argv[1]), [f'{{"who":"{sys.argv[2]}","n":{n}}}'.encode()])
"""


def test_two_processes_that_append_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "names.jsonl"
    running = [subprocess.Popen([sys.executable, "-c", APPENDING, str(path), who]) for who in "ab"]
    assert [p.wait() for p in running] == [0, 0]
    lines = path.read_bytes().splitlines()
    assert len(lines) == len(set(lines)) == 80
