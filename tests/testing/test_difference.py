"""The judge can say no: whatever is taken from a conversation without being named is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given

from sesh.format.blocks import ReasoningBlock, TextBlock
from sesh.format.message import Message
from sesh.providers.api import IngestedThread, IngestResult
from sesh.report.reports import BlockBook, EmitReport, IngestReport
from sesh.testing.conversations import Conversation, conversations, wild_conversations
from sesh.testing.difference import difference
from sesh.testing.growth import lost_by_growth
from tests.matrix.cases import Story

_READ = IngestReport(lines=0, used=0, unknown=0, skipped={}, notes=[], entries=[], files={})


def told() -> Conversation:
    story = Story()
    story.title = "A title"
    story.prompt("First.")
    story.answer("Yes.", model="some-model")
    call = story.prompt("Second.")
    story.answer("Kept.")
    story.say("user", TextBlock(text="Summary."), kind="summary", window=[story.messages[1].id, "x"])
    story.messages[-1] = msgspec.structs.replace(
        story.messages[-1], window=[story.messages[3].id, story.messages[-1].id]
    )
    story.prompt("Third.")
    story.child("subagent", call)
    return story.told()


def report(*, dropped: int = 0, changed: int = 0) -> EmitReport:
    book = BlockBook()
    first = book.open(dropped + changed)
    for n in range(first, first + dropped):
        book.dropped(n, "something")
    for n in range(first + dropped, first + dropped + changed):
        book.changed(n, "as-text")
    return book.report()


def got(conversation: Conversation) -> IngestResult:
    return IngestResult(
        thread=conversation.thread, messages=conversation.messages, children=conversation.children, report=_READ
    )


def with_message(at: int, **fields: Any) -> Callable[[Conversation], Conversation]:
    def spoil(whole: Conversation) -> Conversation:
        messages = list(whole.messages)
        messages[at] = msgspec.structs.replace(messages[at], **fields)
        return replace(whole, messages=messages)

    return spoil


def without_message(at: int) -> Callable[[Conversation], Conversation]:
    return lambda whole: replace(whole, messages=whole.messages[:at] + whole.messages[at + 1 :])


def swapped(whole: Conversation) -> Conversation:
    first, second, *rest = whole.messages
    return replace(whole, messages=[second, first, *rest])


def untitled(whole: Conversation) -> Conversation:
    return replace(whole, thread=msgspec.structs.replace(whole.thread, title="Another"))


def childless(whole: Conversation) -> Conversation:
    return replace(whole, children=[])


def child_cut(whole: Conversation) -> Conversation:
    child = whole.children[0]
    return replace(whole, children=[IngestedThread(thread=child.thread, messages=child.messages[:-1])])


SPOILED = {
    "a message gone": without_message(1),
    "other words": with_message(1, content=[TextBlock(text="No.")]),
    "another role": with_message(1, role="user"),
    "another kind": with_message(0, kind="notice"),
    "another time": with_message(1, ts="2026-11-20T11:00:00.000Z"),
    "another model": with_message(1, model="other"),
    "another turn": with_message(2, turn_id="t"),
    "another window": with_message(4, window=None),
    "another order": swapped,
    "another title": untitled,
    "no child": childless,
    "a child cut short": child_cut,
    "a block more": with_message(1, content=[TextBlock(text="Yes."), TextBlock(text="More.")]),
    "an error flag": with_message(1, content=[ReasoningBlock(redacted=True)]),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED.keys())
def test_what_is_not_named_is_found(spoil: Callable[[Conversation], Conversation]) -> None:
    whole = told()
    assert difference(whole, [report()], got(whole)) == []
    assert difference(whole, [report()], got(spoil(whole))) != []


@pytest.mark.parametrize("name", ["another time", "another model", "another title"])
def test_a_named_drop_excuses_nothing_else(name: str) -> None:
    whole = told()
    assert difference(whole, [report(dropped=2, changed=2)], got(SPOILED[name](whole))) != []


def test_a_named_drop_excuses_as_many_blocks() -> None:
    whole = told()
    one, two = without_message(1), without_message(2)
    assert difference(whole, [report(dropped=1)], got(one(whole))) == []
    assert difference(whole, [report(dropped=1)], got(one(two(whole)))) != []
    assert difference(whole, [report(dropped=1), report(dropped=1)], got(one(two(whole)))) == []


def test_a_named_change_excuses_another_block_in_its_place() -> None:
    whole = told()
    spoiled = SPOILED["other words"](whole)
    assert difference(whole, [report(changed=1)], got(spoiled)) == []
    two = with_message(1, content=[TextBlock(text="No."), TextBlock(text="More.")])
    assert difference(whole, [report(changed=1)], got(two(whole))) != []


def test_blocks_that_are_there_are_found_among_others_that_say_the_same() -> None:
    """`difflib` would match the last two of the three and miss the first."""
    story = Story()
    story.prompt("Yes.")
    story.say("assistant", ReasoningBlock(redacted=True))
    story.prompt("Yes.")
    story.prompt("Yes.")
    whole = story.told()
    assert difference(whole, [report(dropped=1)], got(without_message(1)(whole))) == []
    assert difference(whole, [report(dropped=2)], got(without_message(0)(without_message(1)(whole)))) == []


@given(whole=conversations())
def test_a_conversation_is_no_different_from_itself(whole: Conversation) -> None:
    for names in (report(), report(dropped=1), report(changed=1)):
        assert difference(whole, [names], got(whole)) == []


@given(whole=wild_conversations())
def test_so_is_a_wild_one(whole: Conversation) -> None:
    assert difference(whole, [report()], got(whole)) == []


def test_growth_may_add() -> None:
    whole = told()
    before = got(replace(whole, messages=whole.messages[:3], children=[]))
    assert lost_by_growth(before, got(whole)) == []


def test_growth_may_move_to_a_child() -> None:
    whole = told()
    moved = IngestedThread(thread=whole.children[0].thread, messages=whole.messages[2:4])
    after = replace(whole, messages=whole.messages[:2] + whole.messages[4:], children=[*whole.children, moved])
    assert lost_by_growth(got(whole), got(after)) == []


@pytest.mark.parametrize(
    "spoil",
    [without_message(1), with_message(1, content=[TextBlock(text="No.")]), swapped, childless, child_cut],
    ids=["gone", "other words", "another order", "no child", "child cut"],
)
def test_growth_that_loses_is_found(spoil: Callable[[Conversation], Conversation]) -> None:
    whole = told()
    assert lost_by_growth(got(whole), got(spoil(whole))) != []


def test_growth_under_another_id_is_found() -> None:
    whole = told()
    other = replace(whole, thread=msgspec.structs.replace(whole.thread, id="other"))
    assert lost_by_growth(got(whole), got(other)) != []


def test_stories_are_messages() -> None:
    assert all(isinstance(m, Message) for m in told().messages)


def test_two_long_threads_that_differ_everywhere_are_soon_compared() -> None:
    """By the blocks that both have, of which there are none: a table of all pairs would have 400 million places."""
    story, other = Story(), Story()
    for n in range(20_000):
        story.prompt(f"this {n}")
        other.prompt(f"that {n}")
    assert difference(story.told(), [report(changed=20_000)], got(other.told())) == []
