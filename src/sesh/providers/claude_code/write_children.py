"""Child threads as the client's own sub-agent files: `<session>/subagents/agent-<id>.jsonl` and `.meta.json`.

2.1.x keeps sub-agents there and names the call that began one by `toolUseId` (formats/claude-code.md §6); nothing of
them is needed to resume or sent. Abandoned branches and rolled-back turns have no place of their own in a file that is
read as one chain, so they lie there too; the `sesh` key of the `.meta.json` says what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from sesh.format import ids, stamp, walk
from sesh.format.json import JsonObject
from sesh.format.regex import regex
from sesh.providers.api import IngestedThread
from sesh.providers.claude_code.write_blocks import CALLS
from sesh.providers.claude_code.write_times import milliseconds

_AGENT_ID: Final = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
SPAWNED: Final = ("subagent", "sidechain")


class Agent(NamedTuple):
    """A child and the id it goes under."""

    child: IngestedThread
    agent_id: str
    depth: int


def agents(children: Sequence[IngestedThread], session_id: str) -> list[Agent]:
    """Every child with an id that no other of this session has: its own, where the client could have made it."""
    depths = _depths({c.thread.id: c.thread.parent_thread_id for c in children})
    taken: set[str] = set()
    found: list[Agent] = []
    for child in children:
        wanted = (child.thread.metadata or {}).get("agentId")
        if not isinstance(wanted, str) or not _AGENT_ID.fullmatch(wanted) or wanted in taken:
            n = len(taken)
            wanted = "a" + ids.derive("agent", session_id, child.thread.id, str(n)).replace("-", "")[:16]
        taken.add(wanted)
        found.append(Agent(child, wanted, depths[child.thread.id]))
    return found


def _depths(parents: Mapping[str, str | None]) -> dict[str, int]:
    """How far below the main thread each child is: a child's child names its own parent."""
    depths: dict[str, int] = {}
    for name in parents:
        walk: dict[str, None] = {}  # in order; a circle ends it
        above: str | None = name
        while above is not None and above in parents and above not in depths and above not in walk:
            walk[above] = None
            above = parents[above]
        depth = depths.get(above or "", 0)
        for passed in reversed(walk):
            depth += 1
            depths[passed] = depth
    return depths


def by_origin(found: Sequence[Agent]) -> dict[str, list[Agent]]:
    """The sub-agents that a message's calls began, by that message's id, in order."""
    spawned: dict[str, list[Agent]] = {}
    for agent in found:
        thread = agent.child.thread
        if thread.origin_message_id is not None and (thread.metadata or {}).get("relation") in SPAWNED:
            spawned.setdefault(thread.origin_message_id, []).append(agent)
    return spawned


def meta(agent: Agent, call: str | None, told: JsonObject) -> JsonObject:
    """The `.meta.json` beside the transcript.

    `call` is the id of the call that began it; `told` is what the client has no key for: what the thread was.
    """
    metadata = agent.child.thread.metadata or {}
    value: JsonObject = {"agentType": _text(metadata.get("agentType")) or "general-purpose"}
    described = _text(metadata.get("description")) or agent.child.thread.title
    if described:
        value["description"] = described
    if call is not None:
        value["toolUseId"] = call
    value["spawnDepth"] = agent.depth
    value[stamp.KEY] = told
    return value


def drawn(agent: Agent) -> JsonObject:
    """`toolUseResult` of the call that began a sub-agent: how the screen shows it under its parent.

    2.1.328 draws it only where `usage` has all of these keys (measured).
    """
    messages = agent.child.messages
    answer = next((t for m in reversed(messages) if m.role == "assistant" and (t := walk.text_of(m))), "")
    used = [m.usage for m in messages if m.usage is not None]
    usage: JsonObject = {
        "input_tokens": sum(u.input_tokens or 0 for u in used),
        "cache_creation_input_tokens": sum(u.cache_write_tokens or 0 for u in used),
        "cache_read_input_tokens": sum(u.cache_read_tokens or 0 for u in used),
        "output_tokens": sum(u.output_tokens or 0 for u in used),
    }
    times = [ms for m in messages if (ms := milliseconds(m.ts)) is not None]
    return {
        "status": "completed",
        "prompt": walk.first_prompt(messages) or "",
        "agentId": agent.agent_id,
        "agentType": _text((agent.child.thread.metadata or {}).get("agentType")) or "general-purpose",
        "content": [{"type": "text", "text": answer}] if answer else [],
        "totalDurationMs": max(times) - min(times) if times else 0,
        "totalTokens": sum(usage.values()),
        "totalToolUseCount": sum(isinstance(b, CALLS) for m in messages for b in m.content),
        "usage": {
            **usage,
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
        },
    }


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
