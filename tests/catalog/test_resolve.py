"""Finding the one session that is meant."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from sesh.catalog.homes import client_home, sesh_cache, sesh_home
from sesh.catalog.resolve import Homes, resolve
from sesh.errors import Ambiguous, NoSuchSession
from sesh.providers import registry
from tests.sessions import CORPUS


@pytest.fixture
def homes(private_home: Path) -> Homes:
    """Both clients with some sessions."""
    for tree in ("reverted-twice", "app-fork-review-archive", "compressed"):
        shutil.copytree(CORPUS / "codex/trees" / tree, private_home / ".codex", dirs_exist_ok=True)
    shutil.copytree(CORPUS / "claude-code/2.1.328-tui2", private_home / ".claude/projects")
    return {p.name: (p, client_home(p, {}, private_home)) for p in registry.built_in()}


HERE = Path("/home/dev/lab/work/s4/proj")


def test_a_path_is_taken_as_it_is(homes: Homes, tmp_path: Path) -> None:
    there = tmp_path / "x"
    there.write_text("")
    for text in (str(there), "no/such.jsonl", "./x", "a.jsonl.zst", "."):
        assert resolve(text, homes, HERE) == Path(text)


def test_an_id_and_its_beginning(homes: Homes) -> None:
    for text in ("f9bde349-1c18-4405-837a-95a5fceb6d39", "f9bde349", "F9BD", "claude-code:f9bd"):
        assert resolve(text, homes, HERE).stem == "f9bde349-1c18-4405-837a-95a5fceb6d39"
    with pytest.raises(NoSuchSession):
        resolve("codex:f9bde349", homes, HERE)


def test_of_a_session_in_segments_the_newest_is_meant(homes: Homes) -> None:
    files = sorted(homes["codex"][1].rglob("*01a22d4c-c0d1*"))
    assert len(files) == 3
    os.utime(files[1], (2_000_000_000, 2_000_000_000))
    assert resolve("01a22d4c-c0d1", homes, HERE) == files[1]


def test_a_title_or_a_part_of_it(homes: Homes) -> None:
    assert resolve("Mock generated title", homes, HERE).stem.startswith("f9bde349")
    assert resolve("mock GENERATED", homes, HERE).stem.startswith("f9bde349")


def test_several_are_listed(homes: Homes) -> None:
    with pytest.raises(
        Ambiguous, match=r"2 sessions are called 'My nice name': codex:01a22d3c-.*; codex:01a22d3c-.* Give"
    ) as e:
        resolve("My nice name", homes, HERE)
    assert e.value.exit_code == 4
    with pytest.raises(Ambiguous, match=r"sessions begin with '01a22d'"):
        resolve("01a22d", homes, HERE)
    with pytest.raises(Ambiguous, match=r"2 sessions have 'nice' in their title: codex:01a22d3c-"):
        resolve("nice", homes, HERE)


def test_nothing_is_the_newest_of_this_folder(homes: Homes) -> None:
    named = sorted(homes["codex"][1].glob("sessions/**/*01a22d3c*"))
    os.utime(named[1], (2_000_000_000, 2_000_000_000))
    assert resolve(None, homes, HERE) == named[1]
    with pytest.raises(NoSuchSession, match="no session of this folder"):
        resolve(None, homes, Path("/elsewhere"))


def test_what_a_client_hides_is_meant_only_where_nothing_else_is_there(homes: Homes) -> None:
    folder = homes["claude-code"][1] / "projects/-x"
    folder.mkdir()
    for number, (name, entrypoint) in enumerate((("hidden", "sdk-cli"), ("shown", "cli"))):
        session_id = f"{number}0000000-0000-4000-8000-000000000000"
        line = {"type": "user", "uuid": session_id, "parentUuid": None, "sessionId": session_id, "cwd": "/x"}
        line |= {"message": {"role": "user", "content": name}, "version": "2.1.328", "entrypoint": entrypoint}
        file = folder / f"{session_id}.jsonl"
        file.write_text(json.dumps(line | {"timestamp": "2026-11-20T10:00:00.000Z"}) + "\n")
        os.utime(file, (2_000_000_000 - number, 2_000_000_000 - number))
        expected = folder / f"{session_id}.jsonl"
        assert resolve(None, homes, Path("/x")) == expected, name


def test_what_is_nowhere(homes: Homes) -> None:
    with pytest.raises(NoSuchSession, match="neither as an id, a title nor a path"):
        resolve("quite something else", homes, HERE)
    with pytest.raises(NoSuchSession, match=r"No session is called '-'\. Only `sesh convert -`"):
        resolve("-", homes, HERE)
    with pytest.raises(NoSuchSession, match="neither"):
        resolve("…", homes, HERE)
    with pytest.raises(NoSuchSession, match="name is empty"):  # a script's variable that was not set
        resolve("", homes, HERE)


def test_homes_by_name_by_variable_and_by_default(tmp_path: Path) -> None:
    codex = registry.get("codex")
    assert client_home(codex, {}, tmp_path) == tmp_path / ".codex"
    assert client_home(codex, {"CODEX_HOME": "/c"}, tmp_path) == Path("/c")
    assert client_home(codex, {"CODEX_HOME": "/c"}, tmp_path, tmp_path / "named") == tmp_path / "named"
    (tmp_path / "named/.codex").mkdir(parents=True)
    assert client_home(codex, {}, tmp_path, tmp_path / "named") == tmp_path / "named/.codex"


def test_own_folders() -> None:
    assert sesh_home({"SESH_HOME": "/s"}) == Path("/s")
    assert sesh_cache({"SESH_HOME": "/s"}) == Path("/s/cache")
    assert sesh_home({}).name == "sesh"
    assert sesh_cache({}) != sesh_home({})
