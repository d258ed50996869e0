"""handoff/carry.py: new messages that stand on their own."""

from __future__ import annotations

from typing import Any

from sesh.format import walk
from sesh.format.blocks import TextBlock, ToolCallBlock, ToolResultBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.handoff import carry
from sesh.handoff.extent import News
from sesh.providers.api import IngestedThread, IngestResult
from sesh.report.reports import LineBook


def said(name: str, *blocks: Any, role: Any = "user", **more: Any) -> Message:
    content = list(blocks) or [TextBlock(text=name)]
    return Message(id=name, thread_id="far", role=role, ts="2026-11-20T10:00:00.000Z", content=content, **more)


def news(old: list[Message], new: list[Message], children: list[IngestedThread] | None = None) -> News:
    thread = Thread(id="far", created_at="2026-11-20T10:00:00.000Z")
    result = IngestResult(thread=thread, messages=[*old, *new], children=children or [], report=LineBook().report())
    return News(messages=new, children=children or [], lost_prompts=0, known="bytes", result=result)


def texts(messages: list[Message]) -> list[str]:
    return [walk.text_of(m) for m in messages]


def test_a_compaction_keeps_what_it_kept_of_messages_that_are_not_written_again() -> None:
    old = [said("a"), said("b", role="assistant"), said("c")]
    new = [said("d"), said("sum", kind="summary", window=["a", "c", "sum"]), said("e")]
    given = news(old, new)
    carried = carry.messages(given)
    assert texts(carried) == ["d", "a", "c", "sum", "e"]
    assert texts(walk.window(carried)) == texts(walk.window(given.result.messages)) == ["a", "c", "sum", "e"]
    assert [m.kind for m in carried] == [None, "summary", "summary", "summary", None]
    assert len({m.id for m in carried}) == 5


def test_a_context_that_a_compaction_kept_stays_context() -> None:
    old = [said("a"), said("env", kind="context")]
    carried = carry.messages(news(old, [said("sum", kind="summary", window=["a", "env", "sum"])]))
    assert [(walk.text_of(m), m.kind) for m in carried] == [("a", "summary"), ("env", "context"), ("sum", "summary")]
    assert carried[-1].window == [m.id for m in carried]


def test_a_compaction_of_new_messages_stays_as_it_is() -> None:
    new = [said("d"), said("sum", kind="summary", window=["d", "sum"]), said("again", kind="summary")]
    assert carry.messages(news([said("a")], new)) == new


def test_children_hang_under_the_thread_they_come_to() -> None:
    at = "2026-11-20T10:00:00.000Z"
    child = IngestedThread(thread=Thread(id="kid", parent_thread_id="far", created_at=at), messages=[])
    grandchild = IngestedThread(thread=Thread(id="kid2", parent_thread_id="kid", created_at=at), messages=[])
    moved = carry.children(news([], [], [child, grandchild]), "origin")
    assert [c.thread.parent_thread_id for c in moved] == ["origin", "kid"]


def test_ids_of_calls_that_are_taken_are_given_anew_in_pairs() -> None:
    call, result = ToolCallBlock(call_id="call_1", name="x", input={}), ToolResultBlock(call_id="call_1", output="y")
    other = ToolCallBlock(call_id="call_2", name="x", input={})
    given = [said("a", call, other, role="assistant"), said("b", result, role="tool"), said("c")]
    renamed, count = carry.with_own_call_ids(given, {"call_1", "call_9"})
    assert count == 1
    new = renamed[0].content[0].call_id  # type: ignore[union-attr]
    assert new not in ("call_1", "call_9") and renamed[1].content[0].call_id == new  # type: ignore[union-attr]
    assert renamed[0].content[1] == other and renamed[2] is given[2]
    assert carry.with_own_call_ids(given, {"call_9"}) == (given, 0)
