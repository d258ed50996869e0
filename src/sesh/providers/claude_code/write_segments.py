"""A segment, from its boundary to the next, as lines on the chain; every block's outcome goes into the book here."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sesh.format import ids, stamp
from sesh.format.blocks import ToolResultBlock
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Message, Usage
from sesh.format.thread import Thread
from sesh.providers.api import EmitOptions
from sesh.providers.claude_code.steps import Arranged, Entry, Piece, Slot, Step, arrange
from sesh.providers.claude_code.write_blocks import Call, call_id, kept, output, said, stub_output
from sesh.providers.claude_code.write_compaction import Segment, is_readable
from sesh.providers.claude_code.write_lines import Chain, encode_content
from sesh.providers.claude_code.write_notes import Notes
from sesh.report.reports import BlockBook

_SYNTHETIC: Final = "<synthetic>"


class _Form:
    """A message on its way: each block's content, and what is to be said of it."""

    __slots__ = ("codes", "content", "dropped", "faithful", "stamped")

    def __init__(self, count: int) -> None:
        self.content: list[list[JsonObject]] = [[] for _ in range(count)]
        self.codes: list[str | None] = [None] * count
        self.dropped: list[str | None] = [None] * count
        self.faithful = True
        self.stamped = False


class SegmentWriter:
    """Writes segments one after the other onto a chain."""

    def __init__(self, chain: Chain, thread: Thread, book: BlockBook, notes: Notes, options: EmitOptions) -> None:
        self._chain: Final = chain
        self._thread: Final = thread
        self._book: Final = book
        self._notes: Final = notes
        self._options: Final = options
        self._uuids: Final[dict[str, str]] = {}

    def write(self, segment: Segment, *, first: bool) -> None:
        """Append a segment. The first has no boundary."""
        if segment.summary is not None and not first and self._chain.parent is not None:
            self._boundary(segment.summary)
        arranged = arrange(segment.entries)
        self._name_calls(arranged)
        forms = {entry: self._form(entry, arranged) for entry in segment.entries}
        for piece in arranged.moved:
            self._notes.say("reordered", "A result was moved to its call.", piece.entry.message.id)
        for item in arranged.order:
            if isinstance(item, Piece):
                self._line(item, forms[item.entry], arranged, None)
            else:
                self._step(item, forms, arranged)
        for entry, form in forms.items():
            self._close(entry, form)

    def _boundary(self, summary: Message) -> None:
        session = self._chain.envelope.session_id
        uuid = self._chain.uuid(ids.derive("boundary", session, summary.id))
        self._chain.boundary(uuid, summary.ts, {"trigger": "auto"})

    # the parts of a message

    def _name_calls(self, arranged: Arranged) -> None:
        taken: set[str] = set()
        for (entry, i), slot in arranged.calls.items():
            block = entry.message.content[i]
            assert isinstance(block, Call)
            use = kept(block)
            otherwise = "call_" + ids.derive("call", entry.message.id, str(i)).replace("-", "")[:24]
            name, code = call_id(slot.call_id, taken, otherwise)
            slot.uses = [(name, use if code is None or use.code else use._replace(code=code))]

    def _form(self, entry: Entry, arranged: Arranged) -> _Form:
        content = entry.message.content
        form = _Form(len(content))
        for i, block in enumerate(content):
            if isinstance(block, Call):
                ((name, use),) = arranged.calls[entry, i].uses
                form.content[i] = [{"type": "tool_use", "id": name, "name": use.name, "input": use.input}]
                form.codes[i] = use.code
                form.faithful &= use.code is None
            elif isinstance(block, ToolResultBlock):
                self._result_form(form, i, block, arranged.results[entry, i])
            elif entry.message.kind == "summary" and not is_readable(entry.message):
                form.dropped[i] = "encrypted-summary"
                self._notes.say(
                    "encrypted-summary",
                    "A compaction's summary is encrypted and cannot be told; the earlier turns are sent instead.",
                    entry.message.id,
                )
            else:
                one = said(block, "assistant" if entry.message.role == "assistant" else "user")
                form.content[i], form.codes[i], form.dropped[i] = one.content, one.code, one.dropped
                form.faithful &= one.faithful
        return form

    def _result_form(self, form: _Form, i: int, block: ToolResultBlock, slot: Slot) -> None:
        if slot.partner is None:
            form.dropped[i] = "orphan-result"
            self._notes.say("orphan-dropped", "A result without a call was left out.", slot.entry.message.id)
            return
        call, _ = slot.partner.uses[0]
        one = output(block.output)
        form.content[i] = [_result(call, one.content, block.is_error)]
        form.codes[i] = one.code or (None if call == block.call_id else "call-id")
        form.faithful &= form.codes[i] is None

    # lines

    def _step(self, step: Step, forms: dict[Entry, _Form], arranged: Arranged) -> None:
        first = step.said[0].entry
        message_id = (
            first.step_id
            or "msg_" + ids.derive("step", first.message.id, str(step.said[0].indices[0])).replace("-", "")[:24]
        )
        for piece in step.said:
            self._line(piece, forms[piece.entry], arranged, message_id)
        for piece in step.results:
            self._line(piece, forms[piece.entry], arranged, None)
        for slot in step.unanswered:
            block = slot.entry.message.content[slot.index]
            assert isinstance(block, Call)
            self._notes.say("stub-result", "A call without a result got a made-up one.", slot.entry.message.id)
            for name, _ in slot.uses:
                content = encode_content([_result(name, stub_output(block), None)])
                uuid = self._chain.uuid(
                    ids.derive("stub", self._chain.envelope.session_id, slot.entry.message.id, name)
                )
                own: JsonObject = {"message": {"role": "user", "content": msgspec.Raw(content.json)}}
                self._chain.add("user", uuid, None, own, sesh=stamp.Stamp(stub=True), content=content.json)

    def _line(self, piece: Piece, form: _Form, arranged: Arranged, message_id: str | None) -> None:
        blocks = [b for i in piece.indices for b in form.content[i]]
        if not blocks:
            return
        message = piece.entry.message
        value: Any = blocks
        if piece.side == "user" and len(blocks) == 1 and blocks[0]["type"] == "text":
            value = blocks[0]["text"]
        content = encode_content(value)
        if not content.clean:
            for i in piece.indices:
                if not encode_content(form.content[i]).clean:
                    form.codes[i] = form.codes[i] or "surrogates"
            form.faithful = False
        own: JsonObject = {}
        if message.kind == "context":
            own["isMeta"] = True
        elif message.kind == "summary":
            own["isVisibleInTranscriptOnly"] = True
            own["isCompactSummary"] = True
        model: str | None = None
        if piece.side == "assistant":
            model = message.model if message.model and message.model.startswith("claude-") else _SYNTHETIC
            if model == _SYNTHETIC and message.model not in (None, _SYNTHETIC):
                self._notes.say("model-left-out", f"{message.model} is no model of this client's: written as {model}.")
            calls = any(b["type"] == "tool_use" for b in blocks)
            api: JsonObject = {
                "id": message_id,
                "type": "message",
                "role": "assistant",
                "model": model,
                "content": msgspec.Raw(content.json),
                "stop_reason": "tool_use" if calls else "end_turn",
                "stop_sequence": None,
            }
            if message.usage is not None:
                api["usage"] = _usage(message.usage)
        else:
            api = {"role": "user", "content": msgspec.Raw(content.json)}
        uuid = self._uuid(piece, form)
        sesh = self._stamp(piece, form, arranged, model)
        own["message"] = api
        self._chain.add(
            "assistant" if piece.side == "assistant" else "user", uuid, message.ts, own, sesh=sesh, content=content.json
        )
        form.stamped = True

    def _uuid(self, piece: Piece, form: _Form) -> str:
        message = piece.entry.message
        session = self._chain.envelope.session_id
        if piece.entry.first is None:
            return self._chain.uuid(ids.derive("retained", session, message.id, str(piece.at)))
        if form.stamped:
            return self._chain.uuid(ids.derive("more", session, message.id, str(piece.indices[0])))
        return self._chain.uuid(message.id)

    def _stamp(self, piece: Piece, form: _Form, arranged: Arranged, model: str | None) -> stamp.Stamp:
        entry, message = piece.entry, piece.entry.message
        if entry.first is None:
            return stamp.Stamp(retained=message.id)
        if form.stamped:
            return stamp.Stamp(stub=True)
        natural = {"assistant": "assistant", "result": "tool", "user": "user"}[piece.side]
        blocks: list[JsonObject] | None = None
        escaped: str | None = None
        kept_blocks = [b for i, b in enumerate(message.content) if form.dropped[i] is None]
        if not form.faithful or entry.pieces > 1:
            blocks = stamp.wire_blocks(kept_blocks)
            if not encode_content(blocks).clean:
                escaped, blocks = stamp.escape(blocks), None
        return stamp.Stamp(
            kind=message.kind or stamp.SAID,
            role=None if message.role == natural else message.role,
            model=None if message.model == model or message.model is None else message.model,
            turn_id=message.turn_id,
            blocks=blocks,
            escaped=escaped,
        )

    def _close(self, entry: Entry, form: _Form) -> None:
        if entry.first is None:
            return
        for i in range(len(entry.message.content)):
            item = entry.first + i
            if (kind := form.dropped[i]) is not None:
                self._book.dropped(item, kind)
            elif (code := form.codes[i]) is not None:
                self._book.changed(item, code)
            else:
                self._book.written(item)


def _result(call: str, content: JsonValue, is_error: bool | None) -> JsonObject:
    made: JsonObject = {"tool_use_id": call, "type": "tool_result", "content": content}
    if is_error is not None:
        made["is_error"] = is_error
    return made


def _usage(usage: Usage) -> JsonObject:
    return {
        "input_tokens": usage.input_tokens or 0,
        "cache_creation_input_tokens": usage.cache_write_tokens or 0,
        "cache_read_input_tokens": usage.cache_read_tokens or 0,
        "output_tokens": usage.output_tokens or 0,
    }
