"""Which messages of a thread go over: all of the talk, and of the client's own context what was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from sesh.format import ids, walk
from sesh.format.message import Message
from sesh.providers.api import EmitOptions
from sesh.providers.claude_code.steps import Entry
from sesh.providers.claude_code.write_notes import Notes
from sesh.providers.claude_code.write_own import PROVIDER, is_own, own_record
from sesh.report.reports import BlockBook


def choose(
    messages: Sequence[Message], book: BlockBook, notes: Notes, options: EmitOptions, *, owner: str | None
) -> list[Entry]:
    """The messages to write, each with its blocks opened in the book; what stays behind is closed there, and named.

    `owner` is the vendor's id of the session that was read, where it was one of this client's.
    """
    cut = _cut(messages, notes, options.get("last_turns"))
    keep_raw, keep_context = options.get("keep_raw", False), options.get("keep_context", False)
    entries: list[Entry] = []
    first = book.open(sum(len(m.content) for m in messages))
    n = 0
    while n < len(messages):
        message = messages[n]
        if is_own(message):
            start, n = n, _end_of_record(messages, n)
            parts = messages[start:n]
            if start < cut:
                _leave(parts, first, book, "cut")
            elif _is_read(parts, owner) and (record := own_record(parts, keep_raw=keep_raw)) is not None:
                whole = msgspec.structs.replace(message, content=[b for m in parts for b in m.content])
                entries.append(Entry(whole, first, record, tuple(m.id for m in parts)))
            else:
                entries += _each(parts, first)
            first += sum(len(m.content) for m in parts)
            continue
        if n < cut:
            _leave([message], first, book, "cut")
        elif message.kind == "context" and not keep_context:
            _leave([message], first, book, "context")
        else:
            entries.append(Entry(message, first))
        first += len(message.content)
        n += 1
    return entries


def _each(parts: Sequence[Message], first: int) -> list[Entry]:
    """Messages of a record that cannot be written again, each for itself: named as reading will name their lines."""
    found: list[Entry] = []
    for part in parts:
        found.append(Entry(part, first, names=(part.id,)))
        first += len(part.content)
    return found


def _is_read(parts: Sequence[Message], owner: str | None) -> bool:
    """Whether a reader made these messages of a record: it left something of it, or gave the id that it would give.

    Messages that merely say they are Claude Code's are written with the same care as anybody else's.
    """
    if any(m.raw is not None or m.provider_data or any(b.provider_data for b in m.content) for m in parts):
        return True
    source = parts[0].provenance
    if source is None or source.source_id is None:
        return False
    sessions = {source.session_id, owner} - {None}
    return any(parts[0].id == ids.message_id(PROVIDER, s, source.source_id) for s in sessions if s)


def _end_of_record(messages: Sequence[Message], at: int) -> int:
    """Where the messages that one record of Claude Code's gave end, the first of them at `at`."""
    end = at + 1
    first = messages[at].provenance
    if first is None or first.source_id is None:
        return end
    while end < len(messages):
        other = messages[end].provenance
        if not is_own(messages[end]) or other is None or other.source_id != first.source_id:
            break
        end += 1
    return end


def leave(entries: Iterable[Entry], book: BlockBook) -> None:
    """Close the blocks of entries that were not asked for."""
    for entry in entries:
        if entry.first is not None:
            _leave([entry.message], entry.first, book, "cut")


def _leave(parts: Sequence[Message], first: int, book: BlockBook, kind: str) -> None:
    for item in range(first, first + sum(len(m.content) for m in parts)):
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
