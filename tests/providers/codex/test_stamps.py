"""What our writer left on the lines comes back as it was (format/stamp.py)."""

from __future__ import annotations

from typing import Any

import pytest

from sesh.format import walk
from sesh.format.blocks import ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from sesh.providers.codex.reader import parse_codex_rollout
from tests.providers.codex.rollouts import THREAD, Line, agent, call, data, event, meta, output, read, started, user


def stamped(line: Line, **stamp: Any) -> Line:
    return {**line, "sesh": stamp}


def test_fields_of_a_message() -> None:
    line = stamped(user("x"), kind="notice", role="system", model="m", turnId="t", ts="2020-01-01T00:00:00.000Z")
    message = read(line, agent("y")).messages[0]
    assert (message.kind, message.role, message.model) == ("notice", "system", "m")
    assert (message.turn_id, message.ts) == ("t", "2020-01-01T00:00:00.000Z")


def test_said_is_said_whatever_it_looks_like() -> None:
    text = "<environment_context>quoted</environment_context>"
    assert walk.is_prompt(read(stamped(user(text), kind="said")).messages[0])


def test_blocks_go_before_the_record() -> None:
    block = {"type": "tool_call", "callId": "c", "name": "Bash", "input": {"command": "ls"}}
    message = read(user("x"), stamped(call("c", "exec_command", '{"cmd":"ls"}'), blocks=[block])).messages[1]
    assert message.content == [ToolCallBlock(call_id="c", name="Bash", input={"command": "ls"})]


def test_blocks_that_somebody_edited_are_no_blocks() -> None:
    message = read(stamped(user("x"), blocks=[{"type": "text"}])).messages[0]
    assert message.content == [TextBlock(text="x")]


def test_escaped_blocks() -> None:
    message = read(stamped(user("x\ufffd"), escaped='[{"type":"text","text":"x\\ud83d"}]')).messages[0]
    assert message.content == [TextBlock(text="x\ud83d")]


def test_a_line_that_goes_on_with_the_one_before() -> None:
    result = read(user("x"), agent("look"), stamped(call("c"), more=True), output("c"))
    assert [len(m.content) for m in result.messages] == [1, 2, 1]
    assert isinstance(result.messages[1].content[1], ToolCallBlock)


@pytest.mark.parametrize("error", [True, False])
def test_the_error_flag(error: bool) -> None:
    block = read(user("x"), call("c"), stamped(output("c"), error=error)).messages[-1].content[0]
    assert isinstance(block, ToolResultBlock)
    assert block.is_error is error


@pytest.mark.parametrize("line", [output("c", "aborted"), event("agent_message", message="made up"), user("made up")])
def test_stubs_are_skipped(line: Line) -> None:
    result = read(user("x"), call("c"), stamped(line, stub=True))
    assert len(result.messages) == 2
    assert result.report.skipped["sesh-stub"] == 1


def test_a_thought_that_stands_in_an_event() -> None:
    thought = {"type": "reasoning", "text": "hm"}
    line = stamped(event("agent_reasoning", text="hm"), blocks=[thought], model="claude")
    result = read(started(), user("x"), line, agent("y"))
    assert [type(b) for m in result.messages for b in m.content] == [TextBlock, ReasoningBlock, TextBlock]
    assert result.messages[1].model == "claude"


def test_the_thread() -> None:
    kept = {"title": "T", "createdAt": "2020-01-01T00:00:00.000Z", "metadata": {"cwd": "/there", "version": "2.1"}}
    result = parse_codex_rollout(data(stamped(meta(sesh={"link": 1}), thread=kept), user("x")))
    assert result.thread.title == "T"
    assert result.thread.created_at == "2020-01-01T00:00:00.000Z"
    assert result.thread.metadata == {
        "cwd": "/there",
        "version": "2.1",
        "provider": "codex",
        "sessionId": THREAD,
        "link": {"link": 1},
    }


def test_a_later_name_goes_before_the_title_that_was_left() -> None:
    kept = {"title": "T", "metadata": {}}
    lines = [stamped(meta(), thread=kept), user("x"), event("thread_name_updated", thread_name="renamed")]
    assert parse_codex_rollout(data(*lines)).thread.title == "renamed"


def test_the_window_of_a_compaction() -> None:
    line: Line = {"type": "compacted", "payload": {"message": "SUM", "replacement_history": []}}
    result = read(user("one"), agent("1"), user("two"), stamped(line, window=[3, 1, 0]))
    summary = result.messages[-1]
    assert summary.window == [result.messages[0].id, result.messages[2].id, summary.id]


def test_a_link_at_the_end_of_a_grafted_copy() -> None:
    line: Line = {"type": "sesh-link", "payload": {"sesh": {"to": "x", "emittedLines": 9}}}
    result = read(user("x"), line)
    assert (result.thread.metadata or {})["link"] == {"to": "x", "emittedLines": 9}
    assert len(result.messages) == 1


@pytest.mark.parametrize("value", [3, "x", [], {"kind": 3}, {"blocks": "x"}, {"window": "x"}])
def test_another_ones_sesh_key_is_none_of_ours(value: object) -> None:
    message = read({**user("x"), "sesh": value}).messages[0]
    assert message.content == [TextBlock(text="x")]
