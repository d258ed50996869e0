"""The search finds what was said, by the index and without it, and reads only what is new."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from sesh.catalog import listing
from sesh.catalog.resolve import Homes
from sesh.catalog.search import pattern, search
from sesh.catalog.search_index import Index
from sesh.providers import registry
from tests.sessions import CORPUS


@pytest.fixture
def homes(private_home: Path) -> Homes:
    """Both clients with sessions of several versions, a compressed one among them."""
    for tree in ("app-fork-review-archive", "compressed"):
        shutil.copytree(CORPUS / "codex/trees" / tree, private_home / ".codex", dirs_exist_ok=True)
    for version in ("1.0.120", "2.1.328"):
        shutil.copytree(CORPUS / "claude-code" / version, private_home / ".claude/projects", dirs_exist_ok=True)
    return {p.name: (p, Path(p.layout.home({}, private_home))) for p in registry.built_in()}


@pytest.mark.parametrize("words", [["plan"], ["use", "tools"], ["Use the tools"], ["README.md"], ["USER"], ["mock"]])
def test_index_and_scan_find_the_same_sessions(homes: Homes, tmp_path: Path, words: list[str]) -> None:
    files = listing.find(homes)
    by_index = search(words, files, homes, tmp_path / "index")
    by_scan = search(words, files, homes, None)
    assert by_index
    assert {h.found.key for h in by_index} == {h.found.key for h in by_scan}
    for hit in by_index:
        assert hit.spans
        assert all(hit.excerpt[a:b] for a, b in hit.spans)


def test_what_a_human_said_ranks_before_what_a_tool_printed(homes: Homes, tmp_path: Path) -> None:
    voices = [h.voice for h in search(["tools"], listing.find(homes), homes, tmp_path / "index")]
    assert voices[0] == "user"


def test_signs_of_the_query_language_are_words_like_any(homes: Homes, tmp_path: Path) -> None:
    for words in (['"'], ["*"], ["a AND"], ["NEAR(a b)"], ["-x"], ["col:x"], ["(("], ["'; DROP TABLE words"]):
        search(words, listing.find(homes), homes, tmp_path / "index")


def said(text: str) -> bytes:
    """A line of Claude Code's."""
    message = {"role": "user", "content": text}
    return json.dumps({"type": "user", "uuid": text, "cwd": "/w", "message": message}).encode() + b"\n"


def test_only_what_was_added_is_read(private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude = registry.get("claude-code")
    home = private_home / ".claude"
    file = home / "projects/w/7c9e6a54-2b1d-4f3a-9a0e-5d1f0c8b7e21.jsonl"
    file.parent.mkdir(parents=True)
    homes = {"claude-code": (claude, home)}
    index = tmp_path / "index"

    def hits(word: str) -> list[int]:
        return [h.line for h in search([word], listing.find(homes), homes, index)]

    file.write_bytes(said("first"))
    assert hits("first") == [1]
    with file.open("ab") as f:
        f.write(said("second") + b'{"type":"user","message":{"role":"user","content":"torn')
    assert hits("second") == [2]
    assert hits("torn") == []
    with file.open("ab") as f:
        f.write(b' now"}}\n')
    assert (hits("torn"), hits("first")) == ([3], [1])
    file.write_bytes(said("rewritten") + said("second again"))
    assert (hits("rewritten"), hits("first"), hits("second")) == ([1], [], [2])
    file.unlink()
    assert hits("rewritten") == []
    with Index(index) as opened:
        assert opened.known() == []


def test_growth_is_read_from_where_it_ended(homes: Homes, tmp_path: Path) -> None:
    read: list[bytes] = []
    spoken = {n: (lambda line: (read.append(line), ())[1]) for n in homes}
    files = listing.find(homes)
    with Index(tmp_path / "index") as index:
        assert index.update(files, spoken) == len(files)
        before = len(read)
        assert index.update(files, spoken) == 0
        assert len(read) == before


@pytest.mark.parametrize("broken", [b"", b"no database at all, but text that is long enough to be looked at"])
def test_a_broken_index_is_no_error(homes: Homes, tmp_path: Path, broken: bytes) -> None:
    (tmp_path / "index").write_bytes(broken)
    assert search(["mock"], listing.find(homes), homes, tmp_path / "index")


def test_without_full_text_search_every_line_is_looked_at(
    homes: Homes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(*_: object) -> None:
        raise sqlite3.OperationalError("no such module: fts5")

    monkeypatch.setattr(Index, "update", without)
    assert search(["mock"], listing.find(homes), homes, tmp_path / "index")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_nobody_else_may_read_the_index(homes: Homes, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    with Index(folder / "index") as index:
        index.update(listing.find(homes), {name: p.spoken for name, (p, _) in homes.items()})
        assert {p.stat().st_mode & 0o777 for p in folder.iterdir()} == {0o600}
        assert len(list(folder.iterdir())) > 1 and folder.stat().st_mode & 0o777 == 0o700


def test_an_index_of_another_layout_is_made_anew(homes: Homes, tmp_path: Path) -> None:
    file = tmp_path / "index"
    with sqlite3.connect(file) as db:
        db.executescript("CREATE TABLE said (x); PRAGMA user_version = 99;")
    assert search(["mock"], listing.find(homes), homes, file)


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        ("off by one", "an off-by-one error", True),
        ("page", "Pages", True),
        ("age", "pages", False),
        ("foo_bar", "the foo_bar thing", True),
        ("é", "É", True),
        ("+", "a+b", True),
    ],
)
def test_where_words_match(words: str, text: str, found: bool) -> None:
    assert (pattern(words).search(text) is not None) is found


def test_what_a_sub_agent_said_is_found_under_its_session(private_home: Path, tmp_path: Path) -> None:
    claude = registry.get("claude-code")
    session = private_home / ".claude/projects/w/7c9e6a54-2b1d-4f3a-9a0e-5d1f0c8b7e21.jsonl"
    agent = session.with_suffix("") / "subagents/agent-a1.jsonl"
    agent.parent.mkdir(parents=True)
    session.write_bytes(said("shared main"))
    agent.write_bytes(said("shared secluded"))
    homes = {"claude-code": (claude, private_home / ".claude")}
    files = listing.transcripts(homes)
    assert sorted(f.beside for f in files) == [False, True]
    for index in (tmp_path / "i", None):
        (hit,) = search(["secluded"], files, homes, index)
        assert (hit.found.path, hit.file) == (session, str(agent))
        (hit,) = search(["shared"], files, homes, index)
        assert hit.matches == 2
    assert [f.path for f in listing.find(homes)] == [session]


def test_of_a_session_in_segments_all_are_searched(private_home: Path, tmp_path: Path) -> None:
    codex = registry.get("codex")
    shutil.copytree(CORPUS / "codex/trees/reverted-twice", private_home / ".codex")
    homes = {"codex": (codex, private_home / ".codex")}
    for word in ("one", "four", "six"):
        found = {h.found.session_id for h in search([word], listing.transcripts(homes), homes, tmp_path / "i")}
        assert "01a22d4c-c0d1-7c83-949e-702a680ac0fb" in found


def test_words_that_stand_on_different_lines(private_home: Path, tmp_path: Path) -> None:
    claude = registry.get("claude-code")
    folder = private_home / ".claude/projects/w"
    folder.mkdir(parents=True)
    sessions = [folder / f"7c9e6a54-2b1d-4f3a-9a0e-5d1f0c8b7e2{n}.jsonl" for n in range(3)]
    sessions[0].write_bytes(said("the harvest is late") + said("so is the parquet, and its harvest") + said("a third"))
    sessions[1].write_bytes(said("only the harvest"))
    sessions[2].write_bytes(said("harvest") + said("nothing") + said("some parquet") + said("more parquet"))
    homes = {"claude-code": (claude, private_home / ".claude")}
    files = listing.transcripts(homes)
    for index in (tmp_path / "i", None):
        hits = search(["harvest", "parquet"], files, homes, index)
        assert [(h.found.path, h.together, h.matches) for h in hits] == [
            (sessions[0], True, 1),
            (sessions[2], False, 3),
        ]
        assert hits[1].spans
        hits = search(["harvest", "third", "-"], files, homes, index) if index else []
        assert [h.found.path for h in hits] == ([sessions[0]] if index else [])
        assert search(["harvest", "nowhere"], files, homes, index) == []


def test_sub_agents_that_lie_flat_are_found_under_their_session(private_home: Path, tmp_path: Path) -> None:
    shutil.copytree(CORPUS / "claude-code/2.0.76", private_home / ".claude/projects")
    homes = {"claude-code": (registry.get("claude-code"), private_home / ".claude")}
    files = listing.transcripts(homes)
    flat = [f for f in files if f.beside]
    assert flat and all(f.path.name.startswith("agent-") for f in flat)
    main = {f.session_id: f for f in listing.find(homes)}
    for found in flat:
        assert f'"sessionId":"{found.session_id}"'.encode() in found.path.read_bytes()
        if found.session_id not in main:
            continue
        words = next(
            w for line in found.path.read_bytes().splitlines() for _, w in homes["claude-code"][0].spoken(line)
        )
        hits = search([words[:40]], files, homes, tmp_path / "i")
        assert found.key in {h.file for h in hits} or main[found.session_id].key in {h.found.key for h in hits}


def test_what_a_flat_sub_agent_file_says_of_itself_is_all_that_counts(private_home: Path) -> None:
    folder = private_home / ".claude/projects/w"
    folder.mkdir(parents=True)
    own = b"7c9e6a54-2b1d-4f3a-9a0e-5d1f0c8b7e21"
    named = b'{"type":"user","message":{"content":"\\"sessionId\\":\\"x\\""},"sessionId":"%b"}' % own
    (folder / "agent-a.jsonl").write_bytes(named + b"\n")
    (folder / "agent-b.jsonl").write_bytes(b"no session's\n" + named)
    (folder / "agent-c.jsonl").write_bytes(b"")
    if os.name != "nt":
        os.mkfifo(folder / "agent-d.jsonl")
    homes = {"claude-code": (registry.get("claude-code"), private_home / ".claude")}
    assert [(f.path.name, f.session_id) for f in listing.transcripts(homes)] == [("agent-a.jsonl", own.decode())]
