"""Hand-made Claude Code sessions, a line a call: small files whose shape a test can see at a glance."""

from __future__ import annotations

import json
from typing import Any

from sesh.providers.api import IngestResult, ReadOptions, SessionSource
from sesh.providers.claude_code.reader import parse_claude_session

SESSION = "5e550000-0000-4000-8000-0000000000aa"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

Json = dict[str, Any]


class Made:
    """A session in the making. Lines are named by their uuid; each has a time one second after the one before."""

    def __init__(self, *, start: bool = True, session: str = SESSION) -> None:
        self.session = session
        self.lines: list[Json | bytes] = []
        self.companions: dict[str, bytes] = {}
        self._second = 0
        if start:
            self.user("u1", None, "first")
            self.said("a1", "u1", "one")

    def line(self, kind: str, uuid: str, parent: str | None, **more: Any) -> Json:
        """A chained line. `at=` sets its second."""
        self._second = more.pop("at", self._second + 1)
        made: Json = {
            "parentUuid": parent,
            "isSidechain": False,
            "cwd": "/work/demo",
            "sessionId": self.session,
            "version": "2.1.328",
            "gitBranch": "main",
            "type": kind,
            "uuid": uuid,
            "timestamp": f"2026-03-01T10:{self._second // 60:02d}:{self._second % 60:02d}.000Z",
            **more,
        }
        self.lines.append(made)
        return made

    def user(self, uuid: str, parent: str | None, content: Any, **more: Any) -> Json:
        """A user line."""
        return self.line("user", uuid, parent, message={"role": "user", "content": content}, **more)

    def said(self, uuid: str, parent: str | None, content: Any, step: str | None = None, **more: Any) -> Json:
        """An assistant line. `step` is its message.id."""
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        message = {"id": step or f"msg_{uuid}", "role": "assistant", "model": more.pop("model", "claude-opus-5-5")}
        message |= {"content": blocks, "usage": more.pop("usage", None)}
        return self.line("assistant", uuid, parent, message=message, **more)

    def call(self, uuid: str, parent: str, call: str, step: str, name: str = "Bash", **given: Any) -> Json:
        """An assistant line with a tool call."""
        block = {"type": "tool_use", "id": call, "name": name, "input": given or {"command": call}}
        return self.said(uuid, parent, [block], step)

    def result(self, uuid: str, parent: str, call: str, content: Any = None, **more: Any) -> Json:
        """A user line with a tool's result."""
        text = f"out {call}" if content is None else content
        return self.user(uuid, parent, [{"type": "tool_result", "tool_use_id": call, "content": text}], **more)

    def state(self, kind: str, **more: Any) -> Json:
        """A line outside the tree."""
        made: Json = {"type": kind, "sessionId": self.session, **more}
        self.lines.append(made)
        return made

    def leaf(self, uuid: str, **more: Any) -> Json:
        """A `last-prompt` line."""
        return self.state("last-prompt", lastPrompt="x", leafUuid=uuid, **more)

    def boundary(self, uuid: str, old: str | None, parent: str | None = None, **metadata: Any) -> Json:
        """A compaction's boundary."""
        facts = {"trigger": "manual", **metadata}
        more = {"subtype": "compact_boundary", "content": "Conversation compacted", "compactMetadata": facts}
        return self.line("system", uuid, parent, logicalParentUuid=old, **more)

    def summary(self, uuid: str, parent: str | None, text: str = "SUMMARY") -> Json:
        """A compaction's summary."""
        return self.user(uuid, parent, text, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def raw(self, data: bytes) -> None:
        """A line as it is."""
        self.lines.append(data)

    def data(self) -> bytes:
        """The file."""
        return b"".join((x if isinstance(x, bytes) else json.dumps(x).encode()) + b"\n" for x in self.lines)

    def source(self) -> SessionSource:
        """The file and what lies beside it."""
        return SessionSource(main=self.data(), name=f"{self.session}.jsonl", companions=self.companions)

    def read(self, **options: Any) -> IngestResult:
        """The file, read."""
        given: ReadOptions = options  # type: ignore[assignment]
        result = parse_claude_session(self.source(), **given)
        assert result.report.adds_up()
        return result


def short(result: IngestResult) -> list[str]:
    """The main thread in short: each block's text, `+id` for a call, `-id` for a result, with its kind in front."""
    return shortly(result.messages)


def shortly(messages: list[Any]) -> list[str]:
    """Messages in short, as `short`."""
    out = []
    for message in messages:
        for block in message.content:
            match type(block).__name__:
                case "TextBlock":
                    word = block.text
                case "ToolCallBlock":
                    word = f"+{block.call_id}"
                case "ToolResultBlock":
                    word = f"-{block.call_id}"
                case other:
                    word = other.removesuffix("Block").lower()
            out.append(word if message.kind is None else f"{message.kind}: {word}")
    return out


def codes(result: IngestResult) -> set[str]:
    """The codes of the report's entries."""
    return {e.code for e in result.report.entries}
