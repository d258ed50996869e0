"""The `sesh` key on a vendor's line: what the vendor's own fields cannot say, kept for the way back.

A writer that has to change a block (a renamed tool, a search written as a call) puts the block's canonical form
beside it. Both vendors tolerate unknown top-level keys on a line and keep them on disk (formats/claude-code.md §2,
formats/codex.md §4); `codex migrate-rollouts` drops them, and then the ordinary mapping is what remains.

    {"type": "assistant", ..., "sesh": {"kind": "notice", "model": "gpt-6", "blocks": [...]}}

Keys, all optional: `kind`, `role`, `model`, `turnId`, `ts` (a time the writer had to move), `blocks` (the message's
canonical blocks in wire form), `retained` (this line repeats an earlier message for the window after a compaction:
that message's canonical id), `stub` (the writer made this line up to keep calls and results paired, or to be shown).
`more`: this line goes on with the message that the line before began (the client knows no message of several parts).
`error`: the result's `isError`, where the client has no field for it. `escaped`: `blocks` as JSON text in pure ASCII,
where a block holds lone surrogates that the client would refuse. `thread`: on the first line, the canonical thread's
title, creation time and metadata. `window`: on the line of a compaction, the canonical `window`, each message by how
many messages before the summary it stands (0: the summary itself). `child`: the vendor's id of a child thread that this
line names, and `origin`: how many messages back the one it came from stands (1: the one before this line). `usage`: the
message's, where the client's own counts do not say all of it. `kind` may be `said`: conversation, whatever the text
looks like to the reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from sesh.format import jsontext, wire
from sesh.format.blocks import AnyBlock
from sesh.format.json import JsonObject
from sesh.format.message import Usage

KEY: Final = "sesh"
SAID: Final = "said"


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
    more: bool | None = None
    error: bool | None = None
    escaped: str | None = None
    thread: JsonObject | None = None
    window: list[int] | None = None
    child: str | None = None
    origin: int | None = None
    usage: Usage | None = None


EMPTY: Final = Stamp()


def read(value: object) -> Stamp:
    """The stamp on a decoded line, or an empty one where there is none or it is not sesh's."""
    try:
        return jsontext.convert(value, Stamp) if isinstance(value, dict) else EMPTY
    except msgspec.ValidationError:
        return EMPTY


def wire_blocks(blocks: Sequence[AnyBlock]) -> list[JsonObject]:
    """Blocks as a stamp holds them: wire form, without `providerData`, which is never written into another's file."""
    return [_stripped(b) for b in msgspec.to_builtins(blocks)]


def _stripped(value: Any) -> Any:
    if isinstance(value, dict) and "providerData" in value:
        return {k: v for k, v in value.items() if k != "providerData"}
    return value


def escape(blocks: Sequence[JsonObject]) -> str:
    """`blocks` as text that any JSON reader takes, lone surrogates and all."""
    return jsontext.escaped(list(blocks)).decode("ascii")


def blocks_of(stamp: Stamp) -> list[AnyBlock] | None:
    """The canonical blocks that a stamp restores; None where it holds none, or somebody edited them into no blocks."""
    if stamp.blocks is not None:
        return wire.decode_blocks(stamp.blocks)
    if stamp.escaped is None:
        return None
    try:
        return wire.decode_blocks(jsontext.loads(stamp.escaped))
    except jsontext.UnreadableJson:
        return None
