"""What people were shown: events, each closed as the echo of an item or kept as the only witness of what it tells.

The matching is in events.py, what a witness says in witness.py; here stands what becomes of each kind of event.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sesh.format import stamp
from sesh.format.blocks import AnyBlock, ReasoningBlock, ToolResultBlock, UnknownBlock
from sesh.format.json import JsonObject
from sesh.providers.codex import events, items, witness
from sesh.providers.codex.records import Closing, Event, EventMsg, Item, Record
from sesh.providers.codex.transcript import Transcript

# Events that say how the screen stands or repeat what an item says; each is counted by its name and not kept. The
# second half is named by clients' own programs and not seen in a file.
STATE_EVENTS: Final = frozenset(
    {
        "context_compacted",
        "image_generation_end",
        "thread_goal_updated",
        "thread_settings_applied",
        "agent_message_delta",
        "agent_reasoning_delta",
        "agent_reasoning_section_break",
        "background_event",
        "collab_agent_interaction_end",
        "collab_agent_spawn_end",
        "collab_close_end",
        "collab_resume_end",
        "collab_waiting_end",
        "deprecation_notice",
        "entered_review_mode",
        "error",
        "exec_command_begin",
        "exec_command_output_delta",
        "exited_review_mode",
        "guardian_assessment",
        "image_generation_begin",
        "item_started",
        "mcp_tool_call_begin",
        "model_reroute",
        "patch_apply_begin",
        "plan_update",
        "session_configured",
        "shutdown_complete",
        "stream_error",
        "sub_agent_activity",
        "turn_diff",
        "warning",
        "web_search_begin",
    }
)


class Showing:
    """The events of a history. `has_items`: a response_item has said something, so events are not all there is."""

    def __init__(self, transcript: Transcript, closing: Closing) -> None:
        self._transcript = transcript
        self._closing = closing
        self._echoes = events.Echoes()
        self.has_items = False
        self.writes_items = False  # there is one at all, be it a context
        self.named: dict[str, str | None] = {}  # other threads the session names -> the message with the call
        self._fates: dict[str, bool] = {}  # what an event said of a call before its output came
        self._shown: set[str] = set()  # tools that an event told of
        self._witnesses: set[str] = set()

    # items

    def item(self, payload: JsonObject, *, prompt: bool) -> None:
        """A response_item of talk comes: the events that waited for it are its echoes."""
        said = events.texts_of_item(payload)
        if said is None:
            return
        if prompt and not self._transcript.turns.marked:
            self._prompt_boundary(said[1])
        vendor_id = payload.get("id")
        for echo in self._echoes.item(*said, vendor_id if isinstance(vendor_id, str) else None):
            self._closing.skipped(echo, name_of(echo))

    def _prompt_boundary(self, texts: list[str]) -> None:
        """A prompt where no marker began a turn: what waited for the turn before it waits no longer."""
        mine = self._echoes.take_prompt(texts)
        self.end_turn()
        if mine is not None:
            self._echoes.wait(*mine)

    def judged(self, block: ToolResultBlock) -> ToolResultBlock:
        """An output, with whether its run failed: the client's own word (an event) goes before a reading of the output.

        `spawn_agent` (v1) answers with the child's thread id, which is noted.
        """
        output = block.output
        if isinstance(output, str) and output.startswith('{"agent_id":"'):
            self.named.setdefault(output[13:49], self._transcript.calls.get(block.call_id))
        fate = self._fates.get(block.call_id)
        return block if fate is None or fate == block.is_error else msgspec.structs.replace(block, is_error=fate)

    # events

    def event(self, record: Record, line: EventMsg) -> None:
        """An event that is no marker of a turn and counts no tokens."""
        event = line.payload
        if event.type == "item_completed":
            self._completed(record, event)
        elif event.type in STATE_EVENTS:
            self._closing.skipped(record, name_of(record))
        elif (shown := events.shown(event)) is not None:
            self._say(record, shown, event.call_id)
        elif isinstance(event.call_id, str):
            self._tool(record, event.call_id, _fate(event.success, event.exit_code, event.status))
        else:
            self.keep(record, f"event_msg/{event.type}")

    def stamped(self, record: Record, mark: stamp.Stamp) -> bool:
        """Whether our writer made the event's line the bearer of a message of its own (a thought), or made it up."""
        if mark.stub:
            self._closing.skipped(record, "sesh-stub")
            return True
        if mark.child is not None:
            self.named.setdefault(mark.child, self._origin_of(mark))
            self._closing.used(record)
            return True
        if mark.blocks is None and mark.rest is None and mark.escaped is None:
            return False
        whole = record.whole()
        payload = whole.get("payload") if isinstance(whole, dict) else None
        blocks = stamp.blocks_of(mark, payload)
        if blocks is None:
            return False
        data: JsonObject = {"line": "event_msg", "payload": payload}
        self._transcript.say(record, "assistant", None, blocks, mark=mark, says=payload, provider_data=data)
        self._closing.used(record)
        return True

    def _completed(self, record: Record, event: Event) -> None:
        item = event.item
        if item is None:
            return self.keep(record, "event_msg/item_completed")
        mine = (self._transcript.session, self._transcript.origin.session)
        if isinstance(event.thread_id, str) and event.thread_id not in mine:
            # A review's item, told in passing: it is said in that thread's own file.
            self.named.setdefault(event.thread_id, None)
            return self._closing.skipped(record, "item_completed of another thread")
        self._name_children(item)
        if item.type in witness.STATE_ITEMS:
            return self._closing.skipped(record, name_of(record))
        shown = events.shown(event)
        if shown is not None:
            return self._say(record, shown, item.id)
        if item.type == "CommandExecution" and item.source == "user_shell":
            return self._closing.skipped(record, name_of(record))  # the model is told by <user_shell_command>
        call_id = item.id if isinstance(item.id, str) else ""
        return self._tool(record, call_id, _fate(item.success, item.exit_code, item.status))

    def _origin_of(self, mark: stamp.Stamp) -> str | None:
        """The message that a child came from, as our writer says it."""
        messages = self._transcript.messages
        return messages[-mark.origin].id if mark.origin is not None and 0 < mark.origin <= len(messages) else None

    def _name_children(self, item: Item) -> None:
        call = self._transcript.calls.get(item.id) if isinstance(item.id, str) else None
        receivers = item.receiver_thread_ids if isinstance(item.receiver_thread_ids, list) else []
        for child in [*receivers, item.agent_thread_id]:
            if isinstance(child, str):
                self.named.setdefault(child, call)

    def _say(self, record: Record, shown: events.Shown, call_id: Any) -> None:
        """Words that were shown: an item's, or waiting for their item."""
        if isinstance(call_id, str) and call_id in self._transcript.calls:
            return self._closing.skipped(record, name_of(record))
        if not self.has_items and shown.role == "user" and not self._transcript.turns.marked:
            self.end_turn()
        if self._echoes.event(shown):
            return self._closing.skipped(record, name_of(record))
        return self._echoes.wait(shown, record)

    def _tool(self, record: Record, call_id: str, failed: bool | None) -> None:
        """A tool's event repeats its call and output; without a call in the file it is the only witness of the run."""
        if call_id in self._transcript.calls or call_id in self._shown:
            if failed is not None:
                self._fates.setdefault(call_id, failed)
            return self._closing.skipped(record, name_of(record))
        if call_id:
            self._shown.add(call_id)
        if self._echoes.waiting or not self.has_items:
            return self._echoes.wait(None, record)
        return self._witness(record)

    # what is left

    def end_turn(self) -> None:
        """The turn is over: what no item has answered is a witness."""
        late, witnesses = self._echoes.end_turn()
        for record in late:
            self._closing.skipped(record, name_of(record))
        for record in witnesses:
            self._witness(record)
        self._transcript.end_turn()

    def finish(self) -> None:
        """The history is over.

        Events at the very end, their turn still open, may get their item with the next line that the client writes;
        kept now, they would come twice. So they are left out and named.
        """
        turns = self._transcript.turns
        if not self.has_items and self._is_all_there_is():
            self.end_turn()
            self._speak_for_events()
            return
        late, witnesses = self._echoes.end_turn()
        for record in late:
            self._closing.skipped(record, name_of(record))
        for record in witnesses:
            if turns.current is None and turns.are_marked:  # said outside of a turn
                self._witness(record)
                continue
            self._closing.skipped(record, name_of(record))
            text = "Shown by the client, its item not yet written; left out until it is."
            self._closing.note("pending-echo", text, record)
        if not self.has_items:
            self._speak_for_events()

    def _is_all_there_is(self) -> bool:
        """Whether a history without items will stay one: an answer was shown, so the prompt's item is not to come.

        Where there are contexts as items, the prompt may be one of them, and only one that was shown alone tells.
        """
        roles = {shown.role for shown, _ in self._echoes.waiting if shown is not None}
        answered = "assistant" in roles and (not self.writes_items or "user" in roles)
        return not self._echoes.waiting or answered or bool(self._witnesses)

    def _witness(self, record: Record) -> None:
        """Keep what only an event says: shown, never sent, hence context (see MAPPING.md)."""
        whole = record.whole()
        payload = whole.get("payload") if isinstance(whole, dict) else None
        if not isinstance(payload, dict):
            return self.keep(record, "event_msg")
        item = payload.get("item")
        seen = witness.of_item(item) if isinstance(item, dict) else witness.of_event(payload)
        if seen is None:
            return self.keep(record, name_of(record).replace(":", "/", 1))
        turn = items.string(payload.get("turn_id"))
        thought = False
        for i, part in enumerate(seen):
            thought = all(isinstance(b, ReasoningBlock) for b in part.content)
            made = self._transcript.say(
                record,
                part.role,
                None if thought else "context",
                part.content,
                turn=turn,
                part=i,
                provider_data={"line": "event_msg", "payload": payload} if i == 0 else {"line": "event_msg", "part": i},
            )
            self._witnesses.add(made.id)
        if not thought and self.has_items:
            self._closing.note(
                "shown-only", "Shown by the client and never sent to its model; kept as context.", record
            )
        return self._closing.used(record)

    def keep(self, record: Record, source_type: str) -> None:
        """A record of unknown kind, whole, in its place."""
        content: list[AnyBlock] = [UnknownBlock(source_type=source_type, raw=record.whole())]
        self._transcript.say(record, "system", "context", content, provider_data={"line": "unknown"})
        self._closing.note("unknown-record", f"sesh knows no record `{source_type}`; it is kept whole.", record)
        self._closing.unknown(record)

    def _speak_for_events(self) -> None:
        """A history of events alone: what was shown is all there is, so it is the conversation."""
        messages = self._transcript.messages
        if not self._witnesses or any(m.kind is None and m.id not in self._witnesses for m in messages):
            return
        turn: str | None = None
        for i, message in enumerate(messages):
            if message.id not in self._witnesses:
                continue
            turn = message.id if message.role == "user" else turn
            kind = None if message.kind == "context" else message.kind
            self._transcript.change(i, kind=kind, turn_id=message.turn_id or turn)
        text = "The file holds events alone; what the client showed is the conversation."
        self._closing.book.note("events-alone", text)


def name_of(record: Record) -> str:
    """Under what an event is counted when it is skipped."""
    line = record.line
    if not isinstance(line, EventMsg):
        return "record"
    event = line.payload
    return f"event_msg:{event.type}" if event.item is None else f"item_completed:{event.item.type}"


def _fate(success: Any, exit_code: Any, status: Any) -> bool | None:
    """Whether a tool's event says that the run failed."""
    if isinstance(success, bool):
        return not success
    if isinstance(exit_code, int) and not isinstance(exit_code, bool):
        return exit_code != 0
    return {"failed": True, "declined": True, "completed": False}.get(status) if isinstance(status, str) else None
