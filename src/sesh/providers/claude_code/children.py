"""Child threads: what sub-agents said, and what hangs beside the main talk.

    inline side chains (1.0)              lines with isSidechain in the main file, a root of their own each
    agent-<id>.jsonl (2.0)                in the project folder, of whichever session its first line names
    <session>/subagents/agent-<id>.jsonl  (2.1), with <...>.meta.json from 2.1.328
    agent_progress lines (2.1.x)          the transcript inside the main file, where no agent file holds it
    branches                              abandoned by a rewind, a retry, a second writer

A child is linked to the very call that began it: by the call's id (meta.json, `toolUseResult.agentId`, the progress
line), or, where the client wrote no id (1.0), by the call's own prompt being the child's first words. Two calls with
the same prompt are told apart by their results; what cannot be told apart is not guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from sesh.format import ids, walk
from sesh.format.blocks import TextBlock, ToolCallBlock, ToolResultBlock, output_parts
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.thread import RELATIONS, Thread
from sesh.providers.api import IngestedThread
from sesh.providers.claude_code.book import Record
from sesh.providers.claude_code.facts import AgentMeta, title_of
from sesh.providers.claude_code.records import Kind, ToolFacts
from sesh.providers.claude_code.threads import NO_TIME, PROVIDER
from sesh.providers.claude_code.tree import call_ids
from sesh.report.reports import LineBook


class Child(msgspec.Struct, kw_only=True):
    """A child thread before it is known whose it is.

    `session` and `key` make its id. `call_id` is the call that began it, where the client says so; `origin` a message,
    where the place in the tree does. `metadata` holds what its lines say.
    """

    session: str
    key: str
    relation: str
    messages: list[Message]
    metadata: JsonObject
    parent: str
    created: str
    call_id: str | None = None
    origin: str | None = None
    agent_id: str | None = None
    meta: AgentMeta | None = None
    file: str | None = None

    @property
    def id(self) -> str:
        """The canonical thread id."""
        return child_id(self.session, self.key)


def child_id(session: str, key: str) -> str:
    """The canonical id of a child thread."""
    return ids.thread_id(PROVIDER, f"{session}/{key}")


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call that may have begun a child."""

    thread_id: str
    message_id: str
    block: ToolCallBlock
    order: int


class Links:
    """Who began whom: the calls of all threads of a session, their results, and the agents they name."""

    def __init__(self) -> None:
        self._calls: Final[dict[str, Call]] = {}
        self._by_prompt: Final[dict[str, list[Call]]] = {}
        self._results: Final[dict[str, str]] = {}
        self._agents: Final[dict[str, str]] = {}
        self._by_uuid: Final[dict[str, Message]] = {}

    def add_messages(self, messages: Iterable[Message]) -> None:
        """The calls and results of a thread."""
        for message in messages:
            if message.provenance is not None and message.provenance.source_id is not None:
                self._by_uuid.setdefault(message.provenance.source_id, message)
            for block in message.content:
                if isinstance(block, ToolCallBlock):
                    self._add_call(message, block)
                elif isinstance(block, ToolResultBlock):
                    self._results.setdefault(block.call_id, result_text(block))

    def _add_call(self, message: Message, block: ToolCallBlock) -> None:
        if block.call_id in self._calls:
            return
        call = Call(thread_id=message.thread_id, message_id=message.id, block=block, order=len(self._calls))
        self._calls[block.call_id] = call
        prompt = block.input.get("prompt") if isinstance(block.input, dict) else None
        if isinstance(prompt, str) and prompt:
            self._by_prompt.setdefault(prompt.strip(), []).append(call)

    def add_records(self, records: Iterable[Record]) -> None:
        """The agents that results and progress lines name."""
        for record in records:
            line = record.line
            if line is None:
                continue
            if record.kind is Kind.PROGRESS and line.data is not None and line.parent_tool_use_id is not None:
                if isinstance(line.data.agent_id, str):
                    self._agents.setdefault(line.data.agent_id, line.parent_tool_use_id)
            elif isinstance(line.tool_use_result, ToolFacts) and line.message is not None:
                agent = line.tool_use_result.agent_id
                answers = [c for kind, c in call_ids(line.message.content) if kind == "tool_result"]
                if isinstance(agent, str) and len(answers) == 1:
                    self._agents.setdefault(agent, answers[0])

    @property
    def agents(self) -> frozenset[str]:
        """The agents that are named anywhere."""
        return frozenset(self._agents)

    def said_on(self, uuid: object) -> Message | None:
        """The (first) message of the line with that uuid."""
        return self._by_uuid.get(uuid) if isinstance(uuid, str) else None

    def call_of(self, child: Child, taken: set[str]) -> Call | None:
        """The call that began a child; None where nothing says which."""
        named = child.call_id or (child.meta.tool_use_id if child.meta is not None else None)
        if named is None and child.agent_id is not None:
            named = self._agents.get(child.agent_id)
        if named is not None:
            return self._calls.get(named)
        first = next((walk.text_of(m).strip() for m in child.messages if m.role == "user"), "")
        own = {b.call_id for m in child.messages for b in m.content if isinstance(b, ToolCallBlock)}
        claimed = set(self._agents.values()) | taken
        found = [
            c for c in self._by_prompt.get(first, []) if c.block.call_id not in claimed and c.block.call_id not in own
        ]
        if len(found) > 1:
            last = next((walk.text_of(m).strip() for m in reversed(child.messages) if m.role == "assistant"), "")
            found = [c for c in found if last and last in self._results.get(c.block.call_id, "")]
        return found[0] if len(found) == 1 else None


def result_text(block: ToolResultBlock) -> str:
    """The words of a result."""
    return "\n".join(p.text for p in output_parts(block.output) or [] if isinstance(p, TextBlock))


def linked(children: Sequence[Child], links: Links, book: LineBook, agent_id: str | None) -> Iterator[IngestedThread]:
    """The children as threads, each with its parent and, where it is known, the message that began it."""
    taken: set[str] = set()
    for child in children:
        parent, origin = child.parent, child.origin
        metadata: JsonObject = {"relation": child.relation, **child.metadata}
        title: str | None = None
        created = child.created
        told = child.meta.sesh if child.meta is not None else None
        if told is not None:
            title, created = _retell(child, told, metadata, created)
            if (message := links.said_on(told.get("origin"))) is not None:
                parent, origin = message.thread_id, message.id
        elif child.relation in ("subagent", "sidechain"):
            call = links.call_of(child, taken)
            if call is not None:
                taken.add(call.block.call_id)
                parent, origin = call.thread_id, call.message_id
                given = call.block.input if isinstance(call.block.input, dict) else {}
                _put(metadata, "agentType", given.get("subagent_type"))
                _put(metadata, "description", given.get("description"))
            else:
                text = f"No call is known to have begun the {child.relation} {child.key}."
                book.note("unlinked-child", text, file=child.file)
            if child.meta is not None:
                _put(metadata, "agentType", child.meta.agent_type)
                _put(metadata, "description", child.meta.description)
            _put(metadata, "agentId", child.agent_id)
            title = metadata.get("description")
        yield IngestedThread(
            thread=Thread(
                id=child.id,
                agent_id=agent_id,
                parent_thread_id=parent,
                origin_message_id=origin,
                title=title or title_of(child.messages),
                created_at=created or NO_TIME,
                metadata=metadata,
            ),
            messages=child.messages,
        )


def _retell(child: Child, told: JsonObject, metadata: JsonObject, created: str) -> tuple[str | None, str]:
    """What our writer said of a child thread that it had to write as a sub-agent's file: (title, creation time)."""
    kept = told.get("metadata")
    if isinstance(kept, dict):
        metadata |= {k: v for k, v in kept.items() if k not in ("provider", "sessionId", "cwd")}
    if metadata.get("relation") not in RELATIONS:
        metadata["relation"] = child.relation
    _put(metadata, "agentId", metadata.get("agentId") or child.agent_id)
    title, began = told.get("title"), told.get("createdAt")
    return (title if isinstance(title, str) else None), (began if isinstance(began, str) and began else created)


def _put(into: JsonObject, key: str, value: object) -> None:
    if isinstance(value, str) and value:
        into[key] = value
