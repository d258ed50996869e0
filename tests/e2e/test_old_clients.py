"""Spot checks in older clients: people do not all update on the same day.

`make clients-old` installs the versions of tests/clients/old/package.json and runs this file. Without them these tests
skip: CI asks for the pinned clients only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest

from sesh.format import blocks, jsontext, walk
from sesh.format.message import Message
from tests import rows
from tests.clients import Claude, Codex, installed, placing
from tests.clients.fixtures import absent
from tests.e2e.crossing import carry, cross, unexplained
from tests.e2e.journey import Journey
from tests.sessions import session

pytestmark = pytest.mark.old_client

CLAUDE: Final = {
    "tools": "2-1-328-tools/70405639-be60-4298-83ce-8ae759fd065b.jsonl",  # 22 calls, three at once, images
    "compacted": "c1f5f129-b4d1-443d-9e0f-054d25756f94.jsonl",  # kept messages, a picture, calls
    "parallel": "2-1-328-agents/fc1dfa12-8221-4994-99d9-9b493fa4745e.jsonl",  # two agents at once, each a child
}
CODEX: Final = {
    "tools": "codex/0.169.0/rich.jsonl",  # 14 calls, four at once, a picture, searches; ends without an answer
    "compacted": "codex/0.169.0/app.jsonl",  # a window, an interrupted command
    "parallel": "codex/0.169.0/legacy-continued.jsonl",  # two at once
}
_CALLS: Final = ("commandExecution", "fileChange", "mcpToolCall", "webSearch")


def old(name: str, version: str) -> installed.Installed:
    try:
        return installed.find_old(name, version)
    except installed.NotInstalled as e:
        absent(str(e), "SESH_REQUIRE_OLD_CLIENTS")


@pytest.mark.parametrize("name", CLAUDE)
@pytest.mark.parametrize("version", installed.old_versions("codex"))
def test_a_session_of_claude_in_an_older_codex(version: str, name: str, tmp_path: Path) -> None:
    codex = Codex(installed=old("codex", version), scratch=tmp_path)
    done = cross(session(CLAUDE[name]), codex, provider="mock")
    probe, report = done.probe, done.result.report
    assert [e.text for e in report.entries if e.code == "history-mode"] == [
        f"Legacy history: Codex {version} is older than 0.155."
    ]
    assert not any(b'"ordinal"' in line for line in done.result.lines)

    assert probe.resumed and probe.rc == 0, probe.stderr
    assert probe.listed
    assert probe.preview == walk.first_prompt(done.read.messages)
    assert probe.prefix_kept and probe.appended > 0
    assert unexplained(done.said(), done.sent(), report) == []

    items = [item for turn in probe.transcript or [] for item in turn["items"]]
    said = [m for m in done.read.messages if m.kind not in ("context", "summary")]
    assert [text for item in items if (text := _words(item))] == _texts(said)
    drawn = [item["id"] for item in items if item["type"] in _CALLS]  # calls made at once: as they ended
    assert sorted(drawn) == sorted(_call_ids(said))
    outputs = _outputs(said)
    shown = {item["id"]: output for item in items if (output := _output(item)) is not None}
    assert shown == {call: outputs[call] for call in shown}
    assert len(shown) == sum(item["type"] in ("commandExecution", "mcpToolCall") for item in items)


@pytest.mark.parametrize("name", CODEX)
@pytest.mark.parametrize("version", installed.old_versions("claude"))
def test_a_session_of_codex_in_an_older_claude(version: str, name: str, tmp_path: Path) -> None:
    claude = Claude(installed=old("claude", version), scratch=tmp_path)
    done = cross(session(CODEX[name]), claude)
    assert done.probe.resumed and done.probe.rc == 0, done.probe.stderr
    assert done.probe.prefix_kept
    assert unexplained(done.said(), done.sent(), done.result.report) == []
    assert unexplained(done.recorded(), done.sent(), done.result.report) == []


@pytest.mark.parametrize("version", installed.old_versions("claude"))
def test_an_older_claude_lists_a_session_of_codex_and_draws_it(version: str, tmp_path: Path) -> None:
    claude = Claude(installed=old("claude", version), scratch=tmp_path)
    done = carry(session(CODEX["parallel"]), claude)
    title = walk.first_prompt(done.read.messages)
    assert title is not None
    where: dict[str, Any] = {"home": done.home, "cwd": done.cwd}
    (listed,) = claude.screens("--resume", until=title, **where)
    assert title in listed
    assert re.search(r"\d+ ?\w+ ago", listed), listed
    last = [text for m in done.read.messages if m.role == "assistant" and (text := walk.text_of(m))][-1]
    (drawn,) = claude.screens("--resume", done.result.session_id, until=f"● {last}", **where)
    prompts = [walk.text_of(m) for m in done.read.messages if m.role == "user" and m.kind is None and walk.text_of(m)]
    assert [p for p in prompts if f"> {p}" not in drawn] == []


def test_a_line_without_a_time_would_stop_claude_2_0_76(tmp_path: Path) -> None:
    """One session whose first line has no good time stops it in every project, so each line that is written has one."""
    claude = Claude(installed=old("claude", "2.0.76"), scratch=tmp_path)
    done = carry(session(CODEX["compacted"]), claude)
    lines = [jsontext.loads(line) for line in done.result.lines]
    times = [line.get("timestamp") for line in lines if isinstance(line, dict) and line.get("uuid")]
    assert times and all(isinstance(t, str) and datetime.fromisoformat(t) for t in times)

    other = carry(session(CODEX["parallel"]), claude)
    bad = done.placed.read_bytes().replace(str(times[0]).encode(), b"once")
    target = other.home / "projects" / "elsewhere" / done.placed.name
    target.parent.mkdir()
    target.write_bytes(bad)
    probe = claude.go_on(other.result.session_id, home=other.home, cwd=other.cwd)
    assert probe.rc != 0
    assert "Invalid time value" in probe.stderr


def test_a_merge_from_claude_2_0_76_which_logs_a_session_anew(tmp_path: Path) -> None:
    """It does so where a line has several blocks, as a prompt with a picture has. What was there is not new."""
    claude = Claude(installed=old("claude", "2.0.76"), scratch=tmp_path)
    codex = Codex(installed=old("codex", "0.142.0"), scratch=tmp_path)
    journey = Journey(claude=claude, codex=codex, root=tmp_path / "j")
    given = session(CODEX["tools"])
    origin = given.open().provider.parse(given.open().source).thread.metadata["sessionId"]
    folder = journey.codex_home / "sessions/2026/11/20"
    placing.copy(given.path, folder / f"rollout-2026-11-20T10-00-00-{origin}.jsonl")
    target = journey.handoff(str(origin), "claude-code", "--tools", "keep", "--cwd", str(journey.cwd))
    file = journey.claude_file(target)
    before = file.read_bytes().count(b"\n")
    journey.in_claude(target, ["Gone on."], prompt="Go on")
    assert file.read_bytes().count(b"\n") > 2 * before, "it logs the session anew"
    merged = journey.merge(target)
    assert (merged["provider"], merged["turns"]) == ("codex", 1)
    assert merged["messages"] == 4, "the result and the answer that the open end was given, and the turn"


def _texts(messages: Sequence[Message]) -> list[str]:
    return [b.text.strip() for m in messages for b in m.content if isinstance(b, blocks.TextBlock) and b.text.strip()]


def _call_ids(messages: Sequence[Message]) -> list[str]:
    calls = (blocks.ToolCallBlock, blocks.FileChangeBlock, blocks.WebSearchBlock)
    return [str(b.call_id) for m in messages for b in m.content if isinstance(b, calls)]


def _outputs(messages: Sequence[Message]) -> dict[str, str]:
    """What each call gave, as a transcript says it: a picture by its kind, an exit code in its own field."""
    found = {}
    for b in (b for m in messages for b in m.content if isinstance(b, blocks.ToolResultBlock)):
        text, images = rows.output_text(b.output)
        found[b.call_id] = re.sub(r"^Exit code \d+\n", "", text).strip() or "image" * len(images)
    return found


def _words(item: dict[str, Any]) -> str:
    """What a message of the app server's transcript says."""
    parts = item.get("content", []) if item["type"] == "userMessage" else [item]
    speaks = item["type"] in ("userMessage", "agentMessage")
    return "\n".join(p.get("text", "") for p in parts).strip() if speaks else ""


def _output(item: dict[str, Any]) -> str | None:
    """What a call of the app server's transcript gave; None for one that shows no output of its own."""
    match item["type"]:
        case "commandExecution":
            return str(item["aggregatedOutput"]).strip()
        case "mcpToolCall":
            return "\n".join(part.get("text", "") for part in item["result"]["content"]).strip()
    return None
