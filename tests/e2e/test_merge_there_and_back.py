"""Handoff and merge with the real clients in the loop: there and back, both ways, and again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import Claude, Codex
from tests.e2e.journey import COMMAND, PATCH_AND_PARALLEL, TOOLS, Journey, said, texts


@pytest.fixture
def journey(claude_client: Claude, codex_client: Codex, tmp_path: Path) -> Journey:
    return Journey(claude=claude_client, codex=codex_client, root=tmp_path / "j")


def test_begun_in_claude_and_back(journey: Journey) -> None:
    origin = journey.begin_in_claude()
    target = journey.handoff(origin, "codex")
    first = journey.in_codex(target, COMMAND, prompt="Run something there")
    journey.in_codex(target, PATCH_AND_PARALLEL, prompt="Now patch and look twice")
    merged = journey.merge(target)
    assert (merged["provider"], merged["turns"], merged["from"]["sessionId"]) == ("claude-code", 2, target)
    there = said(journey.in_codex(target))
    probe = journey.in_claude(merged["sessionId"])
    assert said(probe) == there
    assert [r for r in there if r.get("id") in ("call_run", "call_patch", "call_one", "call_two")]
    for context in first.context:
        assert str(context.get("text", ""))[:40] not in texts(probe) or not context.get("text")
    journey.assert_untouched()


@pytest.mark.parametrize("history", ["legacy", "paginated"])
def test_begun_in_codex_and_back(journey: Journey, history: str) -> None:
    if history == "paginated":
        origin = journey.begin_in_codex()
    else:
        # A legacy rollout of today's client: one that sesh wrote, and that Codex went on with.
        seed = journey.begin_in_claude()
        origin = journey.handoff(seed, "codex", "--history", "legacy")
        journey.in_codex(origin, COMMAND, prompt="Run something first")
        journey.watch(journey.codex.file_of(origin, journey.codex_home))
    target = journey.handoff(origin, "claude-code", "--tools", "keep")
    journey.in_claude(target, TOOLS, prompt="Go on in Claude")
    journey.in_claude(target, ["A second turn."], prompt="And once more")
    merged = journey.merge(target)
    assert (merged["provider"], merged["turns"]) == ("codex", 2)
    there = said(journey.in_claude(target))
    probe = journey.in_codex(merged["sessionId"])
    assert said(probe) == there
    assert probe.listed == (history == "legacy"), "as the origin: what `codex exec` began is not in Codex's list"
    assert probe.turns
    assert "A second turn." in texts(probe)
    journey.assert_untouched()
