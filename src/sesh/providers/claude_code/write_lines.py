"""One chain of lines: each with its own uuid, the line before as its parent, and a later time.

Every version reads a linear chain whole; side branches and gaps are where they differ (formats/claude-code.md §2, §3).
Message content is encoded once and put into its line as it is; a lone surrogate, which the API refuses, becomes U+FFFD
there and stays itself in the stamp.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from sesh.format import ids, jsontext, stamp
from sesh.format.json import JsonObject
from sesh.providers.claude_code.write_times import Clock

MEASURED_VERSION: Final = "2.1.328"
"""The client whose form is written, where the version found on the machine is not told."""


WINDOW: Final = 200_000
"""Tokens that the models of this client hold, as a rule."""
_IMAGE: Final = 1_600
"""About the tokens of a picture of the largest size that is not scaled down."""


class Sent:
    """How much the model is sent, since the last boundary: a rough count, four bytes of JSON a token."""

    def __init__(self) -> None:
        self._bytes = self._images = 0

    @property
    def tokens(self) -> int:
        """The estimate."""
        return self._bytes // 4 + self._images * _IMAGE

    def add(self, content: bytes, value: Any) -> None:
        """A line's content, encoded and as it was; a picture's data is no text."""
        self._bytes += len(content)
        for block in value if isinstance(value, list) else ():
            kind = block.get("type") if isinstance(block, dict) else "text"
            if kind in ("text", "tool_use"):
                continue
            inner = block.get("content") if kind == "tool_result" else [block]
            for part in inner if isinstance(inner, list) else ():
                source = part.get("source") if isinstance(part, dict) else None
                if isinstance(source, dict) and isinstance(source.get("data"), str):
                    self._bytes -= len(source["data"])
                    self._images += 1


class Envelope(NamedTuple):
    """What every chained line of a file says alike."""

    session_id: str
    cwd: str
    version: str
    git_branch: str
    agent_id: str | None = None

    def fields(self) -> JsonObject:
        """The keys after a line's own, in the client's order."""
        found: JsonObject = {
            "userType": "external",
            "cwd": jsontext.without_lone_surrogates(self.cwd),
            "sessionId": self.session_id,
            "version": self.version,
            "gitBranch": jsontext.without_lone_surrogates(self.git_branch),
        }
        return found


class Content(msgspec.Struct, frozen=True, gc=False):
    """Message content as JSON text; `clean` is False where lone surrogates had to be replaced."""

    json: bytes
    clean: bool


def encode_content(value: Any) -> Content:
    """Content as it may be sent: no lone surrogates."""
    try:
        return Content(jsontext.encode_any(value), True)
    except UnicodeEncodeError:
        return Content(jsontext.encode_any(jsontext.without_lone_surrogates(value)), False)


def encode_result(block: JsonObject, seen: Any) -> tuple[Content, Any]:
    """A tool_result block as content, and what the screen draws of it.

    A command's output is both: such a text, the bulk of most sessions, is encoded once.
    """
    text = block["content"]
    if not isinstance(text, str):
        return encode_content([block]), seen
    once = encode_content(text)
    encoded = msgspec.Raw(once.json)
    if seen is text:
        seen = encoded
    elif isinstance(seen, dict) and seen.get("stdout") is text:
        seen = {**seen, "stdout": encoded}
    return Content(jsontext.encode_any([{**block, "content": encoded}]), once.clean), seen


class Chain:
    """Lines in the making. `parent` is the uuid that the next line hangs on; None for a first line."""

    def __init__(self, envelope: Envelope, clock: Clock, parent: str | None = None) -> None:
        self.envelope: Final = envelope
        self.clock: Final = clock
        self.parent = parent
        self.lines: Final[list[bytes]] = []
        self.last_ts: str | None = None
        self._uuids: Final[set[str]] = set() if parent is None else {parent}
        agent = envelope.agent_id
        self._side: Final[JsonObject] = (
            {"isSidechain": False} if agent is None else {"isSidechain": True, "agentId": agent}
        )
        self._shared: Final = envelope.fields()
        self.ends_open = False
        """Whether the last line that is sent is a user's: words or a tool's result."""
        self.begun = parent is not None
        """Whether something stands here that is sent: since the beginning, or since the last boundary."""
        self.sent = Sent()
        self.names_replaced = _replaces(envelope)
        """Whether a lone surrogate was replaced outside of blocks: in an id, a model, a time, the thread's own."""

    def uuid(self, wanted: str) -> str:
        """A uuid that no line has yet: the wanted one, or one derived from it."""
        chosen, n = wanted, 0
        while chosen in self._uuids or not chosen:
            n += 1
            chosen = ids.derive("line", self.envelope.session_id, wanted, str(n))
        self._uuids.add(chosen)
        return chosen

    def has(self, uuid: str) -> bool:
        """Whether a line has that uuid."""
        return uuid in self._uuids

    def add(self, kind: str, uuid: str, ts: str, own: Mapping[str, Any], *, sesh: stamp.Stamp = stamp.EMPTY) -> None:
        """Append a chained line of type `kind`; `own` are its keys beside the common ones, `ts` its time by `clock`."""
        line: JsonObject = {
            "parentUuid": self.parent,
            **self._side,
            "type": kind,
            **own,
            "uuid": uuid,
            "timestamp": ts,
            **self._shared,
        }
        if sesh is not stamp.EMPTY:
            line[stamp.KEY] = sesh
        self.lines.append(self._encoded(line))
        self.parent, self.last_ts = uuid, ts
        if kind != "system":
            self.ends_open = kind == "user"

    def _encoded(self, line: JsonObject) -> bytes:
        try:
            return jsontext.encode_any(line)
        except UnicodeEncodeError:  # a stamp, a name or what is drawn: content is encoded already
            self.names_replaced = self.names_replaced or not _are_clean(line)
        return jsontext.encode_any(_cleaned(_with_escapes(line)))

    def boundary(self, uuid: str, ts: str | None, metadata: JsonObject, *, sesh: stamp.Stamp = stamp.EMPTY) -> None:
        """Append a compaction's boundary: a new root that names the old leaf."""
        old, self.parent, self.sent = self.parent, None, Sent()
        self.begun = False
        own: JsonObject = {
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "isMeta": False,
            "level": "info",
            "compactMetadata": metadata,
        }
        if old is not None:
            own = {"logicalParentUuid": old, **own}
        self.add("system", uuid, self.clock.next(ts), own, sesh=sesh)

    def again(
        self, line: JsonObject, ts: str | None, uuid: str, *, sesh: stamp.Stamp | None = None, raw: bool = False
    ) -> None:
        """Append a record of Claude Code's own, with this chain's parent and this session's id.

        A `raw` one keeps its keys as they stood, and its parent where that is in this file.
        """
        if raw:
            line = {**line, "uuid": uuid}
            self.clock.carry(ts)
            self.last_ts = str(line.get("timestamp") or self.last_ts or "")
            parent = line.get("parentUuid")
            if parent != self.parent and not (isinstance(parent, str) and parent in self._uuids):
                line["parentUuid"] = self.parent
            if "sessionId" in line:
                line["sessionId"] = self.envelope.session_id
        else:
            self.last_ts = self.clock.carry(ts)
            line = {"parentUuid": self.parent, **self._side, **line, "uuid": uuid, "timestamp": self.last_ts}
            line.update(self._shared)
            if sesh is not None:
                line[stamp.KEY] = sesh
        self.lines.append(jsontext.dumps(line))
        self.parent = uuid
        if line.get("type") in ("user", "assistant"):
            self.begun = True
            self.ends_open = line["type"] == "user"
        message = line.get("message")
        if isinstance(message, dict):
            self.sent.add(encode_content(message.get("content")).json, message.get("content"))


def unchained(line: JsonObject) -> bytes:
    """A line outside the chain (a title, the link): never sent, so that lone surrogates may stay, as escapes."""
    return jsontext.dumps(line)


def _replaces(envelope: Envelope) -> bool:
    return jsontext.has_lone_surrogate(envelope.cwd + envelope.git_branch)


def _are_clean(line: JsonObject) -> bool:
    """Whether a line's names and its stamp's hold no lone surrogate: all but blocks and what is drawn of them."""
    sesh = line.get(stamp.KEY)
    if isinstance(sesh, stamp.Stamp):
        sesh = msgspec.structs.replace(sesh, blocks=None, rest=None, same=None)
    try:
        jsontext.encode_any({**line, stamp.KEY: sesh, "toolUseResult": None})
    except UnicodeEncodeError:
        return False
    return True


def _with_escapes(line: JsonObject) -> JsonObject:
    """The line, its stamp's blocks in ASCII where they hold lone surrogates."""
    sesh = line.get(stamp.KEY)
    if isinstance(sesh, stamp.Stamp):
        content = None if sesh.rest is None else jsontext.decode_any(line["message"]["content"])
        blocks = stamp.whole_blocks(sesh, content)
        if blocks is not None and not encode_content(blocks).clean:
            # In ASCII the blocks keep it, so that nothing but names changes.
            whole = msgspec.structs.replace(sesh, blocks=None, rest=None, same=None, escaped=stamp.escape(blocks))
            return {**line, stamp.KEY: whole}
    return line


def _cleaned(value: Any) -> Any:
    """Plain values with each lone surrogate replaced; encoded pieces are left alone."""
    if isinstance(value, msgspec.Raw):
        return value
    if isinstance(value, msgspec.Struct):
        return _cleaned(msgspec.to_builtins(value))
    if isinstance(value, dict):
        return {_cleaned(k): _cleaned(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_cleaned(v) for v in value]
    return jsontext.without_lone_surrogates(value)
