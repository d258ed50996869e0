"""Lines of a rollout as typed records: each line decoded once, into what the reader needs of it and no more.

Three shapes stand in files (formats/codex.md §3, §7, §11): the envelope `{timestamp, type, payload}` (0.36 and later),
the same with an `ordinal` (paginated, 0.155 and later), and bare items under a header (0.28 and before). A line that is
none of these is kept as `Strange`, text that is no JSON as `Unreadable`.
"""

# No `from __future__ import annotations` here: it makes text of each field's type, which msgspec then has to evaluate.
# That is half of the time that this module takes to load, and no small conversion goes without it.

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import msgspec

from sesh.format import jsontext, lines
from sesh.format.json import JsonObject, JsonValue
from sesh.providers.codex.usage import AnyCounts, AnyInfo
from sesh.report.ledger import Ledger
from sesh.report.reports import SKIPPED, UNKNOWN, USED, LineBook

# Field types are `Any` where a wrong type must not cost the line: what is used is looked at where it is used.


class Line(msgspec.Struct, kw_only=True, tag_field="type", frozen=True, gc=False):
    """What all enveloped lines share."""

    timestamp: Any = None
    ordinal: Any = None
    sesh: Any = None


class SessionMeta(Line, tag="session_meta", frozen=True, kw_only=True):
    """The header of a file; a second one in the same file is the copied header of a fork's parent."""

    payload: JsonObject


class TurnContextPayload(msgspec.Struct, frozen=True):
    """`turn_id` is absent up to 0.87."""

    turn_id: Any = None
    model: Any = None
    cwd: Any = None


class TurnContext(Line, tag="turn_context", frozen=True, kw_only=True):
    """The settings of a turn, or of a step of it (≤0.87 write one a step)."""

    payload: TurnContextPayload


class ResponseItem(Line, tag="response_item", frozen=True, kw_only=True):
    """What the model is sent or said. `metadata` (0.155+) stands beside the payload, not in it."""

    payload: JsonObject
    metadata: Any = None


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed of `item_completed.item` to see whether a response_item says the same."""

    type: str
    id: Any = None
    content: Any = None
    text: Any = None
    summary_text: Any = None
    raw_content: Any = None
    status: Any = None
    exit_code: Any = None
    source: Any = None
    success: Any = None
    receiver_thread_ids: Any = None
    agent_thread_id: Any = None
    query: Any = None
    action: Any = None


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed of `event_msg.payload`; which fields a kind has: formats/codex-catalogue.md."""

    type: str
    thread_id: Any = None
    turn_id: Any = None
    call_id: Any = None
    message: Any = None
    text: Any = None
    info: AnyInfo = None
    item: Item | None = None
    num_turns: Any = None
    success: Any = None
    exit_code: Any = None
    status: Any = None
    model_context_window: Any = None
    thread_name: Any = None
    query: Any = None
    action: Any = None


class EventMsg(Line, tag="event_msg", frozen=True, kw_only=True):
    """What people are shown, and the turn's markers."""

    payload: Event


class Compacted(Line, tag="compacted", frozen=True, kw_only=True):
    """From here on the model is sent something else than all that came before (§9)."""

    payload: JsonObject


class UsageRecordPayload(msgspec.Struct, frozen=True, kw_only=True):
    """`usage` is one step's; the cumulative ones are the client's own sums."""

    turn_id: Any = None
    usage: AnyCounts = None


class UsageRecord(Line, tag="token_usage_record", frozen=True, kw_only=True):
    """Tokens of one response (0.155+)."""

    payload: UsageRecordPayload


class WorldState(Line, tag="world_state", frozen=True, kw_only=True):
    """The client's notes on what it told the model of its surroundings."""


class Mail(Line, tag="inter_agent_communication", frozen=True, kw_only=True):
    """Mail between agents as a record of its own: before `agent_message`, and still read by 0.169 (mail.py)."""

    payload: JsonObject


class MailMetadata(Line, tag="inter_agent_communication_metadata", frozen=True, kw_only=True):
    """Whether the agent's mail that follows starts a turn."""


class ToolsUpdated(Line, tag="dynamic_tools_updated", frozen=True, kw_only=True):
    """Known to the 0.169 binary, not produced by it."""


class RiskScore(Line, tag="security_risk_score", frozen=True, kw_only=True):
    """Known to the 0.169 binary, not produced by it."""


class SeshLink(Line, tag="sesh-link", frozen=True, kw_only=True):
    """What sesh leaves at the end of a copy with grafted turns: `payload.sesh` is the link."""

    payload: JsonObject


class BareState(msgspec.Struct, frozen=True, kw_only=True):
    """`{"record_type": "state"}` of 0.28."""


class Strange(msgspec.Struct, frozen=True, kw_only=True):
    """JSON that is no record sesh knows, or one whose payload is not of the shape that its kind has."""

    value: JsonValue
    source_type: str
    timestamp: Any = None
    ordinal: Any = None


class Unreadable(msgspec.Struct, frozen=True, kw_only=True):
    """Text that is no JSON."""

    text: str
    reason: str


Enveloped: TypeAlias = (
    SessionMeta
    | TurnContext
    | ResponseItem
    | EventMsg
    | Compacted
    | UsageRecord
    | WorldState
    | Mail
    | MailMetadata
    | ToolsUpdated
    | RiskScore
    | SeshLink
)
AnyLine: TypeAlias = Enveloped | BareState | Strange | Unreadable

ITEM_TYPES: Final = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "web_search_call",
        "image_generation_call",
        "tool_search_call",
        "tool_search_output",
        "ghost_snapshot",
    }
)
"""What a bare line of 0.28 may be; the envelope allows any type."""

_decode: Final = msgspec.json.Decoder(Enveloped).decode


class Text(msgspec.Struct, frozen=True, gc=False):
    """The text that records stand in: its file's name and account, and the bytes themselves."""

    file: str
    ledger: Ledger
    data: bytes


class Record(msgspec.Struct, frozen=True, gc=False):
    """One record of a file: where it stands, and what it is.

    `item` is its number in the file's ledger; `number` is the line's, from 1; `second` counts records that share a line
    (0 for the first). What stands there is `text.data[start:stop]`; no copy of it is kept, and the collector need not
    look here.
    """

    text: Text
    item: int
    number: int
    line: AnyLine
    start: int
    stop: int
    second: int = 0

    @property
    def place(self) -> str:
        """`line:N`, or `line:N.K` for a further record on the same line."""
        return f"line:{self.number}.{self.second}" if self.second else f"line:{self.number}"

    def whole(self) -> JsonValue:
        """Everything that stands there, decoded once more: for the few records that are kept whole."""
        if isinstance(self.line, Strange):
            return self.line.value
        return jsontext.loads(self.text.data[self.start : self.stop])

    def ordinal(self) -> int | None:
        """The paginated file's own count, where the line has one."""
        found = getattr(self.line, "ordinal", None)
        return found if isinstance(found, int) and not isinstance(found, bool) else None


class Closing:
    """The ledger, by record instead of by file and item."""

    def __init__(self, book: LineBook) -> None:
        self.book = book

    def used(self, record: Record) -> None:
        """The record went into a message or into the thread's own fields."""
        record.text.ledger.close(record.item, USED)

    def unknown(self, record: Record) -> None:
        """The record is kept whole in an unknown block."""
        record.text.ledger.close(record.item, UNKNOWN)

    def skipped(self, record: Record, kind: str) -> None:
        """The record is state or an echo: counted under `kind`."""
        record.text.ledger.close(record.item, SKIPPED + kind)

    def note(self, code: str, text: str, record: Record) -> None:
        """Say something about a record."""
        self.book.note(code, text, file=record.text.file, line=record.number)


def read(data: bytes, file: str, book: LineBook) -> list[Record]:
    """All records of a file, opened in the ledger; blank lines and a torn last line are closed as skipped."""
    found: list[Record] = []
    ledger = book.ledger(file)
    text, item = Text(file, ledger, data), len(ledger)
    for number, (start, stop) in enumerate(lines.spans(data), 1):
        try:
            line: AnyLine = _decode(data[start:stop])
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            ledger.open(item - len(ledger))
            found.extend(_odd(data[start:stop], number, stop < len(data), file, book))
            item = len(ledger)
        else:
            found.append(Record(text, item, number, line, start, stop))
            item += 1
    ledger.open(item - len(ledger))  # not line by line: 50,000 calls for 100 MB
    return found


def one(data: bytes) -> AnyLine | None:
    """A single line, where it is an ordinary one."""
    try:
        found: AnyLine = _decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    return found


def _odd(raw: bytes, number: int, ended: bool, file: str, book: LineBook) -> Iterator[Record]:
    """The records of a line that is not one record as it should be. `ended`: it ends in a line feed."""
    parts = jsontext.pieces(raw)
    if not parts:
        book.skipped(file, book.open(file), "blank")
        return
    if len(parts) > 1:
        book.note("shared-line", f"{len(parts)} records stand on one line.", file=file, line=number)
    for second, part in enumerate(parts):
        item = book.open(file)
        if not part.readable and not ended and second == len(parts) - 1:
            book.skipped(file, item, "torn-line")
            book.note("torn-last-line", "The last line is cut off and was left out.", file=file, line=number)
            continue
        data = part.text.encode("utf-8", "surrogatepass")
        text = Text(file, book.ledger(file), data)
        if not part.readable:
            reason = part.flaw or "not JSON"
            book.note("unreadable-line", f"This is no JSON ({reason}).", file=file, line=number)
            line: AnyLine = Unreadable(text=part.text, reason=reason)
            yield Record(text, item, number, line, 0, len(data), second)
            continue
        if part.flaw and part.flaw != "shares its line":
            book.note("repaired-bytes", f"The line was repaired: {part.flaw}.", file=file, line=number)
        yield Record(text, item, number, typed(part.value), 0, len(data), second)


def typed(value: JsonValue) -> AnyLine:
    """A decoded JSON value as a record."""
    if not isinstance(value, dict):
        return Strange(value=value, source_type="value")
    kind = value.get("type")
    if "payload" in value:
        return _enveloped(value) or _enveloped(_with_readable_keys(value)) or _strange(value)
    if "record_type" in value:
        return BareState()
    stamp = value.get("sesh")
    if isinstance(kind, str) and kind in ITEM_TYPES:
        return ResponseItem(payload={k: v for k, v in value.items() if k != "sesh"}, sesh=stamp)
    if kind is None and isinstance(value.get("id"), str) and "timestamp" in value:
        return SessionMeta(payload=value, timestamp=value["timestamp"], sesh=stamp)
    return _strange(value)


def _enveloped(value: JsonObject) -> Enveloped | None:
    try:
        made: Enveloped = jsontext.convert(value, Enveloped)
    except msgspec.ValidationError:
        return None
    return made


_KEPT_WHOLE: Final = ("session_meta", "response_item", "compacted", "inter_agent_communication", "sesh-link")
"""Lines whose payload is kept as it is; of all others only fields are read, by their names."""
_DEPTH: Final = 4
"""How deep fields lie in a line: line, payload, `info` or `item`, counts."""


def _with_readable_keys(value: JsonObject) -> JsonObject:
    """A line without the keys that are no text (lone surrogates): msgspec passes over no such key of a struct.

    Nobody reads a field of such a name, and one must not cost the line.
    """
    whole = value.get("type") in _KEPT_WHOLE
    return {k: v if whole else _readable(v, _DEPTH - 1) for k, v in value.items() if not jsontext.has_lone_surrogate(k)}


def _readable(value: JsonValue, depth: int) -> JsonValue:
    if not isinstance(value, dict) or depth == 0:
        return value
    return {k: _readable(v, depth - 1) for k, v in value.items() if not jsontext.has_lone_surrogate(k)}


def _strange(value: JsonObject) -> Strange:
    kind = value.get("type")
    payload = value.get("payload")
    within = payload.get("type") if isinstance(payload, dict) else None
    name = "/".join(str(k) for k in (kind, within) if isinstance(k, str)) or "record"
    return Strange(value=value, source_type=name, timestamp=value.get("timestamp"), ordinal=value.get("ordinal"))
