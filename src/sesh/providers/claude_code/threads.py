"""Records of a trunk, in order, as the messages of one thread: ids, parents, turns, times, usage, compactions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

import msgspec

from sesh.format import ids, jsontext, stamp, walk
from sesh.format.blocks import AnyBlock, TextBlock, ToolResultBlock, UnknownBlock
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Kind as MessageKind
from sesh.format.message import Message, Provenance, Role, Usage
from sesh.providers.claude_code.book import Reading, Record
from sesh.providers.claude_code.content import blocks_of
from sesh.providers.claude_code.held import Held
from sesh.providers.claude_code.kinds import Voice, begins_turn
from sesh.providers.claude_code.records import Kind, Line, ToolFacts
from sesh.providers.claude_code.said import (
    SYNTHETIC,
    Said,
    by_assistant,
    by_attachment,
    by_system,
    by_user,
    provider_data,
)
from sesh.providers.claude_code.spill import Spills
from sesh.providers.claude_code.tree import NONE, Tree, is_boundary
from sesh.providers.claude_code.usage import usage_by_record

PROVIDER: Final = "claude-code"
CHANNEL: Final = "session-file"
NO_TIME: Final = "1970-01-01T00:00:00.000Z"
"""Where no record of a file says when."""


class Weaver:
    """Turns the records of one file into messages.

    `session` is the vendor's session id that message ids are derived from. After `weave`, `said_by` tells which
    messages a node of the tree became, and `by_source` the message of a record's id.
    """

    def __init__(
        self,
        reading: Reading,
        tree: Tree,
        session: str,
        spills: Spills,
        *,
        keep_raw: bool,
        run_id: str | None,
        sidechain: bool = False,
    ) -> None:
        self._reading: Final = reading
        self._tree: Final = tree
        self._session: Final = session
        self._spills: Final = spills
        self._keep_raw: Final = keep_raw
        self._run_id: Final = run_id
        self._sidechain: Final = sidechain
        self._node: Final = {id(record): n for n, record in enumerate(tree.records)}
        self._anchor: Final[dict[int, str | None]] = {}  # node -> the nearest message at or above it
        self._commands: Final[set[int]] = set()  # nodes that are slash commands
        self.said_by: Final[dict[int, list[str]]] = {}
        self.by_source: Final[dict[str, str]] = {}
        self._ids_used: Final[set[str]] = set()
        self._first_time: Final = next(
            (r.line.timestamp for r in reading.records if r.line is not None and r.line.timestamp), NO_TIME
        )

    def anchor(self, node: int) -> str | None:
        """The id of the last message at a node or above it; None at the root."""
        while node != NONE:
            if node in self._anchor:
                return self._anchor[node]
            node = self._tree.parent[node]
        return None

    def weave(self, records: Sequence[Record], thread_id: str, *, sidechain: bool = False) -> list[Message]:
        """The messages of a thread. Closes each record in the ledger."""
        usage = usage_by_record(records)
        unsummed = self._unsummed(records)
        held = Held()
        out: list[Message] = []
        turn: str | None = None
        last_ts = self._first_time
        for record in records:
            node = self._node.get(id(record), NONE)
            line = record.line
            mark = stamp.read(line.sesh) if line is not None and line.sesh is not None else stamp.EMPTY
            said = self._said(record, node, mark)
            last_ts = (line.timestamp if line is not None else None) or last_ts
            if node != NONE and line is not None and is_boundary(line):
                held.boundary()
                text = "The conversation was compacted here; what came before is kept in front."
                self._reading.note("compaction", text, record.number)
                if node in unsummed:
                    out.append(self._cut(node, out, thread_id, last_ts))
            if mark.more and said and out:
                out[-1] = msgspec.structs.replace(out[-1], content=[*out[-1].content, *said[0].content])
                said = []
            parent = self.anchor(self._tree.parent[node]) if node != NONE else (out[-1].id if out else None)
            made: list[Message] = []
            for part in said:
                source = record.source_id if not made else f"{record.source_id}#{len(made)}"
                message_id = self._fresh_id(source, record)
                if part.voice is not None and begins_turn(part.voice) and record.kind in (Kind.USER, Kind.SYSTEM):
                    turn = message_id  # what was queued was taken into the turn that ran
                counted = None if made else mark.usage or usage.get(id(record))
                message = self._message(
                    record, part, mark, thread_id, message_id, parent, turn, last_ts, counted, first=not made
                )
                if sidechain or self._sidechain:
                    message = _as_sidechain(message)
                if message.kind == "summary" and node != NONE:
                    message = self._summed(node, message, held, out)
                made.append(message)
                parent = message_id
            if mark.retained is not None and not made and (again := self._known(mark.retained)) is not None:
                held.again(again, out)
            if node != NONE:
                self.said_by[node] = [m.id for m in made]
                self._anchor[node] = made[-1].id if made else parent
            out += made
            held.said(made, len(out))
        return out

    def _unsummed(self, records: Sequence[Record]) -> set[int]:
        """The nodes of boundaries after which something is said, but no summary."""
        found: set[int] = set()
        open_boundary, spoken = NONE, False
        for record in records:
            line = record.line
            if line is None:
                continue
            if is_boundary(line):
                found |= {open_boundary} if spoken else set()
                open_boundary, spoken = self._node.get(id(record), NONE), False
            elif line.is_compact_summary or (line.sesh is not None and stamp.read(line.sesh).kind == "summary"):
                open_boundary, spoken = NONE, False
            elif open_boundary != NONE and record.kind in (Kind.USER, Kind.ASSISTANT):
                spoken = True
        return found | {open_boundary} if spoken else found

    # ---- one record ---------------------------------------------------------------------------------

    def _said(self, record: Record, node: int, mark: stamp.Stamp) -> list[Said]:
        """What a record says; closes it."""
        reading, line = self._reading, record.line
        if not reading.is_open(record):
            return []  # its words are a sub-agent's (`agents.in_progress_lines`)
        if mark.stub:
            reading.skipped(record, "sesh-stub")
            return []
        if mark.retained is not None and line is not None and self._known(mark.retained) is not None:
            reading.skipped(record, "sesh-retained")
            return []
        said: list[Said]
        match record.kind:
            case Kind.USER:
                up = self._tree.parent[node] if node != NONE else NONE
                said = by_user(line, after_command=up in self._commands) if line is not None else []
            case Kind.ASSISTANT:
                said = by_assistant(line) if line is not None else []
            case Kind.SYSTEM:
                said = by_system(line) if line is not None else []
            case Kind.ATTACHMENT:
                said = by_attachment(line) if line is not None else []
            case Kind.QUEUE:
                words = queue_blocks(line)
                said = [Said("user", None, words, Voice.HUMAN)] if words else []
            case Kind.UNKNOWN | Kind.UNREADABLE:
                reading.unknown(record)
                return [_unknown(record)]
            case Kind.PROGRESS | Kind.LEAF | Kind.FACT | Kind.LINK | Kind.STATE:
                said = []
            case _:
                assert_never(record.kind)
        restored = stamp.blocks_of(mark)
        if restored is not None:
            first = said[0] if said else Said("assistant" if record.kind is Kind.ASSISTANT else "user", None, [])
            said = [msgspec.structs.replace(first, content=restored)]
        if any(s.voice is Voice.COMMAND for s in said):
            self._commands.add(node)
        if said or (line is not None and is_boundary(line)):
            reading.used(record)
        else:
            reading.skipped(record, _skipped_as(record))
        return said

    def _message(
        self,
        record: Record,
        part: Said,
        mark: stamp.Stamp,
        thread_id: str,
        message_id: str,
        parent: str | None,
        turn: str | None,
        ts: str,
        counted: Usage | None,
        *,
        first: bool,
    ) -> Message:
        line = record.line
        content = [self._with_facts(b, record, mark) for b in part.content] if part.role == "tool" else part.content
        role, kind = part.role, part.kind
        if mark is not stamp.EMPTY:
            role, kind = _role(mark.role, role), _kind(mark.kind, kind)
        model = line.message.model if line is not None and line.message is not None else None
        data = provider_data(line) if line is not None and record.kind is not Kind.UNKNOWN else None
        return Message(
            id=message_id,
            thread_id=thread_id,
            turn_id=(turn if mark.turn_id is None else mark.turn_id) or None,
            step_id=line.message.id if role == "assistant" and line is not None and line.message is not None else None,
            parent_id=parent,
            role=role,
            ts=mark.ts or ts,
            run_id=self._run_id,
            kind=kind,
            model=mark.model or (model if model != SYNTHETIC and role == "assistant" else None),
            content=content,
            usage=counted,
            provenance=Provenance(
                provider=PROVIDER,
                channel=CHANNEL,
                session_id=origin_session(line) or self._session,
                source_id=line.uuid if line is not None else None,
            ),
            provider_data=data or None,
            raw=raw_of(record) if self._keep_raw and first else None,
        )

    def _with_facts(self, block: AnyBlock, record: Record, mark: stamp.Stamp) -> AnyBlock:
        """A tool result with what lies beside it: its spilled output, and what `toolUseResult` knows more."""
        if not isinstance(block, ToolResultBlock):
            return block
        if mark is not stamp.EMPTY:
            # What the writer drew for the screen is no fact of the tool's.
            return block if mark.error is None else msgspec.structs.replace(block, is_error=mark.error)
        line = record.line
        facts = line.tool_use_result if line is not None else None
        data: JsonObject = dict(block.provider_data or {})
        if isinstance(facts, ToolFacts):
            known = {k: v for k, v in msgspec.to_builtins(facts).items() if v not in (None, False, [])}
            if known:
                data["toolUseResult"] = known
        elif isinstance(facts, str) and facts.startswith("Error: "):
            data["toolUseError"] = True
        output = self._spills.whole(block.output, self._reading, record.number)
        if output is not None:
            return msgspec.structs.replace(block, output=output, excerpt=block.output, provider_data=data or None)
        return msgspec.structs.replace(block, provider_data=data) if data else block

    def _fresh_id(self, source: str, record: Record) -> str:
        """The id of a record's message. A second line of the same name gets its line number as well."""
        found = ids.message_id(PROVIDER, self._session, source)
        if found in self._ids_used:
            found = ids.message_id(PROVIDER, self._session, f"{source}@{record.at}")
        self._ids_used.add(found)
        self.by_source.setdefault(source, found)
        return found

    # ---- across records -----------------------------------------------------------------------------

    def _summed(self, node: int, summary: Message, held: Held, before: list[Message]) -> Message:
        """A summary with what the model held right after it: itself and the messages that the client preserved."""
        boundary = self._tree.parent[node]
        while boundary != NONE and not is_boundary(self._tree.lines[boundary]) and held.open:
            boundary = self._tree.parent[boundary]  # what was kept may stand between the boundary and the summary
        if boundary == NONE or not is_boundary(self._tree.lines[boundary]):
            if not isinstance(self._tree.lines[node].parent_uuid, str):
                return summary  # 1.0: a summary at a root of its own
            # Only a boundary cuts: the client still sends all that came before this one.
            return msgspec.structs.replace(summary, window=[*(m.id for m in walk.window(before)), summary.id])
        metadata = self._tree.lines[boundary].compact_metadata
        kept = self._kept(boundary)
        first = self._tree.anchor(boundary) == self._tree.lines[boundary].uuid
        window = [*held.ids, *kept, summary.id] if first else [*held.ids, summary.id, *kept]
        data = {**(summary.provider_data or {}), "compactMetadata": metadata} if metadata else summary.provider_data
        return msgspec.structs.replace(summary, window=window if len(window) > 1 else None, provider_data=data)

    def _cut(self, boundary: int, before: list[Message], thread_id: str, ts: str) -> Message:
        """A boundary that no summary follows: what came before is not sent, and no words stand for it."""
        line = self._tree.lines[boundary]
        return Message(
            id=self._fresh_id(self._tree.records[boundary].source_id, self._tree.records[boundary]),
            thread_id=thread_id,
            parent_id=before[-1].id if before else None,
            role="system",
            ts=line.timestamp or ts,
            run_id=self._run_id,
            kind="summary",
            content=[TextBlock(text=line.content)] if isinstance(line.content, str) and line.content else [],
            provenance=Provenance(
                provider=PROVIDER,
                channel=CHANNEL,
                session_id=origin_session(line) or self._session,
                source_id=line.uuid,
                sidechain=True if self._sidechain else None,
            ),
            window=self._kept(boundary),
            provider_data={"line": "system", "subtype": line.subtype, "compactMetadata": line.compact_metadata},
        )

    def _kept(self, boundary: int) -> list[str]:
        """The ids of the messages, so far, that a compaction preserved."""
        return [
            message_id
            for uuid in self._tree.preserved(boundary)
            for message_id in self.said_by.get(self._tree.by_uuid.get(uuid, NONE), [])
        ]

    def _known(self, canonical: str) -> str | None:
        return self.by_source.get(canonical) or (canonical if canonical in self._ids_used else None)


def origin_session(line: Line | None) -> str | None:
    """The session a line was first written in: a copy by `/branch` names it, a resumed file may hold older ids."""
    if line is None:
        return None
    if line.forked_from is not None and line.forked_from.session_id:
        return line.forked_from.session_id
    return line.session_id or line.first_session


def raw_of(record: Record) -> JsonValue:
    """The record as it stood in the file. The typed decoder passes over what it need not read, so it may be flawed."""
    if record.data is None:
        return record.value
    try:
        return jsontext.loads(record.data)
    except jsontext.UnreadableJson:
        return record.data.decode("utf-8", "replace")


def queue_blocks(line: Line | None) -> list[AnyBlock]:
    """The words of a queue-operation, as blocks."""
    return blocks_of(line.content) if line is not None else []


def _unknown(record: Record) -> Said:
    if record.line is not None:
        raw = raw_of(record)
        return Said("system", "context", [UnknownBlock(source_type=record.line.type, raw=raw)])
    kind = "unreadable" if isinstance(record.value, str) else type(record.value).__name__
    return Said("system", "context", [UnknownBlock(source_type=kind, raw=record.value)])


def _skipped_as(record: Record) -> str:
    if record.line is None:
        return record.kind.value
    return "empty" if record.kind in (Kind.USER, Kind.ASSISTANT) else record.line.type


def _as_sidechain(message: Message) -> Message:
    provenance = message.provenance
    if provenance is None:
        return message
    return msgspec.structs.replace(message, provenance=msgspec.structs.replace(provenance, sidechain=True))


_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_KINDS: Final[dict[str, MessageKind]] = {"context": "context", "summary": "summary", "notice": "notice"}


def _role(stamped: str | None, found: Role) -> Role:
    return _ROLES.get(stamped or "", found)


def _kind(stamped: str | None, found: MessageKind | None) -> MessageKind | None:
    """The kind on a stamp is the last word: `said` is conversation, whatever the text looks like."""
    if stamped is None:
        return found
    return None if stamped == stamp.SAID else _KINDS.get(stamped, found)
