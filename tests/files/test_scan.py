"""Finding session files: only what is a file, whatever bears a session's name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sesh.files.scan import scan
from sesh.providers import registry


def name(n: int) -> str:
    return f"72cc11ba-f4e9-4ebe-a1ee-00000000000{n}.jsonl"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
def test_pipes_devices_folders_and_dead_links_are_no_sessions(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-x"
    folder.mkdir(parents=True)
    (folder / name(0)).write_bytes(b"{}\n")
    os.mkfifo(folder / name(1))
    (folder / name(2)).symlink_to("/dev/zero")
    (folder / name(3)).mkdir()
    (folder / name(4)).symlink_to("nowhere")
    (folder / name(5)).symlink_to(name(0))
    found = sorted(f.path.name for f in scan(registry.get("claude-code"), tmp_path))
    assert found == [name(0), name(5)]
