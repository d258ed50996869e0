"""Claude Code's session files as canonical threads: what the client would send on resume, and nothing lost.

The main thread is the trunk of the tree of lines (`tree`), with what came before a compaction in front. Everything else
that was said is a child thread (`children`). Every line is closed once in the ledger. MAPPING.md lists what becomes of
each kind of line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Unpack

from sesh.errors import NotASession
from sesh.format import ids
from sesh.format.blocks import ToolCallBlock, ToolResultBlock, WebSearchBlock
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import IngestResult, ReadOptions, SessionSource, Source, as_source
from sesh.providers.claude_code import agents
from sesh.providers.claude_code.book import Reading, Record
from sesh.providers.claude_code.children import Child, Links, linked
from sesh.providers.claude_code.facts import Facts
from sesh.providers.claude_code.layout import LAYOUT
from sesh.providers.claude_code.order import interleaved, is_chained, place
from sesh.providers.claude_code.queued import only_queued
from sesh.providers.claude_code.records import FACTS, Kind
from sesh.providers.claude_code.spill import Spills
from sesh.providers.claude_code.threads import NO_TIME, PROVIDER, Weaver
from sesh.providers.claude_code.tree import NONE, Tree
from sesh.report.reports import LineBook

MAIN: Final = "session"
"""The main file's name in the report, where the source has none."""


def parse_claude_session(source: Source, /, **options: Unpack[ReadOptions]) -> IngestResult:
    """A session of any version from 1.0 to 2.1.328 as a thread, its messages, its child threads, and a report.

    `source`: a SessionSource, or the main file's bytes or text. Raises NotASession where no line is Claude Code's;
    nothing else, whatever the bytes.
    """
    return Session(as_source(source), options).result()


class Session:
    """One parse."""

    def __init__(self, source: SessionSource, options: ReadOptions) -> None:
        self.book: Final = LineBook()
        self.companions: Final[Mapping[str, bytes]] = source.companions
        self.keep_raw: Final = options.get("keep_raw", False)
        self.run_id: Final = options.get("run_id")
        self.agent_id: Final = options.get("agent_id")
        self.reading: Final = Reading(self.book, source.name or MAIN, main=True, keep_raw=self.keep_raw)
        self.reading.read(source.main)
        named = LAYOUT.session_id(source.name) if source.name else None
        if not any(r.kind not in (Kind.UNKNOWN, Kind.UNREADABLE) for r in self.reading.records) and (
            self.reading.records or named is None
        ):
            raise NotASession(
                f"{source.name or 'This input'} is no session of Claude Code: it has none of its lines.",
                hint="Expected JSON Lines with a type on each, as in ~/.claude/projects/<folder>/<id>.jsonl.",
            )
        written = _session_named(self.reading.records)
        self.owner: Final = named or written or options.get("session_id") or _made_up(source)
        agent = agents.only_agent(self.reading.records)
        self.sidechain: Final = agent is not None
        self.session: Final = f"{self.owner}/agent-{agent}" if agent is not None else self.owner
        self.thread_id: Final = ids.thread_id(PROVIDER, self.session)
        self.spills: Final = Spills(self.owner, self.companions, self.book)
        self.links: Final = Links()
        self.children: Final[list[Child]] = []

    def result(self) -> IngestResult:
        """The whole of it."""
        facts = Facts(self.reading.records)
        messages, trunk = self._main()
        thread = self._thread(facts, messages, trunk)
        self.links.add_records(self.reading.records)
        self.links.add_messages(messages)
        for child in self.children:
            self.links.add_messages(child.messages)
        self.children.extend(agents.companions(self))
        children = list(linked(self.children, self.links, self.book, self.agent_id))
        self._name_unpaired([messages, *(c.messages for c in children)])
        if not messages and not children:
            self.book.note("no-conversation", "The file holds no message.")
        self._other_companions()
        return IngestResult(thread=thread, messages=messages, children=children, report=self.book.report())

    # ---- the main file ------------------------------------------------------------------------------

    def _main(self) -> tuple[list[Message], list[Record]]:
        """The main thread, and its branches and side chains as children; closes every record of the main file."""
        reading = self.reading
        chained = [r for r in reading.records if is_chained(r)]
        tree = Tree(chained, reading.note, sidechain=self.sidechain)
        leaf = tree.leaf(reading.of_kind(Kind.LEAF))
        nodes = tree.trunk(leaf) if leaf != NONE else []
        weaver = Weaver(
            reading,
            tree,
            self.session,
            self.spills,
            keep_raw=self.keep_raw,
            run_id=self.run_id,
            sidechain=self.sidechain,
        )
        waiting = {id(w.record): w.after for w in only_queued(reading.records)}
        loose = [
            (place(waiting[id(r)]) if r.kind is Kind.QUEUE else r.at, r)
            for r in reading.records
            if id(r) in waiting or (r.kind in (Kind.UNKNOWN, Kind.UNREADABLE) and not is_chained(r))
        ]
        trunk = interleaved([chained[n] for n in nodes], loose)
        messages = weaver.weave(trunk, self.thread_id)
        self._name_queued(messages, loose, weaver)
        self._beside(tree, weaver, set(nodes))
        self._close_rest(tree, weaver)
        return messages, trunk

    def _name_queued(self, messages: list[Message], loose: Sequence[tuple[int, Record]], weaver: Weaver) -> None:
        for _, record in loose:
            if record.kind is Kind.QUEUE:
                message_id = weaver.by_source.get(record.source_id)
                text = "A prompt that stands only in the queue became a message."
                self.reading.note("queued-prompt", text, record.number, message_id)

    def _beside(self, tree: Tree, weaver: Weaver, used: set[int]) -> None:
        """What the tree holds beside the trunk: abandoned branches, and the side chains of 1.0."""
        for relation, trunks in (("branch", tree.branches(used)), ("sidechain", tree.sidechains(used))):
            owners = dict.fromkeys(used, self.thread_id)
            for trunk in trunks:
                records = [tree.records[n] for n in trunk.nodes]
                first = records[0]
                child = self.child(f"{relation}-{first.source_id}", relation, records)
                child.messages = weaver.weave(records, child.id, sidechain=relation == "sidechain")
                owners.update(dict.fromkeys(trunk.nodes, child.id))
                if not child.messages:
                    continue
                child.parent = owners.get(trunk.origin, self.thread_id)
                if relation == "branch":
                    child.origin = weaver.anchor(trunk.origin)
                    self.reading.note("branch", "An abandoned branch begins here; it is a child thread.", first.number)
                self.children.append(child)

    def _close_rest(self, tree: Tree, weaver: Weaver) -> None:
        """State, facts and echoes: every record that no thread was made of."""
        for n in tree.twins:
            self.reading.skipped(tree.records[n], "duplicate")
        progress = agents.ProgressTranscripts(self)
        for record in self.reading.records:
            if not self.book.is_open(self.reading.file, record.item):
                continue
            line = record.line
            kind = line.type if line is not None else record.kind.value
            if record.kind is Kind.LINK or kind in FACTS:
                self.reading.used(record)
            else:
                self.reading.skipped(record, kind)
        self.children.extend(progress.children)

    def child(self, key: str, relation: str, records: Sequence[Record]) -> Child:
        """A child thread of this session, without its messages."""
        metadata = self.metadata(records)
        first = next((r.line.timestamp for r in records if r.line is not None and r.line.timestamp), None)
        return Child(
            session=self.owner,
            key=key,
            relation=relation,
            messages=[],
            metadata=metadata,
            parent=self.thread_id,
            created=first or NO_TIME,
        )

    def metadata(self, records: Sequence[Record]) -> JsonObject:
        """What the lines of a thread say of it."""
        return {"provider": PROVIDER, "sessionId": self.owner, **Facts(()).of_trunk(records, self.owner)}

    def _thread(self, facts: Facts, messages: list[Message], trunk: list[Record]) -> Thread:
        metadata: JsonObject = {"provider": PROVIDER, "sessionId": self.owner}
        metadata |= facts.of_trunk(trunk, self.owner)
        if facts.link is not None:
            metadata["link"] = facts.link
        own = facts.provider_data()
        if own:
            metadata["providerData"] = own
        parent: str | None = None
        if self.sidechain:
            metadata["relation"] = "subagent"
            metadata["agentId"] = self.session.rsplit("/agent-", 1)[1]
            parent = ids.thread_id(PROVIDER, self.owner)
        return Thread(
            id=self.thread_id,
            agent_id=self.agent_id,
            parent_thread_id=parent,
            title=facts.title(messages, self._title_file()),
            created_at=facts.created or NO_TIME,
            metadata=metadata,
        )

    def _title_file(self) -> bytes | None:
        key = f"{self.owner}/custom-title.json"
        data = self.companions.get(key)
        if data is not None:
            self.book.used(key, self.book.open(key))
        return data

    def _name_unpaired(self, threads: Sequence[list[Message]]) -> None:
        """Calls without a result and results without a call are kept, and named."""
        calls: dict[str, str] = {}
        results: dict[str, str] = {}
        for message in (m for messages in threads for m in messages):
            for block in message.content:
                if isinstance(block, ToolCallBlock):
                    calls.setdefault(block.call_id, message.id)
                elif isinstance(block, WebSearchBlock) and block.call_id is not None:
                    calls.setdefault(block.call_id, message.id)
                elif isinstance(block, ToolResultBlock):
                    results.setdefault(block.call_id, message.id)
        for call_id, message_id in calls.items():
            if call_id not in results:
                self.book.note("open-call", f"The call {call_id} has no result.", message_id=message_id)
        for call_id, message_id in results.items():
            if call_id not in calls:
                self.book.note("orphan-result", f"The result of {call_id} has no call.", message_id=message_id)

    def _other_companions(self) -> None:
        """Files in the session's own folder that nobody asked for are named."""
        prefix = f"{self.owner}/"
        accounts = self.book.report().files
        left = [k for k in self.companions if k.startswith(prefix) and k not in accounts]
        if left:
            shown = ", ".join(left[:3]) + (", ..." if len(left) > 3 else "")
            self.book.note("unread-companion", f"{len(left)} file(s) beside the session were not read: {shown}")


def _session_named(records: Sequence[Record]) -> str | None:
    """The session id the lines name first (the first is the same however much of the file is there)."""
    return next((r.line.session_id for r in records if r.line is not None and r.line.session_id), None)


def _made_up(source: SessionSource) -> str:
    """An id for a session that nobody named: derived from its first line, so that it is the same again."""
    if source.name:
        return source.name
    return ids.derive(PROVIDER, source.main.split(b"\n", 1)[0].decode("utf-8", "replace"))
