"""Where Claude Code keeps sessions: `projects/<munged cwd>/<uuid>.jsonl` (formats/claude-code.md §1, measured)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final

from sesh.format.regex import regex

_UUID_FILE: Final = regex(r"([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})\.jsonl")
_AGENT: Final = regex(r"projects/[^/]+/([0-9a-fA-F-]{36})/subagents/agent-[^/]+\.jsonl")
_FLAT_AGENT: Final = regex(r"projects/[^/]+/agent-[^/]+\.jsonl")
_NAMED: Final = regex(rb'"sessionId" ?: ?"([0-9a-fA-F-]{36})"')
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def munge(cwd: str) -> str:
    """The project folder's name for a working directory (its real path, absolute).

    Every UTF-16 unit that is no ASCII letter or digit becomes `-`; over 200 units, the first 200 and a hash
    (verified on 2.1.328; 2.0.76 has no length rule).
    """
    raw = cwd.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]
    name = "".join(chr(u) if u < 128 and chr(u).isalnum() else "-" for u in units)
    if len(name) <= 200:
        return name
    h = 0
    for unit in units:
        h = ((h << 5) - h + unit) & 0xFFFFFFFF
    return f"{name[:200]}-{_base36(abs(h - (1 << 32) if h >= 1 << 31 else h))}"


def _base36(number: int) -> str:
    text = "" if number else "0"
    while number:
        text, number = _DIGITS[number % 36] + text, number // 36
    return text


def session_path(session_id: str, cwd: str) -> str:
    """The main file's path relative to the home."""
    return f"projects/{munge(cwd)}/{session_id}.jsonl"


def owner(relative: str) -> str | None:
    """The session of a sub-agent's transcript, `projects/<folder>/<session>/subagents/agent-<id>.jsonl` (2.1).

    Those of 2.0 lie flat, `agent-<id>.jsonl`; only their lines say whose they are (`owner_in`), and "" is given.
    """
    match = _AGENT.fullmatch(relative)
    if match is not None:
        return match[1]
    return "" if _FLAT_AGENT.fullmatch(relative) else None


def owner_in(head: bytes) -> str | None:
    """The session that the first line of a flat sub-agent file names. In a text on the line the quotes are escaped."""
    match = _NAMED.search(head.split(b"\n", 1)[0])
    return match[1].decode() if match else None


class ClaudeLayout:
    """`Layout` of Claude Code."""

    def home(self, environment: Mapping[str, str], user_home: PurePath) -> PurePath:
        """$CLAUDE_CONFIG_DIR, or ~/.claude."""
        named = environment.get("CLAUDE_CONFIG_DIR")
        return type(user_home)(named) if named else user_home / ".claude"

    def session_id(self, name: str) -> str | None:
        """The UUID before `.jsonl`; other names (agent-….jsonl) are no sessions."""
        match = _UUID_FILE.fullmatch(name)
        return match.group(1) if match else None

    def is_session(self, path: PurePath) -> bool:
        """`projects/<folder>/<uuid>.jsonl`, and nothing deeper."""
        parts = path.parts
        return len(parts) == 3 and parts[0] == "projects" and self.session_id(parts[2]) is not None

    def search_roots(self) -> Sequence[str]:
        """All sessions lie under `projects`."""
        return ("projects",)

    def anchor(self, path: PurePath) -> PurePath:
        """The project folder."""
        return path.parent

    def companion_globs(self, path: PurePath) -> Sequence[str]:
        """The session's own folder (2.1: sub-agents, spilled results) and flat sub-agent files (2.0)."""
        return (f"{path.stem}/**/*", "agent-*.jsonl")

    def resume_command(self, session_id: str) -> Sequence[str]:
        """`claude --resume ID`, to be run in the session's folder."""
        return ("claude", "--resume", session_id)


LAYOUT: Final = ClaudeLayout()
