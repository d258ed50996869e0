"""The generated conversations are what they claim to be, and reach the traps they are there for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import Phase, given, settings
from hypothesis.strategies import SearchStrategy

from sesh.format import blocks, jsontext, stamp, wire
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
    "an excerpt": lambda c: any(
        isinstance(b, blocks.ToolResultBlock) and b.excerpt is not None for m in c.messages for b in m.content
    ),
    "a result between two calls of a step": lambda c: any(
        a.step_id is not None and a.step_id == z.step_id and r.role == "tool"
        for a, r, z in zip(c.messages, c.messages[1:], c.messages[2:], strict=False)
    ),
    "words and a call in one message": lambda c: any(
        len(m.content) > 1 and any(isinstance(b, blocks.ToolCallBlock) for b in m.content) for m in c.messages
    ),
    "results in one message": lambda c: any(m.role == "tool" and len(m.content) > 1 for m in c.messages),
    "a text that a stamp refers to": lambda c: any(len(_strings(m)) > stamp.LONG for m in c.messages),
    "a text cut short for a window": lambda c: any(
        a.kind == z.kind == "summary" and a.id in (z.window or [])
        for a, z in zip(c.messages, c.messages[1:], strict=False)
    ),
    "a text cut short after the summary": lambda c: any(
        a.kind == z.kind == "summary" and (z.window or [])[:1] == [z.id] and a.id in (z.window or [])
        for a, z in zip(c.messages, c.messages[1:], strict=False)
    ),
    "a summary outside of its window": lambda c: any(m.window is not None and m.id not in m.window for m in c.messages),
    "a result in a window": lambda c: any(
        m.role == "tool" and any(m.id in (z.window or []) for z in c.messages) for m in c.messages
    ),
    "half a character in a model's name": lambda c: any(jsontext.has_lone_surrogate(m.model or "") for m in c.messages),
    "a child of a child": lambda c: any(t.thread.parent_thread_id != c.thread.id for t in c.children),
    "a child with a title": lambda c: any(t.thread.title for t in c.children),
    "a search with results": lambda c: any(
        isinstance(b, blocks.WebSearchBlock) and b.results is not None for m in c.messages for b in m.content
    ),
    "half a character in a tool's name": lambda c: any(
        isinstance(b, blocks.ToolCallBlock) and jsontext.has_lone_surrogate(b.name)
        for m in c.messages
        for b in m.content
    ),
    "an unknown block": lambda c: any(isinstance(b, blocks.UnknownBlock) for m in c.messages for b in m.content),
}


WILD: dict[str, Callable[[Conversation], bool]] = {
    "times that fall": lambda c: any(a.ts > z.ts for a, z in zip(c.messages, c.messages[1:], strict=False)),
    "a time that is none": lambda c: any(not m.ts for m in c.messages),
    "no provenance": lambda c: any(m.provenance is None for m in c.messages),
    "another's data": lambda c: any(m.provider_data for m in c.messages),
    "a child of nobody": lambda c: any(t.thread.parent_thread_id == "no such thread" for t in c.children),
    "an empty child": lambda c: any(not t.messages for t in c.children),
}


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of the example that reached the last
@pytest.mark.parametrize(
    ("strategy", "reached"), [(conversations(), REACHED), (wild_conversations(), WILD)], ids=["given", "wild"]
)
def test_traps_are_reached(
    strategy: SearchStrategy[Conversation], reached: dict[str, Callable[[Conversation], bool]]
) -> None:
    left = dict(reached)

    class AllReached(Exception):
        pass

    @settings(max_examples=3000, phases=[Phase.generate])
    @given(told=strategy)
    def look(told: Conversation) -> None:
        for name in [n for n, is_there in left.items() if is_there(told)]:
            del left[name]
        if not left:
            raise AllReached  # no more examples than it takes

    with pytest.raises(AllReached):
        look()
        pytest.fail(f"not reached: {[*left]}")
