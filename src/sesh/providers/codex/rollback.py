"""`thread_rolled_back`: which messages it takes out of the thread (formats/codex.md §9).

It counts what Codex takes for the user's turns (counted.py) backwards, steering and mail between agents too; what the
client said of its settings right before the first of them goes with it, but for what stands before the very first
turn. A compaction with a list is undone where its turn is one of the last so many, whether it stands before the turn's
prompt or after it, and what stood before it is the history again. Only after a compaction that has no list of its own
the client counts in what it made of it: the messages kept, and a summary that does not begin with Codex's own words.
Measured on 0.169 with hand-made files (tests/providers/codex/measured).
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from sesh.format.message import Message
from sesh.providers.codex import counted


class RolledBack(NamedTuple):
    """What stays and what goes, both in order."""

    kept: list[Message]
    removed: list[Message]


def roll_back(messages: list[Message], count: int) -> RolledBack | None:
    """Take out the last `count` (≥ 1) turns; None where there is no turn. What goes is cut off `messages` itself."""
    cut: int | None = None
    left = count
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if counted.is_of_compaction(message):
            if _without_list(message):
                window = _window(message)
                said = _said_in(window, messages[: at + 1])
                if not said:  # the history begins here
                    return None if cut is None else RolledBack(messages, _cut_off(messages, cut))
                removed = _cut_off(messages, at + 1)
                undone = _undo(messages, count, at)
                gone = {m.id for m in undone}
                left_over = [i for i in window[: said[max(len(said) - left, 0)]] if i not in gone]
                messages[-1] = msgspec.structs.replace(message, window=left_over)
                return RolledBack(messages, undone + removed)
        elif counted.begins_turn(message):
            cut = at
            left -= 1
            if not left:
                break
    if cut is None:
        return None
    undone = _undo(messages, count, cut)
    cut -= len(undone)
    cut = _before_settings(messages, cut)
    return RolledBack(messages, undone + _cut_off(messages, cut))


def _before_settings(messages: list[Message], cut: int) -> int:
    """The cut moved before what the client said of its settings for the turn; what is no item does not part them."""
    first = next(at for at, m in enumerate(messages) if _begins(m))
    at = cut
    while at > first:
        at -= 1
        if counted.goes_with_turn(messages[at]):
            cut = at
        elif counted.is_item(messages[at]):
            break
    return cut


def _begins(message: Message) -> bool:
    return counted.begins_turn(message) and not counted.is_of_compaction(message)


def _undo(messages: list[Message], count: int, cut: int) -> list[Message]:
    """Take out the compactions that stand before the cut, in the turns that are rolled back; returns their messages."""
    start = _first_turn(messages, count)
    undone: list[Message] = []
    kept: list[Message] = []
    listed = False
    for message in reversed(messages[start:cut]):
        if not counted.is_of_compaction(message):
            kept.append(message)
            continue
        if "payload" in (message.provider_data or {}):  # the summary; what its list says anew stands before it
            listed = not _without_list(message)
        (undone if listed else kept).append(message)
    if undone:
        messages[start:cut] = kept[::-1]
    return undone[::-1]


def _first_turn(messages: list[Message], count: int) -> int:
    """Where the last `count` turns begin in which the user spoke. What stands after a turn's end belongs to it."""
    turn: str | None = None
    spoke = after = False  # in the turn; in what stands after the turn before it
    start = len(messages)
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        begins = _begins(message)
        if message.turn_id is None:
            after = after or begins
            continue
        if message.turn_id != turn:
            if turn is not None and spoke:
                count -= 1
                if not count:
                    return start
            turn, spoke, after = message.turn_id, after, False
        start = at
        spoke = spoke or begins
    return 0


def _cut_off(messages: list[Message], at: int) -> list[Message]:
    removed = messages[at:]
    del messages[at:]
    return removed


def _without_list(summary: Message) -> bool:
    payload = (summary.provider_data or {}).get("payload")
    return isinstance(payload, dict) and not isinstance(payload.get("replacement_history"), list)


def _window(summary: Message) -> list[str]:
    return summary.window if summary.window is not None else [summary.id]


def _said_in(window: list[str], messages: list[Message]) -> list[int]:
    """Where in a compaction's window messages stand that Codex counts, the summary itself among them."""
    held = {m.id: m for m in messages}
    return [n for n, i in enumerate(window) if i in held and counted.begins_turn(held[i])]
