"""Records in order to messages: the reader's one pass over a history.

A `Fold` takes the records of one thread's history, base first, and keeps what must be known on the way: the open turn,
the model, the tokens counted, the events that wait for their item, the calls that wait for their output. Every record
is closed in the ledger here, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple, assert_never

import msgspec

from sesh.format import ids, stamp, walk
from sesh.format.blocks import AnyBlock, FileChangeBlock, TextBlock, ToolCallBlock, ToolResultBlock, UnknownBlock
from sesh.format.json import JsonObject
from sesh.format.message import Kind, Message, Provenance, Role, Usage
from sesh.providers.codex import compaction, events, items, rollback, usage, witness
from sesh.providers.codex.records import (
    BareState,
    Compacted,
    Event,
    EventMsg,
    Item,
    MailMetadata,
    Record,
    ResponseItem,
    RiskScore,
    SessionMeta,
    Strange,
    ToolsUpdated,
    TurnContext,
    Unreadable,
    UsageRecord,
    WorldState,
)
from sesh.providers.codex.turns import Turns
from sesh.report.reports import LineBook

PROVIDER: Final = "codex"
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")

# Events that say how the screen stands or repeat what an item says; each is counted by its name and not kept.
STATE_EVENTS: Final = frozenset(
    {
        "agent_message_delta",
        "agent_reasoning_delta",
        "agent_reasoning_section_break",
        "background_event",
        "collab_agent_interaction_end",
        "collab_agent_spawn_end",
        "collab_close_end",
        "collab_resume_end",
        "collab_waiting_end",
        "context_compacted",
        "deprecation_notice",
        "entered_review_mode",
        "error",
        "exec_command_begin",
        "exec_command_output_delta",
        "exited_review_mode",
        "guardian_assessment",
        "image_generation_begin",
        "image_generation_end",
        "item_started",
        "mcp_tool_call_begin",
        "model_reroute",
        "patch_apply_begin",
        "plan_update",
        "session_configured",
        "shutdown_complete",
        "stream_error",
        "sub_agent_activity",
        "thread_goal_updated",
        "thread_name_updated",
        "thread_settings_applied",
        "token_count",
        "turn_diff",
        "warning",
        "web_search_begin",
    }
)


class Origin(NamedTuple):
    """Where a stretch of records comes from.

    session: the thread whose file it is. prefix: put before `line:N` in ids, "" for the thread's first file.
    inherited: an earlier thread's history, which this thread goes on from and does not count again.
    """

    session: str
    prefix: str
    inherited: bool = False


class Rolled(NamedTuple):
    """Turns that a rollback took out of the thread, and the last message before them."""

    key: str
    messages: list[Message]
    origin: str | None


class Fold:
    """The state of the pass, and what it gave."""

    def __init__(
        self,
        *,
        session: str,
        key: str,
        thread_id: str,
        book: LineBook,
        start: str,
        keep_raw: bool = False,
        run_id: str | None = None,
    ) -> None:
        self.session = session
        self.key = key  # what message ids are derived from: the session, or `parent/child`
        self.thread_id = thread_id
        self.book = book
        self.keep_raw = keep_raw
        self.run_id = run_id
        self.messages: list[Message] = []
        self.rolled: list[Rolled] = []
        self.named: dict[str, str | None] = {}  # other threads the session names: id -> the message with the call
        self.name: str | None = None
        self.model: str | None = None
        self.context_window: int | None = None
        self.ts = start
        self.turns = Turns()
        self.meter = usage.Meter()
        self.echoes = events.Echoes()
        self.has_items = False
        self._keys: set[str] = set()
        self._vendor_ids: dict[str, str] = {}
        self._calls: dict[str, str] = {}
        self._fates: dict[str, bool] = {}  # what an event said of a call before its output came
        self._shown: set[str] = set()
        self._witnesses: list[str] = []
        self._speaker: int | None = None  # the open turn's latest assistant message
        self._owed: Usage | None = None
        self._own_meta: Record | None = None

    def branch(self) -> Fold:
        """A fold for records that once followed here and were superseded: same state, no messages, same ledger."""
        other = Fold(
            session=self.session,
            key=self.key,
            thread_id=self.thread_id,
            book=self.book,
            start=self.ts,
            keep_raw=self.keep_raw,
            run_id=self.run_id,
        )
        other.model = self.model
        other.meter.turn_started()
        other._keys = self._keys
        other.has_items = self.has_items
        other.turns.current, other.turns.marked = self.turns.current, self.turns.marked
        return other

    # the pass

    def feed(self, records: Iterable[Record], origin: Origin, own_meta: Record | None = None) -> None:
        """Take records in order. `own_meta` is the header that the thread's own fields were read from."""
        self._own_meta = own_meta
        for record in records:
            line = record.line
            match line:
                case ResponseItem():
                    self._item(record, line, origin)
                case EventMsg():
                    self._event(record, line, origin)
                case TurnContext():
                    if isinstance(line.payload.model, str):
                        self.model = line.payload.model
                    self._turn(line.payload.turn_id, origin)
                    self._used(record)
                case UsageRecord():
                    step = self.meter.record(line.payload.usage)
                    self._count(record, step, origin, "token_usage_record")
                case Compacted():
                    self._compacted(record, line, origin)
                case SessionMeta():
                    if record is own_meta:
                        self._used(record)
                    else:
                        self._skipped(record, "session_meta")
                case WorldState():
                    self._skipped(record, "world_state")
                case MailMetadata():
                    self._skipped(record, "inter_agent_communication_metadata")
                case ToolsUpdated():
                    self._skipped(record, "dynamic_tools_updated")
                case RiskScore():
                    self._skipped(record, "security_risk_score")
                case BareState():
                    self._skipped(record, "record_type:state")
                case Strange():
                    self._strange(record, line, origin)
                case Unreadable():
                    block = UnknownBlock(source_type="unreadable", raw=line.text)
                    self._say(record, origin, "system", "context", [block], provider_data={"line": "unreadable"})
                    self.book.unknown(record.file, record.item)
                case _:
                    assert_never(line)

    def finish(self) -> None:
        """The history is at its end: what still waits is settled, and what is odd in it is named."""
        if not self.has_items:
            self._end_turn(None)
            self._speak_for_events()
        else:
            self._hold_back()
        if self._owed is not None:
            if self.messages:
                self._charge(len(self.messages) - 1, self._owed)
            else:
                self.book.note("usage-unknown", f"{self._owed} could be given to no message.")
            self._owed = None
        self._name_open_calls()

    # response_items

    def _item(self, record: Record, line: ResponseItem, origin: Origin) -> None:
        payload = line.payload
        self._time(line.timestamp)
        mark = stamp.read(line.sesh) if line.sesh is not None else stamp.EMPTY
        if mark.stub:
            self._skipped(record, "sesh-stub")
            return
        if payload.get("type") == "ghost_snapshot":
            self._skipped(record, "ghost_snapshot")
            return
        made = items.convert(payload)
        if made is None:
            self._keep(record, origin, f"response_item/{payload.get('type')}")
            return
        if made.odd is not None:
            self._note(
                "odd-field", f"`{made.odd}` is not of its usual type; Codex itself leaves such a line out.", record
            )
        metadata = line.metadata if isinstance(line.metadata, dict) else None
        kind = made.kind
        if metadata is not None and metadata.get("compaction_output") is True:
            kind = "context"  # the summary's first writing; it comes again, as the summary
        said = events.texts_of_item(payload)
        self.has_items = self.has_items or kind != "context"
        if said is not None:
            if made.role == "user" and kind is None and not self.turns.marked:
                self._prompt_boundary(said[1])
            vendor_id = payload.get("id")
            for echo in self.echoes.item(*said, vendor_id if isinstance(vendor_id, str) else None):
                self._skipped(echo, _event_name(echo))
        content = self._judged(made.content)
        data: JsonObject = {"payload": made.rest}
        if line.metadata is not None:
            data["metadata"] = line.metadata
        self._say(
            record,
            origin,
            made.role,
            kind,
            content,
            turn=items.turn_of(payload),
            vendor_id=payload.get("id"),
            provider_data=data,
            mark=mark,
        )
        self._used(record)

    def _judged(self, content: list[AnyBlock]) -> list[AnyBlock]:
        """Results with what an event said of their call: the client's own word goes before a reading of the text."""
        out: list[AnyBlock] = []
        for block in content:
            if isinstance(block, ToolResultBlock):
                fate = self._fates.get(block.call_id)
                if fate is not None and fate != block.is_error:
                    block = msgspec.structs.replace(block, is_error=fate)
                self._find_children(block)
            out.append(block)
        return out

    def _find_children(self, block: ToolResultBlock) -> None:
        """`spawn_agent` (v1) answers with the child's thread id."""
        output = block.output
        if isinstance(output, str) and output.startswith('{"agent_id":"'):
            child = output[13:49]
            self.named.setdefault(child, self._calls.get(block.call_id))

    def _prompt_boundary(self, texts: list[str]) -> None:
        """A prompt where no marker began a turn: what waited for the turn before it waits no longer."""
        waiting = self.echoes.waiting
        mine = next((w for w in reversed(waiting) if w[0] is not None and _same_prompt(w[0], texts)), None)
        if mine is not None:
            waiting.remove(mine)
        self._end_turn(None)
        if mine is not None:
            self.echoes.waiting.append(mine)

    # events

    def _event(self, record: Record, line: EventMsg, origin: Origin) -> None:
        event = line.payload
        self._time(line.timestamp)
        if line.sesh is not None and self._stamped_event(record, line, origin):
            return
        match event.type:
            case "task_started" | "turn_started":
                if isinstance(event.model_context_window, int):
                    self.context_window = event.model_context_window
                self._turn(event.turn_id, origin)
                self._used(record)
            case "task_complete" | "turn_complete" | "turn_aborted":
                if not isinstance(event.turn_id, str) or event.turn_id == self.turns.current or not self.turns.marked:
                    self._end_turn(origin)
                self.turns.ended(event.turn_id)
                self._skipped(record, _event_name(record))
            case "token_count":
                self._count(record, self.meter.count(event.info), origin, "event_msg:token_count")
            case "thread_rolled_back":
                self._roll_back(record, event, origin)
            case "thread_name_updated" | "session_renamed":
                name = event.thread_name if isinstance(event.thread_name, str) else event.name
                if isinstance(name, str):
                    self.name = name
                    self._used(record)
                else:
                    self._skipped(record, _event_name(record))
            case "item_completed":
                self._completed(record, event, origin, line.sesh)
            case kind if kind in STATE_EVENTS:
                self._skipped(record, _event_name(record))
            case _:
                shown = events.shown(event)
                if shown is not None:
                    self._shown_event(record, shown, event.call_id)
                elif isinstance(event.call_id, str):
                    failed = _fate(event.success, event.exit_code, event.status)
                    self._tool_event(record, event.call_id, failed, origin)
                else:
                    self._keep(record, origin, f"event_msg/{event.type}")

    def _completed(self, record: Record, event: Event, origin: Origin, sesh: Any) -> None:
        item = event.item
        if item is None:
            return self._keep(record, origin, "event_msg/item_completed")
        if isinstance(event.thread_id, str) and event.thread_id not in (self.session, origin.session):
            # A review or another thread's item, told in passing: it is said in that thread's own file.
            self.named.setdefault(event.thread_id, None)
            return self._skipped(record, "event_msg:item_completed of another thread")
        self._name_children(item, stamp.EMPTY if sesh is None else stamp.read(sesh))
        if item.type in witness.STATE_ITEMS:
            return self._skipped(record, _event_name(record))
        shown = events.shown(event)
        if shown is not None:
            return self._shown_event(record, shown, item.id)
        if item.type == "CommandExecution" and item.source == "user_shell":
            return self._skipped(record, _event_name(record))  # the model is told in a <user_shell_command> message
        call_id = item.id if isinstance(item.id, str) else ""
        return self._tool_event(record, call_id, _fate(item.success, item.exit_code, item.status), origin)

    def _name_children(self, item: Item, mark: stamp.Stamp) -> None:
        call = self._calls.get(item.id) if isinstance(item.id, str) else None
        if mark.origin is not None and 0 < mark.origin <= len(self.messages):
            call = self.messages[-mark.origin].id
        receivers = item.receiver_thread_ids if isinstance(item.receiver_thread_ids, list) else []
        for child in [*receivers, item.agent_thread_id]:
            if isinstance(child, str):
                self.named.setdefault(child, call)

    def _shown_event(self, record: Record, shown: events.Shown, call_id: Any) -> None:
        if isinstance(call_id, str) and call_id in self._calls:
            return self._skipped(record, _event_name(record))
        if not self.has_items and shown.role == "user" and not self.turns.marked:
            self._end_turn(None)
        if self.echoes.event(shown):
            return self._skipped(record, _event_name(record))
        return self.echoes.wait(shown, record)

    def _tool_event(self, record: Record, call_id: str, failed: bool | None, origin: Origin) -> None:
        """A tool's event repeats its call and output; without a call in the file it is the only witness of the run."""
        if call_id in self._calls or call_id in self._shown:
            if failed is not None:
                self._fates.setdefault(call_id, failed)
            return self._skipped(record, _event_name(record))
        if call_id:
            self._shown.add(call_id)
        if self.echoes.waiting or not self.has_items:
            return self.echoes.wait(None, record)
        return self._witness(record, origin)

    def _witness(self, record: Record, origin: Origin | None) -> None:
        """Keep what only an event says: shown, never sent, hence context (see MAPPING.md)."""
        where = origin or Origin(self.session, "")
        whole = record.whole()
        payload = whole.get("payload") if isinstance(whole, dict) else None
        item = payload.get("item") if isinstance(payload, dict) else None
        seen = None
        if isinstance(item, dict):
            seen = witness.of_item(item)
        elif isinstance(payload, dict):
            seen = witness.of_event(payload)
        if seen is None:
            return self._keep(record, where, _event_name(record).replace(":", "/", 1))
        thinking = False
        turn = payload.get("turn_id") if isinstance(payload, dict) else None
        for i, part in enumerate(seen):
            thinking = all(b.__class__.__name__ == "ReasoningBlock" for b in part.content)
            made = self._say(
                record,
                where,
                part.role,
                None if thinking else "context",
                part.content,
                turn=turn if isinstance(turn, str) else None,
                part=i,
                provider_data={"line": "event_msg", "payload": payload} if i == 0 else {"line": "event_msg", "part": i},
            )
            self._witnesses.append(made.id)
        if not thinking and self.has_items:
            self._note("shown-only", "Shown by the client and never sent to its model; kept as context.", record)
        return self._used(record)

    def _stamped_event(self, record: Record, line: EventMsg, origin: Origin) -> bool:
        """An event line that our writer made the bearer of a message of its own (a thought, a search)."""
        mark = stamp.read(line.sesh)
        if mark.stub:
            self._skipped(record, "sesh-stub")
            return True
        blocks = stamp.blocks_of(mark)
        if blocks is None:
            return False
        whole = record.whole()
        data: JsonObject = {"line": "event_msg", "payload": whole.get("payload") if isinstance(whole, dict) else None}
        self._say(record, origin, "assistant", None, blocks, mark=mark, provider_data=data)
        self._used(record)
        return True

    # turns, tokens

    def _turn(self, turn_id: Any, origin: Origin) -> None:
        before = self.turns.current
        if self.turns.started(turn_id) and before != turn_id:
            self._end_turn(origin)
            self.meter.turn_started()

    def _end_turn(self, origin: Origin | None) -> None:
        late, witnesses = self.echoes.end_turn()
        for record in late:
            self._skipped(record, _event_name(record))
        for record in witnesses:
            self._witness(record, origin)
        self._speaker = None

    def _count(self, record: Record, step: usage.Tokens | None, origin: Origin, name: str) -> None:
        if step is None or origin.inherited:
            return self._skipped(record, name)
        counted = step.canonical()
        if self._speaker is None:
            self._owed = usage.added(self._owed, counted)
        else:
            self._charge(self._speaker, counted)
        return self._used(record)

    def _charge(self, index: int, more: Usage) -> None:
        message = self.messages[index]
        self.messages[index] = msgspec.structs.replace(message, usage=usage.added(message.usage, more))

    # compaction, rollback

    def _compacted(self, record: Record, line: Compacted, origin: Origin) -> None:
        self._time(line.timestamp)
        mark = stamp.read(line.sesh) if line.sesh is not None else stamp.EMPTY
        if mark.window is not None:
            self._compacted_by_sesh(record, line, origin, mark)
            return
        slots = compaction.slots(line.payload, walk.window(self.messages), self._vendor_ids)
        window: list[str] = []
        data: JsonObject = {"line": "compacted", "payload": line.payload}
        summary: items.Converted | None = None
        at: int | None = None
        for i, slot in enumerate(slots):
            if slot.summary and slot.new is not None:
                summary, at, data["slot"] = slot.new, len(window), i
            elif slot.new is not None:
                made = self._say(
                    record,
                    origin,
                    slot.new.role,
                    "context" if slot.new.kind == "context" else "summary",
                    slot.new.content,
                    part=i + 1,
                    provider_data={"line": "compacted", "slot": i},
                )
                window.append(made.id)
            elif slot.kept is not None:
                window.append(slot.kept)
        content: list[AnyBlock] = summary.content if summary is not None else []
        role: Role = summary.role if summary is not None else "user"
        words = line.payload.get("message")
        if summary is None and isinstance(words, str) and words:
            content = [TextBlock(text=words)]  # the summary that people read; the model is not sent it
        made = self._say(record, origin, role, "summary", content, provider_data=data, mark=mark)
        if at is not None:
            window.insert(at, made.id)
        self.messages[-1] = msgspec.structs.replace(made, window=window, usage=self.messages[-1].usage)
        self._note("compaction", "The conversation was compacted here; what came before is kept in front.", record)
        if any(isinstance(b, UnknownBlock) for b in content):
            self._note(
                "encrypted-summary", "The summary is encrypted; the earlier turns are the readable history.", record
            )
        self._used(record)

    def _compacted_by_sesh(self, record: Record, line: Compacted, origin: Origin, mark: stamp.Stamp) -> None:
        """A compaction that our writer wrote: its stamp says which messages the window holds."""
        text = line.payload.get("message")
        words: list[AnyBlock] = [TextBlock(text=text)] if isinstance(text, str) else []
        data: JsonObject = {"line": "compacted", "payload": line.payload}
        self._say(record, origin, "user", "summary", words, provider_data=data, mark=mark)
        at = len(self.messages) - 1
        window = [self.messages[at - back].id for back in mark.window or () if 0 <= back <= at]
        self.messages[at] = msgspec.structs.replace(self.messages[at], window=window)
        self._note("compaction", "The conversation was compacted here; what came before is kept in front.", record)
        self._used(record)

    def _roll_back(self, record: Record, event: Event, origin: Origin) -> None:
        self._end_turn(origin)
        count = event.num_turns
        told = isinstance(count, int) and not isinstance(count, bool) and count > 0
        found = rollback.roll_back(self.messages, count) if told else None
        if found is None:
            return self._skipped(record, _event_name(record))
        self.messages, removed = found
        before = self.messages[-1].id if self.messages else None
        if removed:
            self.rolled.append(Rolled(f"{origin.prefix}{record.place}", removed, before))
        self._speaker = None
        self.turns.ended(None)
        self._note("rollback", f"{count} turn(s) were rolled back; they are a child thread.", record)
        return self._used(record)

    # messages

    def _say(
        self,
        record: Record,
        origin: Origin,
        role: Role,
        kind: Kind | None,
        content: list[AnyBlock],
        *,
        turn: str | None = None,
        vendor_id: Any = None,
        part: int = 0,
        provider_data: JsonObject | None,
        mark: stamp.Stamp = stamp.EMPTY,
    ) -> Message:
        source = vendor_id if isinstance(vendor_id, str) and vendor_id else None
        place = f"{origin.prefix}{record.place}"
        key = source if source is not None and source not in self._keys else f"{place}#{part}" if part else place
        self._keys.add(key)
        message_id = ids.message_id(PROVIDER, self.key, key)
        model = self.model if role == "assistant" else None
        ts = self.ts
        if mark is not stamp.EMPTY:
            content = stamp.blocks_of(mark) or content
            role = mark.role if mark.role in ("user", "assistant", "system", "tool") else role  # type: ignore[assignment]
            kind = _stamped_kind(mark.kind, kind)
            model = mark.model or model
            turn = mark.turn_id or turn
            ts = mark.ts or ts
            if mark.error is not None:
                content = [
                    msgspec.structs.replace(b, is_error=mark.error) if isinstance(b, ToolResultBlock) else b
                    for b in content
                ]
            if mark.more and self.messages and self.messages[-1].role == role:
                return self._go_on(content)
        if role == "user" and kind is None and self.turns.prompted(message_id):
            self._speaker = None
        message = Message(
            id=message_id,
            thread_id=self.thread_id,
            turn_id=turn or self.turns.current,
            role=role,
            ts=ts,
            run_id=self.run_id,
            kind=kind,
            model=model,
            content=content,
            provenance=Provenance(
                provider=PROVIDER, channel="session-file", session_id=origin.session, source_id=source or place
            ),
            provider_data=provider_data,
            raw=record.whole() if self.keep_raw and not isinstance(record.line, Unreadable) else None,
        )
        self.messages.append(message)
        if source is not None:
            self._vendor_ids[source] = message_id
        for block in content:
            if isinstance(block, (ToolCallBlock, FileChangeBlock)) and block.call_id:
                self._calls[block.call_id] = message_id
        if role == "assistant" or kind == "summary":
            self._speaker = len(self.messages) - 1
            if self._owed is not None:
                self._charge(self._speaker, self._owed)
                self._owed = None
                return self.messages[-1]
        return message

    def _go_on(self, content: list[AnyBlock]) -> Message:
        """The line goes on with the message that the line before began."""
        last = msgspec.structs.replace(self.messages[-1], content=[*self.messages[-1].content, *content])
        self.messages[-1] = last
        for block in content:
            if isinstance(block, (ToolCallBlock, FileChangeBlock)) and block.call_id:
                self._calls[block.call_id] = last.id
        return last

    def _keep(self, record: Record, origin: Origin, source_type: str) -> None:
        """A record of unknown kind, whole, in its place."""
        block = UnknownBlock(source_type=source_type, raw=record.whole())
        self._say(record, origin, "system", "context", [block], provider_data={"line": "unknown"})
        self._note("unknown-record", f"sesh knows no record `{source_type}`; it is kept whole.", record)
        self.book.unknown(record.file, record.item)

    def _strange(self, record: Record, line: Strange, origin: Origin) -> None:
        self._time(line.timestamp)
        self._keep(record, origin, line.source_type)

    # the end

    def _hold_back(self) -> None:
        """Events at the very end whose item may be the next line that the client writes.

        They would come twice if they were kept now and their item came later, so they are left out and named.
        """
        late, witnesses = self.echoes.end_turn()
        for record in late:
            self._skipped(record, _event_name(record))
        for record in witnesses:
            if self.turns.current is None and not self.turns.marked:
                self._witness(record, None)
                continue
            self._skipped(record, _event_name(record))
            self._note("pending-echo", "Shown by the client, its item not yet written; left out until it is.", record)

    def _speak_for_events(self) -> None:
        """A history of events alone: what was shown is all there is, so it is the conversation."""
        mine = set(self._witnesses)
        if not mine or any(m.kind is None and m.id not in mine for m in self.messages):
            return
        turn: str | None = None
        for i, message in enumerate(self.messages):
            if message.id not in mine:
                continue
            turn = message.id if message.role == "user" else turn
            kind = None if message.kind == "context" else message.kind
            self.messages[i] = msgspec.structs.replace(message, kind=kind, turn_id=message.turn_id or turn)
        self.book.note("events-alone", "The file holds events alone; what the client showed is the conversation.")

    def _name_open_calls(self) -> None:
        calls: dict[str, str] = {}
        for message in self.messages:
            for block in message.content:
                if isinstance(block, (ToolCallBlock, FileChangeBlock)) and block.call_id:
                    calls[block.call_id] = message.id
                elif isinstance(block, ToolResultBlock):
                    known = calls.pop(block.call_id, None) is not None or block.call_id in self._calls
                    if not known:
                        text = f"The result {block.call_id} has no call in this history."
                        self.book.note("orphan-result", text, message_id=message.id)
        for call_id, message_id in calls.items():
            self.book.note("open-call", f"The call {call_id} never got a result.", message_id=message_id)

    # small things

    def _time(self, value: Any) -> None:
        if isinstance(value, str) and _TIME.match(value):
            self.ts = value

    def _note(self, code: str, text: str, record: Record) -> None:
        self.book.note(code, text, file=record.file, line=record.number)

    def _used(self, record: Record) -> None:
        self.book.used(record.file, record.item)

    def _skipped(self, record: Record, kind: str) -> None:
        self.book.skipped(record.file, record.item, kind)


def _event_name(record: Record) -> str:
    line = record.line
    if not isinstance(line, EventMsg):
        return "record"
    event = line.payload
    if event.item is not None:
        return f"item_completed:{event.item.type}"
    return f"event_msg:{event.type}"


def _same_prompt(shown: events.Shown, texts: list[str]) -> bool:
    return shown.role == "user" and any(t.strip() in {x.strip() for x in texts} for t in shown.texts)


def _fate(success: Any, exit_code: Any, status: Any) -> bool | None:
    """Whether a tool's event says that the run failed."""
    if isinstance(success, bool):
        return not success
    if isinstance(exit_code, int) and not isinstance(exit_code, bool):
        return exit_code != 0
    return {"failed": True, "declined": True, "completed": False}.get(status) if isinstance(status, str) else None


def _stamped_kind(marked: str | None, kind: Kind | None) -> Kind | None:
    if marked == stamp.SAID:
        return None
    return marked if marked in ("context", "summary", "notice") else kind  # type: ignore[return-value]
