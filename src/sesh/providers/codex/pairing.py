"""Every call one output, every output one call: decided before anything is written.

Why: an output without its call is taken out by Codex without a word, a call without output is answered with
"aborted" (formats/codex.md §4), and the API refuses both. So a plan is made over the messages between two
compactions, and every repair is named in the report.

A *place* is (index of the message, index of the block).
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import msgspec

from sesh.format import ids
from sesh.format.blocks import FileChangeBlock, ToolCallBlock, ToolResultBlock, WebSearchBlock
from sesh.format.message import Message
from sesh.format.regex import regex

_CALLS: Final = (ToolCallBlock, FileChangeBlock, WebSearchBlock)
Place: TypeAlias = tuple[int, int]
CALL_ID: Final = regex(r"[A-Za-z0-9_-]{1,64}")
"""What the API takes as a call's id (64 characters is its documented limit; the alphabet is what clients use)."""


class Pairs(msgspec.Struct):
    """The plan of one segment: the id each call is written under, and what becomes of each result."""

    written_id: dict[Place, str] = {}
    """For calls, and for results that have one. A search that nothing answers is in neither (it needs no answer)."""
    call_of: dict[Place, Place] = {}
    """The call of each result that has one."""
    result_of: dict[Place, Place] = {}
    """The result of each call that has one."""
    stubs: set[Place] = set()
    """Calls that nothing answers."""
    moved: dict[Place, Place] = {}
    """A call, and the result that stood before it and is to be written after it."""
    early: set[Place] = set()
    """Those results."""


class Planner(msgspec.Struct):
    """Makes the plans of a file's segments, in order. A call keeps its id in all of them, and no two calls share one.

    `verbatim` holds the indices of messages that are written as the records they were: they keep their ids and get no
    made-up results, since Codex read them like that before.
    """

    verbatim: set[int]
    _assigned: dict[Place, str] = {}
    _taken: set[str] = set()
    _tried: dict[str, int] = {}
    """How many ids were derived from each given one: those are taken, and need not be tried again."""

    def plan(self, messages: Sequence[Message], segment: Iterable[int]) -> Pairs:
        """Pair the calls and results of a segment: indices in the order in which the model is sent the messages."""
        calls: dict[str, list[tuple[int, Place]]] = defaultdict(list)
        results: dict[str, list[tuple[int, Place]]] = defaultdict(list)
        order = 0
        for at in segment:
            for i, block in enumerate(messages[at].content):
                if isinstance(block, ToolResultBlock):
                    order += 1
                    results[block.call_id].append((order, (at, i)))
                elif isinstance(block, _CALLS):
                    order += 1
                    calls[_given_id(block, messages[at].id, i)].append((order, (at, i)))
        pairs = Pairs()
        for call_id, places in calls.items():
            answers = results.get(call_id, ())
            if len(places) == len(answers) == 1 and places[0][0] < answers[0][0]:  # as it should be, and mostly is
                self._join(pairs, places[0][1], answers[0][1], call_id)
            else:
                self._pair(pairs, call_id, places, deque(answers), messages)
        return pairs

    def _pair(
        self,
        pairs: Pairs,
        call_id: str,
        calls: list[tuple[int, Place]],
        free: deque[tuple[int, Place]],
        messages: Sequence[Message],
    ) -> None:
        """Give each call the first free result after it; calls left over take results that stood before them."""
        early: deque[Place] = deque()
        waiting: list[Place] = []
        for order, call in calls:
            while free and free[0][0] < order:
                early.append(free.popleft()[1])
            if free:
                self._join(pairs, call, free.popleft()[1], call_id)
            else:
                waiting.append(call)
        for call in waiting:
            if early:
                result = early.popleft()
                self._join(pairs, call, result, call_id)
                if call[0] not in self.verbatim and result[0] not in self.verbatim:
                    pairs.moved[call] = result
                    pairs.early.add(result)
            elif not isinstance(messages[call[0]].content[call[1]], WebSearchBlock):
                pairs.written_id[call] = self._id(call, call_id)
                if call[0] not in self.verbatim:
                    pairs.stubs.add(call)

    def _join(self, pairs: Pairs, call: Place, result: Place, given: str) -> None:
        pairs.written_id[call] = pairs.written_id[result] = self._id(call, given)
        pairs.call_of[result] = call
        pairs.result_of[call] = result

    def _id(self, call: Place, given: str) -> str:
        known = self._assigned.get(call)
        if known is None:
            known = given if call[0] in self.verbatim else self._accepted(given)
            self._assigned[call] = known
            self._taken.add(known)
        return known

    def _accepted(self, given: str) -> str:
        """The same id where the API takes it and no other call of this file has it; else one derived from it."""
        if given not in self._taken and CALL_ID.fullmatch(given):
            return given
        clean = re.sub(r"[^A-Za-z0-9_-]", "_", given)[:40] or "call"
        n = self._tried.get(given, 0) + 1
        while (candidate := f"{clean}_{ids.derive('call-id', given, str(n))[:8]}") in self._taken:
            n += 1
        self._tried[given] = n
        return candidate


def _given_id(block: ToolCallBlock | FileChangeBlock | WebSearchBlock, message_id: str, i: int) -> str:
    """The id that its result has, be it empty; a call without one can have no result, and gets an id of its own."""
    if block.call_id is not None:
        return block.call_id
    return "call_" + ids.derive("call", message_id, str(i)).replace("-", "")[:24]
