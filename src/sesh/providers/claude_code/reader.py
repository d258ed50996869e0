"""Claude Code's session files as canonical threads: what the client would send on resume, and nothing lost.

The main thread is the trunk of the tree of lines (`tree`), with what came before a compaction in front. Everything else
that was said is a child thread (`children`). Every line is closed once in the ledger. MAPPING.md lists what becomes of
each kind of line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from sesh.format import ids, stamp
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import IngestResult, ReadOptions, Source, as_source
from sesh.providers.boundary import guarded
from sesh.providers.claude_code import agents
from sesh.providers.claude_code.book import NONE, Record
from sesh.providers.claude_code.children import Links, linked
from sesh.providers.claude_code.detect import refuse_stream
from sesh.providers.claude_code.facts import Facts
from sesh.providers.claude_code.leaf import leaf_of
from sesh.providers.claude_code.order import interleaved, is_chained, loose_ends, place
from sesh.providers.claude_code.queued import name_queued, only_queued
from sesh.providers.claude_code.records import FACTS
from sesh.providers.claude_code.session import Session
from sesh.providers.claude_code.threads import NO_TIME, PROVIDER, Weaver
from sesh.providers.claude_code.tree import Tree
from sesh.report.reports import LineBook


@guarded
def parse_claude_session(source: Source, /, **options: Unpack[ReadOptions]) -> IngestResult:
    """A session of any version from 1.0 to 2.1.328 as a thread, its messages, its child threads, and a report.

    `source`: a SessionSource, or the main file's bytes or text. Raises NotASession where no line is Claude Code's;
    nothing else, whatever the bytes.
    """
    given = as_source(source)
    refuse_stream(given.main, given.name)
    session = Session(given, options)
    facts = Facts(session.reading)
    messages, trunk = _main(session)
    thread = _thread(session, facts, messages, trunk)
    session.children.extend(agents.companions(session))
    session.links.add_messages(messages)
    for child in session.children:
        session.links.add_messages(child.messages)
    children = list(linked(session.children, session.links, session.book, session.agent_id))
    _name_unpaired(session.links, session.book)
    if not messages and not children:
        session.book.note("no-conversation", "The file holds no message.")
    _name_unread(session)
    return IngestResult(thread=thread, messages=messages, children=children, report=session.book.report())


def _main(session: Session) -> tuple[list[Message], list[Record]]:
    """The main thread and its records, its branches and side chains as children; closes every record of the file."""
    reading = session.reading
    session.links.add_records(reading.naming)
    session.children.extend(agents.in_progress_lines(session))
    chained = [r for r in reading.records if is_chained(r)]
    tree = Tree(chained, reading.note, sidechain=session.sidechain)
    weaver = session.weaver(reading, tree, session.key, sidechain=session.sidechain)
    leaf = leaf_of(tree, reading.of_kind("last-prompt"))
    nodes = tree.trunk(leaf) if leaf != NONE else []
    queued = sorted(only_queued(reading), key=lambda waiting: waiting.record.at)
    loose = [(r.at, r) for r in loose_ends(reading)] + [(place(w.after), w.record) for w in queued]
    trunk = interleaved([chained[n] for n in nodes], loose)
    messages = weaver.weave(trunk, session.thread_id)
    name_queued(reading, weaver, queued)
    add_beside(session, tree, weaver, set(nodes))
    for n in tree.twins:
        reading.skipped(chained[n], "duplicate")
    _close_rest(session)
    return messages, trunk


def add_beside(session: Session, tree: Tree, weaver: Weaver, used: set[int]) -> None:
    """What the tree holds beside the trunk: abandoned branches, and the side chains of 1.0."""
    for relation, trunks in (("branch", tree.branches(used)), ("sidechain", tree.sidechains(used))):
        owners = dict.fromkeys(used, session.thread_id)
        for trunk in trunks:
            records = [tree.records[n] for n in trunk.nodes]
            child = session.child(f"{relation}-{records[0].source_id}", relation, records)
            child.messages = weaver.weave(records, child.id, sidechain=relation == "sidechain")
            owners.update(dict.fromkeys(trunk.nodes, child.id))
            if not child.messages:
                continue
            child.parent = owners.get(trunk.origin, session.thread_id)
            if relation == "branch":
                child.origin = weaver.anchor(trunk.origin)
                text = "An abandoned branch begins here; it is a child thread."
                session.reading.note("branch", text, records[0].number)
            session.children.append(child)


def _close_rest(session: Session) -> None:
    """State, facts and echoes: every record that no thread was made of."""
    reading = session.reading
    for record in reading.still_open():
        kind = record.line.type if record.line is not None else record.kind
        if record.kind == "sesh-link" or kind in FACTS:
            reading.used(record)
        else:
            reading.skipped(record, kind)


def _thread(session: Session, facts: Facts, messages: list[Message], trunk: list[Record]) -> Thread:
    told = _told(trunk)
    kept = told.get("metadata")
    metadata: JsonObject = {**(kept if isinstance(kept, dict) else {}), **session.metadata(trunk)}
    if facts.cwd is not None:
        metadata["cwd"] = facts.cwd
    if facts.link is not None:
        metadata["link"] = facts.link
    if facts.own:
        metadata["providerData"] = facts.own
    parent: str | None = None
    if session.agent is not None:
        metadata |= {"relation": "subagent", "agentId": session.agent}
        parent = ids.thread_id(PROVIDER, session.owner)
    return Thread(
        id=session.thread_id,
        agent_id=session.agent_id,
        parent_thread_id=parent,
        title=facts.title(messages, _title_file(session)),
        created_at=_text(told.get("createdAt")) or facts.created or NO_TIME,
        metadata=metadata,
    )


def _told(trunk: Sequence[Record]) -> JsonObject:
    """What our writer left of the canonical thread on its first line."""
    for record in trunk:
        if record.line is not None and record.line.sesh is not None:
            return stamp.read(record.line.sesh).thread or {}
    return {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _title_file(session: Session) -> bytes | None:
    key = f"{session.owner}/custom-title.json"
    data = session.companions.get(key)
    if data is not None:
        session.book.used(key, session.book.open(key))
    return data


def _name_unpaired(links: Links, book: LineBook) -> None:
    """Calls without a result and results without a call are kept, and named."""
    for call_id, message in links.calls.items():
        if call_id not in links.results:
            book.note("open-call", f"The call {call_id} has no result.", message_id=message.id)
    for call_id, message in links.results.items():
        if call_id not in links.calls:
            book.note("orphan-result", f"The result of {call_id} has no call.", message_id=message.id)


def _name_unread(session: Session) -> None:
    """Files in the session's own folder that nobody asked for."""
    known = session.book.report().files
    left = [k for k in session.companions if k.startswith(f"{session.owner}/") and k not in known]
    if left:
        shown = ", ".join(left[:3]) + (", ..." if len(left) > 3 else "")
        session.book.note("unread-companion", f"{len(left)} file(s) beside the session were not read: {shown}")
