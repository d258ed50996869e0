"""The writer's promises over any conversation: a closed account, strict types, one output for every call."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given

from sesh.providers.api import EmitResult
from sesh.providers.codex.writer import emit_codex_rollout
from sesh.testing.conversations import Conversation, conversations, wild_conversations

CALLS = {"function_call", "custom_tool_call"}
OUTPUTS = {"function_call_output", "custom_tool_call_output"}


def emit(told: Conversation, **options: Any) -> EmitResult:
    return emit_codex_rollout(told.thread, told.messages, children=told.children, **options)


def records(lines: list[bytes]) -> list[dict[str, Any]]:
    """The lines as a strict reader takes them."""
    found = []
    for line in lines:
        assert b"\n" not in line
        found.append(json.loads(line.decode("utf-8")))
    return found


def sent(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items that Codex sends on resume: the last replacement history and what follows it."""
    items: list[dict[str, Any]] = []
    for line in lines:
        if line["type"] == "compacted":
            items = list(line["payload"]["replacement_history"])
        elif line["type"] == "response_item":
            items.append(line["payload"])
    return items


def assert_strict(item: dict[str, Any]) -> None:
    """Types of formats/codex.md §4: any other costs the line without a word."""
    match item["type"]:
        case "message":
            assert item["role"] in ("user", "assistant", "developer")
            kinds = {"output_text"} if item["role"] == "assistant" else {"input_text", "input_image"}
            assert_parts(item["content"], kinds)
        case "function_call" | "custom_tool_call":
            given_ = item["arguments" if item["type"] == "function_call" else "input"]
            assert isinstance(given_, str)
            assert isinstance(item["call_id"], str)
            assert item["call_id"]
            assert isinstance(item["name"], str)
        case "function_call_output" | "custom_tool_call_output":
            assert isinstance(item["call_id"], str)
            if not isinstance(item["output"], str):
                assert item["output"]
                assert_parts(item["output"], {"input_text", "input_image"})
        case "web_search_call":
            assert isinstance(item["action"]["query"], str)
        case other:
            raise AssertionError(f"unexpected item {other}")


def assert_parts(parts: Any, kinds: set[str]) -> None:
    assert isinstance(parts, list)
    for part in parts:
        assert part["type"] in kinds
        value = part["image_url" if part["type"] == "input_image" else "text"]
        assert isinstance(value, str)
        value.encode("utf-8")


def assert_paired(items: list[dict[str, Any]]) -> None:
    """Every call has exactly one output, after it, and every output a call."""
    calls = Counter(i["call_id"] for i in items if i["type"] in CALLS)
    outputs = Counter(i["call_id"] for i in items if i["type"] in OUTPUTS)
    assert set(calls.values()) <= {1}
    assert calls == outputs
    seen: set[str] = set()
    for item in items:
        if item["type"] in CALLS:
            seen.add(item["call_id"])
        elif item["type"] in OUTPUTS:
            assert item["call_id"] in seen


def check(result: EmitResult) -> None:
    assert result.report.adds_up()
    for lines in (result.lines, *(f.lines for f in result.files)):
        read = records(lines)
        assert read[0]["type"] == "session_meta"
        for line in read:
            if line["type"] == "response_item":
                assert_strict(line["payload"])
            elif line["type"] == "compacted":
                for item in line["payload"]["replacement_history"]:
                    assert_strict(item)
        assert_paired(sent(read))
        started = [x["payload"]["turn_id"] for x in read if x["payload"].get("type") == "task_started"]
        ended = [x["payload"]["turn_id"] for x in read if x["payload"].get("type") == "task_complete"]
        assert started == ended
        assert len(set(started)) == len(started)


@given(told=conversations())
def test_any_told_conversation_is_written_whole(told: Conversation) -> None:
    check(emit(told))


@given(told=wild_conversations())
def test_what_no_reader_gives_is_written_as_well(told: Conversation) -> None:
    check(emit(told))


@given(told=wild_conversations())
def test_the_paginated_form_numbers_every_line(told: Conversation) -> None:
    result = emit(told, history="paginated")
    check(result)
    read = records(result.lines)
    assert [line["ordinal"] for line in read] == list(range(len(read)))
    assert read[0]["payload"]["history_mode"] == "paginated"
    items = [x["payload"] for x in read if x["payload"].get("type") == "item_completed"]
    ids = [(i["turn_id"], i["item"]["id"]) for i in items]
    assert len(set(ids)) == len(ids)
