"""Reading a thread's messages for their meaning: what the model holds, where turns begin, what to call it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sesh.format.blocks import TextBlock
from sesh.format.message import Message


def window(messages: Sequence[Message]) -> list[Message]:
    """What the model is sent when the talk goes on: all of it, or what the last compaction left and what came after.

    Messages named in the last summary's `window` come in that order; ids that are not in the thread are passed over.
    """
    at = last_summary(messages)
    if at is None:
        return list(messages)
    summary = messages[at]
    after = list(messages[at + 1 :])
    if summary.window is None:
        return [summary, *after]
    earlier = {m.id: m for m in messages[: at + 1]}
    return [*(earlier[i] for i in summary.window if i in earlier), *after]


def by_step(messages: Sequence[Message]) -> list[Message]:
    """The messages in the order in which a model is sent them: what it said in one step on end, then the results.

    A file holds things in the order in which they happened: call, result, call, result, all of one step, where the
    client runs a call while the model still writes the next (Claude Code 2.1.328). Tool results and
    contexts are passed over; anything else said ends the step.
    """
    ordered: list[Message] = []
    passed: list[Message] = []  # results and contexts since the step began
    step: str | None = None
    for message in messages:
        role = message.role
        if role == "tool" or message.kind == "context":
            passed.append(message)
            continue
        if step is None or role != "assistant" or message.step_id != step:
            ordered += passed
            passed.clear()
            step = message.step_id if role == "assistant" else None
        ordered.append(message)
    return ordered + passed


def last_summary(messages: Sequence[Message]) -> int | None:
    """The index of the last compaction's summary: the last `summary` message that has a window, or is alone without."""
    for i in range(len(messages) - 1, -1, -1):
        if messages[i].kind == "summary":
            return i
    return None


def tokens_held(messages: Sequence[Message]) -> int | None:
    """How many tokens the model held when it last answered, as its client counted; None where nothing tells.

    What it was sent, cached or not, and what it said. Nothing tells once a compaction has come after that.
    """
    for message in reversed(messages):
        if message.kind == "summary":
            return None
        if message.usage is not None and message.role == "assistant":
            u = message.usage
            counts = (u.input_tokens, u.cache_read_tokens, u.cache_write_tokens, u.output_tokens)
            return sum(filter(None, counts)) or None
    return None


def is_prompt(message: Message) -> bool:
    """Whether a human said this: a user message that is conversation (no kind) and holds something."""
    return message.role == "user" and message.kind is None and bool(message.content)


def text_of(message: Message) -> str:
    """The words of a message, its text blocks joined by line feeds."""
    return "\n".join(b.text for b in message.content if isinstance(b, TextBlock))


def first_prompt(messages: Sequence[Message]) -> str | None:
    """The first words a human typed, for a title where there is none."""
    for m in messages:
        if is_prompt(m) and (text := text_of(m).strip()):
            return text
    return None


def turns(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """The messages in runs of the same `turn_id`; those without one stay with what came before."""
    run: list[Message] = []
    turn: str | None = None
    for m in messages:
        if m.turn_id is not None:
            if turn is not None and m.turn_id != turn:
                yield run
                run = []
            turn = m.turn_id
        run.append(m)
    if run:
        yield run
