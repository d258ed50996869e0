"""Why a cell of the matrix is not whole: each with its reason, or the test fails. An untrue mark fails too.

never: the client has no place for it, or must not be given it. notyet: possible, not done yet. notimpl: the client
could hold it, and sesh chooses another way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Mark:
    """What kind of lack it is, and why."""

    kind: Literal["never", "notyet", "notimpl"]
    reason: str


_SIGNED = Mark("never", "Claude Code sends thinking to its model only with its maker's signature, which no other has.")
_HOME = Mark("never", "What a client put in by itself stays with it (`--keep-context` takes it along).")

MARKS: Final[dict[tuple[str, str], Mark]] = {
    ("claude-code", "reasoning: with its words"): _SIGNED,
    ("claude-code", "reasoning: encrypted"): _SIGNED,
    ("claude-code", "tool result: without a call"): Mark(
        "never", "Claude Code takes a result only after its call, and empties the message otherwise."
    ),
    ("claude-code", "unknown: record"): _HOME,
    ("codex", "unknown: record"): _HOME,
    ("claude-code", "message: context"): _HOME,
    ("codex", "message: context"): _HOME,
    ("claude-code", "compaction: encrypted summary"): Mark(
        "never", "Only its maker can read it; the turns it stands for are what the model is sent instead."
    ),
}
"""(provider, case) -> the mark."""
