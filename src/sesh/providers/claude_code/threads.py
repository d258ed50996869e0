"""Records of a trunk, in order, as the messages of one thread: ids, parents, turns, times, usage, compactions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, assert_never

import msgspec

from sesh.format import ids, jsontext, stamp, walk
from sesh.format.blocks import AnyBlock, TextBlock, ToolResultBlock, UnknownBlock
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Kind as MessageKind
from sesh.format.message import Message, Provenance, Role, Usage
from sesh.providers.claude_code.book import NONE, Reading, Record
from sesh.providers.claude_code.content import blocks_of
from sesh.providers.claude_code.facts import first_time
from sesh.providers.claude_code.held import Held
from sesh.providers.claude_code.kinds import begins_turn
from sesh.providers.claude_code.records import SPEAKING, Line, ToolFacts
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
from sesh.providers.claude_code.tree import Tree
from sesh.providers.claude_code.usage import usage_by_record

PROVIDER: Final = "claude-code"
CHANNEL: Final = "session-file"
NO_TIME: Final = "1970-01-01T00:00:00.000Z"
"""Where no record of a file says when."""


class Weaver:
    """Turns the records of one file into messages.

    `session` is the vendor's session id that message ids are derived from.
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
        self._ids: Final = ids.Messages(PROVIDER, session)
        self._spills: Final = spills
        self._keep_raw: Final = keep_raw
        self._run_id: Final = run_id
        self._sidechain: Final = sidechain
        self._anchor: Final[dict[int, str | None]] = {}  # node -> the nearest message at or above it
        self._commands: Final[set[int]] = set()  # nodes that are slash commands
        self._replays: Final[dict[int, int]] = {}  # a compaction -> how many of the messages it preserved are replayed
        self._said_by: Final[dict[int, list[Message]]] = {}  # node -> the messages it became, where a compaction asks
        self._ids_used: Final[set[str]] = set()
        self._first_time: Final = first_time(reading.records) or NO_TIME

    def anchor(self, node: int) -> str | None:
        """The id of the last message at a node or above it; None at the root."""
        while node != NONE:
            if node in self._anchor:
                return self._anchor[node]
            node = self._tree.parent[node]
        return None

    def weave(
        self, records: Sequence[Record], thread_id: str, *, sidechain: bool = False, turn: str | None = None
    ) -> list[Message]:
        """The messages of a thread, the first of them in the turn `turn`. Closes each record in the ledger."""
        usage = usage_by_record(records)
        boundaries, above = self._tree.boundaries, self._tree.parent
        unsummed = self._unsummed(records) if boundaries else set()
        if boundaries:
            self._replays.update(self._cut_short(records))
        aside = True if sidechain or self._sidechain else None
        held = Held()
        out: list[Message] = []
        last_ts = self._first_time
        for record in records:
            line, node = record.line, record.node
            mark = stamp.read(line.sesh) if line is not None and line.sesh is not None else stamp.EMPTY
            said = self._said(record, mark)
            last_ts = (line.timestamp if line is not None else None) or last_ts
            if node in boundaries:
                held.boundary()
                if mark.retained is not None and (summary_id := self._known(mark.retained)) is not None:
                    held.is_of(summary_id, out)
                text = "The conversation was compacted here; what came before is kept in front."
                self._reading.note("compaction", text, record.number)
                if node in unsummed:
                    out.append(self._cut(node, out, thread_id, last_ts))
            if mark.more and said and out:
                out[-1] = msgspec.structs.replace(out[-1], content=[*out[-1].content, *said[0].content])
                said = []
            parent = self.anchor(above[node]) if node != NONE else (out[-1].id if out else None)
            made: list[Message] = []
            for part in said:
                source = record.source_id if not made else f"{record.source_id}#{len(made)}"
                message_id = self._fresh_id(source, record)
                if part.voice is not None and begins_turn(part.voice) and record.kind in ("user", "system"):
                    turn = message_id  # what was queued was taken into the turn that ran
                counted = None if made else mark.usage or usage.get(record.at)
                message = self._message(
                    record, part, mark, thread_id, message_id, parent, turn, last_ts, counted, aside, first=not made
                )
                if message.kind == "summary" and node != NONE and mark.window is None:
                    message = self._summed(node, message, held, out)
                made.append(message)
                parent = message_id
            if (
                mark.retained is not None
                and not made
                and node not in boundaries
                and (again := self._known(mark.retained)) is not None
            ):
                held.again(again, out)
            if node != NONE:
                if boundaries:
                    self._said_by[node] = made
                self._anchor[node] = made[-1].id if made else parent
            out += made
            if held.open:
                held.said(made, len(out), cut=mark.window is not None)
        return out

    def _cut_short(self, records: Sequence[Record]) -> dict[int, int]:
        """How many of the messages that a compaction preserved are replayed, where the talk went on before the last."""
        found = dict(self._tree.ends)
        boundary = NONE
        for record in records:
            if record.node in self._tree.boundaries:
                boundary = record.node
            elif boundary != NONE and record.kind in SPEAKING and record.node in self._tree.replayed:
                found.setdefault(boundary, self._tree.replayed[record.node])
        return found

    def _unsummed(self, records: Sequence[Record]) -> set[int]:
        """The nodes of boundaries after which something is said, but no summary."""
        found: set[int] = set()
        open_boundary, spoken = NONE, False
        for record in records:
            line = record.line
            if line is None:
                continue
            if record.node in self._tree.boundaries:
                found |= {open_boundary} if spoken else set()
                told = line.sesh is not None and stamp.read(line.sesh).retained is not None
                open_boundary, spoken = NONE if told else record.node, False
            elif line.is_compact_summary or (line.sesh is not None and stamp.read(line.sesh).kind == "summary"):
                open_boundary, spoken = NONE, False
            elif open_boundary != NONE and record.kind in ("user", "assistant"):
                spoken = True
        return found | {open_boundary} if spoken else found

    # ---- one record ---------------------------------------------------------------------------------

    def _said(self, record: Record, mark: stamp.Stamp) -> list[Said]:
        """What a record says; closes it."""
        reading, line, node = self._reading, record.line, record.node
        if not reading.is_open(record):
            return []  # its words are a sub-agent's (`agents.in_progress_lines`)
        if mark.stub:
            reading.skipped(record, "sesh-stub")
            return []
        if mark.retained is not None and self._known(mark.retained) is not None:
            reading.skipped(record, "sesh-retained")
            return []
        if line is None:
            reading.unknown(record)
            return [_unreadable(record)]
        said: list[Said]
        match record.kind:
            case "user":
                said = by_user(line, after_command=node != NONE and self._tree.parent[node] in self._commands)
            case "assistant":
                said = by_assistant(line)
            case "system":
                said = by_system(line)
            case "attachment":
                said = by_attachment(line)
            case "queue-operation":
                words = blocks_of(line.content)
                said = [Said("user", None, words, "human")] if words else []
            case "unknown" | "unreadable":
                reading.unknown(record)
                return [Said("system", "context", [UnknownBlock(source_type=line.type, raw=raw_of(record))])]
            case "progress" | "last-prompt" | "fact" | "sesh-link" | "state":
                said = []
            case _:
                assert_never(record.kind)
        if mark is not stamp.EMPTY:
            restored = stamp.blocks_of(mark, line.message.content if line.message is not None else None)
            if restored is not None:
                first = said[0] if said else Said("assistant" if record.kind == "assistant" else "user", None, [])
                said = [msgspec.structs.replace(first, content=restored)]
        if line.message is not None and isinstance(line.message.content, list):
            # The blocks are made. Letting go of what they were made of here, and not at the end, gives the memory that
            # the processor has at hand to the next ones: a twentieth of a whole reading.
            line.message.content = []
        if said:
            reading.used(record)
            if line.is_virtual:
                reading.note("shown-only", "Shown by the client and never sent to its model.", record.number)
            for part in said:
                if part.voice == "command":
                    self._commands.add(node)
        elif node in self._tree.boundaries:
            reading.used(record)
        else:
            reading.skipped(record, "empty" if record.kind in SPEAKING else line.type)
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
        aside: bool | None,
        *,
        first: bool,
    ) -> Message:
        line = record.line
        role, kind, content = part.role, part.kind, part.content
        if role == "tool":
            content = [self._with_facts(b, record, mark) for b in content]
        if mark is not stamp.EMPTY:
            role, kind = _role(mark.role, role), _kind(mark.kind, kind)
        api = line.message if line is not None and role == "assistant" else None
        model = api.model if api is not None and api.model != SYNTHETIC else None
        data = provider_data(line) if line is not None and record.kind != "unknown" else None
        return Message(
            id=message_id,
            thread_id=thread_id,
            turn_id=(turn if mark.turn_id is None else mark.turn_id) or None,
            step_id=api.id if api is not None else None,
            parent_id=parent,
            role=role,
            ts=ts if mark.ts is None else mark.ts,
            run_id=self._run_id,
            kind=kind,
            model=model if mark.model is None else mark.model,
            content=content,
            usage=counted,
            provenance=Provenance(
                provider=PROVIDER,
                channel=CHANNEL,
                session_id=origin_session(line) or self._session,
                source_id=line.uuid if line is not None else None,
                sidechain=aside,
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
        more = _facts(line.tool_use_result) if line is not None else None
        data = {**(block.provider_data or {}), **more} if more else block.provider_data
        output = self._spills.whole(block.output, self._reading, record.number)
        if output is not None:
            return msgspec.structs.replace(block, output=output, excerpt=block.output, provider_data=data)
        return msgspec.structs.replace(block, provider_data=data) if more else block

    def _fresh_id(self, source: str, record: Record) -> str:
        """The id of a record's message. A second line of the same name gets its line number as well."""
        found = self._ids.id(source)
        if found in self._ids_used:
            found = self._ids.id(f"{source}@{record.at}")
        self._ids_used.add(found)
        return found

    # ---- across records -----------------------------------------------------------------------------

    def _summed(self, node: int, summary: Message, held: Held, before: list[Message]) -> Message:
        """A summary with what the model held right after it: itself and the messages that the client preserved."""
        boundary = self._tree.parent[node]
        while boundary != NONE and boundary not in self._tree.boundaries and held.open:
            boundary = self._tree.parent[boundary]  # what was kept may stand between the boundary and the summary
        if boundary not in self._tree.boundaries:
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
            message.id
            for uuid in self._tree.preserved(boundary)[: self._replays.get(boundary)]
            for message in self._said_by.get(self._tree.by_uuid.get(uuid, NONE), [])
        ]

    def made_of(self, source: str) -> str | None:
        """The id of the (first) message that the record of that id became; None where it became none."""
        found = self._ids.id(source)
        return found if found in self._ids_used else None

    def _known(self, canonical: str) -> str | None:
        return canonical if canonical in self._ids_used else self.made_of(canonical)


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


def _unreadable(record: Record) -> Said:
    kind = "unreadable" if isinstance(record.value, str) else type(record.value).__name__
    return Said("system", "context", [UnknownBlock(source_type=kind, raw=record.value)])


def _facts(result: ToolFacts | str | list[Any] | None) -> JsonObject | None:
    """What `toolUseResult` says that is worth keeping, under the names of a block's `provider_data`."""
    if isinstance(result, ToolFacts):
        # Of what is empty, an empty text and an empty object say something.
        known = {k: v for k, v in msgspec.to_builtins(result).items() if v or v in ("", {})}
        return {"toolUseResult": known} if known else None
    return {"toolUseError": True} if isinstance(result, str) and result.startswith("Error: ") else None


_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_KINDS: Final[dict[str, MessageKind]] = {"context": "context", "summary": "summary", "notice": "notice"}


def _role(stamped: str | None, found: Role) -> Role:
    return _ROLES.get(stamped or "", found)


def _kind(stamped: str | None, found: MessageKind | None) -> MessageKind | None:
    """The kind on a stamp is the last word: `said` is conversation, whatever the text looks like."""
    if stamped is None:
        return found
    return None if stamped == stamp.SAID else _KINDS.get(stamped, found)
