"""The link between a session and the one that sesh made from it: what was there then, byte for byte and word for word.

The whole record stands in sesh's own book (`book.py`). A short form of it, the stamp, stands in the file that was
made (Codex: `session_meta.payload.sesh`, or a `sesh-link` line; Claude Code: a `sesh-link` line), so that a session
carries its way back along even where the book is missing. `codex migrate-rollouts --apply` drops the stamp.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from sesh.format import ids, jsontext, lines
from sesh.format.json import JsonObject, JsonValue

VERSION: Final = 1


class End(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A session at one end of a link. `path` and `home` are absolute and may be out of date; the id is what counts."""

    provider: str
    session_id: str
    path: str
    home: str
    version: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What tells one session from another."""
        return (self.provider, self.session_id)

    def __str__(self) -> str:
        return f"{self.provider}:{self.session_id}"


class Extent(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How far a session reached at one moment.

    `size` bytes in `lines` lines, with this `sha256`. `messages` counts what was said on the main thread (contexts left
    out), `prompts_at` are the places among them of what a human said, `last` is the latest time. `marks` are short
    digests of the messages, in order, packed in base64: by them the messages are known again where a client has
    rewritten the file.
    """

    lines: int
    size: int
    sha256: str
    messages: int
    prompts_at: list[int] = []
    last: str | None = None
    marks: str = ""

    @property
    def prompts(self) -> int:
        """How many turns a human had begun."""
        return len(self.prompts_at)


class Link(
    msgspec.Struct, frozen=True, kw_only=True, rename={"source": "from"}, omit_defaults=True, tag_field="v", tag=1
):
    """One act of sesh: `source` was read as far as `read` says, and `to` was made, reaching as far as `made` says.

    kind: `handoff` made the whole conversation anew; `merge` put turns of `source` on a copy of `onto`.
    onto, onto_read: the session that a merge copied, and how far it reached then. after: `end`, or where both sides
    had moved on `branch` or `append`, as the user chose. supersedes: the id of the link whose `to` this one replaces.
    cwd: the folder the new session belongs to. at: when, by this machine's clock. sesh: the release that did it.
    """

    id: str
    kind: Literal["handoff", "merge"]
    source: End
    to: End
    thread: str
    read: Extent
    made: Extent
    onto: End | None = None
    onto_read: Extent | None = None
    after: Literal["end", "branch", "append"] | None = None
    supersedes: str | None = None
    cwd: str | None = None
    at: str
    sesh: str
    options: dict[str, JsonValue] = {}

    def touches(self, key: tuple[str, str]) -> bool:
        """Whether a session stands at either end, or was copied."""
        return key in (self.source.key, self.to.key) or (self.onto is not None and self.onto.key == key)


def link_id(to: tuple[str, str]) -> str:
    """The id of the link that made a session: one session is made once."""
    return ids.derive("link", *to)


def target_id(
    kind: str, source: tuple[str, str], to: str, digests: tuple[str, ...], options: JsonObject, at_ms: int
) -> str:
    """The session id for a new session: the same for the same bytes and options, so that doing it twice does it once.

    A version-7 UUID that bears the time of the source's beginning, since Codex sorts by it (formats/codex.md §12.16).
    """
    chosen = jsontext.dumps(sorted(options.items())).decode()
    return ids.uuid7(at_ms, kind, *source, to, *digests, chosen)


class Stamp(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What of a link stands in the file itself. `emitted_lines` is filled in by the writer."""

    link: str
    kind: str
    provider: str
    session_id: str
    thread_id: str
    lines: int
    size: int
    sha256: str
    sesh: str
    onto: str | None = None
    emitted_lines: int | None = None


def stamp(link: Link) -> JsonObject:
    """The stamp for a writer's `link` option."""
    value: JsonObject = msgspec.to_builtins(
        Stamp(
            link=link.id,
            kind=link.kind,
            provider=link.source.provider,
            session_id=link.source.session_id,
            thread_id=link.thread,
            lines=link.read.lines,
            size=link.read.size,
            sha256=link.read.sha256,
            sesh=link.sesh,
            onto=str(link.onto) if link.onto else None,
        )
    )
    return value


def find_stamp(data: bytes) -> Stamp | None:
    """The last stamp in a session file, or None. Lines without the word `emittedLines` are not even decoded."""
    found: Stamp | None = None
    if b'"emittedLines"' not in data:
        return None
    for line in lines.split(data):
        if b'"emittedLines"' not in line.data:
            continue
        try:
            value = jsontext.loads(line.data)
        except jsontext.UnreadableJson:
            continue
        found = _stamp_of(value) or found
    return found


def _stamp_of(value: JsonValue) -> Stamp | None:
    """The stamp on a line, at its top or under `payload`."""
    if not isinstance(value, dict):
        return None
    payload = value.get("payload")
    for holder in (value, payload if isinstance(payload, dict) else {}):
        try:
            return jsontext.convert(holder.get("sesh"), Stamp)
        except msgspec.ValidationError:
            continue
    return None
