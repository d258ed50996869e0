"""A segment, from its boundary to the next, as lines on the chain; every block's outcome goes into the book here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from sesh.format import ids, stamp
from sesh.format.blocks import TextBlock, ToolResultBlock
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Message, Usage
from sesh.providers.claude_code.steps import Entry, Piece, Slot, Step, arrange
from sesh.providers.claude_code.tools_shown import drawn
from sesh.providers.claude_code.write_blocks import CALLS, NO_PROMPT, NOTHING_RECORDED, Use, kept, stub_output
from sesh.providers.claude_code.write_children import Agent
from sesh.providers.claude_code.write_compaction import Segment, is_boundary, still_there
from sesh.providers.claude_code.write_forms import Form, Former, Vocabulary, tool_result
from sesh.providers.claude_code.write_lines import Chain, encode_content, encode_result
from sesh.providers.claude_code.write_notes import Notes
from sesh.providers.claude_code.write_own import PROVIDER, OwnRecord, drawn_again, is_own
from sesh.report.reports import BlockBook

_SYNTHETIC: Final = "<synthetic>"
"""What the client itself calls a model that is none: no warning on resume, and its default model is used."""
_ROLES: Final = {"assistant": "assistant", "result": "tool", "user": "user"}
_FLAGS: Final[dict[str, JsonObject]] = {
    "context": {"isMeta": True},
    "summary": {"isVisibleInTranscriptOnly": True, "isCompactSummary": True},
}
"""What the client calls a user's line by the kind of its message."""
_STUB: Final = stamp.Stamp(stub=True)
_ITSELF: Final = [0]
"""What the stamp of a cut text says of its window, as reading would give it that of a compaction."""


class SegmentWriter:
    """Writes segments one after the other onto a chain.

    `spawned`: the sub-agents that messages began. `thread`: what the first line's stamp says of the thread. Afterwards
    `calls_of_agents` tells which call began an agent, `boundaries` how many compactions were written, and `spilled`
    which whole outputs lie in the session's `tool-results` folder, by name, `uuids` the line of each message.
    """

    def __init__(
        self,
        chain: Chain,
        vocabulary: Vocabulary,
        book: BlockBook,
        notes: Notes,
        *,
        spawned: Mapping[str, Sequence[Agent]],
        thread: JsonObject | None,
    ) -> None:
        self._chain: Final = chain
        self._vocabulary: Final = vocabulary
        self._book: Final = book
        self._notes: Final = notes
        self._session: Final = chain.envelope.session_id
        self._asked: Final[dict[str, str]] = {}
        """By call id: the uuid of the line with the call."""
        self._own_calls: Final[dict[str, Use]] = {}
        """Calls of the client's own records, by their ids."""
        self._left_out: Final[dict[str, str]] = {}
        """By model that is none of the client's: what is said of it."""
        self._stubs: Final[set[tuple[str, int]]] = set()
        """Calls that got a made-up result, by message and block; a compaction may keep one, which is written again."""
        self._spawned: Final = spawned
        self._thread = thread
        self._open: Final[dict[Entry, Form]] = {}
        """The forms of messages that take more lines than were written of them so far."""
        self._names: Final[dict[str, str]] = {}
        """Ids of messages whose records are Claude Code's own: reading gives those other canonical ids in this file."""
        self.calls_of_agents: Final[dict[str, str]] = {}
        self.uuids: Final[dict[str, str]] = {}
        self.spilled: Final[dict[str, str]] = {}
        self.boundaries = 0

    def write(self, segment: Segment) -> None:
        """Append a segment. One that stands for what came before begins with a boundary, where there is a before.

        A boundary that is a message of its own is written in any case: nothing else would say it.
        """
        if segment.summary is not None and (self._chain.parent is not None or is_boundary(segment.summary)):
            inside = segment.summary in segment.entries
            self._boundary(segment.summary, inside=inside or is_boundary(segment.summary))
            if not inside:
                self._close_boundary(segment.summary)
        for entry in segment.entries:
            if entry.names:
                uuid = entry.own.uuid if entry.own is not None else _uuid_of(entry.message)
                self._names.update(dict.fromkeys(entry.names, ids.message_id(PROVIDER, self._session, uuid)))
        arranged = arrange(segment.entries)
        former = Former(arranged, self._vocabulary, self._notes, self._spawned)
        self.calls_of_agents.update(former.calls_of_agents)
        for piece in arranged.moved:
            self._notes.say_each("reordered", "A result was moved to its call.", piece.entry.message.id)
        for entry in segment.entries:
            if not entry.pieces:
                self._close(entry, former.form(entry))
        for item in arranged.order:
            if isinstance(item, Piece):
                self._piece(item, former)
            else:
                self._step(item, former)

    def _boundary(self, entry: Entry, *, inside: bool) -> None:
        """The line that cuts: Claude Code's own where there is one, with what it says of the messages kept.

        Where the summary is not among what is sent after it (not `inside`), it stands before, and the stamp names it.
        """
        self.boundaries += 1
        summary = entry.message
        data = summary.provider_data or {}
        metadata = data.get("compactMetadata") if entry.own is not None else None
        uuid = entry.own.uuid if entry.own is not None and entry.own.is_boundary else _anchor(metadata, summary)
        given = metadata if isinstance(metadata, dict) else {"trigger": "auto"}
        kept = [self.uuids[i] for i in summary.window or () if i in self.uuids]
        self._chain.boundary(
            self._chain.uuid(uuid or ids.derive("boundary", self._session, summary.id)),
            summary.ts,
            given if entry.own is None else still_there(given, kept, self._chain.has),
            sesh=stamp.EMPTY if inside else stamp.Stamp(retained=self._names.get(summary.id, summary.id)),
        )

    def _close_boundary(self, entry: Entry) -> None:
        """A boundary that is a message of its own (nothing was said of what came before): the line is all of it."""
        if not is_boundary(entry) or entry.first is None:
            return
        for item in range(entry.first, entry.first + len(entry.message.content)):
            self._book.written(item)

    # lines

    def _step(self, step: Step, former: Former) -> None:
        first = step.said[0]
        again = () if first.entry.first is not None else ("retained", str(self.boundaries))
        seed = ids.derive("step", first.entry.message.id, *map(str, first.indices[:1]), *again)
        message_id = "msg_" + seed.replace("-", "")[:24]
        if step.asks:
            self._say_order(step)
        for piece in step.said:
            self._piece(piece, former, message_id)
        for piece in step.results:
            self._piece(piece, former)
        for slot in step.unanswered:
            self._stub_results(slot)

    def _say_order(self, step: Step) -> None:
        """Words between calls and after them stay where they are; what 2.1.328 makes of them has to be said."""
        asked = False
        for piece in step.said:
            entry = piece.entry
            if entry.own is not None:
                continue  # sent so by the client that wrote it
            if asked or len(piece.slots) < len(piece.indices):
                calls = {slot.index for slot in piece.slots}
                for i in piece.indices:
                    asked = asked or i in calls
                    block = entry.message.content[i]
                    if asked and i not in calls and not (isinstance(block, TextBlock) and not block.text.strip()):
                        text = "Words that stand after a call of their step are sent before it, as the client does it."
                        self._notes.say("words-first", text, entry.message.id)
                        break
            asked = asked or bool(piece.slots)

    def _piece(self, piece: Piece, former: Former, message_id: str | None = None) -> None:
        """A piece's lines; with the last piece of a message its blocks are closed."""
        entry = piece.entry
        form = (self._open.pop(entry, None) if entry.pieces > 1 else None) or former.form(entry)
        self._line(piece, form, message_id)
        form.left -= 1
        if form.left:
            self._open[entry] = form
        else:
            self._close(entry, form)

    def _stub_results(self, slot: Slot) -> None:
        """Made-up results for a call that has none: the API takes no call without."""
        block = slot.block
        assert isinstance(block, CALLS)
        place = (slot.message.id, slot.index)
        if place not in self._stubs:
            self._stubs.add(place)
            self._notes.say_each("stub-result", "A call without a result got a made-up one.", slot.message.id)
        text = stub_output(block)
        error = True if text == NOTHING_RECORDED else None
        for use in slot.uses:
            self._extra("user", [tool_result(use.id, text, error)], drawn(use, text, error), slot.message, None)

    def _stub_prompt(self, message: Message) -> None:
        """A made-up prompt before the model's first words: the API refuses a request that begins with these."""
        self._notes.say("stub-prompt", "A made-up prompt stands before the model's first words.", message.id)
        chain = self._chain
        ts = chain.clock.before(message.ts, first=not chain.lines)
        uuid = chain.uuid(ids.derive("prompt", self._session, message.id, str(self.boundaries)))
        content = encode_content(NO_PROMPT)
        chain.add("user", uuid, ts, {"message": _by_user(content.json), "isMeta": True}, sesh=_STUB)

    def _line(self, piece: Piece, form: Form, message_id: str | None = None) -> None:
        """The blocks of a piece on one line, and what stands for parts of its calls on lines after it."""
        entry, parts = piece.entry, form.parts
        if entry.own is not None:
            self._own_line(piece, entry.own)
            return
        blocks = [said for i in piece.indices if (said := parts[i].content) is not None]
        if not blocks:
            if not piece.indices:
                self._empty_line(piece, form)
            return
        message = entry.message
        uuid = self._uuid(piece, form)
        model: str | None = None
        own: JsonObject
        value: JsonValue
        if piece.side == "assistant":
            if not self._chain.begun:
                self._stub_prompt(message)
            kind = "assistant"
            value = blocks
            content = encode_content(blocks)
            model = self._model(message)
            own = {"message": self._api(message_id, model, blocks, content.json, message.usage)}
            for block in blocks:
                if block["type"] == "tool_use":
                    self._asked[block["id"]] = uuid
        elif piece.side == "result":
            kind = "user"
            value = blocks
            content, seen = encode_result(blocks[0], parts[piece.indices[0]].drawn)
            own = {"message": _by_user(content.json), **self._result_keys(blocks[0], seen)}
        else:
            kind = "user"
            value = blocks[0]["text"] if len(blocks) == 1 and blocks[0]["type"] == "text" else blocks
            content = encode_content(value)
            own = {"message": _by_user(content.json), **_FLAGS.get(message.kind or "", {})}
        if not content.clean:
            for i in piece.indices:
                if not encode_content(parts[i].content).clean:
                    parts[i].code = parts[i].code or "surrogates"
            form.faithful = False
        self._chain.begun = True
        ts = self._chain.clock.next(message.ts)
        says = value if content.clean and len(content.json) > stamp.LONG else None
        self._chain.add(kind, uuid, ts, own, sesh=self._stamp(piece, form, model, ts, says))
        self._chain.sent.add(content.json, blocks)
        form.lines += 1
        for i in piece.indices:
            for extra in parts[i].more:
                self._extra(kind, [extra.content], extra.drawn, message, message_id)

    def _empty_line(self, piece: Piece, form: Form) -> None:
        """A message that holds nothing, as a system line: no version sends or shows a subtype it does not know.

        A chain does not begin with one, as it could be no leaf; a user's line without content is not sent either.
        """
        entry, message = piece.entry, piece.entry.message
        if entry.first is None:
            return
        ts = self._chain.clock.next(message.ts)
        sesh = msgspec.structs.replace(self._stamp(piece, form, None, ts, None), role=message.role, blocks=[])
        uuid = self._uuid(piece, form)
        if self._chain.parent is None:
            self._chain.add("user", uuid, ts, {"message": {"role": "user", "content": []}}, sesh=sesh)
        else:
            own: JsonObject = {"subtype": "sesh_empty", "content": "", "isMeta": True, "level": "info"}
            self._chain.add("system", uuid, ts, own, sesh=sesh)

    def _own_line(self, piece: Piece, own: OwnRecord) -> None:
        """A record of Claude Code's own, with this chain's parent and, where it was told, this session's id."""
        message = piece.entry.message
        uuid = self._chain.uuid(own.uuid)
        self.uuids.update(dict.fromkeys(piece.entry.names, uuid))
        line = own.line
        if not own.raw and piece.side != "assistant":
            results = [b for b in message.content if isinstance(b, ToolResultBlock)]
            if len(results) == 1:
                asked = self._asked.get(results[0].call_id)
                seen = drawn_again(line, self._own_calls.get(results[0].call_id), results[0])
                line = {**line, "toolUseResult": seen} if seen is not None else line
                if asked is not None:
                    line = {**line, "sourceToolAssistantUUID": asked}
        if own.spilled is not None:
            self.spilled[own.spilled[0]] = own.spilled[1]
        sesh = own.stamp
        if piece.entry.cut:
            sesh = msgspec.structs.replace(sesh or stamp.EMPTY, window=_ITSELF)
        self._chain.again(line, message.ts, uuid, sesh=sesh, raw=own.raw)
        for block in message.content:
            if isinstance(block, CALLS) and block.call_id is not None:
                self._asked[block.call_id], self._own_calls[block.call_id] = uuid, kept(block)

    def _extra(self, kind: str, blocks: list[JsonObject], seen: Any, message: Message, message_id: str | None) -> None:
        """A line that the writer made up; reading passes over it."""
        block = blocks[0]
        own: JsonObject
        if kind == "assistant":
            content = encode_content(blocks)
            own = {"message": self._api(message_id, self._model(message), blocks, content.json, None)}
        else:
            content, seen = encode_result(block, seen)
            own = {"message": _by_user(content.json), **self._result_keys(block, seen)}
        name = block.get("id") or block["tool_use_id"]
        uuid = self._chain.uuid(ids.derive("extra", self._session, message.id, kind, str(name)))
        if kind == "assistant":
            self._asked[name] = uuid
        self._chain.add(kind, uuid, self._chain.clock.next(None), own, sesh=_STUB)
        self._chain.sent.add(content.json, blocks)

    def _result_keys(self, block: JsonObject, seen: Any) -> JsonObject:
        keys: JsonObject = {}
        if seen is not None:
            keys["toolUseResult"] = seen
        asked = self._asked.get(block["tool_use_id"])
        if asked is not None:
            keys["sourceToolAssistantUUID"] = asked
        return keys

    def _model(self, message: Message) -> str:
        model = message.model
        if model is None or model == _SYNTHETIC:
            return _SYNTHETIC
        if model.startswith("claude-"):
            return model
        text = self._left_out.get(model)
        if text is None:
            text = f"{model!r} is no model of this client's; the lines say {_SYNTHETIC}."
            self._left_out[model] = text
        self._notes.say("model-left-out", text)
        return _SYNTHETIC

    def _api(
        self, message_id: str | None, model: str, blocks: list[JsonObject], content: bytes, usage: Usage | None
    ) -> JsonObject:
        api: JsonObject = {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": msgspec.Raw(content),
            "stop_reason": "tool_use" if any(b["type"] == "tool_use" for b in blocks) else "end_turn",
            "stop_sequence": None,
        }
        if usage is not None:
            api["usage"] = _usage(usage)
        return api

    def _uuid(self, piece: Piece, form: Form) -> str:
        message = piece.entry.message
        if piece.entry.first is None:
            return self._chain.uuid(ids.derive("retained", self._session, message.id, str(piece.at)))
        if form.lines:
            return self._chain.uuid(ids.derive("more", self._session, message.id, str(piece.indices[0])))
        uuid = self._chain.uuid(_uuid_of(message) if piece.entry.names else message.id)
        self.uuids[message.id] = uuid
        return uuid

    def _stamp(self, piece: Piece, form: Form, model: str | None, ts: str, says: JsonValue) -> stamp.Stamp:
        """What the line, of this model and time and with this content, does not say of its message."""
        entry, message = piece.entry, piece.entry.message
        if entry.first is None:
            return stamp.Stamp(retained=self._names.get(message.id, message.id))
        if form.lines:
            return _STUB
        blocks, rest = None, None
        if not form.faithful:
            told = message.content
            if len(told) > 1:
                told = [b for b, part in zip(told, form.parts, strict=True) if part.dropped is None]
            blocks = stamp.wire_blocks(told)
            rest = _rest(blocks, form, says) if says else None
        thread, self._thread = self._thread, None
        turn, usage = message.turn_id, message.usage
        return stamp.Stamp(
            kind=message.kind or stamp.SAID,
            role=None if message.role == _ROLES[piece.side] else message.role,
            model=None if message.model == model else message.model,
            turn_id=_no_turn(message) if turn is None else self._names.get(turn, turn),
            ts=None if message.ts == ts else message.ts,
            blocks=blocks if rest is None else None,
            rest=None if rest is None else rest.blocks,
            same=None if rest is None else rest.same,
            thread=thread,
            usage=usage if usage is not None and (piece.side != "assistant" or _loses(usage)) else None,
            window=_ITSELF if entry.cut else None,
        )

    def _close(self, entry: Entry, form: Form) -> None:
        if entry.first is None:
            return
        for item, part in enumerate(form.parts, entry.first):
            if part.dropped is not None:
                self._book.dropped(item, part.dropped)
            elif part.code is not None:
                self._book.changed(item, part.code)
            else:
                self._book.written(item)


def _rest(blocks: list[JsonObject], form: Form, says: JsonValue) -> stamp.Rest | None:
    """What a line of this content does not say of a message's blocks; None where it says nothing that is long."""
    same = form.parts[0].same
    if same is None or len(form.parts) > 1:
        return stamp.unsaid(blocks, says)
    blocks[0]["output"] = ""
    return stamp.Rest(blocks, [same])


def _by_user(content: bytes) -> JsonObject:
    return {"role": "user", "content": msgspec.Raw(content)}


def _uuid_of(message: Message) -> str:
    """The uuid for a message's line: its record's where Claude Code made that, else the message's own id."""
    source = message.provenance.source_id if message.provenance is not None and is_own(message) else None
    return source or message.id


def _no_turn(message: Message) -> str | None:
    """What a stamp says of no turn: "" where reading would find one; nothing on the client's own."""
    return None if is_own(message) and message.provider_data else ""


def _anchor(metadata: Any, summary: Message) -> str | None:
    """The boundary's own uuid, where what was kept is anchored on it and not on the summary (2.1.328)."""
    for key in ("preservedMessages", "preservedSegment"):
        named = metadata.get(key) if isinstance(metadata, dict) else None
        anchor = named.get("anchorUuid") if isinstance(named, dict) else None
        if isinstance(anchor, str) and summary.provenance is not None and anchor != summary.provenance.source_id:
            return anchor
    return None


def _loses(usage: Usage) -> bool:
    """Whether the client's counts leave something of a usage out: reasoning, or that a count is not known."""
    if usage.reasoning_tokens is not None:
        return True
    return None in (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)


def _usage(usage: Usage) -> JsonObject:
    return {
        "input_tokens": usage.input_tokens or 0,
        "cache_creation_input_tokens": usage.cache_write_tokens or 0,
        "cache_read_input_tokens": usage.cache_read_tokens or 0,
        "output_tokens": usage.output_tokens or 0,
    }
