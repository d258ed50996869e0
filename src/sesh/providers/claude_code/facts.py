"""What a session's lines say of the thread itself: title, folder, branch, model, version, pull requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from sesh.format import jsontext, walk
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.regex import regex
from sesh.providers.claude_code.book import Reading, Record
from sesh.providers.claude_code.kinds import command_of
from sesh.providers.claude_code.said import SYNTHETIC

TITLE_LENGTH: Final = 200
_IMAGE_TAG: Final = regex(r"</?image\b[^<>]*>")
"""A title made of a prompt is cut to this many characters."""


class Facts:
    """Collected over a main file, in file order: the last non-empty word counts."""

    def __init__(self, reading: Reading) -> None:
        self._records: Final = reading.records
        self._custom = self._ai = None
        self._summaries: list[tuple[str, str | None]] = []
        self.link: JsonObject | None = None
        self.created: Final = first_time(reading.records)
        own: JsonObject = {}
        for record in reading.of_kind("fact", "state", "sesh-link"):
            line = record.line
            if line is None:
                continue
            match line.type:
                case "custom-title":
                    self._custom = line.custom_title or self._custom
                case "ai-title":
                    self._ai = line.ai_title or self._ai
                case "summary" if line.summary:
                    self._summaries.append((line.summary, line.leaf_uuid or None))
                case "relocated" if line.relocated_cwd:
                    own["relocatedCwd"] = line.relocated_cwd
                case "worktree-state" if line.worktree_session is not None:
                    own["worktree"] = line.worktree_session
                case "pr-link" if line.pr_url:
                    pull = {"number": line.pr_number, "url": line.pr_url, "repository": line.pr_repository}
                    links = own.setdefault("pullRequests", [])
                    if pull not in links:
                        links.append(pull)
                case "agent-name" if line.agent_name:
                    own["agentName"] = line.agent_name
                case "mode" if line.mode:
                    own["mode"] = line.mode
                case "permission-mode" if line.permission_mode:
                    own["permissionMode"] = line.permission_mode
                case "sesh-link" if isinstance(line.sesh, dict):
                    self.link = line.sesh
        self.own: Final = own
        """What only Claude Code needs to know again."""
        self.cwd: Final[str | None] = own.get("relocatedCwd")
        """The folder a session moved to (a worktree)."""

    def title(self, messages: Sequence[Message], sidecar: bytes | None) -> str | None:
        """The title: custom, then the model's, then a summary of this very file (1.0), then the first prompt."""
        summary = self._own_summary() if self._summaries else None
        return self._custom or _sidecar(sidecar) or self._ai or summary or title_of(messages)

    def _own_summary(self) -> str | None:
        """The last summary that names a line of this file; others are of files that it was resumed from."""
        here = {r.line.uuid for r in self._records if r.line is not None and r.line.uuid is not None}
        return next((text for text, leaf in reversed(self._summaries) if leaf in here), None)


def _sidecar(data: bytes | None) -> str | None:
    """The title in `custom-title.json` beside the session (2.1.328)."""
    if data is None:
        return None
    try:
        value = jsontext.loads(data)
    except jsontext.UnreadableJson:
        return None
    title = value.get("customTitle") if isinstance(value, dict) else None
    return title if isinstance(title, str) and title else None


def first_time(records: Iterable[Record]) -> str | None:
    """The first time that records tell."""
    return next((r.line.timestamp for r in records if r.line is not None and r.line.timestamp), None)


def title_of(messages: Sequence[Message]) -> str | None:
    """The first thing a human typed, on one line: a prompt, or else a slash command."""
    text = walk.first_prompt(messages)
    if text is None:
        text = next((c for m in messages if m.role == "user" and (c := command_of(walk.text_of(m)))), None)
    return None if text is None else _on_one_line(text)


def behind_tags(messages: Sequence[Message]) -> str | None:
    """A title for a conversation whose first prompt begins with a tag; None where it does not.

    The picker passes over such prompts (2.1.328) or shows the tag (2.0.76). Codex puts `<image name=…>` before the
    words of a prompt with a picture; that tag is no word of the human's.
    """
    text = walk.first_prompt(messages)
    if text is None or not text.startswith("<"):
        return None
    return _on_one_line(_IMAGE_TAG.sub("", text)) or None


def _on_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1] + "…"


def metadata_of(records: Sequence[Record], session: str) -> JsonObject:
    """The metadata of a thread from the lines it is made of (ARCHITECTURE.md names the keys).

    `cwd` is the first: the shell may go elsewhere later, but that is the folder the session belongs to. Of all else
    the last word counts.
    """
    found: JsonObject = {}
    for record in records:
        line = record.line
        if line is None or line.uuid is None:
            continue
        if line.cwd:
            found.setdefault("cwd", line.cwd)
        if line.git_branch:
            found["gitBranch"] = line.git_branch
        if line.version:
            found["version"] = line.version
        if line.entrypoint:
            found["entrypoint"] = line.entrypoint
        if record.kind == "assistant" and line.message is not None:
            model = line.message.model
            if model and model != SYNTHETIC:
                found["model"] = model
        if line.forked_from is not None and line.forked_from.session_id:
            found["forkedFrom"] = line.forked_from.session_id
        elif line.session_id and line.session_id != session:
            found.setdefault("forkedFrom", line.session_id)
    return found


class AgentMeta(msgspec.Struct, frozen=True, rename="camel"):
    """`agent-<id>.meta.json` beside a sub-agent's file (2.1.328). `sesh` is our writer's: what the thread was."""

    agent_type: str | None = None
    description: str | None = None
    tool_use_id: str | None = None
    model: str | None = None
    sesh: JsonObject | None = None
