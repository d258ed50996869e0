"""Leaving out the beginning of a conversation, on whole turns, where somebody asked for its end alone."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sesh.errors import SeshError
from sesh.format import walk
from sesh.format.message import Message
from sesh.providers.codex.write_compaction import segments


class Cut(msgspec.Struct, frozen=True):
    """What is written and what is left out; `why` says it in a sentence, or is None where nothing was cut."""

    kept: Sequence[Message]
    left: Sequence[Message]
    why: str | None


def cut(messages: Sequence[Message], *, since_compaction: bool, last_turns: int | None) -> Cut:
    """The messages from the last compaction on, or the last so many turns, or both.

    What a later compaction still holds of the part before stays in, so that the model is sent the same as without the
    cut. Raises SeshError for a number of turns below one.
    """
    if last_turns is not None and last_turns < 1:
        raise SeshError("The number of turns to keep must be at least 1.")
    if last_turns is None and not since_compaction:
        return Cut(messages, [], None)
    start = 0
    said: list[str] = []
    if since_compaction:
        compactions = [s.summary for s in segments(messages) if s.summary is not None]
        if compactions:
            start = compactions[-1]
            said.append("what the last compaction left and what came after it")
    if last_turns is not None:
        begins = [at for at in _beginnings(messages) if at >= start]
        if len(begins) > last_turns:
            start = begins[-last_turns]
            said.append("the last turn" if last_turns == 1 else f"the last {last_turns} turns")
    held = {i for m in messages[start:] if m.kind == "summary" for i in m.window or ()}
    kept = [m for at, m in enumerate(messages) if at >= start or m.id in held]
    left = [m for at, m in enumerate(messages) if at < start and m.id not in held]
    if not left:
        return Cut(messages, [], None)
    why = f"As asked, only {said[-1]} was written: {len(kept)} of {len(messages)} messages."
    return Cut(kept, left, why)


def _beginnings(messages: Sequence[Message]) -> list[int]:
    """Where turns with a prompt begin: at the first message of their run, what the client put before it included."""
    found: list[int] = []
    at = 0
    for turn in walk.turns(messages):
        if any(walk.is_prompt(m) for m in turn):
            found.append(at)
        at += len(turn)
    return found
