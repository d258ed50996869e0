"""Putting calls, results and words into the order that Claude Code needs.

A tool's result must stand in the user lines right after the assistant *message* (all lines with one `message.id`) that
holds its call; otherwise 2.1.328 throws the real result away and older clients send what the API refuses
(formats/claude-code.md §3). Codex interleaves freely. So the assistant's lines are gathered into steps, one message
each, and each step's results are moved up to it; nothing else changes its place.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sesh.format.blocks import AnyBlock, ReasoningBlock, ToolResultBlock, WebSearchBlock
from sesh.format.message import Message
from sesh.providers.claude_code.write_blocks import Call, Side, Use, side
from sesh.providers.claude_code.write_own import OwnRecord


class Entry(msgspec.Struct, eq=False):
    """A message on its way into the file.

    `first` is the number of its first block in the book; None for a copy that repeats an earlier message after a
    compaction. `own` is Claude Code's record of it, which is written again; where that gave several messages,
    `message` holds the blocks of all of them, and `names` their ids. `pieces` counts the lines that it will take.
    """

    message: Message
    first: int | None
    own: OwnRecord | None = None
    names: tuple[str, ...] = ()
    pieces: int = 0

    @property
    def step_id(self) -> str | None:
        """The `message.id` of the record that is written again."""
        return self.own.step_id if self.own is not None else None

    @property
    def side(self) -> Side:
        """Whose line a record of Claude Code's own is."""
        if self.own is not None and self.own.kind == "assistant":
            return "assistant"
        results = any(isinstance(b, ToolResultBlock) for b in self.message.content)
        return "result" if results else "user"

    def is_slot(self, block: AnyBlock) -> bool:
        """Whether a block is a call or a result that has to be paired: what the vendor ran itself need not be."""
        if self.own is None:
            return isinstance(block, Call | ToolResultBlock)
        if self.side == "assistant":
            server = (block.provider_data or {}).get("type") == "server_tool_use"
            return isinstance(block, Call) and not isinstance(block, WebSearchBlock) and not server
        return isinstance(block, ToolResultBlock)


class Slot(msgspec.Struct, eq=False):
    """A call or a result in its place, and its partner: the result of the call, the call of the result."""

    entry: Entry
    index: int
    call_id: str | None
    partner: Slot | None = None
    uses: list[tuple[str, Use]] = []
    """A call's ids and forms as written: one, or several where one call becomes several of the client's own."""


class Piece(msgspec.Struct, eq=False):
    """Blocks of one message that stand on one line."""

    entry: Entry
    side: Side
    indices: list[int]
    at: int
    """Its place in the source order."""


class Step(msgspec.Struct, eq=False):
    """What the model said in one go, and the results that belong right after it."""

    said: list[Piece]
    results: list[Piece] = []
    unanswered: list[Slot] = []


class Arranged(msgspec.Struct):
    """A segment in the order it is written: steps, and users' lines between them.

    `calls` and `results` find a block's slot by entry and index; `moved` are the results that had to change place.
    """

    order: list[Step | Piece]
    calls: dict[tuple[Entry, int], Slot]
    results: dict[tuple[Entry, int], Slot]
    moved: list[Piece]


def arrange(entries: Sequence[Entry]) -> Arranged:
    """Pair, split and order the entries of one segment (from one compaction to the next)."""
    calls, results = _pair(entries)
    pieces = _pieces(entries, results)
    step_of, order = _steps(pieces, calls, results)
    moved = _place_results(pieces, results, step_of, order)
    _find_unanswered(order, calls)
    for item in order:
        for piece in (item,) if isinstance(item, Piece) else (*item.said, *item.results):
            piece.entry.pieces += 1
    return Arranged(order, calls, results, moved)


def _pair(entries: Sequence[Entry]) -> tuple[dict[tuple[Entry, int], Slot], dict[tuple[Entry, int], Slot]]:
    """Match results with calls by id.

    The client may use an id again: a result goes to the first open call of that id since the last prompt, else to the
    latest before it, else to the first one after it.
    """
    calls: dict[tuple[Entry, int], Slot] = {}
    results: dict[tuple[Entry, int], Slot] = {}
    fresh: dict[str, list[Slot]] = {}
    stale: dict[str, list[Slot]] = {}
    early: dict[str, list[Slot]] = {}
    for entry in entries:
        message = entry.message
        if message.role == "user" and message.kind is None and fresh:
            for call_id, open_calls in fresh.items():
                stale.setdefault(call_id, []).extend(open_calls)
            fresh = {}
        for i, block in enumerate(message.content):
            if not entry.is_slot(block):
                continue
            if isinstance(block, Call):
                slot = calls[entry, i] = Slot(entry, i, block.call_id)
                if block.call_id is None:
                    continue
                if waiting := early.get(block.call_id):
                    _join(slot, waiting.pop(0))
                else:
                    fresh.setdefault(block.call_id, []).append(slot)
            elif isinstance(block, ToolResultBlock):
                slot = results[entry, i] = Slot(entry, i, block.call_id)
                if since_prompt := fresh.get(block.call_id):
                    _join(since_prompt.pop(0), slot)
                elif before_it := stale.get(block.call_id):
                    _join(before_it.pop(), slot)
                else:
                    early.setdefault(block.call_id, []).append(slot)
    return calls, results


def _join(call: Slot, result: Slot) -> None:
    call.partner, result.partner = result, call


def _pieces(entries: Sequence[Entry], results: dict[tuple[Entry, int], Slot]) -> list[Piece]:
    """Each message's blocks, in runs that can stand on one line.

    Results without a call are left out; each other has a line of its own, as the screen draws one result a line.
    """
    pieces: list[Piece] = []
    for entry in entries:
        if entry.own is not None:
            paired = any(slot.partner for i in _all(entry) if (slot := results.get((entry, i))) is not None)
            on = entry.side if entry.side != "result" or paired else "user"
            pieces.append(Piece(entry, on, _all(entry), len(pieces)))
            continue
        if not entry.message.content:
            pieces.append(Piece(entry, "user", [], len(pieces)))
        current: Piece | None = None
        for i, block in enumerate(entry.message.content):
            if isinstance(block, ReasoningBlock):
                continue
            on = side(entry.message.role, block)
            if on == "result" and results[entry, i].partner is None:
                continue
            if current is None or current.side != on or on == "result":
                current = Piece(entry, on, [], len(pieces))
                pieces.append(current)
            current.indices.append(i)
    return pieces


def _all(entry: Entry) -> list[int]:
    return list(range(len(entry.message.content)))


def _steps(
    pieces: Sequence[Piece], calls: dict[tuple[Entry, int], Slot], results: dict[tuple[Entry, int], Slot]
) -> tuple[dict[Entry, list[tuple[Piece, Step]]], list[Step | Piece]]:
    order: list[Step | Piece] = []
    step: Step | None = None
    step_of: dict[Entry, list[tuple[Piece, Step]]] = {}
    asked: set[Slot] = set()
    for piece in pieces:
        if not piece.indices and step is not None:
            step.said.append(piece)
        elif piece.side == "user":
            order.append(piece)
            step, asked = None, set()
        elif piece.side == "result":
            if any(slot.partner in asked for slot in _slots(piece, results)):
                step, asked = None, set()
        else:
            if step is None or _begins_anew(step, piece, bool(asked)):
                step, asked = Step([]), set()
                order.append(step)
            step.said.append(piece)
            step_of.setdefault(piece.entry, []).append((piece, step))
            mine = [calls[piece.entry, i] for i in piece.indices if (piece.entry, i) in calls]
            asked.update(mine)
            if any(s.partner is None and isinstance(s.entry.message.content[s.index], WebSearchBlock) for s in mine):
                step, asked = None, set()  # its made-up result comes at once, so that what follows stays after it
    return step_of, order


def _slots(piece: Piece, slots: dict[tuple[Entry, int], Slot]) -> list[Slot]:
    return [slot for i in piece.indices if (slot := slots.get((piece.entry, i))) is not None]


def _begins_anew(step: Step, piece: Piece, asked: bool) -> bool:
    """Whether a piece is the beginning of another API message than the one before it."""
    before = step.said[-1].entry
    if before is piece.entry:
        return False
    if before.step_id != piece.entry.step_id:
        return True
    return before.step_id is None and before.message.usage is not None and not asked


def _place_results(
    pieces: Sequence[Piece],
    results: dict[tuple[Entry, int], Slot],
    step_of: dict[Entry, list[tuple[Piece, Step]]],
    order: list[Step | Piece],
) -> list[Piece]:
    """Hang each result on the step of its call; returns those that were not there already."""
    others_before: list[int] = []  # by source place: how many pieces that are no results stand before it
    count = 0
    for piece in pieces:
        others_before.append(count)
        count += piece.side != "result"
    for piece in pieces:
        if piece.side != "result":
            continue
        call = next(slot.partner for slot in _slots(piece, results) if slot.partner is not None)
        step = next(s for p, s in step_of[call.entry] if call.index in p.indices)
        step.results.append(piece)
    moved: list[Piece] = []
    count = 0
    for item in order:
        count += 1 if isinstance(item, Piece) else len(item.said)
        if isinstance(item, Step):
            moved += [p for p in item.results if others_before[p.at] != count]
    return moved


def _find_unanswered(order: Sequence[Step | Piece], calls: dict[tuple[Entry, int], Slot]) -> None:
    for item in order:
        if isinstance(item, Step):
            slots = (calls.get((p.entry, i)) for p in item.said for i in p.indices)
            # A record of the client's own stays as it is: the client repairs it as it does in the original.
            item.unanswered = [s for s in slots if s is not None and s.partner is None and s.entry.own is None]
