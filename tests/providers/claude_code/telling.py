"""Canonical messages for the writer's tests: small threads told in a few words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sesh.format import ids
from sesh.format.blocks import AnyBlock, TextBlock, ToolCallBlock, ToolResultBlock
from sesh.format.message import Message, Provenance
from sesh.format.thread import Thread
from sesh.providers.api import EmitResult, IngestedThread
from sesh.providers.claude_code.writer import emit_claude_session

FOLDER = "/home/dev/project"


class Telling:
    """A thread of another client, one message a second."""

    def __init__(self, key: str = "told", *, title: str | None = None, **metadata: Any) -> None:
        self.key = key
        self.messages: list[Message] = []
        self.children: list[IngestedThread] = []
        self.thread = Thread(
            id=ids.thread_id("codex", key),
            title=title,
            created_at=time_of(0),
            metadata={"cwd": FOLDER, "provider": "codex", **metadata},
        )

    def say(self, role: Any, *content: AnyBlock | str, **more: Any) -> Message:
        """Add a message; a string is a text block."""
        n = len(self.messages)
        message = Message(
            id=ids.message_id("codex", self.key, f"line:{n}"),
            thread_id=self.thread.id,
            role=role,
            ts=more.pop("ts", time_of(n)),
            turn_id=more.pop("turn_id", "turn"),
            content=[TextBlock(text=c) if isinstance(c, str) else c for c in content],
            provenance=Provenance(provider="codex", channel="session-file", session_id=self.key, source_id=None),
            **more,
        )
        self.messages.append(message)
        return message

    def call(self, call_id: str, name: str = "exec_command", given: Any = None) -> Message:
        """A tool call of the assistant's."""
        given = {"cmd": "ls"} if given is None else given
        return self.say("assistant", ToolCallBlock(call_id=call_id, name=name, input=given))

    def result(self, call_id: str, output: Any = "done", is_error: bool | None = None) -> Message:
        """A tool's result."""
        return self.say("tool", ToolResultBlock(call_id=call_id, output=output, is_error=is_error))

    def emit(self, **options: Any) -> EmitResult:
        """The thread as a session."""
        return emit_claude_session(self.thread, self.messages, children=self.children, **options)


def time_of(second: int) -> str:
    """A time, that many seconds into the thread."""
    return f"2026-11-20T10:{second // 60:02d}:{second % 60:02d}.000Z"


def values(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """Lines as a strict reader takes them."""
    assert all(b"\n" not in line for line in lines)
    return [json.loads(line.decode("utf-8")) for line in lines]


def chained(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """The lines of the chain."""
    return [v for v in values(lines) if "uuid" in v]


def sent(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """The API messages that the client makes of a linear chain: what follows the last boundary, merged.

    Assistant lines of one `message.id` are one message, users' lines on end are one message.
    """
    out: list[dict[str, Any]] = []
    for line in chained(lines):
        if line["type"] == "system":
            out = [] if line["subtype"] == "compact_boundary" else out
            continue
        message = line["message"]
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        same = out and out[-1]["role"] == message["role"] and out[-1]["id"] == message.get("id")
        if same:
            out[-1]["content"] = [*out[-1]["content"], *blocks]
        elif blocks:
            out.append({"role": message["role"], "id": message.get("id"), "content": list(blocks)})
    return out


def rows(lines: Sequence[bytes]) -> list[str]:
    """The blocks that are sent, each in a word: `user:hi`, `call:c1`, `result:c1`."""
    found = []
    for message in sent(lines):
        for block in message["content"]:
            match block["type"]:
                case "text":
                    found.append(f"{message['role']}:{block['text']}")
                case "tool_use":
                    found.append(f"call:{block['id']}")
                case "tool_result":
                    found.append(f"result:{block['tool_use_id']}")
                case kind:
                    found.append(kind)
    return found
