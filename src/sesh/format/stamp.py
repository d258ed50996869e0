"""The `sesh` key on a vendor's line: what the vendor's own fields cannot say, kept for the way back.

A writer that has to change a block (a renamed tool, a search written as a call) puts the block's canonical form
beside it. Both vendors tolerate unknown top-level keys on a line and keep them on disk (formats/claude-code.md §2,
formats/codex.md §4); `codex migrate-rollouts` drops them, and then the ordinary mapping is what remains.

    {"type": "assistant", ..., "sesh": {"kind": "notice", "model": "gpt-6", "blocks": [...]}}

Keys, all optional: `kind`, `role`, `model`, `turnId`, `ts` (a time the writer had to move), `blocks` (the message's
canonical blocks in wire form), `retained` (this line repeats an earlier message for the window after a compaction: that
message's canonical id; on a boundary: the summary before it, which is not sent), `stub` (the writer made this line up
to keep calls and results paired, or to be shown). `more`: this line goes on with the message that the line before began
(the client knows no message of several parts). `error`: the result's `isError`, where the client has no field for it.
`escaped`: `blocks` as JSON text in pure ASCII, where a block holds lone surrogates that the client would refuse.
`thread`: on the first line, the canonical thread's title, creation time and metadata. `window`: on the line of a
compaction, the canonical `window`, each message by how many messages before the summary it stands (0: the summary
itself); on a text that a client cut for a window, itself alone (Claude Code). `child`: the vendor's id of a child
thread that this line names, and `origin`: how many messages back the one it came from stands (1: the one before this
line). `usage`: the message's, where the client's own counts do not say all of it. `kind` may be `said`: conversation,
whatever the text looks like to the reader.

`rest` and `same`, in place of `blocks`: the blocks without their long texts that the line says already, and where on
the line each of these stands.

    "rest": [{"type": "tool_result", "callId": "c1", "output": ""}],
    "same": [{"at": [0, "output"], "of": [0, "content"], "sum": 2790214651,
              "put": "Chunk ID: 1\\n...Output:\\n", "cut": "Exit code 1\\n"}]

`at` leads to the empty text in `rest` that is to be filled, `of` to the text in the line's own content (for Claude
Code `message.content`, for Codex `payload`), and `sum` tells that it is that text (`checksum`); `put` stands before it
in the block alone, `cut` before it on the line alone. Each text is referred to once, so that a small stamp cannot
become a large message.
Where another text stands there, because somebody changed, moved or removed one, nothing is restored, and the ordinary
mapping of what the line says now is what remains. A stamp with `blocks` is read as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from sesh.format import jsontext, wire
from sesh.format.blocks import AnyBlock
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Usage

KEY: Final = "sesh"
SAID: Final = "said"
Way: TypeAlias = list[str | int]
"""How to go from a value to one inside it: keys and indices."""
_Own: TypeAlias = dict[int, Any]

LONG: Final = 200
"""Texts of this many characters are not said twice: for shorter ones `same` would be as long."""
_DEPTH: Final = 6
"""How deep a long text is looked for, which is as deep as the vendors' own shapes go (an image of an output's part)."""


class Same(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A text of a block that the line says already: see the module."""

    at: Way
    of: Way
    sum: int = 0
    put: str = ""
    cut: str = ""


def checksum(text: str) -> int:
    """A number that tells a text from others: of its length, its beginning and its end.

    The middle is not asked, since to add up every output would take a tenth of a writing. What somebody changed there,
    to the same length, is changed in the restored block as well.
    """
    from zlib import crc32  # only stamps that refer to something need it

    ends = text if len(text) <= LONG else text[: LONG // 2] + text[-LONG // 2 :]
    return crc32(ends.encode("utf-8", "surrogatepass"), len(text) & 0xFFFFFFFF)


class Rest(NamedTuple):
    """What a stamp says in place of whole blocks: see the module."""

    blocks: list[JsonObject]
    same: list[Same]


class Stamp(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """What a writer left on a line for the reader of the same line."""

    kind: str | None = None
    role: str | None = None
    model: str | None = None
    turn_id: str | None = None
    ts: str | None = None
    blocks: list[JsonObject] | None = None
    rest: list[JsonObject] | None = None
    same: list[Same] | None = None
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
    values: list[JsonObject] = msgspec.to_builtins(blocks)
    for value in values:
        value.pop("providerData", None)
    return values


def escape(blocks: Sequence[JsonObject]) -> str:
    """`blocks` as text that any JSON reader takes, lone surrogates and all."""
    return jsontext.escaped(list(blocks)).decode("ascii")


def unsaid(blocks: Sequence[JsonObject], content: JsonValue) -> Rest | None:
    """`blocks` without the long texts that a line of this content says; None where it says none of them."""
    there = {text[-LONG:]: (of, text) for of, text in _long_texts(content)}
    if not there:
        return None
    rest, same = list(blocks), []
    own: _Own = {}
    for at, text in _long_texts(rest):
        found = there.get(text[-LONG:])
        if found is None:
            continue
        of, said = found
        cut = _cut(text, said)
        if cut is not None:
            same.append(Same(at, of, checksum(said), text[: len(text) - len(said) + cut], said[:cut]))
            _fill(rest, at, "", own)
            del there[text[-LONG:]]
    return Rest(rest, same) if same else None


def _cut(text: str, said: str) -> int | None:
    """How many characters the line has before what it shares with a block's text; None where they share no end.

    The line's whole text ends the block's, or it does but for its first line; or the block's text ends the line's under
    a short heading there, or does but for its own first line.
    """
    if text.endswith(said):
        return 0
    if len(said) - len(text) <= LONG and said.endswith(text):
        return len(said) - len(text)
    first = said.find("\n") + 1
    if first and text.endswith(said[first:]):
        return first
    heading = len(said) - len(text) + text.find("\n") + 1
    return heading if 0 < heading <= LONG and text.endswith(said[heading:]) else None


def _long_texts(value: JsonValue) -> list[tuple[Way, str]]:
    found: list[tuple[Way, str]] = []
    if isinstance(value, str):
        if len(value) >= LONG:
            found.append(([], value))
    else:
        _look(value, [], found)
    return found


def _look(value: JsonValue, way: Way, found: list[tuple[Way, str]]) -> None:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if isinstance(inner, str):
            if len(inner) >= LONG:
                found.append(([*way, key], inner))
        elif isinstance(inner, (dict, list)) and len(way) < _DEPTH:
            _look(inner, [*way, key], found)


def blocks_of(stamp: Stamp, content: JsonValue = None) -> list[AnyBlock] | None:
    """The canonical blocks that a stamp restores on a line of this content.

    None where it holds none, somebody edited them into no blocks, or the line has not what it refers to.
    """
    whole = whole_blocks(stamp, content)
    if whole is not None:
        return wire.decode_blocks(whole)
    if stamp.escaped is None:
        return None
    try:
        return wire.decode_blocks(jsontext.loads(stamp.escaped))
    except jsontext.UnreadableJson:
        return None


def whole_blocks(stamp: Stamp, content: JsonValue) -> list[JsonObject] | None:
    """A stamp's `blocks`, or its `rest` with the texts that the line says; None where there are none of these."""
    if stamp.rest is None or not stamp.same:
        return stamp.blocks
    if len({tuple(same.of) for same in stamp.same}) < len(stamp.same):
        return None
    blocks: list[JsonObject] = list(stamp.rest)
    own: _Own = {}
    for same in stamp.same:
        said = content
        for key in same.of:
            said = _inside(said, key)
        if not isinstance(said, str) or checksum(said) != same.sum or not said.startswith(same.cut):
            return None
        if not _fill(blocks, same.at, same.put + said[len(same.cut) :], own):
            return None
    return blocks


def _fill(blocks: list[JsonObject], at: Way, text: str, own: _Own) -> bool:
    """Put a text in its place, in copies of what is around it; False where there is no text to take its place.

    own: the copies that were made already, by their id; a list of 20,000 parts is copied once, not 20,000 times.
    """
    here: Any = blocks
    for key in at[:-1]:
        inner = _inside(here, key)
        if not isinstance(inner, (dict, list)):
            return False
        if id(inner) not in own:
            here[key] = inner = inner.copy()
            own[id(inner)] = inner
        here = inner
    if not at or not isinstance(_inside(here, at[-1]), str):
        return False
    here[at[-1]] = text
    return True


def _inside(value: Any, key: str | int) -> Any:
    """What stands under a key or an index; None where there is no such thing."""
    if isinstance(value, dict):
        return value.get(key)
    return value[key] if isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value) else None
