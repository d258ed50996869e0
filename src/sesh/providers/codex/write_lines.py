"""The lines of a rollout that is being written: envelope, ordinals, stamps, and characters a strict reader refuses.

`{"timestamp", "ordinal"?, "type", "payload", "sesh"?}`. A line of a paginated file must have its ordinal, the last one
above all (formats/codex.md §7). Unknown top-level keys are tolerated and kept by every version (§4, measured again
with the stamp on 0.169). A stamp does not say again what its line's payload says (format/stamp.py, `rest`). Codex
refuses a line with a lone surrogate, so those become U+FFFD and the stamp keeps what was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final, TypeAlias

import msgspec

from sesh.format import jsontext
from sesh.format import stamp as stamps
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Message

_FIRST: Final = datetime.min.replace(tzinfo=UTC).timestamp()
_LAST: Final = datetime.max.replace(tzinfo=UTC).timestamp()
Times: TypeAlias = Mapping[str, int | None]
EPOCH: Final = "1970-01-01T00:00:00.000Z"


class Line(msgspec.Struct, kw_only=True, omit_defaults=True, gc=False):
    """A line's envelope. `metadata` is Codex's own, beside a payload that is written again."""

    timestamp: str
    ordinal: int | None = None
    type: str
    payload: JsonObject
    metadata: JsonValue = None
    sesh: JsonObject | None = None


class RolloutLines:
    """Lines in the order written. The first line is put in last, since it tells how many there are.

    `strict`: a line with a lone surrogate raises UnicodeEncodeError; else these are replaced.
    """

    def __init__(self, *, ordinals: bool, strict: bool = False) -> None:
        self.lines: Final[list[bytes]] = [b""]
        self._ordinals: Final = ordinals
        self._strict: Final = strict

    def add(
        self,
        ts: str,
        kind: str,
        payload: JsonObject,
        stamp: JsonObject | None = None,
        metadata: JsonValue = None,
    ) -> int:
        """One line; returns its length in bytes. `metadata` stands beside the payload."""
        lines = self.lines
        ordinal = len(lines) if self._ordinals else None
        line = Line(timestamp=ts, ordinal=ordinal, type=kind, payload=payload, metadata=metadata, sesh=stamp or None)
        data = _shorter(line, stamp) if stamp and "blocks" in stamp else None
        if data is None:
            data = jsontext.encode_any(line) if self._strict else _replaced(line)
        lines.append(data)
        return len(data)

    def again(self, record: JsonObject) -> None:
        """A record of unknown kind, as it was, but for its place."""
        if "ordinal" in record:
            record = {**record, "ordinal": len(self.lines)}
        self.lines.append(jsontext.dumps(jsontext.without_lone_surrogates(record)))

    def text(self, text: str) -> None:
        """A line that is no record, as it was: clients pass over it (formats/codex.md §4)."""
        self.lines.append(text.replace("\n", " ").encode("utf-8", "replace"))

    def begin(self, ts: str, payload: JsonObject, stamp: JsonObject | None = None) -> None:
        """The session_meta line."""
        ordinal = 0 if self._ordinals else None
        self.lines[0] = _replaced(
            Line(timestamp=ts, ordinal=ordinal, type="session_meta", payload=payload, sesh=stamp or None)
        )


def _shorter(line: Line, stamp: JsonObject) -> bytes | None:
    """The line with a stamp that refers to the long texts of its payload; None where it has none of the stamp's.

    None too where a lone surrogate stands in it: it is replaced, and then the text is no longer the one referred to.
    """
    rest = stamps.unsaid(stamp["blocks"], line.payload)
    if rest is None:
        return None
    whole = ((k, v) for k, v in stamp.items() if k != "blocks")
    shorter = {"rest": rest.blocks, "same": rest.same, **dict(whole)}
    try:
        return jsontext.encode_any(msgspec.structs.replace(line, sesh=shorter))
    except UnicodeEncodeError:
        return None


def _replaced(line: Line) -> bytes:
    """The line, with U+FFFD for each lone surrogate."""
    try:
        return jsontext.encode_any(line)
    except UnicodeEncodeError:
        return jsontext.encode_any(jsontext.without_lone_surrogates(msgspec.to_builtins(line)))


def has_surrogates(value: object) -> bool:
    """Whether a JSON value, or a struct, holds a lone surrogate and cannot be written as it is."""
    try:
        jsontext.encode_any(value)
    except UnicodeEncodeError:
        return True
    return False


def times_of(messages: Iterable[Message]) -> Times:
    """What `unix_ms` says of each message's time: several ask for the same one, and it is read once."""
    return {m.ts: unix_ms(m.ts) for m in messages}


def unix_ms(ts: str) -> int | None:
    """Milliseconds since 1970 of an ISO time (UTC where it names no zone), or None where it is none.

    None too where it falls in the year 0 or 10000 by UTC, which no ISO time names.
    """
    try:
        time = datetime.fromisoformat(ts)
    except ValueError:
        return None
    seconds = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return int(seconds * 1000) if _FIRST <= seconds <= _LAST else None


def iso(ms: int) -> str:
    """The ISO time that Codex writes, in UTC with milliseconds, of milliseconds since 1970."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
