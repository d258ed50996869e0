"""The main job: a real session goes over to the other client and resumes there, saying what it said before."""

from __future__ import annotations

from typing import Final

import pytest

from tests.clients import Claude, Codex
from tests.e2e.crossing import cross, unexplained
from tests.sessions import session

REFERENCES: Final = "toolu_01943560ed93e84eaba5d4a5"
"""The call of ToolSearch in the tools session of 2.1.328."""


def test_tools_of_claude_resume_in_codex(codex_client: Codex) -> None:
    done = cross(session("2-1-328-tools/70405639-be60-4298-83ce-8ae759fd065b.jsonl"), codex_client)
    assert done.probe.listed
    assert done.probe.turns
    assert done.probe.resumed, done.probe.stderr
    # One row differs: references to tools that Claude Code loads later, which no other client can hold. The report says
    # so (`as-text`). Claude Code itself puts "Tool loaded." after them.
    assert done.result.report.changed["as-text"] == 1
    want = [r for r in done.recorded() if r.get("text") != "Tool loaded."]
    assert [have["id"] for want, have in zip(want, done.sent(), strict=True) if want != have] == [REFERENCES]
    calls = [row for row in done.recorded() if row["kind"] == "call"]
    assert len(calls) > 20, "the session is there to try every tool"
    assert done.probe.prefix_kept
    assert done.probe.appended > 0


@pytest.mark.parametrize("name", ["codex/0.142.0/rich.jsonl", "codex/0.169.0/rich.jsonl"])
def test_rich_of_codex_resumes_in_claude(claude_client: Claude, name: str) -> None:
    done = cross(session(name), claude_client)
    assert done.probe.resumed, done.probe.stderr
    assert unexplained(done.recorded(), done.sent(), done.result.report) == []
    assert any(row.get("images") for row in done.recorded())
    assert done.probe.prefix_kept
    assert done.probe.appended > 0
