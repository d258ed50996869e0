"""Spot checks in older clients: people do not all update on the same day.

`make clients-old` installs them (tests/clients/old). Without them these tests skip: CI asks for the pinned clients
only, because the older ones would double its download.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sesh.format import walk
from tests import rows
from tests.clients import Claude, Codex, installed
from tests.clients.fixtures import absent
from tests.e2e.crossing import carry, unexplained
from tests.sessions import session


def old(name: str, version: str) -> installed.Installed:
    try:
        return installed.find_old(name, version)
    except installed.NotInstalled as e:
        absent(str(e), "SESH_REQUIRE_OLD_CLIENTS")


@pytest.mark.client
@pytest.mark.parametrize("version", ["0.104.0", "0.142.0"])
def test_tools_of_claude_in_an_older_codex(version: str, tmp_path: Path) -> None:
    codex = Codex(installed=old("codex", version), scratch=tmp_path)
    done = carry(session("2-1-328-tools/70405639-be60-4298-83ce-8ae759fd065b.jsonl"), codex, tools="keep")
    probe = codex.go_on(done.result.session_id, home=done.home, cwd=done.cwd, provider="mock")
    assert probe.resumed, probe.stderr
    assert probe.listed
    assert probe.turns
    assert probe.prefix_kept
    said = rows.settled(rows.conversation(walk.window(done.read.messages)))
    assert unexplained(said, rows.settled(probe.sent), done.result.report) == []


@pytest.mark.client
def test_rich_of_codex_in_an_older_claude(tmp_path: Path) -> None:
    claude = Claude(installed=old("claude", "2.0.76"), scratch=tmp_path)
    done = carry(session("codex/0.142.0/rich.jsonl"), claude, tools="keep")
    probe = claude.go_on(done.result.session_id, home=done.home, cwd=done.cwd)
    assert probe.resumed, probe.stderr
    assert probe.prefix_kept
    said = rows.settled(rows.conversation(walk.window(done.read.messages)))
    assert unexplained(said, rows.settled(probe.sent), done.result.report) == []
