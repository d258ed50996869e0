"""Which messages of a thread go over: all of the talk, and of the client's own context what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from sesh.format import walk
from sesh.format.message import Message
from sesh.providers.api import EmitOptions
from sesh.providers.claude_code.steps import Entry
from sesh.providers.claude_code.write_notes import Notes
from sesh.report.reports import BlockBook

_OWN = "claude-code"


def choose(messages: Sequence[Message], book: BlockBook, notes: Notes, options: EmitOptions) -> list[Entry]:
    """The messages to write, each with its blocks opened in the book; what stays behind is closed there, and named."""
    cut = _cut(messages, notes, options.get("last_turns"))
    entries: list[Entry] = []
    for n, message in enumerate(messages):
        first = book.open(len(message.content))
        own = message.provenance is not None and message.provenance.provider == _OWN
        if n < cut:
            _leave(message, first, book, "cut")
        elif message.kind == "context" and not own and not options.get("keep_context"):
            _leave(message, first, book, "context")
        else:
            entries.append(Entry(message, first, own=own))
    return entries


def _leave(message: Message, first: int, book: BlockBook, kind: str) -> None:
    for item in range(first, first + len(message.content)):
        book.dropped(item, kind)


def _cut(messages: Sequence[Message], notes: Notes, last_turns: int | None) -> int:
    """How many messages at the beginning stay behind, so that whole turns are left."""
    if last_turns is None:
        return 0
    starts = _turn_starts(messages)
    if len(starts) <= last_turns:
        return 0
    at = starts[-last_turns] if last_turns > 0 else len(messages)
    notes.say("cut", f"Only the last {last_turns} of {len(starts)} turns were asked for; {at} messages were left out.")
    return at


def _turn_starts(messages: Sequence[Message]) -> list[int]:
    """Where each turn begins: at a prompt whose turn is not the one before it."""
    starts: list[int] = []
    turn: str | None = None
    for n, message in enumerate(messages):
        if walk.is_prompt(message) and (message.turn_id is None or message.turn_id != turn):
            starts.append(n)
            turn = message.turn_id
    return starts
