"""Sub-agents' transcripts: files beside the session, and progress lines that hold one.

A transcript has the same lines as a main file, all with isSidechain, so it is read the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from sesh.format import jsontext
from sesh.format.regex import regex
from sesh.providers.claude_code.book import NONE, Reading, Record
from sesh.providers.claude_code.children import Child, child_id
from sesh.providers.claude_code.facts import AgentMeta
from sesh.providers.claude_code.leaf import leaf_of
from sesh.providers.claude_code.order import interleaved, loose_ends, place
from sesh.providers.claude_code.queued import name_queued, only_queued
from sesh.providers.claude_code.records import decode, from_value, kind_of
from sesh.providers.claude_code.session import Session
from sesh.providers.claude_code.tree import CHAINED, Tree

_AGENT_FILE: Final = regex(r"(?:.*/)?agent-(?P<id>[^/]+)\.jsonl")
_FLAT_UNTIL: Final = (2, 1, 50)
"""Sub-agents lie flat in the project folder in versions before this one (2.0.30, 2.0.76 seen)."""


def companions(session: Session) -> Iterator[Child]:
    """The sub-agents that have files of their own, each with its branches.

    An agent may have two files: a session that 2.0 began lies flat and, once copied, in the session's folder. The same
    bytes are the same thread; others are a thread of their own, named by where they lie.
    """
    seen: dict[str, bytes] = {}
    for key, agent, data in _files(session):
        name = f"agent-{agent}"
        if agent in seen and seen[agent] == data:
            _close_copy(session, key, data)
            continue
        if agent in seen:
            name = f"{key.removesuffix('.jsonl')}@"
        seen.setdefault(agent, data)
        yield from _transcript(session, key, agent, name, data)


def _close_copy(session: Session, key: str, data: bytes) -> None:
    reading = Reading(session.book, key, main=False, keep_raw=False)
    reading.read(data)
    for record in reading.still_open():
        reading.skipped(record, "duplicate")


def _files(session: Session) -> Iterator[tuple[str, str, bytes]]:
    """Agent files of this session: (companion key, agent id, bytes)."""
    own = f"{session.owner}/"
    flat: list[tuple[str, str]] = []
    for key in session.companions:
        match = _AGENT_FILE.fullmatch(key)
        if match is None:
            continue
        if not key.startswith(own):
            if "/" not in key:
                flat.append((key, match.group("id")))
            continue
        data = session.companions.get(key)
        if data is not None:
            yield key, match.group("id"), data
    if flat and not session.sidechain and _may_be_flat(session.reading.records):
        for key, agent in flat:
            data = session.companions.get(key)
            if data is not None and _owner(data) == session.owner:
                yield key, agent, data


def _owner(data: bytes) -> str | None:
    """The session that an agent file's first line names."""
    line = decode(data.split(b"\n", 1)[0])
    return line.session_id if line is not None else None


def _may_be_flat(records: Sequence[Record]) -> bool:
    """Whether a version that lays sub-agents flat wrote to this file (or an unknown one did)."""
    versions = {r.line.version for r in records if r.line is not None and r.line.uuid is not None}
    return any(v is None or _number(v) < _FLAT_UNTIL for v in versions)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _transcript(session: Session, key: str, agent: str, name: str, data: bytes) -> Iterator[Child]:
    reading = Reading(session.book, key, main=False, keep_raw=session.keep_raw)
    reading.read(data)
    meta = _meta(session, key)
    first = True
    for child in woven(session, reading, name):
        child.file = key
        if first:
            child.agent_id, child.meta, first = agent, meta, False
        yield child


def _meta(session: Session, key: str) -> AgentMeta | None:
    """`agent-<id>.meta.json`; None where there is none, or it is not what it should be (said in the report)."""
    beside = key.removesuffix(".jsonl") + ".meta.json"
    data = session.companions.get(beside)
    if data is None:
        return None
    item = session.book.open(beside)
    try:
        meta = jsontext.convert(jsontext.loads(data), AgentMeta)
    except (jsontext.UnreadableJson, msgspec.ValidationError):
        session.book.note("unreadable-line", "The sub-agent's meta.json cannot be read.", file=beside)
        session.book.skipped(beside, item, "unreadable")
        return None
    session.book.used(beside, item)
    return meta


def woven(session: Session, reading: Reading, name: str) -> Iterator[Child]:
    """The threads of a transcript: the talk itself, then its branches. Closes all its records."""
    chained = [r for r in reading.records if r.kind in CHAINED]
    tree = Tree(chained, reading.note, sidechain=True)
    inner = f"{session.owner}/{name}"
    weaver = session.weaver(reading, tree, inner, sidechain=True)
    session.links.add_records(reading.naming)
    leaf = leaf_of(tree, reading.of_kind("last-prompt"))
    nodes = tree.trunk(leaf) if leaf != NONE else []
    queued = sorted(only_queued(reading), key=lambda waiting: waiting.record.at)
    loose = [(r.at, r) for r in loose_ends(reading)] + [(place(w.after), w.record) for w in queued]
    records = interleaved([chained[n] for n in nodes], loose)
    child = session.child(name, "subagent", records)
    child.messages = weaver.weave(records, child.id)
    name_queued(reading, weaver, queued)
    yield child
    used = set(nodes)
    for trunk in tree.branches(used):
        said = [chained[n] for n in trunk.nodes]
        branch = session.child(f"{name}/branch-{said[0].source_id}", "branch", said)
        branch.messages = weaver.weave(said, branch.id)
        branch.parent = child_id(session.owner, name)
        branch.origin = weaver.anchor(trunk.origin)
        if branch.messages:
            yield branch
    for n in tree.twins:
        reading.skipped(chained[n], "duplicate")
    for record in reading.still_open():
        reading.skipped(record, record.line.type if record.line is not None else record.kind)


def in_progress_lines(session: Session) -> Iterator[Child]:
    """Transcripts inside `agent_progress` lines (2.1.x). Where the agent has a file, the lines are its echo."""
    at_hand = {m.group("id") for k in session.companions if (m := _AGENT_FILE.fullmatch(k)) is not None}
    groups: dict[str, list[Record]] = {}
    for record in session.reading.of_kind("progress"):
        line = record.line
        if line is None or line.data is None or line.data.type != "agent_progress":
            continue
        if not isinstance(line.data.message, dict) or line.data.agent_id in at_hand:
            continue
        agent = line.data.agent_id if isinstance(line.data.agent_id, str) else line.parent_tool_use_id
        if agent is not None:
            groups.setdefault(agent, []).append(record)
    for agent, records in groups.items():
        inside = _inner(session, records)
        if inside.records:
            first, *branches = woven(session, inside, f"agent-{agent}")
            first.agent_id = agent
            first.call_id = records[0].line.parent_tool_use_id if records[0].line is not None else None
            yield from (first, *branches)


def _inner(session: Session, records: Sequence[Record]) -> Reading:
    """The lines that progress lines hold, as a file of their own that closes the outer lines."""
    inside = Reading(session.book, session.reading.file, main=True, keep_raw=session.keep_raw)
    for record in records:
        outer = record.line
        if outer is None or outer.data is None:
            continue
        line, _ = from_value(outer.data.message)
        if line is None or kind_of(line) not in ("user", "assistant"):
            continue
        line = msgspec.structs.replace(line, timestamp=line.timestamp or outer.timestamp, parent_uuid=msgspec.UNSET)
        inside.add(record.item, record.number, line, kind_of(line)).value = outer.data.message
    return inside
