"""`sesh search`: what the command says of what was found."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.cli.conftest import Sesh
from tests.sessions import CORPUS


def test_a_session_in_several_files_counts_once(sesh: Sesh, private_home: Path) -> None:
    shutil.copytree(CORPUS / "codex/trees/reverted-twice", private_home / ".codex")
    files, listed = list((private_home / ".codex").rglob("*.jsonl")), sesh("list", "--all", "--json").json["sessions"]
    assert len(files) == 4 and len(listed) == 2
    assert sesh("search", "nowhere").err == "Nothing in 2 sessions matches 'nowhere'.\n"
