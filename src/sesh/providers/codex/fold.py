"""Records in order to messages: the reader's one pass over a history.

A `Fold` takes the records of one thread's history, base first. Response items become messages (items.py), events their
echoes or witnesses (showing.py), markers turns, counts usage; a compaction says what the model holds from there on, a
rollback takes turns out. Every record is closed in the ledger here, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, assert_never

from sesh.format import stamp, walk
from sesh.format.blocks import AnyBlock, TextBlock, ToolResultBlock, UnknownBlock
from sesh.format.json import JsonObject
from sesh.format.message import Kind, Message, Role
from sesh.providers.codex import compaction, events, items, mail, readable, rollback, usage
from sesh.providers.codex.records import (
    AnyLine,
    BareState,
    Closing,
    Compacted,
    EventMsg,
    Mail,
    MailMetadata,
    Record,
    ResponseItem,
    RiskScore,
    SeshLink,
    SessionMeta,
    Strange,
    ToolsUpdated,
    TurnContext,
    Unreadable,
    UsageRecord,
    WorldState,
)
from sesh.providers.codex.showing import Showing, name_of
from sesh.providers.codex.transcript import Origin, Transcript


class Rolled(NamedTuple):
    """Turns that a rollback took out of the thread, and the last message before them."""

    key: str
    messages: list[Message]
    origin: str | None


class Fold:
    """The state of the pass, and what it gave."""

    def __init__(self, transcript: Transcript, closing: Closing) -> None:
        self.transcript = transcript
        self.closing = closing
        self.showing = Showing(transcript, closing)
        self.rolled: list[Rolled] = []
        self.name: str | None = None
        self.link: JsonObject | None = None
        self.context_window: int | None = None
        self._meter = usage.Meter()
        self._own_meta: Record | None = None

    @property
    def messages(self) -> list[Message]:
        """The thread's messages so far."""
        return self.transcript.messages

    def branch(self) -> Fold:
        """A fold for records that once followed here and were superseded: same state, no messages, same ledger."""
        other = Fold(self.transcript.branch(), self.closing)
        other.showing.has_items = self.showing.has_items
        other.showing.writes_items = self.showing.writes_items
        return other

    def resume(self, model: str | None, total: Sequence[int] | None) -> None:
        """Begin where a turn begins, in the middle of a history that has items (see onward.py)."""
        self.transcript.model = model
        self.showing.has_items = self.showing.writes_items = True
        self._meter.resume(total)

    def feed(self, records: Sequence[Record], origin: Origin, own_meta: Record | None = None) -> None:
        """Take records in order. `own_meta` is the header that the thread's own fields were read from."""
        if not records:
            return
        if self.messages:
            self.showing.end_turn()  # one stretch's events never wait for another's items
        self.transcript.origin = origin
        self._own_meta = own_meta
        take = self._take
        for record in records:
            take(record, record.line)

    def finish(self) -> None:
        """The history is at its end: what still waits is settled, and what is odd in it is named."""
        self.showing.finish()
        self.transcript.settle(self.closing.book)
        self.transcript.name_open_calls(self.closing.book)

    def _take(self, record: Record, line: AnyLine) -> None:
        match line:
            case ResponseItem():
                self.transcript.time(line.timestamp)
                self._item(record, line)
            case EventMsg():
                self.transcript.time(line.timestamp)
                self._event(record, line)
            case TurnContext():
                if isinstance(line.payload.model, str):
                    self.transcript.model = line.payload.model
                self._turn(line.payload.turn_id)
                self.closing.used(record)
            case UsageRecord():
                self._count(record, self._meter.record(line.payload.usage), "token_usage_record")
            case Compacted():
                self.transcript.time(line.timestamp)
                self._compacted(record, line)
            case SessionMeta():
                if record is self._own_meta:
                    self.closing.used(record)
                else:
                    self.closing.skipped(record, "session_meta")
            case SeshLink():
                link = line.payload.get("sesh")
                self.link = link if isinstance(link, dict) else self.link
                self.closing.used(record)
            case Mail():
                self.transcript.time(line.timestamp)
                self._mail(record, line)
            case WorldState():
                self.closing.skipped(record, "world_state")
            case MailMetadata():
                self.closing.skipped(record, "inter_agent_communication_metadata")
            case ToolsUpdated():
                self.closing.skipped(record, "dynamic_tools_updated")
            case RiskScore():
                self.closing.skipped(record, "security_risk_score")
            case BareState():
                self.closing.skipped(record, "record_type:state")
            case Strange():
                self.transcript.time(line.timestamp)
                self.showing.keep(record, line.source_type)
            case Unreadable():
                block = UnknownBlock(source_type="unreadable", raw=line.text)
                self.transcript.say(record, "system", "context", [block], provider_data={"line": "unreadable"})
                self.closing.unknown(record)
            case _:
                assert_never(line)

    def _item(self, record: Record, line: ResponseItem) -> None:
        payload = line.payload
        mark = stamp.EMPTY
        if line.sesh is not None:
            mark = stamp.read(line.sesh)
            if mark.stub:
                return self.closing.skipped(record, "sesh-stub")
        made = items.convert(payload)
        if made is None:
            return self._no_item(record, payload.get("type"))
        if made.odd is not None:
            text = f"`{made.odd}` is not of its usual type; Codex itself leaves such a line out."
            self.closing.note("odd-field", text, record)
        role, kind, content = made.role, made.kind, made.content
        if kind == "summary":
            # Not in a `compacted` line: a piece of the history like any other, which hides nothing before it.
            kind = "notice" if role == "user" else "context"
        data: JsonObject = {"payload": made.rest}
        if line.metadata is not None:
            data["metadata"] = line.metadata
            if isinstance(line.metadata, dict) and line.metadata.get("compaction_output") is True:
                kind = "context"  # the summary's first writing; it comes again, as the summary
        showing = self.showing
        showing.writes_items = True
        if kind != "context":
            showing.has_items = True
        if role == "tool" and content and type(content[0]) is ToolResultBlock:
            content = [showing.judged(content[0])]
        elif payload["type"] in events.TALK:
            showing.item(payload, prompt=role == "user" and kind is None)
        self.transcript.say(
            record,
            role,
            kind,
            content,
            turn=items.turn_of(payload) if items.PASSTHROUGH in payload else None,
            vendor_id=payload.get("id"),
            provider_data=data,
            mark=mark,
            says=payload,
        )
        return self.closing.used(record)

    def _mail(self, record: Record, line: Mail) -> None:
        item = mail.item(line.payload)
        made = items.convert(item) if item is not None else None
        if made is None:
            return self.showing.keep(record, "inter_agent_communication")
        self.showing.has_items = self.showing.writes_items = True
        data: JsonObject = {"line": "inter_agent_communication", "payload": line.payload}
        self.transcript.say(record, made.role, made.kind, made.content, provider_data=data)
        return self.closing.used(record)

    def _no_item(self, record: Record, kind: Any) -> None:
        if kind == "ghost_snapshot":
            return self.closing.skipped(record, "ghost_snapshot")
        return self.showing.keep(record, f"response_item/{kind}")

    def _event(self, record: Record, line: EventMsg) -> None:
        event = line.payload
        if line.sesh is not None and self.showing.stamped(record, stamp.read(line.sesh)):
            return
        match event.type:
            case "token_count":
                self._count(record, self._meter.count(event.info), "event_msg:token_count")
            case "task_started" | "turn_started":
                if isinstance(event.model_context_window, int):
                    self.context_window = event.model_context_window
                self._turn(event.turn_id)
                self.closing.used(record)
            case "task_complete" | "turn_complete" | "turn_aborted":
                turns = self.transcript.turns
                if not isinstance(event.turn_id, str) or event.turn_id == turns.current or not turns.marked:
                    self.showing.end_turn()
                turns.ended(event.turn_id)
                self.closing.skipped(record, name_of(record))
            case "thread_rolled_back":
                self._roll_back(record, event.num_turns)
            case "thread_name_updated" if isinstance(event.thread_name, str):
                self.name = event.thread_name
                self.closing.used(record)
            case _:
                self.showing.event(record, line)

    def _turn(self, turn_id: Any) -> None:
        before = self.transcript.turns.current
        if self.transcript.turns.started(turn_id) and before != turn_id:
            self.showing.end_turn()
            self._meter.turn_started()

    def _count(self, record: Record, step: usage.Tokens | None, name: str) -> None:
        if step is None or self.transcript.origin.inherited:
            return self.closing.skipped(record, name)
        self.transcript.spend(step)
        return self.closing.used(record)

    def _compacted(self, record: Record, line: Compacted) -> None:
        mark = stamp.read(line.sesh) if line.sesh is not None else stamp.EMPTY
        if mark.window is None and (why := readable.odd(line.payload)) is not None:
            self.closing.note("odd-field", f"Codex passes over this compaction: {why}.", record)
            return self.showing.keep(record, "compacted")
        data: JsonObject = {"line": "compacted", "payload": line.payload}
        text = line.payload.get("message")
        content: list[AnyBlock] = [TextBlock(text=text)] if isinstance(text, str) and text else []
        if mark.window is not None:
            # Our writer's own: the stamp says, counted backwards, which messages the window holds.
            self._summary(record, "user", content, data, mark)
            at = len(self.messages) - 1
            window = [self.messages[at - back].id for back in mark.window if 0 <= back <= at]
        else:
            window, at_own, summary = self._window(record, line, data)
            role = summary.role if summary is not None else "user"
            content = summary.content if summary is not None else content
            made = self._summary(record, role, content, data, mark)
            if at_own is not None:
                window.insert(at_own, made.id)
        self.transcript.change(len(self.messages) - 1, window=window)
        text = "The conversation was compacted here; what came before is kept in front."
        self.closing.note("compaction", text, record)
        if any(isinstance(b, UnknownBlock) for b in content):
            text = "The summary is encrypted; the earlier turns are the only readable history."
            self.closing.note("encrypted-summary", text, record)
        return self.closing.used(record)

    def _summary(
        self, record: Record, role: Role, content: list[AnyBlock], data: JsonObject, mark: stamp.Stamp
    ) -> Message:
        says = data["payload"]
        return self.transcript.say(record, role, "summary", content, provider_data=data, mark=mark, says=says)

    def _window(
        self, record: Record, line: Compacted, data: JsonObject
    ) -> tuple[list[str], int | None, items.Converted | None]:
        """The window less the summary, the summary's place in it (None: it is not sent), and the summary.

        Items that are no earlier messages become messages of their own here; `data` gets the summary's `slot`.
        """
        window: list[str] = []
        summary: items.Converted | None = None
        at: int | None = None
        slots = compaction.slots(line.payload, walk.window(self.messages), self.transcript.vendor_ids)
        for i, slot in enumerate(slots):
            if slot.summary and slot.new is not None:
                summary, at, data["slot"] = slot.new, len(window), i
            elif slot.new is not None:
                kind: Kind = "context" if slot.new.kind == "context" else "summary"
                own: JsonObject = {"line": "compacted", "slot": i}
                made = self.transcript.say(record, slot.new.role, kind, slot.new.content, part=i + 1, provider_data=own)
                window.append(made.id)
            elif slot.kept is not None:
                window.append(slot.kept)
        return window, at, summary

    def _roll_back(self, record: Record, count: Any) -> None:
        self.showing.end_turn()
        told = isinstance(count, int) and not isinstance(count, bool) and 0 < count < 2**32  # the client's number type
        found = rollback.roll_back(self.messages, count) if told else None
        if found is None:
            return self.closing.skipped(record, name_of(record))
        self.transcript.messages, removed = found
        before = self.messages[-1].id if self.messages else None
        if removed:
            self.rolled.append(Rolled(f"{self.transcript.origin.prefix}{record.place}", removed, before))
        self.transcript.turns.ended(None)
        self.closing.note("rollback", f"{count} turn(s) were rolled back; they are a child thread.", record)
        return self.closing.used(record)
