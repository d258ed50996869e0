"""docs/reference/python.md: its program runs as it stands, and its lists are those of the code."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import sesh
from sesh.format import wire
from sesh.providers.api import EmitOptions, EmitResult, IngestResult, ReadOptions
from sesh.stores import open_store
from tests.cli.conftest import CLAUDE

PAGE = (Path(__file__).parents[2] / "docs/reference/python.md").read_text(encoding="utf-8")


def test_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(CLAUDE.parent, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(program, names)
    told = capsys.readouterr().out
    assert "user  The last page of the harvest report is always empty." in told
    assert "calls Bash {'command': 'python -m pytest -q test_report.py'" in told and "fails: Exit code 1" in told
    assert "1 sub-agents; {" in told and "sessions/2026/11/20/rollout-" in told
    assert sesh.parse_codex_rollout((tmp_path / "rollout.jsonl").read_bytes()).messages
    with open_store("sqlite:threads.db") as store:
        (thread,) = store.list_threads()
        assert wire.load(wire.encode(thread)) == thread
        assert len(store.get_messages(thread.id)) > 10


def test_every_name_is_there() -> None:
    for name in (*ReadOptions.__annotations__, *(n for n in EmitOptions.__annotations__ if n not in _OWN)):
        assert f"`{name}" in PAGE, name
    for kind in (IngestResult, EmitResult):
        assert all(f"`{name}`" in PAGE for name in kind.__struct_fields__)
    blocks = {n for n in sesh.__all__ if n.endswith("Block") and n != "AnyBlock"}
    assert all(f"`{name}`" in PAGE for name in blocks)
    assert not hasattr(sesh.TextBlock(text=""), "type")


_OWN = {"link", "initial_parent_uuid", "initial_time"}
"""What handoffs and merges give the writers."""
