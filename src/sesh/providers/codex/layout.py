"""Where Codex keeps rollouts: `sessions/YYYY/MM/DD/rollout-<local time>-<uuid>[_<segment>].jsonl[.zst]`.

Measured: formats/codex.md §2. The folder must be exactly YYYY/MM/DD and the name exactly this shape to be listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final

import msgspec

from sesh.format.regex import regex

_UUID: Final = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_NAME: Final = regex(
    rf"rollout-(?P<time>\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d)-(?P<thread>{_UUID})(?:_(?P<segment>{_UUID}))?\.jsonl(?:\.zst)?"
)


class RolloutName(msgspec.Struct, frozen=True):
    """The parts of a rollout's file name. `segment` is set on the files that a revert made (0.169)."""

    time: str
    thread_id: str
    segment: str | None


def parse_name(name: str) -> RolloutName | None:
    """The parts of a file name, or None where it is no rollout's."""
    match = _NAME.fullmatch(name)
    return RolloutName(match["time"], match["thread"], match["segment"]) if match else None


def session_path(thread_id: str, local_time: str) -> str:
    """The file's path relative to CODEX_HOME. `local_time` is ISO (`2026-11-20T10:00:00…`), in the zone to show."""
    day, clock = local_time[:10], local_time[11:19].replace(":", "-")
    return f"sessions/{day.replace('-', '/')}/rollout-{day}T{clock}-{thread_id}.jsonl"


class CodexLayout:
    """`Layout` of Codex."""

    def home(self, environment: Mapping[str, str], user_home: PurePath) -> PurePath:
        """$CODEX_HOME, or ~/.codex."""
        named = environment.get("CODEX_HOME")
        return type(user_home)(named) if named else user_home / ".codex"

    def session_id(self, name: str) -> str | None:
        """The thread id in a rollout's name."""
        parsed = parse_name(name)
        return parsed.thread_id if parsed else None

    def is_session(self, path: PurePath) -> bool:
        """A rollout under `sessions` or `archived_sessions`, compressed or not."""
        return path.parts[:1] in (("sessions",), ("archived_sessions",)) and parse_name(path.name) is not None

    def search_roots(self) -> Sequence[str]:
        """Live and archived sessions."""
        return ("sessions", "archived_sessions")

    def anchor(self, path: PurePath) -> PurePath:
        """CODEX_HOME: the folder above `sessions` or `archived_sessions`; outside of a home, the file's own."""
        for parent in path.parents:
            if parent.name in ("sessions", "archived_sessions"):
                return parent.parent
        return path.parent

    def companion_globs(self, path: PurePath) -> Sequence[str]:
        """Other rollouts (bases of forks, segments, sub-agents) and the file of thread names."""
        if self.anchor(path) == path.parent:
            return ("rollout-*.jsonl", "rollout-*.jsonl.zst", "session_index.jsonl")
        return (
            "sessions/**/rollout-*.jsonl",
            "sessions/**/rollout-*.jsonl.zst",
            "archived_sessions/rollout-*.jsonl",
            "archived_sessions/rollout-*.jsonl.zst",
            "session_index.jsonl",
        )

    def resume_command(self, session_id: str) -> Sequence[str]:
        """`codex resume ID`."""
        return ("codex", "resume", session_id)


LAYOUT: Final = CodexLayout()
