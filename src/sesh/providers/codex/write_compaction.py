"""Compactions: where they are, what the model holds after each, and the `compacted` line that says so.

`{"message": summary, "replacement_history": [response items]}`: what came before stays in the file for reading, and
the model is sent the replacement and what follows (formats/codex.md §4, §9). Up to 0.104 only `message` is read.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sesh.format.message import Message


class Segment(msgspec.Struct, frozen=True):
    """The messages between two compactions: `held` is what the model holds when it begins, `body` what is said in it.

    `summary` is the index of the compaction that begins it; None for the first. All are indices into the thread.
    """

    summary: int | None
    held: list[int]
    body: range


def segments(messages: Sequence[Message]) -> list[Segment]:
    """The thread cut at its compactions. The summary itself belongs to the segment that it ends, as its last message.

    A summary without a window that a summary right after it lists is a text of that one's window, and no compaction of
    its own (ARCHITECTURE.md, `window`).
    """
    if not any(m.kind == "summary" for m in messages):
        return [Segment(None, [], range(len(messages)))]
    found: list[Segment] = []
    where: dict[str, int] = {}
    summary: int | None = None
    held: list[int] = []
    start = 0
    for at, message in enumerate(messages):
        where.setdefault(message.id, at)
        if message.kind != "summary" or _is_text_of_next(messages, at):
            continue
        found.append(Segment(summary, held, range(start, at + 1)))
        listed = message.window if message.window is not None else [message.id]
        held = list(dict.fromkeys(where[i] for i in listed if i in where))
        summary, start = at, at + 1
    found.append(Segment(summary, held, range(start, len(messages))))
    return found


def _is_text_of_next(messages: Sequence[Message], at: int) -> bool:
    if messages[at].window is not None:
        return False
    for later in messages[at + 1 :]:
        if later.kind != "summary":
            return False
        if later.window is not None:
            return messages[at].id in later.window
    return False
