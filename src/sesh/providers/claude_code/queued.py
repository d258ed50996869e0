"""Prompts that a human queued while the model worked, and that stand nowhere else in the file.

A queued prompt is written as a `queue-operation` (enqueue) first. Then it comes again: as a user line when its turn
comes (dequeue), or as a `queued_command` attachment when it was taken into the running turn (remove). Those lines are
the message. Where neither follows (2.0.30 to 2.1.50 write no attachment; a client may be killed), the operation's own
words are all there is, and a human's words are never state.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from sesh.format.blocks import AttachmentBlock, TextBlock
from sesh.providers.claude_code.book import Reading, Record
from sesh.providers.claude_code.content import blocks_of
from sesh.providers.claude_code.kinds import command_of, voice_of
from sesh.providers.claude_code.records import QUEUED
from sesh.providers.claude_code.threads import Weaver

WITHDRAWN = frozenset({"popAll", "pop"})
"""The human took the prompt back into the input line, to change it: it was not said."""


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt known only from the queue. `after` is the place in the file at which the model got it, or None."""

    record: Record
    after: int | None


def only_queued(reading: Reading) -> list[Waiting]:
    """The human prompts of the queue that no other line repeats."""
    operations = [*reading.of_kind("queue-operation")]
    if not operations:
        return []
    said = said_in(reading.records)
    waiting: list[tuple[Record, str]] = []
    found: list[Waiting] = []
    for record in operations:
        line = record.line
        if line is None:
            continue
        text = words_of(line.content)
        if line.operation == "enqueue":
            waiting.append((record, text))
        elif line.operation in WITHDRAWN:
            waiting.clear()
        elif waiting:
            at = next((i for i, (_, t) in enumerate(waiting) if text and t == text), 0)
            gone, words = waiting.pop(at)
            if _human(words) and not _repeated(words, gone.at, said):
                found.append(Waiting(record=gone, after=record.at))
    found += [
        Waiting(record=gone, after=None)
        for gone, words in waiting
        if _human(words) and not _repeated(words, gone.at, said)
    ]
    return found


def name_queued(reading: Reading, weaver: Weaver, queued: Iterable[Waiting]) -> None:
    """Says in the report which messages were made of the queue's own words."""
    text = "A prompt that stands only in the queue became a message."
    for record in (waiting.record for waiting in queued):
        reading.note("queued-prompt", text, record.number, weaver.made_of(record.source_id))


def _human(words: str) -> bool:
    """A queued text of the client's own: a task's notification, in tags (2.1) or as JSON (2.1.50)."""
    return bool(words) and voice_of(words) in ("human", "command") and not words.startswith('{"task_id":')


def words_of(content: object) -> str:
    """The words of a queued prompt, or of a line's content; where there are none, what its pictures are known by."""
    blocks = blocks_of(content)
    words = "\n".join(b.text for b in blocks if isinstance(b, TextBlock)).strip()
    return words or "\n".join(b.data or b.uri or "" for b in blocks if isinstance(b, AttachmentBlock))


def said_in(records: list[Record]) -> dict[str, list[int]]:
    """What was said in user lines, queued commands and slash commands: the text, and where."""
    said: dict[str, list[int]] = {}
    for record in records:
        line = record.line
        if line is None:
            continue
        text = ""
        if record.kind == "user" and line.message is not None:
            text = words_of(line.message.content)
        elif line.attachment is not None and line.attachment.type == QUEUED:
            text = words_of(line.attachment.prompt)
        elif record.kind == "system" and line.subtype == "local_command":
            text = words_of(line.content)
        if text:
            said.setdefault(command_of(text) or text, []).append(record.at)
    return said


def _repeated(words: str, at: int, said: dict[str, list[int]]) -> bool:
    """Whether a later line says the words. Each line answers for one prompt; one line may hold several prompts.

    A slash command may come back under its true name (`/cost` as `/usage`, 2.1.328).
    """
    if _claim(said.get(words, []), at):
        return True
    if words.startswith("/") and any(_claim(places, at) for text, places in said.items() if text.startswith("/")):
        return True
    return any(words in text and any(p > at for p in places) for text, places in said.items() if text != words)


def _claim(places: list[int], at: int) -> bool:
    later = bisect_right(places, at)
    if later == len(places):
        return False
    del places[later]
    return True
