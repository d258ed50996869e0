"""Child threads in their parent's file: which call each came from, and the records that name them.

A child is a rollout of its own (write_meta). Codex lists children under their parent by the child's header alone. In
the parent it draws the call that started one (formats/codex.md §9); our reader finds all of them, in their order, by
stamped lines at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from sesh.format.blocks import ToolCallBlock, ToolResultBlock
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.providers.codex import display


class Child(msgspec.Struct, frozen=True):
    """A child as its parent's file names it. `prompt` is its first words, `name` what to call it."""

    session_id: str
    origin: str | None
    relation: str
    name: str
    role: str | None
    prompt: str


class Children:
    """A parent's children: `drawn` are the ids of those that a call is shown to have started."""

    def __init__(self, children: Sequence[Child]) -> None:
        self.all: Final = children
        self.drawn: Final[set[str]] = set()
        self._of: Final[dict[str | None, list[Child]]] = {}
        for child in children:
            if child.relation == "subagent":
                self._of.setdefault(child.origin, []).append(child)

    def of_call(self, message: Message, call: ToolCallBlock) -> list[Child]:
        """The sub-agents that this call of the message started: by their prompt where the message has several calls."""
        if message.id not in self._of:
            return []
        mine = [c for c in self._of[message.id] if c.session_id not in self.drawn]
        if not mine:
            return []
        calls = [b for b in message.content if isinstance(b, ToolCallBlock)]
        if len(calls) > 1:
            asked = call.input.get("prompt", call.input.get("message")) if isinstance(call.input, dict) else None
            mine = [c for c in mine if isinstance(asked, str) and c.prompt == asked]
        self.drawn.update(c.session_id for c in mine)
        return mine


def spawn(
    item_id: str, parent_id: str, call: ToolCallBlock, result: ToolResultBlock | None, children: Sequence[Child]
) -> JsonObject:
    """The item of a call that started these children (shape: 0.169, multi-agent v1)."""
    said = None if result is None else display.text_of(result.given)
    state: object = "interrupted" if said is None else {"completed": said}
    if result is not None and result.is_error:
        state = {"errored": said}
    given = call.input if isinstance(call.input, dict) else {}
    prompt = given.get("prompt", given.get("message"))
    return {
        "type": "CollabAgentToolCall",
        "id": item_id,
        "tool": "spawn_agent",
        "status": "failed" if result is not None and result.is_error else "completed",
        "sender_thread_id": parent_id,
        "receiver_thread_ids": [c.session_id for c in children],
        "receiver_agents": [
            {"thread_id": c.session_id, "agent_nickname": c.name, "agent_role": c.role} for c in children
        ],
        "prompt": prompt if isinstance(prompt, str) else children[0].prompt,
        "agents_states": {c.session_id: state for c in children},
    }


def activity(child: Child) -> JsonObject:
    """The item of a child that no call started (shape: 0.169, multi-agent v2)."""
    return {
        "type": "SubAgentActivity",
        "model": None,
        "reasoning_effort": None,
        "id": f"child-{child.session_id}",
        "kind": "started",
        "agent_thread_id": child.session_id,
        "agent_path": f"/root/{child.name}",
    }
