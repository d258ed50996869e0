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
from functools import cached_property
from typing import Final, TypeAlias

import msgspec

from sesh.format import ids, walk
from sesh.format.blocks import TextBlock, ToolCallBlock, ToolResultBlock, WebSearchBlock, output_parts
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.thread import RELATIONS, Thread
from sesh.providers.api import IngestedThread
from sesh.providers.claude_code.book import Record
from sesh.providers.claude_code.facts import AgentMeta, title_of
from sesh.providers.claude_code.records import ToolFacts
from sesh.providers.claude_code.threads import NO_TIME, PROVIDER
from sesh.providers.claude_code.tree import call_ids
from sesh.report.reports import LineBook

Call: TypeAlias = tuple[Message, ToolCallBlock]
"""A call that may have begun a child, and its message."""


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


class Links:
    """Who began whom: the calls of all threads of a session, their results, and the agents they name.

    `calls` and `results` are the messages in which calls and results stand, by call id; where two have one id, the
    first. They, and what is looked for in them, are there once all threads were added.
    """

    def __init__(self) -> None:
        self.calls: Final[dict[str, Message]] = {}
        self.results: Final[dict[str, Message]] = {}
        self._threads: Final[list[Sequence[Message]]] = []
        self._agents: Final[dict[str, str]] = {}

    def add_messages(self, messages: Sequence[Message]) -> None:
        """The calls and results of a thread."""
        self._threads.append(messages)
        calls, results = self.calls, self.results
        for message in messages:
            for block in message.content:
                if isinstance(block, ToolCallBlock):
                    calls.setdefault(block.call_id, message)
                elif isinstance(block, ToolResultBlock):
                    results.setdefault(block.call_id, message)
                elif isinstance(block, WebSearchBlock) and block.call_id is not None:
                    calls.setdefault(block.call_id, message)

    def add_records(self, records: Iterable[Record]) -> None:
        """The agents that results and progress lines name."""
        for record in records:
            line = record.line
            if line is None:
                continue
            if record.kind == "progress" and line.data is not None and line.parent_tool_use_id is not None:
                if isinstance(line.data.agent_id, str):
                    self._agents.setdefault(line.data.agent_id, line.parent_tool_use_id)
            elif isinstance(line.tool_use_result, ToolFacts) and isinstance(line.tool_use_result.agent_id, str):
                content = line.message.content if line.message is not None else None
                answers = [c for kind, c in call_ids(content) if kind == "tool_result"]
                if len(answers) == 1:
                    self._agents.setdefault(line.tool_use_result.agent_id, answers[0])

    @property
    def agents(self) -> frozenset[str]:
        """The agents that are named anywhere."""
        return frozenset(self._agents)

    def said_on(self, uuid: object) -> Message | None:
        """The (first) message of the line with that uuid."""
        return self._by_uuid.get(uuid) if isinstance(uuid, str) else None

    @cached_property
    def _by_uuid(self) -> dict[str, Message]:
        found: dict[str, Message] = {}
        for message in (m for messages in self._threads for m in messages):
            if message.provenance is not None and message.provenance.source_id is not None:
                found.setdefault(message.provenance.source_id, message)
        return found

    @cached_property
    def _by_prompt(self) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = {}
        for call_id in self.calls:
            call = self._call(call_id)
            given = call[1].input if call is not None else None
            prompt = given.get("prompt") if isinstance(given, dict) else None
            if call is not None and isinstance(prompt, str) and prompt:
                found.setdefault(prompt.strip(), []).append(call)
        return found

    def _call(self, call_id: str) -> Call | None:
        message = self.calls.get(call_id)
        if message is None:
            return None
        named = (b for b in message.content if isinstance(b, ToolCallBlock) and b.call_id == call_id)
        return next(((message, block) for block in named), None)

    def call_of(self, child: Child, taken: set[str]) -> Call | None:
        """The call that began a child; None where nothing says which."""
        named = child.call_id or (child.meta.tool_use_id if child.meta is not None else None)
        if named is None and child.agent_id is not None:
            named = self._agents.get(child.agent_id)
        if named is not None:
            return self._call(named)
        first = next((walk.text_of(m).strip() for m in child.messages if m.role == "user"), "")
        own = {b.call_id for m in child.messages for b in m.content if isinstance(b, ToolCallBlock)}
        claimed = set(self._agents.values()) | taken
        found = [
            (message, block)
            for message, block in self._by_prompt.get(first, [])
            if block.call_id not in claimed and block.call_id not in own
        ]
        if len(found) > 1:
            last = next((walk.text_of(m).strip() for m in reversed(child.messages) if m.role == "assistant"), "")
            found = [call for call in found if last and last in self._words_back(call[1].call_id)]
        return found[0] if len(found) == 1 else None

    def _words_back(self, call_id: str) -> str:
        """The words of a call's result; none where there is no result."""
        message = self.results.get(call_id)
        for block in message.content if message is not None else ():
            if isinstance(block, ToolResultBlock) and block.call_id == call_id:
                return "\n".join(p.text for p in output_parts(block.output) or [] if isinstance(p, TextBlock))
        return ""


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
                message, block = call
                taken.add(block.call_id)
                parent, origin = message.thread_id, message.id
                given = block.input if isinstance(block.input, dict) else {}
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
