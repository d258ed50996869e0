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
from sesh.providers.claude_code.write_blocks import CALLS, Side, Use
from sesh.providers.claude_code.write_own import OwnRecord

# What a thread is taken apart into refers only to what is further down (a step to its pieces, a result to its call), so
# there are no circles, and the collector need not visit a hundred thousand of them.


class Entry(msgspec.Struct, eq=False, gc=False):
    """A message on its way into the file.

    `first` is the number of its first block in the book; None for a copy that repeats an earlier message after a
    compaction. `own` is Claude Code's record of it, which is written again; where that gave several messages,
    `message` holds the blocks of all of them. `names` are the ids of Claude Code's own messages, which get others when
    they are read from this file. `pieces` counts the lines that it will take,
    `slots` are its calls and results, by index. `cut`: a text of the window of a summary after it, no compaction.
    """

    message: Message
    first: int | None
    own: OwnRecord | None = None
    names: tuple[str, ...] = ()
    pieces: int = 0
    slots: dict[int, Slot] = {}
    cut: bool = False

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

    def is_paired(self, block: AnyBlock) -> bool:
        """Whether a call or result of the client's own has to be paired: what the vendor ran itself need not be."""
        if self.side == "assistant":
            server = (block.provider_data or {}).get("type") == "server_tool_use"
            return isinstance(block, CALLS) and not isinstance(block, WebSearchBlock) and not server
        return isinstance(block, ToolResultBlock)


class Slot(msgspec.Struct, eq=False, gc=False):
    """A call or a result in its place."""

    message: Message
    first: int | None
    """See Entry."""
    own: bool
    """Whether it stands in a record of the client's own, which is written as it was."""
    index: int
    side: Side
    call_id: str | None
    call: Slot | None = None
    """A result's call."""
    answered: bool = False
    """Whether a call has a result."""
    uses: list[Use] = []
    """A call as written: once, or several times where it becomes several calls of the client's own."""
    step: int = -1
    """The number of a call's step."""

    @property
    def block(self) -> AnyBlock:
        """The call or the result."""
        return self.message.content[self.index]


class Piece(msgspec.Struct, eq=False, gc=False):
    """Blocks of one message that stand on one line."""

    entry: Entry
    side: Side
    indices: list[int]
    at: int
    """Its place in the source order."""
    others: int
    """How many pieces that are no results stand before it in that order."""
    slots: list[Slot]
    """Its calls or results."""


class Step(msgspec.Struct, eq=False, gc=False):
    """What the model said in one go, and the results that belong right after it. `asks`: there are calls in it."""

    number: int
    said: list[Piece]
    results: list[Piece] = []
    unanswered: list[Slot] = []
    asks: bool = False


class Arranged(msgspec.Struct):
    """A segment in the order it is written: steps, and users' lines between them.

    `calls` are its calls in source order; `moved` are the results that had to change place.
    """

    order: list[Step | Piece]
    calls: list[Slot]
    moved: list[Piece]


def arrange(entries: Sequence[Entry]) -> Arranged:
    """Pair, split and order the entries of one segment (from one compaction to the next)."""
    calls = _pair(entries)
    order, results = _steps(_pieces(entries))
    return Arranged(order, calls, _place_results(order, results))


def _pair(entries: Sequence[Entry]) -> list[Slot]:
    """Match results with calls by id; returns the calls.

    The client may use an id again: a result goes to the first open call of that id since the last prompt, else to the
    latest before it, else to the first one after it.
    """
    calls: list[Slot] = []
    fresh: dict[str, list[Slot]] = {}
    stale: dict[str, list[Slot]] = {}
    early: dict[str, list[Slot]] = {}
    for entry in entries:
        message, own = entry.message, entry.own is not None
        if fresh and message.role == "user" and message.kind is None:
            for call_id, open_calls in fresh.items():
                stale.setdefault(call_id, []).extend(open_calls)
            fresh = {}
        for i, block in enumerate(message.content):
            if isinstance(block, ToolResultBlock):
                if own and not entry.is_paired(block):
                    continue
                call_id = block.call_id
                slot = entry.slots[i] = Slot(message, entry.first, own, i, "result", call_id)
                if since_prompt := fresh.get(call_id):
                    _join(since_prompt.pop(0), slot)
                elif before_it := stale.get(call_id):
                    _join(before_it.pop(), slot)
                else:
                    early.setdefault(call_id, []).append(slot)
            elif isinstance(block, CALLS):
                if own and not entry.is_paired(block):
                    continue
                slot = entry.slots[i] = Slot(message, entry.first, own, i, "assistant", block.call_id)
                calls.append(slot)
                if block.call_id is None:
                    continue
                if waiting := early.get(block.call_id):
                    _join(slot, waiting.pop(0))
                else:
                    fresh.setdefault(block.call_id, []).append(slot)
    return calls


def _join(call: Slot, result: Slot) -> None:
    call.answered, result.call = True, call


def _pieces(entries: Sequence[Entry]) -> list[Piece]:
    """Each message's blocks, in runs that can stand on one line.

    Results without a call are left out; each other has a line of its own, as the screen draws one result a line.
    """
    pieces: list[Piece] = []
    results = 0
    for entry in entries:
        slots, content = entry.slots, entry.message.content
        if entry.own is not None:
            on = entry.side
            if on == "result" and not any(slot.call for slot in slots.values()):
                on = "user"
            at = len(pieces)
            pieces.append(Piece(entry, on, list(range(len(content))), at, at - results, list(slots.values())))
            results += on == "result"
            entry.pieces = 1
            continue
        if not content:
            pieces.append(Piece(entry, "user", [], len(pieces), len(pieces) - results, []))
            entry.pieces = 1
            continue
        speaker: Side = "assistant" if entry.message.role == "assistant" else "user"
        current: Piece | None = None
        for i, block in enumerate(content):
            if isinstance(block, ReasoningBlock):
                continue
            slot = slots.get(i)
            on = speaker if slot is None else slot.side
            if on == "result":
                if slot is None or slot.call is None:
                    continue
            elif current is not None and current.side == on:
                current.indices.append(i)
                if slot is not None:
                    current.slots.append(slot)
                continue
            at = len(pieces)
            current = Piece(entry, on, [i], at, at - results, [] if slot is None else [slot])
            pieces.append(current)
            results += on == "result"
            entry.pieces += 1
    return pieces


def _steps(pieces: Sequence[Piece]) -> tuple[list[Step | Piece], list[Piece]]:
    """Steps and users' lines in order, and the results, which have to find their steps."""
    order: list[Step | Piece] = []
    results: list[Piece] = []
    step: Step | None = None
    count = 0
    for piece in pieces:
        if not piece.indices and step is not None:
            step.said.append(piece)
        elif piece.side == "user":
            order.append(piece)
            step = None
        elif piece.side == "result":
            results.append(piece)
            if step is not None and any(s.call is not None and s.call.step == step.number for s in piece.slots):
                step = None
        else:
            if step is None or _begins_anew(step, piece):
                count += 1
                step = Step(count, [])
                order.append(step)
            step.said.append(piece)
            closed = False
            for slot in piece.slots:
                step.asks, slot.step = True, count
                # A record of the client's own stays as it is: the client repairs it as it does in the original.
                if not slot.answered and not slot.own:
                    step.unanswered.append(slot)
                    # The made-up result of what needs none comes at once, so that what follows stays after it.
                    closed = closed or slot.call_id is None or isinstance(slot.block, WebSearchBlock)
            if closed:
                step = None
    return order, results


def _begins_anew(step: Step, piece: Piece) -> bool:
    """Whether a piece is the beginning of another API message than the one before it."""
    before = step.said[-1].entry
    if before is piece.entry:
        return False
    if before.step_id != piece.entry.step_id:
        return True
    return before.step_id is None and before.message.usage is not None and not step.asks


def _place_results(order: Sequence[Step | Piece], results: Sequence[Piece]) -> list[Piece]:
    """Hang each result on the step of its call; returns those that were not there already."""
    steps = {item.number: item for item in order if isinstance(item, Step)}
    for piece in results:
        call = next(s.call for s in piece.slots if s.call is not None)
        steps[call.step].results.append(piece)
    moved: list[Piece] = []
    count = 0
    for item in order:
        if isinstance(item, Piece):
            count += 1
        else:
            count += len(item.said)
            moved += [p for p in item.results if p.others != count]
    return moved
