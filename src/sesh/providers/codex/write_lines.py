"""The lines of a rollout that is being written: envelope, ordinals, stamps, and characters a strict reader refuses.

`{"timestamp", "ordinal"?, "type", "payload", "sesh"?}`. A line of a paginated file must have its ordinal, the last one
above all (formats/codex.md §7). Unknown top-level keys are tolerated and kept by every version (§4, measured again
with the stamp on 0.169). Codex refuses a line with a lone surrogate, so those become U+FFFD and the stamp keeps what
was.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import msgspec

from sesh.format import jsontext
from sesh.format import stamp as stamps
from sesh.format.json import JsonObject

_FIRST: Final = datetime.min.replace(tzinfo=UTC).timestamp()
_LAST: Final = datetime.max.replace(tzinfo=UTC).timestamp()
EPOCH: Final = "1970-01-01T00:00:00.000Z"


class RolloutLines:
    """Lines in the order written. The first line is put in last, since it tells how many there are."""

    def __init__(self, *, ordinals: bool) -> None:
        self.lines: Final[list[bytes]] = [b""]
        self._ordinals: Final = ordinals

    def add(
        self,
        ts: str,
        kind: str,
        payload: JsonObject,
        stamp: JsonObject | None = None,
        more: JsonObject | None = None,
    ) -> None:
        """One line. `more` holds other keys of the envelope (`metadata`)."""
        self.lines.append(self._encode(len(self.lines), ts, kind, payload, stamp, more))

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
        self.lines[0] = self._encode(0, ts, "session_meta", payload, stamp, None)

    def _encode(
        self,
        ordinal: int,
        ts: str,
        kind: str,
        payload: JsonObject,
        stamp: JsonObject | None,
        more: JsonObject | None,
    ) -> bytes:
        record: JsonObject = {"timestamp": ts}
        if self._ordinals:
            record["ordinal"] = ordinal
        record["type"] = kind
        record["payload"] = payload
        if more:
            record |= more
        if stamp:
            record[stamps.KEY] = stamp
        try:
            return jsontext.encode_any(record)
        except UnicodeEncodeError:
            return jsontext.encode_any(jsontext.without_lone_surrogates(record))


def has_surrogates(value: object) -> bool:
    """Whether a JSON value, or a struct, holds a lone surrogate and cannot be written as it is."""
    try:
        jsontext.encode_any(value)
    except UnicodeEncodeError:
        return True
    return False


def stamp_of(stamp: stamps.Stamp) -> JsonObject | None:
    """A stamp as it stands on the line; None where it says nothing. Blocks with lone surrogates go in as text."""
    value: JsonObject = msgspec.to_builtins(stamp)
    if not value:
        return None
    blocks = value.get("blocks")
    if blocks is not None and has_surrogates(blocks):
        del value["blocks"]
        value["escaped"] = stamps.escape(blocks)
    return value


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
