"""`sesh demo`: real handoffs and merges, nothing of the user's, and sessions that the real clients resume."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesh.demo import far_side
from tests.cli.conftest import CLAUDE, CODEX, Sesh
from tests.clients import Claude, Codex


def test_it_touches_nothing(sesh: Sesh, private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = CLAUDE.read_bytes(), CODEX.read_bytes()
    assert sesh("demo").code == 0
    assert list(private_home.rglob("*")) == []
    assert list(tmp_path.iterdir()) == []
    assert (CLAUDE.read_bytes(), CODEX.read_bytes()) == before


def test_every_line_is_accounted_for_and_both_commands_are_told(sesh: Sesh) -> None:
    trips = sesh("demo", "--json").json["trips"]
    assert [(t["from"], t["to"]) for t in trips] == [("Claude Code", "Codex"), ("Codex", "Claude Code")]
    for trip in trips:
        read, written = trip["handoff"]["report"]["read"], trip["handoff"]["report"]["written"]
        assert read["lines"] == read["used"] + read["unknown"] + sum(read["skipped"].values())
        assert written["blocks"] == written["written"] + sum(written["changed"].values()) + sum(
            written["dropped"].values()
        )
        assert trip["merge"]["turns"] == 1
        assert trip["merge"]["keptLines"] == trip["originLines"]
        assert trip["originUntouched"] is True
    commands = [t[way]["command"] for t in trips for way in ("handoff", "merge")]
    assert ["codex resume" in c or "claude --resume" in c for c in commands] == [True] * 4
    text = sesh("demo").out
    assert text.count("  Resume    ") == 4
    assert text.count("  Read      ") == 2


def test_kept_it_stays_and_an_existing_folder_is_not_used(sesh: Sesh, tmp_path: Path) -> None:
    home = tmp_path / "play"
    document = sesh("demo", "--keep", home, "--json").json
    assert Path(document["trips"][0]["merge"]["path"]).is_file()
    assert document["home"] == str(home)
    assert sesh("demo", "--keep", home).code == 5


def test_a_home_to_play_in(sesh: Sesh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "play"
    told = sesh("demo", "--play", home)
    export, cd = told.out.splitlines()
    monkeypatch.chdir(cd.removeprefix("cd "))
    for word in export.removeprefix("export ").split():
        monkeypatch.setenv(*word.split("="))
    found = sesh("list", "--here", "--json").json["sessions"]
    assert {(s["provider"], s["cwd"]) for s in found} == {(n, str(home / "orchard")) for n in ("claude-code", "codex")}
    refused = sesh("demo", "--play", home)
    assert refused.code == 5 and "nothing was handed off" in refused.err
    assert sesh("handoff", "7c9e6a54", "--to", "codex").code == 0
    assert sesh("merge", "--json").json["turns"] == 0
    assert "One turn more" in sesh("demo", "--play", home).err
    assert sesh("merge", "--json").json["turns"] == 1
    assert "One turn more" in sesh("demo", "--play", home).err  # in the merged copy, this time
    assert [link["state"] for link in sesh("links", "--json").json["links"]] == ["continued", "merged"]


def test_play_is_no_trip_and_takes_no_other_folder(sesh: Sesh, tmp_path: Path) -> None:
    assert sesh("demo", "--play", tmp_path).code == 5
    assert list(tmp_path.iterdir()) == []
    assert sesh("demo", "--play", tmp_path / "a", "--keep", tmp_path / "b").code == 2
    assert sesh("demo", "--play", tmp_path / "a", "--json").json == {"trips": [], "home": str(tmp_path / "a")}


def rows(sent: list[dict[str, object]]) -> str:
    """What was sent, as text to look for words in."""
    return str([r.get("text") for r in sent])


def test_codex_resumes_what_the_demo_made(sesh: Sesh, codex_client: Codex, tmp_path: Path) -> None:
    over, home = sesh("demo", "--keep", tmp_path / "d", "--json").json["trips"]
    probe = codex_client.resume(Path(over["handoff"]["path"]))
    assert probe.listed
    assert "The last page of the harvest report is always empty" in rows(probe.sent)
    assert far_side.PROMPT in rows(probe.sent)
    merged = codex_client.resume(Path(home["merge"]["path"]))
    assert merged.listed
    assert far_side.PROMPT in rows(merged.sent)


def test_claude_resumes_what_the_demo_made(sesh: Sesh, claude_client: Claude, tmp_path: Path) -> None:
    over, home = sesh("demo", "--keep", tmp_path / "d", "--json").json["trips"]
    merged = claude_client.resume(Path(over["merge"]["path"]))
    assert "The last page of the harvest report is always empty" in rows(merged.sent)
    assert far_side.PROMPT in rows(merged.sent)
    there = claude_client.resume(Path(home["handoff"]["path"]))
    assert "export.py counts pages wrongly" in rows(there.sent)
    assert far_side.PROMPT in rows(there.sent)
