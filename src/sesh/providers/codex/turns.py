"""Which turn a record belongs to: the client's markers where it writes them, else each prompt begins one.

Markers: `task_started` / `task_complete` (0.104 and later; aliases `turn_started`, `turn_complete`), `turn_aborted`,
and `turn_context.turn_id` (0.104 and later; `turn_context` without an id is a mere change of settings). Between a start
and its end all prompts are one turn (steering).
"""

from __future__ import annotations

from typing import Any


class Turns:
    """The turn that is open now. `marked`: the client itself said where it began and will say where it ends."""

    def __init__(self) -> None:
        self.current: str | None = None
        self.marked = False
        self.are_marked = False  # a marker has been seen: this client writes them

    def started(self, turn_id: Any) -> bool:
        """A marker names a turn; whether it is another one than before."""
        if not isinstance(turn_id, str) or (self.marked and turn_id == self.current):
            return False
        self.current, self.marked, self.are_marked = turn_id, True, True
        return True

    def ended(self, turn_id: Any) -> None:
        """A marker ends the open turn (of that id, where it names one)."""
        if not isinstance(turn_id, str) or turn_id == self.current or not self.marked:
            self.current, self.marked = None, False

    def prompted(self, message_id: str) -> bool:
        """A human spoke; whether that begins a turn (no marker has)."""
        if self.marked:
            return False
        self.current = message_id
        return True
