"""Merging twice, both sides going on, a client that is still at it, and merged copies of odd origins, for real."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import rows
from tests.clients import Claude, Codex
from tests.e2e.journey import COMMAND, TOOLS, Journey, said, texts
from tests.handoff.desk import Desk
from tests.handoff.test_corpus import OTHER, settle
from tests.sessions import session


def test_a_second_merge_takes_only_what_is_newer(journey: Journey) -> None:
    origin = journey.begin_in_claude()
    target = journey.handoff(origin, "codex")
    journey.in_codex(target, COMMAND, prompt="One")
    first = journey.merge(target)["sessionId"]
    journey.watch(journey.claude_file(first))
    journey.in_codex(target, [[{"text": "Two it is."}]], prompt="Two")
    second = journey.merge(target)
    assert (second["onto"], second["turns"], second["supersedes"]) == (
        f"claude-code:{origin}",
        2,
        f"claude-code:{first}",
    )
    assert said(journey.peek_in_claude(second["sessionId"])) == said(journey.peek_in_codex(target))
    journey.assert_untouched()

    journey.in_claude(second["sessionId"], ["Said in the copy."], prompt="On in the copy")
    journey.watch(journey.claude_file(second["sessionId"]))
    journey.in_codex(target, [[{"text": "Three it is."}]], prompt="Three")
    third = journey.merge(target)
    assert (third["onto"], third["turns"]) == (f"claude-code:{second['sessionId']}", 1)
    sent = said(journey.peek_in_claude(third["sessionId"]))
    assert [r["text"] for r in sent if r["kind"] == "user"] == [
        "Begin in Claude",
        "One",
        "Two",
        "On in the copy",
        "Three",
    ]
    again = journey.merge(target)
    assert (again["written"], again["turns"], again["sessionId"]) == (False, 0, third["sessionId"])
    journey.assert_untouched()


@pytest.mark.parametrize("choice", ["--branch", "--append"])
def test_both_sides_went_on(journey: Journey, choice: str) -> None:
    origin = journey.begin_in_codex()
    target = journey.handoff(origin, "claude-code", "--tools", "keep")
    journey.in_claude(target, TOOLS, prompt="Said there")
    journey.in_codex(origin, [[{"text": "Here it is."}]], prompt="Said here")
    journey.watch(journey.codex.file_of(origin, journey.codex_home))
    refused = journey.sesh("merge", target, rc=5)
    assert "turn 1" in refused["error"] and "has 1 turn more" in refused["error"]
    merged = journey.merge(target, choice)
    probe = journey.peek_in_codex(merged["sessionId"])
    begun = ["Begin in Codex"] + ([] if choice == "--branch" else ["Said here"])
    assert [r["text"] for r in said(probe) if r["kind"] == "user"] == [*begun, "Said there"]
    assert ("Here it is." in texts(probe)) == (choice == "--append")
    journey.assert_untouched()


def test_codex_still_has_it_open(journey: Journey) -> None:
    target = journey.handoff(journey.begin_in_claude(), "codex")
    journey.in_codex(target, COMMAND, prompt="One")
    # The lock as the real client holds it, in a process of its own: `codex exec resume` kept busy by its model.
    busy = subprocess.Popen(
        [sys.executable, "-c", _BUSY, str(journey.root), target],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.DEVNULL,
    )
    try:
        lock = journey.codex_home / "thread-writer-locks" / f"{target}.lock"
        before = journey.codex.file_of(target, journey.codex_home).stat().st_size
        end = time.monotonic() + 60
        while journey.codex.file_of(target, journey.codex_home).stat().st_size == before and time.monotonic() < end:
            time.sleep(0.1)
        assert lock.exists()
        refused = journey.sesh("merge", target, rc=5)
        assert "Codex has" in refused["error"] and "--live" in refused["hint"]
        assert journey.merge(target, "--live")["turns"] >= 1
    finally:
        busy.kill()
        busy.wait()


_BUSY = """
import sys
from pathlib import Path
from tests.clients import Claude, Codex, installed
root, target = Path(sys.argv[1]), sys.argv[2]
codex = Codex(installed=installed.find("codex"), scratch=root)
home = root / "home" / ".codex"
codex.run("exec", "--skip-git-repo-check", "resume", target, "A long one", home=home, cwd=(root / "project").resolve(),
          script=[{"items": [{"text": "Half a"}], "hang": True}], interrupt_at=3)
"""

ORIGINS = [
    "claude-code/1.0.120/-home-dev-labs-home-corpus-1-0-120-agents/38d83031-531a-44b7-9f05-793914dd5cb5.jsonl",
    "claude-code/2.0.76/-home-dev-labs-home-corpus-2-0-76-tools/0a4ad821-6210-4048-ace5-3a0e107cedec.jsonl",
    "claude-code/2.1.50/-home-dev-labs-home-corpus-2-1-50-tools/2e3e86f0-1fd7-48e5-9063-370426c319d0.jsonl",
    "claude-code/2.1.328/-home-dev-labs-home-corpus-2-1-328-slash/954289d9-33d2-4d92-a63b-ac888589f162.jsonl",
    "codex/0.36.0/rich.jsonl",
    "codex/0.104.0/compacted.jsonl",
    "codex/0.142.0/forked-rolledback-2.jsonl",
    "codex/0.169.0/rich.jsonl",
    "codex/0.169.0/remote-compaction.jsonl",
    "codex/trees/fork-archived/sessions/2026/11/30/rollout-2026-11-30T16-25-58-01a22d47-051d-7943-925d-d8fb29591c2d.jsonl",
    "codex/trees/fork-archived/archived_sessions/rollout-2026-11-30T16-25-49-01a22d46-df42-7922-b44a-946934458e22.jsonl",
    "codex/trees/reverted-twice/sessions/2026/11/30/rollout-2026-11-30T16-32-15-01a22d4c-c0d1-7c83-949e-702a680ac0fb_"
    "01a22d4c-c54d-7d52-ad68-3ddd13adfbc9.jsonl",
]
"""Origins that are not plain: old versions, sub-agents, compactions, forks, reverts, archives."""


@pytest.mark.parametrize("name", ORIGINS, ids=lambda n: "/".join(n.split("/")[1:])[:50])
def test_a_merged_copy_sends_what_its_origin_sent_and_the_new_turn(
    claude_client: Claude, codex_client: Codex, tmp_path: Path, name: str
) -> None:
    """What the real client sent for the origin (recorded under tests/corpus/sent), then the new turn."""
    given = session(name)
    desk = Desk(root=tmp_path / "d")
    path = settle(desk, given)
    target = desk.handoff(path, OTHER[given.provider])
    desk.say(target, "A new prompt", "A new answer.")
    merged = desk.merge(target)
    client = claude_client if given.provider == "claude-code" else codex_client
    probe = client.resume(merged.path)
    assert probe.resumed, probe.stderr
    new = [{"kind": "user", "text": "A new prompt"}, {"kind": "assistant", "text": "A new answer."}]
    assert rows.settled(probe.sent) == rows.settled([*given.oracle["sent"], *new])
    assert probe.prefix_kept
    if given.provider == "codex":
        assert probe.listed == given.oracle["listed"]
    shutil.rmtree(tmp_path / "d")
