"""Compactions: what is sent is what the source's model held, in its order; earlier turns stay readable."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sesh.format import walk
from sesh.format.blocks import UnknownBlock
from sesh.format.message import Message
from sesh.providers.api import SessionSource
from sesh.providers.claude_code import PROVIDER
from sesh.providers.claude_code.reader import parse_claude_session
from sesh.providers.claude_code.writer import emit_claude_session
from sesh.testing.provider_suite import read_back
from tests.providers.claude_code.made import SESSION, Made, shortly
from tests.providers.claude_code.telling import Telling, chained, rows


def talk() -> tuple[Telling, list[str]]:
    """Two turns, the first with a call; returns the ids of its messages."""
    told = Telling()
    told.say("user", "one")
    told.call("a")
    told.result("a")
    told.say("assistant", "first")
    told.say("user", "two")
    told.say("assistant", "second")
    return told, [m.id for m in told.messages]


def test_only_the_summary_and_what_follows_is_sent() -> None:
    told, _ = talk()
    told.say("user", "SUMMARY", kind="summary")
    told.say("user", "three")
    result = told.emit(tools="keep")
    assert rows(result.lines) == ["user:SUMMARY", "user:three"]
    lines = chained(result.lines)
    boundary = next(v for v in lines if v["type"] == "system")
    assert boundary["parentUuid"] is None
    assert boundary["logicalParentUuid"] == lines[lines.index(boundary) - 1]["uuid"]
    assert lines[lines.index(boundary) + 1]["isCompactSummary"] is True
    assert "window" in [e.code for e in result.report.entries]


def test_kept_messages_are_sent_in_the_order_of_the_window() -> None:
    told, names = talk()
    own = told.say("user", "SUMMARY", kind="summary")
    told.messages[-1] = own = _with_window(own, [names[4], own.id, names[0]])
    told.say("assistant", "after")
    result = told.emit(tools="keep")
    assert rows(result.lines) == ["user:two", "user:SUMMARY", "user:one", "assistant:after"]
    assert [v["sesh"].get("retained") for v in chained(result.lines)[-4:]] == [names[4], None, names[0], None]
    back = read_back(PROVIDER, result).messages
    assert [m.content for m in walk.window(back)] == [m.content for m in walk.window(told.messages)]
    assert len(back) == len(told.messages)
    assert result.report.lossless


def test_kept_words_of_the_model_are_another_message_than_the_first_ones() -> None:
    """The client gathers all lines of one `message.id`, and would say them twice (2.1.328)."""
    told, names = talk()
    own = told.say("user", "SUMMARY", kind="summary")
    told.messages[-1] = _with_window(own, [own.id, names[3]])
    lines = [v["message"]["id"] for v in chained(told.emit(tools="keep").lines) if v["type"] == "assistant"]
    assert len(lines) == len(set(lines)) == 4


def test_kept_calls_keep_their_results() -> None:
    told, names = talk()
    own = told.say("user", "SUMMARY", kind="summary")
    told.messages[-1] = _with_window(own, [names[1], names[2], own.id])
    assert rows(told.emit(tools="keep").lines) == ["user:(no content)", "call:a", "result:a", "user:SUMMARY"]


def test_a_text_that_the_client_cut_stands_in_the_window_only() -> None:
    told, names = talk()
    cut = told.say("user", "tw…", kind="summary")
    own = told.say("user", "SUMMARY", kind="summary")
    told.messages[-1] = _with_window(own, [names[0], cut.id, own.id])
    result = told.emit(tools="keep")
    assert rows(result.lines) == ["user:one", "user:tw…", "user:SUMMARY"]
    assert sum(v["type"] == "system" for v in chained(result.lines)) == 1


def test_each_compaction_has_its_boundary() -> None:
    told, names = talk()
    told.say("user", "SUMMARY 1", kind="summary")
    told.say("user", "three")
    own = told.say("user", "SUMMARY 2", kind="summary")
    told.messages[-1] = _with_window(own, [names[0], own.id])
    result = told.emit(tools="keep")
    assert rows(result.lines) == ["user:one", "user:SUMMARY 2"]
    assert sum(v["type"] == "system" for v in chained(result.lines)) == 2


def test_an_encrypted_summary_cuts_nothing() -> None:
    told, names = talk()
    own = told.say("system", UnknownBlock(source_type="compaction", raw={"encrypted_content": "x"}), kind="summary")
    told.messages[-1] = _with_window(own, [names[0], own.id])
    told.say("user", "three")
    result = told.emit(tools="keep")
    assert rows(result.lines)[0] == "user:one"
    assert rows(result.lines)[-1] == "user:three"
    assert "SECRET" not in b"".join(result.lines).decode()
    assert result.report.dropped == {"encrypted-summary": 1}
    assert "encrypted-summary" in [e.code for e in result.report.entries]


def test_a_summary_that_took_nothing_away_makes_no_boundary() -> None:
    told, names = talk()
    own = told.say("user", "SUMMARY", kind="summary")
    told.messages[-1] = _with_window(own, [*names, own.id])
    result = told.emit(tools="keep")
    assert all(v["type"] != "system" for v in chained(result.lines))
    assert rows(result.lines)[-1] == "user:SUMMARY"


def test_a_result_after_the_compaction_goes_to_its_call_before_it() -> None:
    told = Telling()
    told.say("user", "one")
    told.call("a")
    told.say("user", "SUMMARY", kind="summary")
    told.result("a")
    told.say("assistant", "on")
    result = told.emit(tools="keep")
    assert rows(result.lines) == ["user:SUMMARY", "assistant:on"]
    assert not result.report.dropped
    assert "stub-result" not in [e.code for e in result.report.entries]


def test_only_what_follows_the_last_compaction() -> None:
    told, names = talk()
    own = told.say("user", "SUMMARY", kind="summary")
    told.messages[-1] = _with_window(own, [names[0], own.id])
    told.say("user", "three")
    result = told.emit(tools="keep", since_compaction=True)
    assert rows(result.lines) == ["user:one", "user:SUMMARY", "user:three"]
    assert all(v["type"] != "system" for v in chained(result.lines))
    assert result.report.dropped == {"cut": 5}
    assert "cut" in [e.code for e in result.report.entries]


def test_without_a_compaction_there_is_nothing_to_cut() -> None:
    told, _ = talk()
    assert told.emit(since_compaction=True) == told.emit()


def _with_window(message: Message, window: list[str]) -> Message:
    return msgspec.structs.replace(message, window=window)


NAMED = {"uuids": ["u2", "a2", "y2"], "allUuids": ["u2", "a2", "y2"], "anchorUuid": "sm"}
ENDS = {"headUuid": "u2", "tailUuid": "y2", "anchorUuid": "sm"}


@pytest.mark.parametrize("kept", [{"preservedMessages": NAMED}, {"preservedSegment": ENDS}])
def test_a_boundary_names_no_line_that_is_not_written(kept: dict[str, Any]) -> None:
    """Claude Code preserves a line that says nothing, too, and replays none where one of them is missing (2.1.328)."""
    s = Made()
    s.user("u2", "a1", "keep q")
    s.said("a2", "u2", "keep a")
    s.line("system", "y2", "a2", subtype="turn_duration", durationMs=1)
    s.boundary("bd", "y2", **kept)
    s.summary("sm", "bd")
    s.user("u3", "sm", "third")
    s.said("a3", "u3", "three")
    before = s.read()
    window = shortly(walk.window(before.messages))
    assert window == ["summary: SUMMARY", "keep q", "keep a", "third", "three"]
    emitted = emit_claude_session(before.thread, before.messages)
    after = parse_claude_session(SessionSource(main=b"\n".join(emitted.lines) + b"\n", name=f"{SESSION}.jsonl"))
    assert shortly(walk.window(after.messages)) == window


def _windows(messages: list[Message]) -> list[list[int] | None]:
    """Each summary's window as places in the thread; the summary alone is None."""
    place = {m.id: n for n, m in enumerate(messages)}
    return [
        None if m.window is None or m.window == [m.id] else [place[i] for i in m.window]
        for m in messages
        if m.kind == "summary"
    ]


WINDOWS = {
    "the summary alone": ["own"],
    "nothing": [],
    "kept, cut, summary": ["kept", "cut 1", "own"],
    "cut, kept, cut, summary": ["cut 1", "kept", "cut 2", "own"],
    "summary, cut": ["own", "cut 1"],
    "cut, summary, cut": ["cut 1", "own", "cut 2"],
    "cuts the other way round": ["cut 2", "cut 1", "own"],
    "summary, kept, cut": ["own", "kept", "cut 1"],
    "kept without the summary": ["kept"],
    "cut without the summary": ["cut 1", "kept"],
}


@pytest.mark.parametrize("listed", WINDOWS.values(), ids=WINDOWS.keys())
def test_a_window_of_any_order_comes_back_and_is_sent_so(listed: list[str]) -> None:
    told, names = talk()
    known = {"kept": names[4]}
    for name in (n for n in ("cut 1", "cut 2") if n in listed):
        known[name] = told.say("user", name, kind="summary").id
    own = told.say("user", "SUMMARY", kind="summary")
    known["own"] = own.id
    told.messages[-1] = _with_window(own, [known[name] for name in listed])
    told.say("user", "after")
    result = told.emit(tools="keep")
    said = {"kept": "two", "own": "SUMMARY"}
    assert rows(result.lines) == [f"user:{said.get(name, name)}" for name in listed] + ["user:after"]
    assert result.report.lossless
    back = read_back(PROVIDER, result)
    for _ in range(2):  # and again from what the reader gave, where the records are Claude Code's own
        assert [m.content for m in back.messages] == [m.content for m in told.messages]
        assert _windows(back.messages) == _windows(told.messages)
        again = emit_claude_session(back.thread, back.messages)
        assert rows(again.lines) == rows(result.lines)
        back = read_back(PROVIDER, again)


def test_a_result_that_a_compaction_kept_without_its_call_is_named() -> None:
    told, names = talk()
    own = told.say("user", "SUMMARY", kind="summary")
    told.messages[-1] = _with_window(own, [names[2], own.id])
    told.say("user", "after")
    result = told.emit(tools="keep")
    assert rows(result.lines) == ["user:SUMMARY", "user:after"]
    assert [e.message_id for e in result.report.entries if e.code == "orphan-dropped"] == [names[2]]
