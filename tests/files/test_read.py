"""files/read.py: what is read to its end, and what lies beside a session, as a mapping that reads when asked."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from sesh.errors import NoSuchSession, NotASession
from sesh.files import read
from sesh.files.read import FolderView, read_file

ROLLOUT = "sessions/2026/11/30/rollout-a.jsonl"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in (ROLLOUT, "sessions/2026/11/30/rollout-b.jsonl", "sessions/2026/12/01/rollout-c.jsonl", "names.jsonl"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (tmp_path / "sessions/2026/12/01/notes.txt").write_text("no session")
    packed = tmp_path / "sessions/2026/12/01/rollout-d.jsonl.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(b"packed"))
    return tmp_path


@pytest.fixture
def looked_into(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that were listed."""
    listed: list[str] = []
    scandir = os.scandir

    def noted(path: str) -> Iterator[os.DirEntry[str]]:
        listed.append(path)
        return scandir(path)

    monkeypatch.setattr(read.os, "scandir", noted)
    return listed


def view(home: Path) -> FolderView:
    globs = ("sessions/**/rollout-*.jsonl", "sessions/**/rollout-*.jsonl.zst", "names.jsonl", "none.jsonl")
    return FolderView(home, globs, leave_out=home / ROLLOUT)


def test_files_by_their_path_without_the_session_itself(home: Path) -> None:
    found = view(home)
    wanted = ["2026/11/30/rollout-b.jsonl", "2026/12/01/rollout-c.jsonl", "2026/12/01/rollout-d.jsonl"]
    assert list(found) == [*(f"sessions/{w}" for w in wanted), "names.jsonl"]
    assert len(found) == 4
    assert found["sessions/2026/12/01/rollout-c.jsonl"] == b"sessions/2026/12/01/rollout-c.jsonl"
    assert found["sessions/2026/12/01/rollout-d.jsonl"] == b"packed"


def test_a_packed_twin_of_the_session_is_no_part_of_it_but_at_hand(home: Path) -> None:
    (home / f"{ROLLOUT}.zst").write_bytes(zstandard.ZstdCompressor().compress(b"twin"))
    assert view(home)[ROLLOUT] == b"twin"


def test_a_file_that_is_named_outright_is_found_without_a_listing(home: Path, looked_into: list[str]) -> None:
    found = view(home)
    assert found["names.jsonl"] == b"names.jsonl"
    assert found.get("none.jsonl") is None
    assert looked_into == []


def test_each_folder_is_listed_once(home: Path, looked_into: list[str]) -> None:
    found = view(home)
    assert "sessions/2026/11/30/rollout-b.jsonl" in found
    assert "sessions/2026/11/30/rollout-x.jsonl" not in found
    assert len(looked_into) == len(set(looked_into))


def test_only_what_the_patterns_match_is_at_hand(home: Path) -> None:
    (home / "names.txt").write_text("no")
    for key in ("sessions/2026/12/01/notes.txt", "names.txt", "../names.jsonl", "sessions/**/rollout-*.jsonl", ""):
        assert view(home).get(key) is None


def test_links_in_a_circle_are_not_followed(home: Path) -> None:
    (home / "sessions/2026/round").symlink_to(home / "sessions", target_is_directory=True)
    assert len(view(home)) == 4


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert list(FolderView(tmp_path / "none", ("**/*", "*.jsonl"), leave_out=tmp_path / "none" / "x")) == []


@pytest.mark.skipif(os.name == "nt", reason="no such files there")
def test_what_has_no_end_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name, what in (("/dev/zero", "device"), ("link", "device"), ("pipe", "named pipe"), ("socket", "socket")):
            with pytest.raises(NotASession, match=f"{name} is no regular file but a {what}"):
                read_file(Path(name))
    with pytest.raises(NoSuchSession):
        read_file(tmp_path / "nothing")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="the shell has no <(...) here")
def test_a_pipe_that_the_shell_gave_is_read() -> None:
    """`sesh show <(ssh there cat session.jsonl)`: it ends with its writer."""
    reader, writer = os.pipe()
    thread = threading.Thread(target=lambda: (os.write(writer, b"{}\n"), os.close(writer)))
    thread.start()
    try:
        assert read_file(Path(f"/dev/fd/{reader}"))[0] == b"{}\n"
    finally:
        thread.join()
        os.close(reader)
