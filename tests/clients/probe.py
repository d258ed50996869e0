"""What comes back from a client: what it said, what it sent to its model, what it did to the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

Row: TypeAlias = dict[str, Any]
"""One thing that reached the model (sent.py): kind, and text, id, name, input, images as they apply."""

PROMPT: Final = "PROBE-FOLLOW-UP: what did we do so far?"
"""What a resumed client is asked. Left out of `sent` again."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """One run of a client's program. `bodies`: the requests of its main conversation, in order, as sent."""

    rc: int
    stdout: str
    stderr: str
    bodies: list[dict[str, Any]]

    @property
    def said(self) -> str:
        """Both streams, for an assertion's message."""
        return f"rc {self.rc}\n{self.stderr[-2000:]}\n{self.stdout[-2000:]}"


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A session that was resumed once.

    sent, context: the conversation in the last request, and what the client added of its own.
    prefix_kept: the file still begins with the bytes that were there; appended: the lines after them.
    listed, preview, name, turns, shown: what Codex's own app server says of it (None for Claude Code, which has no
    such server). `shown` is the kind of each item of the transcript.
    """

    id: str
    path: Path
    rc: int
    stderr: str
    resumed: bool
    model: str | None
    sent: list[Row]
    context: list[Row]
    prefix_kept: bool
    appended: int
    bodies: list[dict[str, Any]] = field(repr=False)
    listed: bool | None = None
    preview: str | None = None
    name: str | None = None
    turns: int | None = None
    shown: list[str] | None = None
    transcript: list[dict[str, Any]] | None = field(default=None, repr=False)
