"""The model's window after a compaction, while a thread is woven."""

from __future__ import annotations

import msgspec

from sesh.format.message import Message
from sesh.providers.claude_code.book import NONE


class Held:
    """What the model holds since the last boundary: the messages there, and the earlier ones that lines repeat."""

    def __init__(self) -> None:
        self.open = False
        self.ids: list[str] = []
        self._summary = NONE

    def boundary(self) -> None:
        """A compaction begins."""
        self.open, self.ids, self._summary = True, [], NONE

    def is_of(self, summary_id: str, out: list[Message]) -> None:
        """The boundary is that of a summary which stands before it and is not sent."""
        at = next((n for n in range(len(out) - 1, -1, -1) if out[n].id == summary_id), NONE)
        if at != NONE:
            self._summary, out[at] = at, msgspec.structs.replace(out[at], window=[])

    def said(self, made: list[Message], end: int, *, cut: bool) -> None:
        """Messages were added; the thread now has `end` of them. `cut`: texts of a window, no compaction."""
        if self.open:
            self.ids += [m.id for m in made]
            for i, message in enumerate(made):
                if message.kind == "summary" and not cut:
                    self._summary = end - len(made) + i

    def again(self, message_id: str, out: list[Message]) -> None:
        """A line repeats an earlier message. After the summary, the summary's window is told at once."""
        if not self.open:
            return
        self.ids.append(message_id)
        if self._summary != NONE:
            summary = out[self._summary]
            window = [*([summary.id] if summary.window is None else summary.window), message_id]
            out[self._summary] = msgspec.structs.replace(summary, window=window)
