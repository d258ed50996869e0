"""Sub-agents, side chains and what began them: inline (1.0), flat files (2.0), folder and progress lines (2.1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sesh.format import ids
from sesh.format.blocks import ToolCallBlock
from sesh.providers.api import IngestResult, SessionSource
from sesh.providers.claude_code.reader import parse_claude_session
from tests.corpus_files import claude_name, claude_sessions, claude_source
from tests.providers.claude_code.made import SESSION, Made, codes, short, shortly

AGENTS = [p for p in claude_sessions() if p.parent.name.endswith("-agents")]


@pytest.mark.parametrize("path", AGENTS, ids=claude_name)
def test_every_recorded_call_of_an_agent_began_one_child(path: Path) -> None:
    """In all versions: as many linked children as calls, each linked to a call whose prompt it begins with."""
    result = parse_claude_session(claude_source(path))
    calls = {
        m.id: b
        for m in result.messages
        for b in m.content
        if isinstance(b, ToolCallBlock) and b.name in ("Task", "Agent")
    }
    linked = [c for c in result.children if c.thread.origin_message_id is not None]
    assert len(linked) == len(calls) > 0
    for child in linked:
        call = calls[child.thread.origin_message_id or ""]
        metadata = child.thread.metadata or {}
        assert shortly(child.messages)[0] == call.input["prompt"]
        assert child.thread.title == metadata["description"] == call.input["description"]
        assert metadata["agentType"] == call.input["subagent_type"]
        assert metadata["relation"] == ("sidechain" if "1.0.120" in path.parts else "subagent")
        assert child.thread.parent_thread_id == result.thread.id
    for child in result.children:
        if child not in linked:
            assert shortly(child.messages)[0] == "Warmup"


class Beside(Made):
    """A sub-agent's file beside a session."""

    def __init__(self, agent: str, *, session: str = SESSION) -> None:
        super().__init__(start=False, session=session)
        self.agent = agent

    def line(self, kind: str, uuid: str, parent: str | None, **more: Any) -> Any:
        return super().line(kind, uuid, parent, **{"isSidechain": True, "agentId": self.agent, **more})


def helper(agent: str, prompt: str, answer: str, *, session: str = SESSION) -> Beside:
    s = Beside(agent, session=session)
    s.user(f"{agent}-1", None, prompt)
    s.said(f"{agent}-2", f"{agent}-1", answer)
    return s


def asked(s: Made, call: str = "c1", prompt: str = "go", **facts: Any) -> None:
    s.call(f"x-{call}", "a1", call, f"step-{call}", "Agent", prompt=prompt, description="D", subagent_type="T")
    s.result(f"r-{call}", f"x-{call}", call, toolUseResult=facts or None)
    s.said(f"e-{call}", f"r-{call}", "end")


def folder(key: str) -> str:
    return f"{SESSION}/subagents/{key}"


def test_linked_by_the_agent_that_the_result_names() -> None:
    s = Made()
    asked(s, prompt="words that differ", agentId="aa")
    s.companions[folder("agent-aa.jsonl")] = helper("aa", "go", "done").data()
    result = s.read()
    (child,) = result.children
    assert child.thread.origin_message_id == result.messages[2].id
    assert shortly(child.messages) == ["go", "done"]
    assert child.thread.id == ids.thread_id("claude-code", f"{SESSION}/agent-aa")
    assert all(m.provenance is not None and m.provenance.sidechain for m in child.messages)
    assert result.report.files[folder("agent-aa.jsonl")].used == 2


def test_linked_by_meta_json() -> None:
    s = Made()
    asked(s)
    s.companions[folder("agent-aa.jsonl")] = helper("aa", "other words", "done").data()
    meta = {"agentType": "Explore", "description": "From meta", "toolUseId": "c1"}
    s.companions[folder("agent-aa.meta.json")] = json.dumps(meta).encode()
    result = s.read()
    (child,) = result.children
    assert child.thread.origin_message_id == result.messages[2].id
    assert child.thread.title == "From meta"
    assert (child.thread.metadata or {})["agentType"] == "Explore"
    assert result.report.files[folder("agent-aa.meta.json")].used == 1


def test_broken_meta_json_is_named_and_no_more() -> None:
    s = Made()
    asked(s, agentId="aa")
    s.companions[folder("agent-aa.jsonl")] = helper("aa", "go", "done").data()
    s.companions[folder("agent-aa.meta.json")] = b"{torn"
    result = s.read()
    assert result.children[0].thread.origin_message_id is not None
    assert "unreadable-line" in codes(result)


def test_a_name_is_no_link() -> None:
    """Neither the tool's name nor being the only call links a child whose prompt is another."""
    s = Made()
    asked(s, prompt="something else")
    s.companions[folder("agent-aa.jsonl")] = helper("aa", "go", "done").data()
    result = s.read()
    assert result.children[0].thread.origin_message_id is None
    assert "unlinked-child" in codes(result)


def test_a_killed_agent_is_linked_by_its_prompt() -> None:
    """No result and no meta.json: the call whose prompt the child begins with."""
    s = Made()
    s.call("x1", "a1", "c1", "step", "Agent", prompt="go", description="D", subagent_type="T")
    s.companions[folder("agent-aa.jsonl")] = helper("aa", "go", "half").data()
    result = s.read()
    assert result.children[0].thread.origin_message_id == result.messages[2].id


def test_nested_agents_name_their_own_parent() -> None:
    s = Made()
    asked(s, agentId="aa")
    outer = helper("aa", "go", "asking on")
    outer.call("aa-3", "aa-2", "c2", "inner", "Agent", prompt="deeper", description="Inner", subagent_type="T")
    outer.result("aa-4", "aa-3", "c2", toolUseResult={"agentId": "bb"})
    s.companions[folder("agent-bb.jsonl")] = helper("bb", "deeper", "deep").data()
    s.companions[folder("agent-aa.jsonl")] = outer.data()
    result = s.read()
    children = {(c.thread.metadata or {})["agentId"]: c for c in result.children}
    assert children["bb"].thread.parent_thread_id == children["aa"].thread.id
    assert children["bb"].thread.origin_message_id == children["aa"].messages[2].id
    assert children["bb"].thread.title == "Inner"


def test_a_branch_inside_an_agent() -> None:
    s = Made()
    asked(s, agentId="aa")
    agent = helper("aa", "go", "first try")
    agent.said("aa-3", "aa-1", "second try")
    s.companions[folder("agent-aa.jsonl")] = agent.data()
    main, branch = s.read().children
    assert shortly(main.messages) == ["go", "second try"]
    assert shortly(branch.messages) == ["first try"]
    assert branch.thread.parent_thread_id == main.thread.id
    assert branch.thread.origin_message_id == main.messages[0].id


def flat(version: str, owner: str = SESSION) -> IngestResult:
    s = Made()
    for line in s.lines:
        assert isinstance(line, dict)
        line["version"] = version
    s.companions["agent-w1.jsonl"] = helper("w1", "Warmup", "ready", session=owner).data()
    s.companions["agent-other.jsonl"] = helper("other", "Warmup", "not ours", session="another").data()
    return s.read()


def test_flat_files_belong_to_the_session_their_first_line_names() -> None:
    result = flat("2.0.76")
    assert [shortly(c.messages) for c in result.children] == [["Warmup", "ready"]]
    assert "agent-other.jsonl" not in result.report.files


def test_flat_files_are_not_opened_for_versions_that_write_none() -> None:
    assert flat("2.1.328").children == []


def progress(s: Made, uuid: str, inner: dict[str, Any], *, agent: str = "aa") -> None:
    data = {"type": "agent_progress", "message": inner, "agentId": agent, "prompt": "go"}
    s.line("progress", uuid, "a1", data=data, parentToolUseID="c1", toolUseID="agent_1")


def inner_line(kind: str, uuid: str, text: str) -> dict[str, Any]:
    message = {"role": kind, "content": [{"type": "text", "text": text}]}
    return {"type": kind, "uuid": uuid, "timestamp": "2026-03-01T11:00:00.000Z", "message": message}


def test_a_transcript_in_progress_lines() -> None:
    s = Made()
    asked(s)
    progress(s, "p1", inner_line("user", "i1", "go"))
    progress(s, "p2", inner_line("assistant", "i2", "working"))
    progress(s, "p3", inner_line("assistant", "i2", "working"))
    result = s.read()
    (child,) = result.children
    assert shortly(child.messages) == ["go", "working"]
    assert child.thread.origin_message_id == result.messages[2].id
    assert (child.thread.metadata or {})["agentId"] == "aa"
    assert result.report.skipped == {"duplicate": 1}


def test_progress_lines_are_an_echo_where_the_agent_has_a_file() -> None:
    s = Made()
    asked(s)
    progress(s, "p1", inner_line("user", "i1", "go"))
    s.companions[folder("agent-aa.jsonl")] = helper("aa", "go", "done").data()
    result = s.read()
    assert [shortly(c.messages) for c in result.children] == [["go", "done"]]
    assert result.children[0].thread.origin_message_id == result.messages[2].id
    assert result.report.skipped == {"progress": 1}


def test_an_agent_file_named_as_a_session_is_a_thread_under_it() -> None:
    agent = helper("aa", "go", "done")
    result = parse_claude_session(SessionSource(main=agent.data(), name="agent-aa.jsonl"))
    assert short(result) == ["go", "done"]
    assert result.thread.id == ids.thread_id("claude-code", f"{SESSION}/agent-aa")
    assert result.thread.parent_thread_id == ids.thread_id("claude-code", SESSION)
    assert (result.thread.metadata or {})["relation"] == "subagent"


def test_the_same_messages_whether_read_alone_or_as_a_child() -> None:
    s = Made()
    agent = helper("aa", "go", "done")
    s.companions[folder("agent-aa.jsonl")] = agent.data()
    alone = parse_claude_session(SessionSource(main=agent.data(), name="agent-aa.jsonl"))
    assert [m.id for m in alone.messages] == [m.id for m in s.read().children[0].messages]


def test_files_that_are_no_part_of_the_talk_are_named() -> None:
    s = Made()
    s.companions[f"{SESSION}/session-memory/notes.md"] = b"words"
    entry = next(e for e in s.read().report.entries if e.code == "unread-companion")
    assert "session-memory/notes.md" in entry.text


def test_two_files_of_one_agent_are_two_threads_unless_they_are_the_same() -> None:
    s = Made()
    asked(s, agentId="aa")
    s.companions[folder("agent-aa.jsonl")] = helper("aa", "go", "done").data()
    s.companions[folder("copied/agent-aa.jsonl")] = helper("aa", "go", "done").data()
    s.companions[folder("other/agent-aa.jsonl")] = helper("aa", "go", "other").data()
    result = s.read()
    assert [shortly(c.messages) for c in result.children] == [["go", "done"], ["go", "other"]]
    assert len({c.thread.id for c in result.children}) == 2
    assert len({m.id for c in result.children for m in c.messages}) == 4
    assert result.report.skipped == {"duplicate": 2}


def test_what_a_human_queued_for_an_agent_is_said() -> None:
    s = Made()
    asked(s, agentId="aa")
    agent = helper("aa", "go", "done")
    agent.state("queue-operation", operation="enqueue", content="and this", timestamp="2026-03-01T10:30:00.000Z")
    s.companions[folder("agent-aa.jsonl")] = agent.data()
    result = s.read()
    assert shortly(result.children[0].messages) == ["go", "done", "and this"]
    assert "queued-prompt" in codes(result)
