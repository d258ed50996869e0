"""Calls and results: what is repaired, and that every repair is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesh.format import ids
from sesh.format.blocks import AnyBlock, FileChangeBlock, TextBlock, ToolCallBlock, ToolResultBlock, WebSearchBlock
from sesh.format.message import Kind, Message, Role
from sesh.format.thread import Thread
from sesh.providers.api import EmitResult
from sesh.providers.codex import PROVIDER, pairing
from sesh.providers.codex.writer import emit_codex_rollout
from sesh.testing.provider_suite import read_back

THREAD = Thread(id="t", created_at="2026-11-20T10:00:00.000Z")


def call(call_id: str, name: str = "Bash") -> ToolCallBlock:
    return ToolCallBlock(call_id=call_id, name=name, input={"n": call_id})


def result(call_id: str, output: str = "out") -> ToolResultBlock:
    return ToolResultBlock(call_id=call_id, output=output)


def emit(
    *said: tuple[Role, list[AnyBlock]], summary_at: int | None = None, window: list[str] | None = None
) -> EmitResult:
    messages = []
    for n, (role, content) in enumerate(said):
        kind: Kind | None = "summary" if n == summary_at else None
        messages.append(
            Message(
                id=f"m{n}",
                thread_id="t",
                turn_id="u",
                role=role,
                kind=kind,
                window=window if kind else None,
                ts=f"2026-11-20T10:00:{n:02d}.000Z",
                content=content,
            )
        )
    return emit_codex_rollout(THREAD, messages)


def pairs(emitted: EmitResult) -> list[tuple[str, str]]:
    """Calls and outputs as they will be sent, in order."""
    items: list[dict[str, Any]] = []
    for line in map(json.loads, emitted.lines):
        if line["type"] == "compacted":
            items = list(line["payload"]["replacement_history"])
        elif line["type"] == "response_item":
            items.append(line["payload"])
    kinds = {"function_call": "call", "function_call_output": "output"}
    return [(kinds[i["type"]], i["call_id"]) for i in items if i["type"] in kinds]


def codes(emitted: EmitResult) -> set[str]:
    return {e.code for e in emitted.report.entries} - {"history-mode", "no-folder"}


def test_an_open_call_gets_a_stub_that_reading_leaves_out() -> None:
    made = emit(("user", [TextBlock(text="Go")]), ("assistant", [call("a")]), ("assistant", [TextBlock(text="End")]))
    assert pairs(made) == [("call", "a"), ("output", "a")]
    assert codes(made) == {"stub-result"}
    assert made.report.lossless
    back = read_back(PROVIDER, made)
    assert [len(m.content) for m in back.messages] == [1, 1, 1]


def test_a_result_without_a_call_is_not_sent_and_comes_back_all_the_same() -> None:
    made = emit(("user", [TextBlock(text="Go")]), ("tool", [result("gone")]))
    assert pairs(made) == []
    assert codes(made) == {"orphan-dropped"}
    assert made.report.dropped == {"orphan-result": 1}
    assert read_back(PROVIDER, made).messages[1].content == [result("gone")]


def test_a_result_that_stands_before_its_call_is_moved_behind_it() -> None:
    made = emit(("tool", [result("a")]), ("assistant", [call("a"), call("b")]), ("tool", [result("b")]))
    assert pairs(made) == [("call", "a"), ("call", "b"), ("output", "a"), ("output", "b")]
    assert made.report.changed == {"reordered": 1}


def test_calls_that_share_an_id_each_keep_their_own_result() -> None:
    made = emit(
        ("assistant", [call("a")]),
        ("tool", [result("a", "first")]),
        ("assistant", [call("a")]),
        ("tool", [result("a", "second")]),
    )
    (_, one), (_, first), (_, two), (_, second) = pairs(made)
    assert one == first == "a"
    assert two == second != "a"
    assert made.report.changed == {"call-id": 2}
    back = read_back(PROVIDER, made)
    assert [b.call_id for m in back.messages for b in m.content if isinstance(b, ToolResultBlock)] == ["a", "a"]


def test_a_second_result_of_one_call_is_an_orphan() -> None:
    made = emit(("assistant", [call("a")]), ("tool", [result("a"), result("a")]))
    assert pairs(made) == [("call", "a"), ("output", "a")]
    assert made.report.dropped == {"orphan-result": 1}


def test_ids_that_the_api_refuses_are_changed_and_restored() -> None:
    for odd in ("odd id/é", "x" * 65, ""):
        made = emit(("assistant", [call(odd)]), ("tool", [result(odd)]))
        (_, one), (_, other) = pairs(made)
        assert one == other
        assert 0 < len(one) <= 64
        assert one.replace("_", "").replace("-", "").isalnum()
        back = read_back(PROVIDER, made)
        assert [m.content for m in back.messages] == [[call(odd)], [result(odd)]]


def test_a_name_that_the_api_refuses_is_changed_and_restored() -> None:
    made = emit(("assistant", [call("a", "mcp__srv__tool x.y/é")]), ("tool", [result("a")]))
    names = [p["payload"]["name"] for p in map(json.loads, made.lines) if p["payload"].get("type") == "function_call"]
    assert names == ["mcp__srv__tool_x_y__"]
    assert made.report.changed == {"tool-name": 1}
    assert read_back(PROVIDER, made).messages[0].content == [call("a", "mcp__srv__tool x.y/é")]


def test_a_search_with_a_result_is_a_call_and_one_without_is_a_search() -> None:
    made = emit(
        ("assistant", [WebSearchBlock(call_id="s", query="q")]),
        ("tool", [result("s")]),
        ("assistant", [WebSearchBlock(query="q")]),
    )
    assert pairs(made) == [("call", "s"), ("output", "s")]
    assert made.report.changed == {"as-call": 1}


def test_what_a_compaction_still_holds_pairs_with_what_comes_after_it() -> None:
    made = emit(
        ("assistant", [call("a"), call("b")]),
        ("tool", [result("b")]),
        ("user", [TextBlock(text="In short")]),
        ("tool", [result("a")]),
        summary_at=2,
        window=["m2", "m0"],
    )
    assert pairs(made) == [("call", "a"), ("call", "b"), ("output", "b"), ("output", "a")]
    assert codes(made) == {"stub-result", "error-flag"} - {"error-flag"}


def test_a_thousand_calls_of_one_id_get_an_id_each_without_a_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    derived = 0
    derive = ids.derive

    def counted(*parts: str) -> str:
        nonlocal derived
        derived += parts[0] == "call-id"
        return derive(*parts)

    monkeypatch.setattr(ids, "derive", counted)
    planner = pairing.Planner(verbatim=set())
    said = [
        Message(id=f"m{n}", thread_id="t", role="assistant", content=[call("c")], ts="2026-11-20T10:00:00.000Z")
        for n in range(1000)
    ]
    assert len(set(planner.plan(said, range(1000)).written_id.values())) == 1000
    assert derived == 999


def test_calls_without_a_name_of_their_own_have_their_results() -> None:
    made = emit(("assistant", [call("")]), ("tool", [result("")]), ("assistant", [call("")]), ("tool", [result("")]))
    kinds, names = zip(*pairs(made), strict=True)
    assert kinds == ("call", "output", "call", "output")
    assert names[0] == names[1] != names[2] == names[3]
    assert made.report.dropped == {}


def test_of_a_patch_that_can_have_no_result_nobody_says_that_it_was_not_applied() -> None:
    patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"
    made = emit(("assistant", [FileChangeBlock(patch=patch)]), ("assistant", [call("a")]))
    payloads = [r["payload"] for r in map(json.loads, made.lines) if r["type"] == "response_item"]
    outputs = [p["output"] for p in payloads if p["type"] == "function_call_output"]
    assert outputs == ["The patch was given; what came of it was not recorded.", "aborted"]


def test_a_kept_call_whose_result_was_not_kept_is_named() -> None:
    made = emit(
        ("assistant", [call("a")]),
        ("tool", [result("a")]),
        ("user", [TextBlock(text="SUMMARY")]),
        summary_at=2,
        window=["m2", "m0"],
    )
    assert pairs(made) == [("call", "a"), ("output", "a")]
    assert codes(made) == {"stub-result"}


def test_a_result_that_a_compaction_kept_without_its_call_is_named() -> None:
    emitted = emit(
        ("user", [TextBlock(text="hello")]),
        ("assistant", [call("c1")]),
        ("tool", [result("c1")]),
        ("user", [TextBlock(text="summary")]),
        summary_at=3,
        window=["m2", "m3"],
    )
    assert pairs(emitted) == []
    assert [e.message_id for e in emitted.report.entries if e.code == "orphan-dropped"] == ["m2"]


@pytest.mark.parametrize("field", ["model", "ts", "turn_id"])
def test_half_a_character_outside_of_blocks_is_named(field: str) -> None:
    values: dict[str, Any] = {"ts": "2026-11-20T10:00:00.000Z", "turn_id": "u", field: "half \ud83d"}
    told = Message(id="m", thread_id="t", role="assistant", content=[TextBlock(text="Yes.")], **values)
    emitted = emit_codex_rollout(THREAD, [told])
    assert [e.message_id for e in emitted.report.entries if e.code == "surrogates"] == ["m"]
    assert emitted.report.lossless


def test_a_time_that_is_none_comes_back_as_none() -> None:
    told = Message(id="m", thread_id="t", role="user", ts="", content=[TextBlock(text="hello")])
    assert [m.ts for m in read_back(PROVIDER, emit_codex_rollout(THREAD, [told])).messages] == [""]
