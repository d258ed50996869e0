"""Handoff and merge with the real clients in the loop: there and back, both ways, and on and on."""

from __future__ import annotations

import pytest

from tests.e2e.journey import COMMAND, PATCH_AND_PARALLEL, TOOLS, Journey, said, texts


def test_begun_in_claude_and_back(journey: Journey) -> None:
    origin = journey.begin_in_claude()
    target = journey.handoff(origin, "codex")
    journey.in_codex(target, COMMAND, prompt="Run something there")
    journey.in_codex(target, PATCH_AND_PARALLEL, prompt="Now patch and look twice")
    merged = journey.merge(target)
    assert (merged["provider"], merged["turns"], merged["from"]["sessionId"]) == ("claude-code", 2, target)
    far = journey.peek_in_codex(target)
    there = said(far)
    probe = journey.peek_in_claude(merged["sessionId"])
    assert said(probe) == there
    assert {r["id"] for r in there if r["kind"] == "call"} >= {"call_run", "call_patch", "call_one", "call_two"}
    own = [str(row["text"])[:60] for row in far.context if row.get("text")]
    assert own, "Codex adds context of its own"
    assert not [words for words in own if words in texts(probe)]
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
    there = said(journey.peek_in_claude(target))
    probe = journey.peek_in_codex(merged["sessionId"])
    assert said(probe) == there
    assert "A second turn." in texts(probe)
    assert "system-reminder" not in texts(probe)
    assert probe.listed == (history == "legacy"), "as the origin: what `codex exec` began is not in Codex's list"
    assert probe.turns
    journey.assert_untouched()


def test_a_to_b_to_a_to_b_and_back_once_more(journey: Journey) -> None:
    origin = journey.begin_in_claude()
    over = journey.handoff(origin, "codex")
    journey.in_codex(over, COMMAND, prompt="In Codex, first")
    back = journey.merge(over)["sessionId"]
    journey.watch(journey.codex.file_of(over, journey.codex_home))
    journey.in_claude(back, TOOLS, prompt="In Claude, second")
    journey.watch(journey.claude_file(back))
    over_again = journey.merge(back)
    assert (over_again["provider"], over_again["turns"], over_again["onto"]) == ("codex", 1, f"codex:{over}")
    assert said(journey.peek_in_codex(over_again["sessionId"])) == said(journey.peek_in_claude(back))
    journey.in_codex(over_again["sessionId"], [[{"text": "Third answer."}]], prompt="In Codex, third")
    home = journey.merge(over_again["sessionId"])
    assert (home["provider"], home["turns"], home["onto"]) == ("claude-code", 1, f"claude-code:{back}")
    there = said(journey.peek_in_codex(over_again["sessionId"]))
    assert said(journey.peek_in_claude(home["sessionId"])) == there
    prompts = ["Begin in Claude", "In Codex, first", "In Claude, second", "In Codex, third"]
    assert [row["text"] for row in there if row["kind"] == "user"] == prompts
    states = {s["target"]: s["state"] for s in journey.sesh("links")["links"]}
    assert states[f"codex:{over}"] == "merged"
    journey.assert_untouched()


def test_tools_go_back_to_the_clients_own(journey: Journey) -> None:
    """By default a merge into Claude Code writes Codex's tools as Claude's own, and they come back as they were."""
    target = journey.handoff(journey.begin_in_claude(), "codex")
    journey.in_codex(target, PATCH_AND_PARALLEL, prompt="Patch and look twice")
    merged = journey.sesh("merge", target)
    sent = said(journey.peek_in_claude(merged["sessionId"]))
    names = [row["name"] for row in sent if row["kind"] == "call"]
    assert "exec_command" not in names
    assert names.count("Bash") == 5
    again = journey.handoff(merged["sessionId"], "codex")
    assert said(journey.peek_in_codex(again)) == said(journey.peek_in_codex(target))
