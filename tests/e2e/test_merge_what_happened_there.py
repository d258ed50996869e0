"""What may happen to the far side before the merge: the client compacts, aborts, forks, reverts or rewrites it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.clients.job import Call
from tests.e2e.journey import COMMAND, TOOLS, Journey, said, session_at, texts

Event = Callable[[Journey, str], str]
"""Something that happens to a session after one turn there; returns the id of the session to merge."""


def compacted(journey: Journey, target: str) -> str:
    """A summary in plain words, as for a user with a provider of his own."""
    journey.codex.rpc(
        Call(method="thread/resume", params={"threadId": target}),
        Call(method="thread/compact/start", params={"threadId": target}, until="turn/completed"),
        home=journey.codex_home,
        cwd=journey.cwd,
        script=[[{"text": "SUMMARY of all that was"}]],
        provider="mock",
    )
    journey.in_codex(target, [[{"text": "After the compaction."}]], prompt="Go on after it", provider="mock")
    return target


def aborted(journey: Journey, target: str) -> str:
    journey.in_codex(
        target,
        prompt="A long one",
        script=[
            [{"text": "Starting."}, {"call": "exec_command", "args": {"cmd": "echo before"}, "id": "call_before"}],
            {"items": [{"text": "Half a"}], "hang": True},
        ],
        interrupt_at=2,
    )
    assert b"turn_aborted" in journey.codex.file_of(target, journey.codex_home).read_bytes()
    journey.in_codex(target, [[{"text": "After the abort."}]], prompt="Go on all the same")
    return target


def with_a_sub_agent(journey: Journey, target: str) -> str:
    spawn = {
        "call": "spawn_agent",
        "namespace": "multi_agent_v1",
        "args": {"message": "CHILD TASK"},
        "id": "call_spawn",
    }
    journey.in_codex(
        target,
        prompt="Spawn one",
        flags=("-c", "features.multi_agent=true"),
        script=[
            {"match": "Spawn one", "not": ["CHILD TASK"], "items": [spawn]},
            {"match": "CHILD TASK", "not": ["call_spawn"], "items": [{"text": "The child has done it."}]},
            # Codex ends its sub-agents when it ends: the parent stays at work until the child has answered.
            [{"call": "exec_command", "args": {"cmd": "sleep 3"}, "id": "call_wait"}],
            [{"text": "The parent goes on."}],
        ],
    )
    return target


def forked(journey: Journey, target: str) -> str:
    call = Call(method="thread/fork", params={"threadId": target})
    fork = journey.codex.rpc(call, home=journey.codex_home, cwd=journey.cwd)[0]["thread"]["id"]
    journey.in_codex(fork, [[{"text": "In the fork."}]], prompt="Go on in the fork")
    return str(fork)


def reverted(journey: Journey, target: str) -> str:
    journey.in_codex(target, [[{"text": "A wrong answer."}]], prompt="A wrong turn")
    _revert(journey, target, 1)
    journey.in_codex(target, [[{"text": "The right answer."}]], prompt="The right turn")
    return target


def _revert(journey: Journey, target: str, turns: int) -> None:
    read = Call(method="thread/read", params={"threadId": target, "includeTurns": True})
    resume = Call(method="thread/resume", params={"threadId": target})
    there = journey.codex.rpc(resume, read, home=journey.codex_home, cwd=journey.cwd)[1]["thread"]["turns"]
    revert = Call(method="thread/revert", params={"threadId": target, "beforeTurnId": there[-turns]["id"]})
    answer = journey.codex.rpc(resume, revert, home=journey.codex_home, cwd=journey.cwd)[1]
    assert "error" not in answer, answer


def migrated(journey: Journey, target: str) -> str:
    ran = journey.codex.run("migrate-rollouts", "--apply", home=journey.codex_home, cwd=journey.cwd)
    assert "1 migrated" in ran.said
    assert b"emittedLines" not in journey.codex.file_of(target, journey.codex_home).read_bytes(), "the stamp is gone"
    return target


def compressed(journey: Journey, target: str) -> str:
    """As `rollout/compress` leaves a cold rollout."""
    path = journey.codex.file_of(target, journey.codex_home)
    path.with_name(path.name + ".zst").write_bytes(zstandard.compress(path.read_bytes()))
    path.unlink()
    return target


def archived(journey: Journey, target: str) -> str:
    call = Call(method="thread/archive", params={"threadId": target})
    answer = journey.codex.rpc(call, home=journey.codex_home, cwd=journey.cwd)[0]
    assert "error" not in answer, answer
    assert list((journey.codex_home / "archived_sessions").glob(f"*{target}*"))
    return target


@pytest.mark.parametrize(
    ("event", "history"),
    [
        (compacted, "legacy"),
        (compacted, "paginated"),
        (aborted, "paginated"),
        (with_a_sub_agent, "paginated"),
        (forked, "legacy"),
        (forked, "paginated"),
        (reverted, "paginated"),
        (migrated, "legacy"),
        (compressed, "legacy"),
        (archived, "paginated"),
    ],
)
def test_in_codex(journey: Journey, event: Event, history: str) -> None:
    origin = journey.begin_in_claude()
    target = journey.handoff(origin, "codex", "--history", history)
    journey.in_codex(target, COMMAND, prompt="Run something there", provider="mock" if event is compacted else "openai")
    far = event(journey, target)
    merged = journey.merge(far)
    assert merged["onto"] == f"claude-code:{origin}"
    probe = journey.peek_in_claude(merged["sessionId"])
    if event is archived:  # which Codex does not resume; it says the same as before
        assert "over there" in texts(probe)
    else:
        assert said(probe) == said(journey.peek_in_codex(far))
    if event is with_a_sub_agent:
        beside = journey.claude_file(merged["sessionId"]).with_suffix("") / "subagents"
        assert "The child has done it." in "".join(p.read_text() for p in beside.glob("*.jsonl"))
    journey.assert_untouched()


def test_a_copy_of_a_fork_is_reverted(journey: Journey) -> None:
    """A paginated fork has its history in another rollout, and so has a merged copy of it: it is known all the same."""
    origin = journey.begin_in_claude()
    fork = forked(journey, journey.handoff(origin, "codex", "--history", "paginated"))
    copy = journey.merge(fork)["sessionId"]
    journey.in_claude(copy, ["Said here."], prompt="On in Claude")
    there = journey.merge(copy)["sessionId"]
    journey.watch(journey.claude_file(copy))
    journey.in_codex(there, [[{"text": "A wrong answer."}]], prompt="A wrong turn")
    _revert(journey, there, 1)
    journey.in_codex(there, [[{"text": "The right answer."}]], prompt="The right turn")
    merged = journey.merge(there)
    assert merged["turns"] == 1
    assert said(journey.peek_in_claude(merged["sessionId"])) == said(journey.peek_in_codex(there))
    journey.assert_untouched()


def test_reverted_into_what_was_handed_off(journey: Journey) -> None:
    """The far side goes back to before the last turn that it was given, and on from there; so does the merged copy."""
    origin = journey.begin_in_claude()
    journey.in_claude(origin, ["The answer that was not liked."], prompt="A question")
    journey.watch(journey.claude_file(origin))
    target = journey.handoff(origin, "codex", "--history", "paginated")
    _revert(journey, target, 1)
    journey.in_codex(target, [[{"text": "A better answer."}]], prompt="A better question")
    merged = journey.merge(target)
    probe = journey.peek_in_claude(merged["sessionId"])
    assert said(probe) == said(journey.peek_in_codex(target))
    assert "not liked" not in texts(probe)
    assert b"not liked" in journey.claude_file(merged["sessionId"]).read_bytes(), "the turn stays aside in the copy"
    journey.assert_untouched()


def claude_compacted(journey: Journey, target: str) -> str:
    ran = journey.claude.run(
        *("-p", "--resume", target, "/compact"),
        home=journey.claude_home,
        cwd=journey.cwd,
        script={"side": ["<summary>SUMMARY of all that was</summary>"], "main": []},
    )
    assert ran.rc == 0, ran.said
    journey.in_claude(target, ["After the compaction."], prompt="Go on after it")
    return target


def claude_forked(journey: Journey, target: str) -> str:
    before = set(journey.claude_file(target).parent.glob("*.jsonl"))
    ran = journey.claude.run(
        *("-p", "--resume", target, "--fork-session", "Go on in the fork"),
        home=journey.claude_home,
        cwd=journey.cwd,
        script=["In the fork."],
    )
    assert ran.rc == 0, ran.said
    (fork,) = set(journey.claude_file(target).parent.glob("*.jsonl")) - before
    return fork.stem


def claude_with_a_sub_agent(journey: Journey, target: str) -> str:
    task = {
        "description": "a task",
        "prompt": "CHILD TASK",
        "subagent_type": "general-purpose",
        "run_in_background": False,
    }
    journey.in_claude(
        target,
        {"main": [[{"tool": "Agent", "input": task}], "The parent goes on."], "subagent": ["The child has done it."]},
        prompt="Send one out",
    )
    return target


def claude_rewound(journey: Journey, target: str) -> str:
    """As Esc Esc and a new prompt leave it: the new prompt hangs where the old one did."""
    path = journey.claude_file(target)
    journey.in_claude(target, ["A wrong answer."], prompt="A wrong turn")
    lines = path.read_bytes().splitlines(keepends=True)
    journey.in_claude(target, ["The right answer."], prompt="The right turn")
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    wrong = next(r for r in records if r.get("type") == "user" and r["message"]["content"] == "A wrong turn")
    right = next(r for r in records if r.get("type") == "user" and r["message"]["content"] == "The right turn")
    path.write_bytes(
        path.read_bytes().replace(
            f'"parentUuid":"{right["parentUuid"]}"'.encode(), f'"parentUuid":"{wrong["parentUuid"]}"'.encode()
        )
    )
    assert path.read_bytes().startswith(b"".join(lines[:-1])[:1000])
    return target


def claude_forked_after_a_compaction(journey: Journey, target: str) -> str:
    """The fork's file begins with the summary, and does not say what it is a fork of."""
    claude_compacted(journey, target)
    fork = claude_forked(journey, target)
    assert b"forkedFrom" not in journey.claude_file(fork).read_bytes()
    return fork


def claude_went_back_into_a_turn(journey: Journey, target: str) -> str:
    """The turn loses its last word, and the next prompt follows what was said before that."""
    path = journey.claude_file(target)
    said = [m for m in session_at(path).messages if m.kind is None and m.role == "assistant" and m.provenance]
    before = said[-2].provenance
    assert before is not None and before.source_id
    journey.merge(target)
    back = ("--resume-session-at", before.source_id)
    args = ("-p", "--resume", target, *back, "Go on from there")
    journey.goes_on(journey.claude, path, *args, home=journey.claude_home, script=["From there."])
    return target


@pytest.mark.parametrize(
    "event",
    [
        claude_compacted,
        claude_forked,
        claude_forked_after_a_compaction,
        claude_with_a_sub_agent,
        claude_rewound,
        claude_went_back_into_a_turn,
    ],
)
def test_in_claude(journey: Journey, event: Event) -> None:
    origin = journey.begin_in_codex()
    target = journey.handoff(origin, "claude-code", "--tools", "keep")
    journey.in_claude(target, TOOLS, prompt="Go on in Claude")
    far = event(journey, target)
    merged = journey.merge(far)
    assert merged["onto"] == f"codex:{origin}"
    probe = journey.peek_in_codex(merged["sessionId"])
    assert said(probe) == said(journey.peek_in_claude(far))
    if event is claude_with_a_sub_agent:
        children = [p for p in journey.codex_home.rglob("*.jsonl") if b"The child has done it." in p.read_bytes()]
        assert any(merged["sessionId"].encode() in p.read_bytes() for p in children)
    journey.assert_untouched()


def test_the_project_was_renamed(journey: Journey) -> None:
    """The folder of the project and the client's folder for it have other names by now; the session is found by id."""
    origin = journey.begin_in_claude()
    target = journey.handoff(origin, "codex")
    journey.in_codex(target, COMMAND, prompt="Run something there")
    old = journey.claude_file(origin)
    moved = old.parent.with_name("-somewhere-else")
    old.parent.rename(moved)
    merged = journey.merge(target)
    assert Path(merged["path"]).parent == moved
    shutil.copytree(moved, old.parent)
    assert said(journey.peek_in_claude(merged["sessionId"])) == said(journey.peek_in_codex(target))
