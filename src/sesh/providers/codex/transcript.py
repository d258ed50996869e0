"""The messages of a thread as they are read: made, numbered, put in a turn, and given their tokens."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from sesh.format import ids, stamp
from sesh.format.blocks import AnyBlock, FileChangeBlock, ToolCallBlock, ToolResultBlock
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Kind, Message, Provenance, Role, Usage
from sesh.providers.codex import usage
from sesh.providers.codex.records import Record, Unreadable
from sesh.providers.codex.turns import Turns
from sesh.report.reports import LineBook

PROVIDER: Final = "codex"
_ROLES: Final[dict[str | None, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_KINDS: Final[dict[str | None, Kind]] = {"context": "context", "summary": "summary", "notice": "notice"}


class Origin(NamedTuple):
    """Where a stretch of records comes from.

    session: the thread whose file it is. prefix: put before `line:N` in ids, "" for the thread's first file.
    inherited: an earlier thread's history, which this thread goes on from and does not count again.
    """

    session: str
    prefix: str
    inherited: bool = False


class Transcript:
    """The messages so far, and what must be known to make the next one.

    `key` is what message ids derive from: the session, or `parent/child` (the same rollout read as a child gives other
    ids than read for itself). `origin` is where the record at hand comes from.
    """

    def __init__(
        self, *, session: str, key: str, thread_id: str, start: str, keep_raw: bool, run_id: str | None
    ) -> None:
        self.session = session
        self.key = key
        self._ids = ids.Messages(PROVIDER, key)
        self.thread_id = thread_id
        self.keep_raw = keep_raw
        self.run_id = run_id
        self.origin = Origin(session, "")
        self.messages: list[Message] = []
        self.model: str | None = None
        self.ts = start
        self.turns = Turns()
        self.vendor_ids: dict[str, str] = {}  # an item's own id -> the message
        self.calls: dict[str, str] = {}  # a call's id -> the message
        self._keys: set[str] = set()
        self._speaker: int | None = None  # the open turn's latest assistant message
        self._owed: Usage | None = None  # tokens of a turn in which no assistant message has come yet

    def branch(self) -> Transcript:
        """A transcript for records that once followed here and were superseded: same state, no messages."""
        other = Transcript(
            session=self.session,
            key=self.key,
            thread_id=self.thread_id,
            start=self.ts,
            keep_raw=self.keep_raw,
            run_id=self.run_id,
        )
        other.origin = self.origin
        other.model = self.model
        other.turns.current, other.turns.marked = self.turns.current, self.turns.marked
        other.turns.are_marked = self.turns.are_marked
        other._keys = self._keys  # shared: ids are unique over the thread and its branches
        return other

    def time(self, value: Any) -> None:
        """The time of the record at hand; one without a time takes its neighbour's."""
        if isinstance(value, str) and len(value) >= 16 and value[4] == value[7] == "-" and value[13] == ":":
            self.ts = value

    def say(
        self,
        record: Record,
        role: Role,
        kind: Kind | None,
        content: list[AnyBlock],
        *,
        turn: str | None = None,
        vendor_id: Any = None,
        part: int = 0,
        provider_data: JsonObject | None,
        mark: stamp.Stamp = stamp.EMPTY,
        says: JsonValue = None,
    ) -> Message:
        """Add a message.

        vendor_id: the record's own id, if it is the first to bear it. part: which message of its record this is.
        mark: what our writer left on the line; it goes before what the record itself says. says: the line's payload,
        which the mark may refer to.
        """
        origin = self.origin
        source = vendor_id if vendor_id and isinstance(vendor_id, str) else None
        place = origin.prefix + record.place
        # The record's own id where it is the first to bear it: mock servers and resumed threads repeat ids.
        key = source if source is not None and source not in self._keys else f"{place}#{part}" if part else place
        self._keys.add(key)
        message_id = self._ids.id(key)
        model = self.model if role == "assistant" else None
        ts = self.ts
        if mark is not stamp.EMPTY:
            content = _stamped(stamp.blocks_of(mark, says) or content, mark)
            model = model if mark.model is None else mark.model
            role = _ROLES.get(mark.role, role)
            kind = None if mark.kind == stamp.SAID else _KINDS.get(mark.kind, kind)
            turn = mark.turn_id or turn
            ts = ts if mark.ts is None else mark.ts
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
                provider=PROVIDER,
                channel="session-file",
                session_id=origin.session,
                source_id=source or place,
            ),
            provider_data=provider_data,
            raw=record.whole() if self.keep_raw and not isinstance(record.line, Unreadable) else None,
        )
        self.messages.append(message)
        if source is not None:
            self.vendor_ids[source] = message_id
        if role == "assistant" or mark is not stamp.EMPTY:
            self._note_calls(content, message_id)
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
        self._note_calls(content, last.id)
        return last

    def _note_calls(self, content: list[AnyBlock], message_id: str) -> None:
        for block in content:
            if (type(block) is ToolCallBlock or type(block) is FileChangeBlock) and block.call_id:
                self.calls[block.call_id] = message_id

    def change(self, index: int, **fields: Any) -> Message:
        """A message with some fields changed, in its place."""
        self.messages[index] = changed = msgspec.structs.replace(self.messages[index], **fields)
        return changed

    # tokens

    def spend(self, step: usage.Tokens) -> None:
        """Give a step's tokens to the turn's latest assistant message, or to the next one that comes."""
        if self._speaker is None:
            self._owed = usage.added(self._owed, step.canonical())
        else:
            self._charge(self._speaker, step.canonical())

    def end_turn(self) -> None:
        """What comes now is another turn's."""
        self._speaker = None

    def settle(self, book: LineBook) -> None:
        """The end: tokens that no assistant message could take go to the last message, whoever said it."""
        if self._owed is not None:
            if self.messages:
                self._charge(len(self.messages) - 1, self._owed)
            else:
                book.note("usage-unknown", f"{self._owed} could be given to no message.")
            self._owed = None

    def _charge(self, index: int, more: Usage) -> None:
        message = self.messages[index]
        self.messages[index] = msgspec.structs.replace(message, usage=usage.added(message.usage, more))

    def name_open_calls(self, book: LineBook) -> None:
        """Say which calls have no result, and which results have no call."""
        calls: dict[str, str] = {}
        for message in self.messages:
            for block in message.content:
                if type(block) is ToolResultBlock:
                    known = calls.pop(block.call_id, None) is not None or block.call_id in self.calls
                    if not known:
                        text = f"The result {block.call_id} has no call in this history."
                        book.note("orphan-result", text, message_id=message.id)
                elif (type(block) is ToolCallBlock or type(block) is FileChangeBlock) and block.call_id:
                    calls[block.call_id] = message.id
        for call_id, message_id in calls.items():
            book.note("open-call", f"The call {call_id} never got a result.", message_id=message_id)


def _stamped(content: list[AnyBlock], mark: stamp.Stamp) -> list[AnyBlock]:
    if mark.error is None:
        return content
    return [msgspec.structs.replace(b, is_error=mark.error) if isinstance(b, ToolResultBlock) else b for b in content]
