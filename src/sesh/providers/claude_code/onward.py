"""Reading on: the end of a session file alone, where it can be shown that the whole would say the same.

A place is a line of the main trunk on which a turn begins (a prompt) or a step (the first line of an API message). What
the reader knows at such a line, and why it needs no more:

    the message before it, its turn `parent` and `turn` in the state
    the slash command above         asked of a user's line; those after the place stand under lines after it, and a
                                    prompt that is a place is no command's
    tokens that wait for their line paid to lines of their own API message, whose id is a name (see below)
    the order of the tree           each line after it hangs on one after it (asked of each line), so nothing before it
                                    is a branch, a twin or a leaf that was not; a line later than all that stood there
                                    (`latest`) is no second copy of any
    the leaf                        the last line that says something, unless a `last-prompt` names another. Where the
                                    last one of these names a line after the place, it is asked as ever, one from
                                    before it (`leaf`) too. One that was read already may name a line before the place,
                                    since the whole reading had that leaf; a new one may not. After a compaction some
                                    do not count (`compacted`); then it has to be the last that says something
    calls, steps, second copies     go by names; the caller sees to it that none of them was used before (`names`). A
                                    second record of one name has its place among the file's records in its id; that
                                    is for the whole reading
    the queue                       empty (`_queued`), and every prompt in it was said. Where something is queued after
                                    the place, no line after it says what was queued before: it could be the line of
                                    either (`queued`)
    a compaction's window           told by the summary alone; a new compaction is for the whole reading
    what sesh left on lines         no line bears a stamp
    title, folder, mode             the last word counts, so those after it go over those of the record; there is a
                                    first prompt, and no line after the place is the leaf of a summary (`summed`)
    children                        their files are the same (`beside`), no new line names an agent, and no new call has
                                    the prompt that one began with; a side chain in the file lies either before the
                                    place or after it, and no call before it has the words that it began with
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, Unpack
from zlib import crc32

import msgspec

from sesh.errors import NotASession
from sesh.format import walk
from sesh.format.blocks import FileChangeBlock, ToolCallBlock, ToolResultBlock, WebSearchBlock
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import Further, IngestedThread, IngestResult, Place, ReadOptions, SessionSource
from sesh.providers.boundary import guarded
from sesh.providers.claude_code.book import NONE, Reading, Record
from sesh.providers.claude_code.children import Links, linked
from sesh.providers.claude_code.facts import Facts
from sesh.providers.claude_code.leaf import leaf_of
from sesh.providers.claude_code.order import interleaved, is_chained, loose_ends
from sesh.providers.claude_code.queued import WITHDRAWN, only_queued, said_in, words_of
from sesh.providers.claude_code.reader import add_beside
from sesh.providers.claude_code.records import FACTS, SPEAKING, Line, ToolFacts, decode, kind_of
from sesh.providers.claude_code.session import Session
from sesh.providers.claude_code.tree import BOUNDARY, Tree

_HARMLESS: Final = frozenset(
    {
        "branch",
        "compaction",
        "missing-companion",
        "odd-field",
        "open-call",
        "orphan-result",
        "repaired-bytes",
        "shared-line",
        "torn-last-line",
        "unlinked-child",
        "unread-companion",
        "unreadable-line",
    }
)
"""Notes on a reading after which the rules above hold."""
_TRIES: Final = 3
_HEAD: Final = 1 << 16
_NEAR: Final = 1 << 20
_ASKED: Final = "asked: {}".format
_BEGUN: Final = "begun: {}".format
_STAMPED: Final = b'"sesh"'
_AGENTS: Final = re.compile(r"(?:.*/)?agent-[^/]+\.(?:jsonl|meta\.json)")
_FLAT: Final = re.compile(r"agent-[^/]+\.jsonl")
_TIME: Final = re.compile(rb' ?: ?"([0-9T:.-]{23}Z)"')
_OTHER_TIME: Final = re.compile(rb" ?: ?(?!null)")


class _State(msgspec.Struct, frozen=True, kw_only=True):
    """`Place.state`: see above."""

    uuid: str
    parent: str | None
    turn: str | None
    latest: str
    leaf: str | None
    compacted: bool
    summed: list[str]
    queued: list[int]


class ClaudeOnward:
    """`Onward` for Claude Code."""

    def places(
        self, source: SessionSource, read: IngestResult, settled: int, start: Place | None = None, /
    ) -> Iterator[Place]:
        """See `Onward`."""
        main, before = source.main, None if start is None else msgspec.convert(start.state, _State)
        if not _is_regular(read) or (start is None and not _is_plain(main, read)):
            return
        latest = _latest(main, read)
        if latest is None:
            return
        offset, line = (0, 1) if start is None else (start.offset, start.line)
        summed = _summed(main) if before is None else before.summed
        compacted = any(e.code == "compaction" for e in read.report.entries) if before is None else before.compacted
        for message, at in _beginnings(main, read.messages[:settled]):
            queued = _queued(main, at)
            if queued is None:
                continue
            state = _State(
                uuid=_uuid(message),
                parent=message.parent_id,
                turn=message.turn_id,
                latest=latest if before is None else max(latest, before.latest),
                leaf=_leaf(main, at) or (None if before is None else before.leaf),
                compacted=compacted,
                summed=summed,
                queued=sorted(queued if before is None else queued.union(before.queued)),
            )
            yield Place(
                offset=offset + at,
                line=line + main.count(b"\n", 0, at),
                end=offset + main.rfind(b"\n") + 1,
                state=msgspec.to_builtins(state),
            )

    def names(self, messages: Sequence[Message], children: Sequence[IngestedThread] = (), /) -> Iterator[str]:
        """See `Onward`. A child may have begun with what a call asked, so both are names, too."""
        for told in (messages, *(c.messages for c in children)):
            yield from _ids(told)
            yield from map(_ASKED, _asked(told))
        yield from (_BEGUN(_first_words(child)) for child in children)

    def beside(self, keys: Iterable[str], place: Place, /) -> list[str]:
        """See `Onward`. Outputs that were spilled are asked for by the lines that name them."""
        return sorted(k for k in keys if _AGENTS.fullmatch(k) or k.endswith("/custom-title.json"))

    @guarded
    def read(
        self, source: SessionSource, place: Place, thread: Thread, /, **options: Unpack[ReadOptions]
    ) -> Further | None:
        """See `Onward`."""
        state = msgspec.convert(place.state, _State)
        try:
            session = Session(source, options)
        except NotASession:
            return None
        _renumber(session, place.line - 1)
        records = session.reading.records
        tail = _Tail(records, state, place.line - 1 + source.main.count(b"\n", 0, place.end - place.offset))
        if session.agent is not None or session.thread_id != thread.id or not tail.holds():
            return None
        if not tail.new.isdisjoint(state.summed) or _compete(session.reading, state):
            return None
        if tail.versions - {(thread.metadata or {}).get("version")} and any(
            _FLAT.fullmatch(k) for k in session.companions
        ):
            return None  # of which sessions flat files are looked at goes by the versions
        messages, trunk = _woven(session, records, state)
        children = list(linked(session.children, Links(), session.book, session.agent_id))
        below = [m for child in children for m in child.messages]
        begun = {_first_words(child) for child in children}
        if not messages or only_queued(session.reading) or not begun.isdisjoint(_asked([*messages, *below])):
            return None
        messages[0] = msgspec.structs.replace(messages[0], parent_id=state.parent)
        record = _record(thread, session.metadata(trunk), session.reading)
        if record is None:
            return None
        result = IngestResult(thread=record, messages=messages, children=children, report=session.book.report())
        latest = _latest(source.main, result)
        if latest is None:
            return None
        state = msgspec.structs.replace(state, latest=max(latest, state.latest))
        known = Place(
            offset=place.offset,
            line=place.line,
            end=place.offset + source.main.rfind(b"\n") + 1,
            state=msgspec.to_builtins(state),
        )
        new = [m for m in messages if _uuid(m) in tail.new]
        names = {*tail.uuids, *_ids(messages), *_ids(below), *map(_ASKED, begun), *map(_BEGUN, _asked([*new, *below]))}
        return Further(result, known, names - {""})


ONWARD: Final = ClaudeOnward()


# ---- whether a place can be had ---------------------------------------------------------------------


def _is_regular(read: IngestResult) -> bool:
    return "duplicate" not in read.report.skipped and all(e.code in _HARMLESS for e in read.report.entries)


def _is_plain(main: bytes, read: IngestResult) -> bool:
    """Whether a whole file is a session of the client's own making, all of whose sub-agents are linked to their calls.

    One that is not linked yet may be by a line that is still to come. (Inline side chains are known by their prompt.)
    What sesh made bears a stamp on its first line, or a link.
    """
    linked = all(
        c.thread.origin_message_id is not None
        for c in read.children
        if (c.thread.metadata or {}).get("relation") == "subagent"
    )
    titled = walk.first_prompt(read.messages) is not None  # else the first one that comes is the title
    stamped = main.find(_STAMPED, 0, _HEAD) >= 0 or "link" in (read.thread.metadata or {})
    return linked and titled and not stamped and read.thread.parent_thread_id is None


def _beginnings(main: bytes, messages: Sequence[Message]) -> Iterator[tuple[Message, int]]:
    """The last messages that begin a turn or a step, and where their lines begin; the last one first."""
    left = {"user": _TRIES, "assistant": _TRIES}
    for i in range(len(messages) - 1, -1, -1):
        message = messages[i]
        if message.kind is not None or not _uuid(message) or not left.get(message.role):
            continue
        if message.role == "user" and message.turn_id != message.id:
            continue
        if message.role == "assistant" and (i == 0 or message.step_id in (None, messages[i - 1].step_id)):
            continue
        left[message.role] -= 1
        at = _line_of(main, message)
        if at is not None:
            yield message, at


def _line_of(main: bytes, message: Message) -> int | None:
    """Where the line of a message begins; None where it does not stand on a line of its own as usual."""
    uuid, kind = _uuid(message), message.role
    named = b'"' + uuid.encode("utf-8", "surrogatepass") + b'"'
    end = len(main)
    for _ in range(100):  # later lines name it, too
        found = main.rfind(named, 0, end)
        if found < 0:
            return None
        at = main.rfind(b"\n", 0, found) + 1
        line = decode(_line_at(main, at))
        if line is not None and line.uuid == uuid and kind_of(line) == kind and not line.is_meta:
            return at if main[at : at + 1] == b"{" and not line.is_sidechain and not line.is_compact_summary else None
        end = at
    return None


def _line_at(main: bytes, at: int) -> bytes:
    end = main.find(b"\n", at)
    return main[at:] if end < 0 else main[at:end]


def _latest(data: bytes, read: IngestResult) -> str | None:
    """The latest time of any message, and of anything that stands near the end, inside of records too.

    None where one near the end is not written as the client does. Lines that say nothing are as old as those around
    them, so there is no need to look at all of them.
    """
    best = max((m.ts for m in chain(read.messages, *(c.messages for c in read.children))), default="")
    at = data.find(b'"timestamp"', max(0, len(data) - _NEAR))
    while at >= 0:
        at += 11
        found = _TIME.match(data, at)
        if found is not None:
            best = max(best, found[1].decode())
        elif _OTHER_TIME.match(data, at):
            return None
        at = data.find(b'"timestamp"', at)
    return best


def _leaf(main: bytes, before: int) -> str | None:
    """What the last `last-prompt` line names, if there is one near that names a line: none names a line far off."""
    near = max(0, before - _NEAR)
    found = main.rfind(b'"leafUuid"', near, before)
    while found >= 0:
        at = main.rfind(b"\n", 0, found) + 1
        line = decode(_line_at(main, at))
        if line is not None and kind_of(line) == "last-prompt" and line.leaf_uuid:
            return line.leaf_uuid
        found = main.rfind(b'"leafUuid"', near, at)
    return None


def _summed(main: bytes) -> list[str]:
    """The lines that summaries name: one that comes gives its summary's words as the title."""
    found = (line for line in _lines_with(main, "summary", len(main)) if line.type == "summary")
    return [line.leaf_uuid or "" for line in found]


def _queued(data: bytes, stop: int) -> set[int] | None:
    """The prompts that were queued before a place, as numbers; None where one is left (`queued.only_queued`)."""
    waiting, numbers = 0, set[int]()
    for line in _lines_with(data, "queue-operation", stop):
        if kind_of(line) != "queue-operation":
            continue
        if line.operation == "enqueue":
            waiting += 1
            numbers.add(_number(words_of(line.content)))
        else:
            waiting = 0 if line.operation in WITHDRAWN else max(waiting - 1, 0)
    return None if waiting else numbers


def _number(words: str) -> int:
    """What stands for a prompt. Any command may come back under another name (`queued._repeated`)."""
    return crc32(b"/" if words.startswith("/") else words.encode("utf-8", "surrogatepass"))


def _compete(reading: Reading, state: _State) -> bool:
    """Whether a line says what was queued before the place, and something is queued after it."""
    if not state.queued or not any(reading.of_kind("queue-operation")):
        return False
    return not {_number(words) for words in said_in(reading.records)}.isdisjoint(state.queued)


def _lines_with(data: bytes, word: str, stop: int) -> Iterator[Line]:
    """The lines before a place that hold a word as a value or key."""
    quoted = f'"{word}"'.encode()
    found = data.find(quoted, 0, stop)
    while found >= 0:
        at = data.rfind(b"\n", 0, found) + 1
        text = _line_at(data, at)
        line = decode(text)
        if line is not None:
            yield line
        found = data.find(quoted, at + len(text), stop)


# ---- the lines after the place ----------------------------------------------------------------------


class _Tail:
    """The records from a place on.

    `uuids`: of the lines in the tree. `new`: of those that came after `known` lines of the file, and their `versions`.
    """

    def __init__(self, records: Sequence[Record], state: _State, known: int) -> None:
        self._records: Final = records
        self._state: Final = state
        self._known: Final = known
        self.uuids: Final[set[str]] = set()
        self._sources: Final[set[str]] = set()
        self._aside: Final[set[str]] = set()
        self.new: Final[set[str]] = set()
        self.versions: Final[set[str | None]] = set()

    def holds(self) -> bool:
        """Whether the rules at the top of this module hold for every line; fills in the names."""
        for record in self._records:
            line = record.line
            if line is None or _reaches_back(line) or record.source_id in self._sources:
                return False
            self._sources.add(record.source_id)
            if not self._joins(record, line):
                return False
            is_leaf = record.kind == "last-prompt" and line.leaf_uuid is not msgspec.UNSET
            if is_leaf and record.number > self._known and line.leaf_uuid not in self.uuids:
                return False
        return True

    def _joins(self, record: Record, line: Line) -> bool:
        is_new = record.number > self._known
        if is_new and _names_agent(line):
            return False
        if not is_chained(record):
            return True
        if line.uuid is None or line.uuid in self.uuids:
            return False
        if line.is_sidechain:
            if line.parent_uuid is not None and line.parent_uuid not in self._aside:
                return False
            self._aside.add(line.uuid)
        elif self.uuids:
            if line.parent_uuid not in self.uuids or line.parent_uuid in self._aside:
                return False
        elif line.uuid != self._state.uuid:
            return False
        if is_new:
            self.versions.add(line.version)
            time = line.timestamp or ""
            if len(time) != 24 or time[-1] != "Z" or time <= self._state.latest:
                return False
            self.new.add(line.uuid)
        self.uuids.add(line.uuid)
        return True


def _reaches_back(line: Line) -> bool:
    is_boundary = line.type == "system" and line.subtype == BOUNDARY
    return line.sesh is not None or line.type == "summary" or line.is_compact_summary or is_boundary


def _names_agent(line: Line) -> bool:
    facts, data = line.tool_use_result, line.data
    return (isinstance(facts, ToolFacts) and isinstance(facts.agent_id, str)) or (
        data is not None and (data.type == "agent_progress" or data.agent_id is not None)
    )


def _renumber(session: Session, before: int) -> None:
    """Numbers lines as in the whole file."""
    for record in session.reading.records:
        record.number += before
    session.book.count_lines_from(before)


def _woven(session: Session, records: list[Record], state: _State) -> tuple[list[Message], list[Record]]:
    """The messages and the records they are made of; none where the lines are not one trunk."""
    reading, first = session.reading, records[0]
    if first.line is not None:
        first.line = msgspec.structs.replace(first.line, parent_uuid=None)  # what it hangs on stands before the place
    chained = [r for r in records if is_chained(r)]
    tree = Tree(chained, reading.note)
    mine = [n for n, r in enumerate(chained) if r.line is not None and not r.line.is_sidechain]
    leaf = leaf_of(tree, reading.of_kind("last-prompt"))
    last = max((n for n in mine if chained[n].kind in SPEAKING), default=NONE)
    named = tree.by_uuid.get(state.leaf or "", leaf)
    certain = leaf == last or (leaf != NONE and not state.compacted)
    nodes = tree.trunk(leaf) if certain and named in tree.path(leaf) else []
    if sorted(nodes) != mine or tree.twins:
        return [], []
    loose = [(r.at, r) for r in loose_ends(reading)]
    trunk = interleaved([chained[n] for n in nodes], loose)
    weaver = session.weaver(reading, tree, session.key, sidechain=False)
    messages = weaver.weave(trunk, session.thread_id, turn=state.turn)
    add_beside(session, tree, weaver, set(nodes))
    for record in reading.still_open():
        kind = record.line.type if record.line is not None else record.kind
        if kind in FACTS:
            reading.used(record)
        else:
            reading.skipped(record, kind)
    return messages, trunk


def _record(thread: Thread, said: JsonObject, reading: Reading) -> Thread | None:
    """The thread's record with what the lines say of it; None where only the whole file tells."""
    metadata: JsonObject = dict(thread.metadata or {})
    if said.pop("cwd", None) is not None and "cwd" not in metadata:
        return None
    if "forkedFrom" in said and said["forkedFrom"] != metadata.get("forkedFrom"):
        return None
    metadata |= said
    facts = Facts(reading)
    if facts.own:
        metadata["providerData"] = _added(metadata.get("providerData") or {}, facts.own)
    if facts.cwd is not None:
        metadata["cwd"] = facts.cwd
    told = [r.line for r in reading.of_kind("fact") if r.line is not None]
    custom = _last(line.custom_title for line in told if line.type == "custom-title")
    named = _last(line.ai_title for line in told if line.type == "ai-title")
    if custom is None and named not in (None, thread.title):
        return None  # a title that the user gave would go before it
    return msgspec.structs.replace(thread, title=custom or thread.title, metadata=metadata)


def _added(own: JsonObject, more: JsonObject) -> JsonObject:
    pulls: list[Any] = list(own.get("pullRequests", []))
    pulls += [p for p in more.get("pullRequests", []) if p not in pulls]
    return {**own, **more, **({"pullRequests": pulls} if pulls else {})}


def _last(values: Iterable[str | None]) -> str | None:
    found = None
    for value in values:
        found = value or found
    return found


def _ids(messages: Iterable[Message]) -> Iterator[str]:
    """The ids of lines, steps and calls."""
    for message in messages:
        yield _uuid(message)
        if message.step_id is not None:
            yield message.step_id
        for block in message.content:
            if isinstance(block, ToolCallBlock | ToolResultBlock | WebSearchBlock | FileChangeBlock):
                yield block.call_id or ""


def _asked(messages: Iterable[Message]) -> Iterator[str]:
    """What calls ask of an agent (or of anything that has a `prompt`)."""
    for message in messages:
        for block in message.content:
            if isinstance(block, ToolCallBlock) and isinstance(block.input, dict):
                prompt = block.input.get("prompt")
                if isinstance(prompt, str) and prompt:
                    yield prompt.strip()


def _first_words(child: IngestedThread) -> str:
    """What a child began with (`children.Links.call_of`)."""
    return next((walk.text_of(m).strip() for m in child.messages if m.role == "user"), "")


def _uuid(message: Message) -> str:
    found = message.provenance.source_id if message.provenance is not None else None
    return found or ""
