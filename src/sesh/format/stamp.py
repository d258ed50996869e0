"""The `sesh` key on a vendor's line: what the vendor's own fields cannot say, kept for the way back.

A writer that has to change a block (a renamed tool, a search written as a call) puts the block's canonical form
beside it. Both vendors tolerate unknown top-level keys on a line and keep them on disk (formats/claude-code.md §2,
formats/codex.md §4); `codex migrate-rollouts` drops them, and then the ordinary mapping is what remains.

    {"type": "assistant", ..., "sesh": {"kind": "notice", "model": "gpt-6", "blocks": [...]}}

Keys, all optional: `kind`, `role`, `model`, `turnId`, `ts` (a time the writer had to move), `blocks` (the message's
canonical blocks in wire form), `retained` (this line repeats an earlier message for the window after a compaction:
that message's canonical id), `stub` (the writer made this line up to keep calls and results paired).
"""

from __future__ import annotations

from typing import Final

import msgspec

from sesh.format.json import JsonObject

KEY: Final = "sesh"


class Stamp(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """What a writer left on a line for the reader of the same line."""

    kind: str | None = None
    role: str | None = None
    model: str | None = None
    turn_id: str | None = None
    ts: str | None = None
    blocks: list[JsonObject] | None = None
    retained: str | None = None
    stub: bool | None = None


EMPTY: Final = Stamp()


def read(value: object) -> Stamp:
    """The stamp on a decoded line, or an empty one where there is none or it is not sesh's."""
    try:
        return msgspec.convert(value, Stamp) if isinstance(value, dict) else EMPTY
    except msgspec.ValidationError:
        return EMPTY
