"""How much of a session that is still being written may be stored: a stored message never changes.

A longer prefix of a live file extends what was read (law 4), but for the last step: the usage of an API message stands
on its last line so far, and whether a call failed may be said after its output. So while a session may still grow,
the last step (the last run of the assistant's messages, and what came after it) is held back until the next step
begins, or until the file has been quiet for `QUIET_SECONDS`. All before it is settled. Over the corpus, taken in
line by line, this rule never met a message that had changed since (tests/ingest/test_growth.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sesh.format.message import Message

QUIET_SECONDS: Final = 60
"""A client writes a step within seconds of its parts; a session that was silent for so long is at rest."""


def settled(messages: Sequence[Message]) -> int:
    """How many of the messages, from the beginning, no later record can change."""
    last = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role == "assistant"), None)
    if last is None:
        return 0
    while last > 0 and messages[last - 1].role == "assistant":
        last -= 1
    return last


def is_at_rest(modified: int, now: int) -> bool:
    """Whether a file of that mtime may be taken whole. Both in nanoseconds since 1970."""
    return now - modified >= QUIET_SECONDS * 1_000_000_000
