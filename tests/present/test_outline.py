"""The view of a conversation: turns, runs with their results, children where they began."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from sesh.errors import SeshError
from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    WebSearchBlock,
)
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.present import select
from sesh.present.outline import Odd, Outline, Picture, Run, Thought, Turn, Words, outline
from sesh.providers import registry
from sesh.providers.api import IngestedThread
from sesh.testing.conversations import Conversation, wild_conversations
from tests.sessions import main_sessions

THREAD = Thread(id="t", created_at="2026-01-01T00:00:00Z")


def said(number: int, role: Any, *content: AnyBlock, thread: str = "t", **more: Any) -> Message:
    """A message with an id that tells its place."""
    return Message(
        id=f"m{number}", thread_id=thread, role=role, ts="2026-01-01T00:00:00Z", content=list(content), **more
    )


def items(*messages: Message) -> list[Any]:
    """What one turn holds."""
    return [i for turn in outline(THREAD, messages).turns for i in turn.items]


def test_each_block_has_its_item() -> None:
    found = items(
        said(0, "user", TextBlock(text="do"), AttachmentBlock(media_type="image/png", data="AAAA")),
        said(1, "assistant", ReasoningBlock(text="hm"), TextBlock(text="ok")),
        said(2, "assistant", ToolCallBlock(call_id="c", name="Bash", input={"command": "ls"})),
        said(3, "tool", ToolResultBlock(call_id="c", output="a\nb", is_error=False)),
        said(4, "assistant", FileChangeBlock(call_id="f", patch="*** Begin Patch\n*** Add File: x\n+1\n*** End Patch")),
        said(5, "assistant", WebSearchBlock(query="q", results=[1])),
        said(6, "system", UnknownBlock(source_type="odd", raw={"a": 1}), kind="context"),
    )
    assert [type(i) for i in found] == [Words, Picture, Thought, Words, Run, Run, Run, Odd]
    run = found[4]
    assert (run.subject, run.output, run.failed) == ("ls", "a\nb", False)
    assert found[5].diffs[0].path == "x"
    assert found[6].output == "[\n  1\n]"


def test_results_find_their_call_wherever_they_stand_and_orphans_stay() -> None:
    one, two, orphan = items(
        said(
            0,
            "assistant",
            ToolCallBlock(call_id="a", name="A", input={}),
            ToolCallBlock(call_id="b", name="B", input={}),
        ),
        said(1, "tool", ToolResultBlock(call_id="b", output="for b")),
        said(2, "tool", ToolResultBlock(call_id="a", output={"x": 1}, is_error=True)),
        said(3, "tool", ToolResultBlock(call_id="z", output="lost")),
    )
    assert (one.output, one.failed, two.output, two.failed) == ('{\n  "x": 1\n}', True, "for b", None)
    assert (orphan.name, orphan.output) == ("result", "lost")


def test_images_in_a_result_are_pictures() -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "attachment", "mediaType": "image/png", "data": "AAAA"}]
    (run,) = items(
        said(0, "assistant", ToolCallBlock(call_id="a", name="view", input={})),
        said(1, "tool", ToolResultBlock(call_id="a", output=parts)),
    )
    assert (run.output, len(run.pictures)) == ("see", 1)


def test_a_prompt_begins_a_turn_and_what_nobody_said_does_not() -> None:
    view = outline(
        THREAD,
        [
            said(0, "user", TextBlock(text="ctx"), kind="context"),
            said(1, "user", TextBlock(text="one")),
            said(2, "user", TextBlock(text="interrupted"), kind="notice"),
            said(3, "user", TextBlock(text="two")),
        ],
    )
    assert [(t.number, len(t.items)) for t in view.turns] == [(0, 1), (1, 2), (2, 1)]
    assert view.title == "one"
    assert [i.voice for t in view.turns for i in t.items if isinstance(i, Words)] == [
        "context",
        "user",
        "notice",
        "user",
    ]


def test_what_a_compaction_kept_word_for_word_is_shown_once() -> None:
    found = items(
        said(0, "user", TextBlock(text="do")),
        said(1, "assistant", TextBlock(text="done")),
        said(2, "user", TextBlock(text="do"), kind="summary"),
        said(3, "user", TextBlock(text="cut…"), kind="summary"),
        said(4, "user", TextBlock(text="the sum"), kind="summary", window=["m2", "m3", "m4"]),
        said(5, "user", TextBlock(text="do")),
        said(6, "user", TextBlock(text="do"), kind="summary", window=["m6"]),
    )
    assert [(i.voice, i.text) for i in found] == [
        ("user", "do"),
        ("assistant", "done"),
        ("summary", "cut…"),
        ("summary", "the sum"),
        ("user", "do"),
        ("summary", "do"),
    ]


def child(name: str, parent: str, origin: str | None, relation: str = "subagent") -> IngestedThread:
    """A child thread with one message."""
    thread = Thread(
        id=name,
        parent_thread_id=parent,
        origin_message_id=origin,
        created_at="2026-01-01T00:00:00Z",
        metadata={"relation": relation},
    )
    return IngestedThread(thread=thread, messages=[said(0, "user", TextBlock(text=name), thread=name)])


def test_children_stand_where_they_began() -> None:
    messages = [
        said(0, "user", TextBlock(text="go")),
        said(1, "assistant", ToolCallBlock(call_id="c", name="Task", input={})),
        said(2, "user", TextBlock(text="next")),
    ]
    view = outline(
        THREAD,
        messages,
        [child("a", "t", "m1"), child("b", "t", "m0", "branch"), child("c", "a", "m0"), child("d", "gone", None)],
    )
    first, last = view.turns
    run = first.items[1]
    assert isinstance(run, Run)
    assert [c.thread.id for c in run.children] == ["a"]
    assert [c.thread.id for c in first.children] == ["b"]
    assert [c.thread.id for c in last.children] == ["d"]
    assert [c.thread.id for t in run.children[0].turns for c in t.children] == ["c"]


def test_parents_in_a_circle_lose_no_child() -> None:
    view = outline(THREAD, [said(0, "user", TextBlock(text="x"))], [child("a", "b", None), child("b", "a", None)])
    assert {c.thread.id for c in everyone(view)} == {"t", "a", "b"}


def everyone(view: Outline) -> list[Outline]:
    """A view and all views in it."""
    found = [view]
    for turn in view.turns:
        inside = [*turn.children, *(c for i in turn.items if isinstance(i, Run) for c in i.children)]
        found += [v for c in inside for v in everyone(c)]
    return found


def texts(view: Outline) -> list[str]:
    """All words and outputs in a view, children apart."""
    found: list[str] = []
    for turn in view.turns:
        for item in turn.items:
            match item:
                case Words() | Odd():
                    found.append(item.text)
                case Run():
                    found += [item.arguments, item.output or ""]
                case Thought():
                    found.append(item.text or "")
    return found


@settings(max_examples=15)
@given(wild_conversations())
def test_no_message_and_no_child_is_left_out(made: Conversation) -> None:
    view = outline(made.thread, made.messages, made.children)
    everything = everyone(view)
    assert sorted(v.thread.id for v in everything) == sorted({made.thread.id, *(c.thread.id for c in made.children)})
    shown = "\0".join(texts(view))
    for message in made.messages:
        images = any(isinstance(b, AttachmentBlock) for b in message.content)
        for block in message.content:
            if isinstance(block, TextBlock) and not images:
                assert block.text in shown


@pytest.mark.parametrize("session", main_sessions()[::4], ids=lambda s: s.name)
def test_the_corpus_has_a_view(session: Any) -> None:
    read = registry.get(session.provider).parse(session.open().source)
    view = outline(read.thread, read.messages, read.children)
    assert len(everyone(view)) == 1 + len(read.children)
    assert view.messages == len(read.messages)


@pytest.mark.parametrize(
    ("text", "first", "last"), [("3..7", 3, 7), ("3..", 3, None), ("..7", 0, 7), ("4", 4, 4), (" 1..1 ", 1, 1)]
)
def test_ranges_of_turns(text: str, first: int, last: int | None) -> None:
    assert select.turn_range(text) == (first, last)


@pytest.mark.parametrize("text", ["", "..", "7..3", "a", "-1", "1.5", "1...3"])
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(ValueError, match=r"range|ends before"):
        select.turn_range(text)


def test_selecting_turns() -> None:
    turns = [Turn(number=n, ts="") for n in (0, 1, 2, 3)]
    view = Outline(thread=THREAD, title="", relation=None, turns=turns, messages=0, prompts=3)
    assert select.only(view, 1, 1).prompts == 3  # the heading says how many there are, not how many are shown
    assert [t.number for t in select.only(view, 2, None).turns] == [2, 3]
    assert [t.number for t in select.tail(view, 2).turns] == [2, 3]
    with pytest.raises(SeshError, match="3 turns"):
        select.only(view, 9, None)
