"""The generated conversations are what they claim to be, and reach the traps they are there for."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings

from sesh.format import blocks, jsontext, wire
from sesh.format.message import Message
from sesh.testing.conversations import Conversation, conversations, wild_conversations


@given(told=conversations())
def test_calls_and_results_pair(told: Conversation) -> None:
    for messages in [told.messages, *(c.messages for c in told.children)]:
        asked: list[str] = []
        answered: list[str] = []
        for block in (b for m in messages for b in m.content):
            if isinstance(block, (blocks.ToolCallBlock, blocks.FileChangeBlock)):
                asked.append(block.call_id or "")
            elif isinstance(block, blocks.ToolResultBlock):
                assert block.call_id in asked
                answered.append(block.call_id)
        assert sorted(asked) == sorted(answered) == sorted(set(asked))


@given(told=conversations())
def test_ids_differ_and_times_do_not_fall(told: Conversation) -> None:
    every = [*told.messages, *(m for c in told.children for m in c.messages)]
    assert len({m.id for m in every}) == len(every)
    assert [m.ts for m in told.messages] == sorted(m.ts for m in told.messages)


@given(told=wild_conversations())
def test_everything_can_be_written_as_canonical_json(told: Conversation) -> None:
    for message in told.messages:
        assert wire.load(wire.encode(message)) == message


def _strings(message: Message) -> str:
    return " ".join(b.text for b in message.content if isinstance(b, blocks.TextBlock))


REACHED: dict[str, Callable[[Conversation], bool]] = {
    "lone surrogates": lambda c: any(jsontext.has_lone_surrogate(_strings(m)) for m in c.messages),
    "a window": lambda c: any(m.window and len(m.window) > 1 for m in c.messages),
    "a branch": lambda c: any((t.thread.metadata or {})["relation"] == "branch" for t in c.children),
    "an image in a result": lambda c: any(
        isinstance(p, blocks.AttachmentBlock)
        for m in c.messages
        for b in m.content
        if isinstance(b, blocks.ToolResultBlock)
        for p in blocks.output_parts(b.output) or []
    ),
    "an error": lambda c: any(
        isinstance(b, blocks.ToolResultBlock) and b.is_error for m in c.messages for b in m.content
    ),
    "a patch": lambda c: any(isinstance(b, blocks.FileChangeBlock) for m in c.messages for b in m.content),
    "a search": lambda c: any(isinstance(b, blocks.WebSearchBlock) for m in c.messages for b in m.content),
    "thinking": lambda c: any(isinstance(b, blocks.ReasoningBlock) for m in c.messages for b in m.content),
    "an unknown block": lambda c: any(isinstance(b, blocks.UnknownBlock) for m in c.messages for b in m.content),
}


def test_traps_are_reached() -> None:
    left = dict(REACHED)

    @settings(max_examples=150)
    @given(told=conversations())
    def look(told: Conversation) -> None:
        for name in [n for n, reached in left.items() if reached(told)]:
            del left[name]

    look()
    assert left == {}
