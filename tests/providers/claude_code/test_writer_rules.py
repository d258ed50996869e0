"""What the Messages API and every version of the client ask of a file (formats/claude-code.md §2, §3)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given

from sesh.providers.api import EmitResult
from sesh.providers.claude_code import PROVIDER
from sesh.providers.claude_code.writer import emit_claude_session
from sesh.testing.conversations import Conversation, conversations, wild_conversations
from sesh.testing.provider_suite import read_back
from sesh.testing.strategies import FOLDER
from tests.providers.claude_code.telling import Telling, chained, sent, values

ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
WAYS: list[dict[str, Any]] = [{}, {"tools": "keep"}, {"keep_context": True}, {"last_turns": 1}]
NAMES = ["native", "keep", "context", "last-turn"]


def emit(told: Conversation, options: dict[str, Any]) -> EmitResult:
    result = emit_claude_session(told.thread, told.messages, children=told.children, cwd=FOLDER, **options)
    assert result.report.adds_up()
    return result


@pytest.mark.parametrize("options", WAYS, ids=NAMES)
@given(told=wild_conversations())
def test_any_thread_gives_a_session_that_every_version_reads(options: dict[str, Any], told: Conversation) -> None:
    result = emit(told, options)
    assert_one_chain(result.lines)
    assert_api(result.lines)


@pytest.mark.parametrize("options", WAYS, ids=NAMES)
@given(told=conversations())
def test_what_readers_give_and_its_children(options: dict[str, Any], told: Conversation) -> None:
    result = emit(told, options)
    for lines in (result.lines, *(f.lines for f in result.files if f.path.endswith(".jsonl"))):
        assert_one_chain(lines)
        assert_api(lines)
    for file in result.files:
        values(file.lines)


@given(told=wild_conversations())
def test_every_block_is_accounted_for(told: Conversation) -> None:
    report = emit(told, {}).report
    told_of = [told.messages, *(child.messages for child in told.children)]
    assert report.blocks == sum(len(m.content) for messages in told_of for m in messages)


def assert_one_chain(lines: list[bytes]) -> None:
    """Unique uuids, each line on the one before it, no gap but a boundary, times that never fall and are valid."""
    before: str | None = None
    last = ""
    seen: set[str] = set()
    for line in chained(lines):
        boundary = line["type"] == "system" and line["subtype"] == "compact_boundary"
        assert line["parentUuid"] == (None if boundary else before)
        if boundary:
            assert line["logicalParentUuid"] == before
        assert line["uuid"] not in seen
        assert TIME.fullmatch(line["timestamp"])
        assert line["timestamp"] >= last
        if "sesh" in line:
            assert line["timestamp"] > last
        seen.add(line["uuid"])
        before, last = line["uuid"], line["timestamp"]
    if seen:
        assert next(v for v in chained(lines))["type"] in ("user", "assistant")


def assert_api(lines: list[bytes]) -> None:
    """Names, ids, inputs and pairs as the API takes them; results in the message right after their calls."""
    given_ids: set[str] = set()
    waiting: list[str] = []
    for message in sent(lines):
        results = [b["tool_use_id"] for b in message["content"] if b["type"] == "tool_result"]
        if waiting:
            assert message["role"] == "user"
            assert sorted(results[: len(waiting)]) == sorted(waiting)
            assert [b["type"] for b in message["content"][: len(waiting)]] == ["tool_result"] * len(waiting)
            results = results[len(waiting) :]
        assert results == []
        waiting = []
        for block in message["content"]:
            assert_block(block, message["role"])
            if block["type"] == "tool_use":
                assert ID.fullmatch(block["id"])
                assert NAME.fullmatch(block["name"])
                assert isinstance(block["input"], dict)
                assert block["id"] not in given_ids
                given_ids.add(block["id"])
                waiting.append(block["id"])
    assert waiting == []
    for name in given_ids:
        stem = re.fullmatch(r"(.+)_\d+", name)
        assert stem is None or stem[1] not in given_ids


def assert_block(block: dict[str, Any], role: str) -> None:
    kinds = {"text", "tool_use"} if role == "assistant" else {"text", "tool_result", "image", "document"}
    assert block["type"] in kinds
    if block["type"] == "text":
        assert block["text"].strip()
        block["text"].encode("utf-8")
    elif block["type"] == "tool_result" and not isinstance(block["content"], str):
        for part in block["content"]:
            assert part["type"] in ("text", "image", "document")
            assert part["type"] != "text" or part["text"].strip()


@given(told=conversations(children=False))
def test_a_graft_hangs_on_the_line_it_is_given(told: Conversation) -> None:
    told = Conversation(thread=told.thread, messages=told.messages)
    result = emit(told, {"initial_parent_uuid": "the-leaf", "initial_time": "2026-12-24T18:00:00.000Z"})
    lines = chained(result.lines)
    assert len(lines) == len(result.lines), "a graft says nothing of the file"
    if lines:
        assert lines[0]["parentUuid"] == "the-leaf" or lines[0]["type"] == "system"
        assert lines[0]["timestamp"] > "2026-12-24T18:00:00.000Z"


@pytest.mark.parametrize("field", ["model", "ts", "turn_id"])
def test_half_a_character_outside_of_blocks_is_named(field: str) -> None:
    told = Telling()
    told.say("user", "hello")
    told.say("assistant", "Yes.", **{field: "half \ud83d"})
    result = told.emit()
    assert "surrogates" in [e.code for e in result.report.entries]
    assert getattr(read_back(PROVIDER, result).messages[-1], field) == "half \ufffd"


def test_half_a_character_in_the_folder_or_the_threads_metadata_is_named() -> None:
    for more in ({"gitBranch": "\ud83d"}, {"other": ["\ud83d"]}):
        told = Telling(**more)
        told.say("user", "hello")
        assert "surrogates" in [e.code for e in told.emit().report.entries]


def test_a_time_that_is_none_comes_back_as_none() -> None:
    told = Telling()
    told.say("user", "hello")
    told.say("assistant", "Yes.", ts="")
    assert [m.ts for m in read_back(PROVIDER, told.emit()).messages][-1] == ""
