"""Canonical messages as a Claude Code session: `emit_claude_session`.

The order of work: choose what goes, cut it at its compactions, put each part into the order the client needs, write it
line by line on one chain, then what belongs to the file (title, link) and the child threads. Pure: no clock, no files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Unpack

from sesh.format import ids, jsontext
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import EmitOptions, EmitResult, EmittedFile
from sesh.providers.boundary import asked_id, guarded, is_file_name
from sesh.providers.claude_code.facts import behind_tags, title_of
from sesh.providers.claude_code.layout import session_path
from sesh.providers.claude_code.tools_native import Place, native
from sesh.providers.claude_code.write_blocks import kept, tool_name
from sesh.providers.claude_code.write_children import Agent, agents, by_origin, meta
from sesh.providers.claude_code.write_choose import choose, leave
from sesh.providers.claude_code.write_compaction import segments, since_last
from sesh.providers.claude_code.write_forms import Vocabulary
from sesh.providers.claude_code.write_lines import MEASURED_VERSION, WINDOW, Chain, Envelope, unchained
from sesh.providers.claude_code.write_notes import Notes
from sesh.providers.claude_code.write_segments import SegmentWriter
from sesh.providers.claude_code.write_times import Clock, milliseconds
from sesh.report.reports import BlockBook

PROVIDER: Final = "claude-code"
_NAMES_REPLACED: Final = "Lone surrogates in ids, models, times or the thread's metadata were replaced by U+FFFD."
_NOT_STAMPED: Final = ("provider", "sessionId", "link", "providerData")


@guarded
def emit_claude_session(thread: Thread, messages: Sequence[Message], /, **options: Unpack[EmitOptions]) -> EmitResult:
    """A thread as the lines of a session file that Claude Code 1.0.120 to 2.1.328 list, show and resume.

    Options: see EmitOptions. Raises SeshError for a thread that cannot be one. The report accounts for every block of
    the thread and of the children handed in.
    """
    return _Emit(thread, options).result(messages)


class _Emit:
    """One emit: the session's file and its children's."""

    def __init__(self, thread: Thread, options: EmitOptions) -> None:
        self._thread: Final = thread
        self._options: Final = options
        self._book: Final = BlockBook()
        self._notes: Final = Notes(self._book)
        self._metadata: Final = thread.metadata or {}
        self._session: Final = (
            asked_id(options.get("session_id")) or self._own_id() or ids.derive("session", PROVIDER, thread.id)
        )
        self._cwd: Final = options.get("cwd") or _text(self._metadata.get("cwd")) or self._no_folder()
        self._agents: Final = agents(options.get("children") or (), self._session)
        self._spawned: Final = by_origin(self._agents)
        self._calls: Final[dict[str, str]] = {}
        self._spilled: Final[dict[str, str]] = {}
        self._uuids: Final[dict[str, str]] = {}

    def _own_id(self) -> str | None:
        """The id the session had, where its records are to be the same byte for byte."""
        if not self._options.get("keep_raw") or self._metadata.get("provider") != PROVIDER:
            return None
        own = _text(self._metadata.get("sessionId"))
        return own if own is not None and is_file_name(own) else None

    def _no_folder(self) -> str:
        self._notes.say("no-folder", "The thread names no working directory; / was taken.")
        return "/"

    def result(self, messages: Sequence[Message]) -> EmitResult:
        """The whole of it."""
        parent = self._options.get("initial_parent_uuid")
        start = self._options.get("initial_time")
        clock = Clock(start=None if start is None else milliseconds(start))
        chain = Chain(self._envelope(self._thread, None), clock, parent)
        self._write(chain, self._thread, messages, self._options, first=parent is None)
        before, after = self._title_lines(chain, messages) if parent is None else ([], [])
        lines = [*before, *chain.lines, *after]
        if chain.ends_open:
            text = "The conversation ends without an answer; on resume the client adds 'No response requested.'."
            self._notes.say("ends-open", text)
        if chain.sent.tokens > WINDOW:
            text = f"About {chain.sent.tokens} tokens would be sent; the window of most models here holds {WINDOW}."
            self._notes.say("over-window", text)
        if link := self._options.get("link"):
            stamped = {**link, "emittedLines": len(lines) + 1}
            lines.insert(0, unchained({"type": "sesh-link", "sesh": stamped, "sessionId": self._session}))
        files = [f for agent in self._agents for f in self._child(agent)]
        files += [self._spill(name, text) for name, text in self._spilled.items()]
        self._notes.close()
        return EmitResult(
            session_id=self._session,
            path=session_path(self._session, self._cwd),
            lines=lines,
            modified=chain.last_ts or clock.next(self._thread.created_at),
            report=self._book.report(),
            files=files,
        )

    def _write(
        self, chain: Chain, thread: Thread, messages: Sequence[Message], options: EmitOptions, *, first: bool
    ) -> None:
        chain.clock.expect(thread.created_at)
        entries = choose(messages, self._book, self._notes, options, owner=_text(self._metadata.get("sessionId")))
        writer = SegmentWriter(
            chain,
            _vocabulary(thread, messages, chain.envelope.cwd, self._options.get("tools")),
            self._book,
            self._notes,
            spawned=self._spawned,
            thread=_stamped(thread) if first else None,
        )
        parts = segments(entries)
        if options.get("since_compaction") and len(parts) > 1:
            part, left = since_last(parts, entries)
            parts = [part]
            leave(left, self._book)
            text = f"Only what follows the last compaction was asked for; {len(left)} messages were left out."
            self._notes.say("cut", text)
        for part in parts:
            writer.write(part)
        if writer.boundaries:
            text = "After the last compaction the model is sent what it left; the earlier turns are for reading."
            self._notes.say("window", text)
        self._calls.update(writer.calls_of_agents)
        self._spilled.update(writer.spilled)
        self._uuids.update(writer.uuids)
        if chain.names_replaced:
            self._notes.say("surrogates", _NAMES_REPLACED)
        clock = chain.clock
        if clock.moved:
            text = f"{clock.moved} times were moved to rise strictly, by {clock.most} ms at most."
            self._notes.say("time-moved", text)

    def _title_lines(self, chain: Chain, messages: Sequence[Message]) -> tuple[list[bytes], list[bytes]]:
        """The file's title in every version's way: before the chain, and after it.

        None for one that is only the first prompt: the client makes that itself, unless it begins with a tag.
        """
        title = self._thread.title
        cut = self._options.get("last_turns") is not None or self._options.get("since_compaction")
        if not title:
            title = behind_tags(messages)
        elif title == title_of(messages) and not cut:
            title = None
        if title is None:
            return [], []
        # 1.0.x takes its titles from `summary` lines whose leaf is the session's (one whose leaf is nowhere loses the
        # session); 2.0.76 and later from `custom-title`.
        before: JsonObject = {"type": "summary", "summary": title, "leafUuid": chain.parent}
        after: JsonObject = {"type": "custom-title", "customTitle": title, "sessionId": self._session}
        return [unchained(before)] if chain.lines else [], [unchained(after)]

    def _child(self, agent: Agent) -> list[EmittedFile]:
        thread = agent.child.thread
        chain = Chain(self._envelope(thread, agent.agent_id), Clock())
        whole: EmitOptions = {"keep_context": self._options.get("keep_context", False)}
        self._write(chain, thread, agent.child.messages, whole, first=False)
        path = f"{self._folder()}/subagents/agent-{agent.agent_id}"
        told = _stamped(thread)
        if thread.title is not None:
            told["title"] = thread.title
        if (origin := self._uuids.get(thread.origin_message_id or "")) is not None:
            told["origin"] = origin
        about = meta(agent, self._calls.get(agent.agent_id), told)
        if jsontext.without_lone_surrogates(about) != about:
            self._notes.say("surrogates", _NAMES_REPLACED)
        return [
            EmittedFile(path=f"{path}.jsonl", lines=chain.lines, modified=chain.last_ts),
            EmittedFile(path=f"{path}.meta.json", lines=[jsontext.dumps(jsontext.without_lone_surrogates(about))]),
        ]

    def _spill(self, name: str, text: str) -> EmittedFile:
        data = text.encode("utf-8", "surrogatepass").removesuffix(b"\n")
        return EmittedFile(path=f"{self._folder()}/tool-results/{name}", lines=data.split(b"\n"))

    def _folder_of(self, metadata: Mapping[str, object]) -> str:
        """A child's own folder, where it is another than the session's was."""
        own = _text(metadata.get("cwd"))
        return self._cwd if own is None or own == self._metadata.get("cwd") else own

    def _folder(self) -> str:
        return session_path(self._session, self._cwd).removesuffix(".jsonl")

    def _envelope(self, thread: Thread, agent_id: str | None) -> Envelope:
        metadata = thread.metadata or {}
        return Envelope(
            session_id=self._session,
            cwd=self._folder_of(metadata),
            version=self._options.get("client_version") or MEASURED_VERSION,
            git_branch=_text(metadata.get("gitBranch")) or _text(self._metadata.get("gitBranch")) or "",
            agent_id=agent_id,
        )


def _vocabulary(thread: Thread, messages: Sequence[Message], cwd: str, tools: str | None) -> Vocabulary:
    """How calls are named. Unless told otherwise as the client's own tools: its screen draws no others."""
    if tools == "keep":
        return lambda block: [kept(block)]
    origin = next((m.provenance.provider for m in messages if m.provenance is not None), None)
    name, _ = tool_name(_text((thread.metadata or {}).get("provider")) or origin or "other")
    place = Place(cwd, name, _text((thread.metadata or {}).get("cwd")))
    return lambda block: native(block, place)


def _stamped(thread: Thread) -> JsonObject:
    """What the client's own lines cannot say of the thread."""
    found: JsonObject = {"createdAt": thread.created_at}
    metadata: Mapping[str, object] = thread.metadata or {}
    kept_keys = {k: v for k, v in metadata.items() if k not in _NOT_STAMPED}
    if kept_keys:
        found["metadata"] = kept_keys
    return found


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
