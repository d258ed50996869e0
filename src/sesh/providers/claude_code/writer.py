"""Canonical messages as a Claude Code session: `emit_claude_session`.

The order of work: choose what goes, cut it at its compactions, put each part into the order the client needs, write it
line by line on one chain, then what belongs to the file (title, link) and the child threads. Pure: no clock, no files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from sesh.format import ids, jsontext
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import EmitOptions, EmitResult
from sesh.providers.claude_code.layout import session_path
from sesh.providers.claude_code.tools_native import Place, native
from sesh.providers.claude_code.write_blocks import kept, tool_name
from sesh.providers.claude_code.write_choose import choose
from sesh.providers.claude_code.write_compaction import segments
from sesh.providers.claude_code.write_forms import Vocabulary
from sesh.providers.claude_code.write_lines import MEASURED_VERSION, Chain, Envelope, unchained
from sesh.providers.claude_code.write_notes import Notes
from sesh.providers.claude_code.write_segments import SegmentWriter
from sesh.providers.claude_code.write_times import Clock, milliseconds
from sesh.report.reports import BlockBook

PROVIDER = "claude-code"


def emit_claude_session(thread: Thread, messages: Sequence[Message], /, **options: Unpack[EmitOptions]) -> EmitResult:
    """A thread as the lines of a session file that Claude Code 1.0.120 to 2.1.328 list, show and resume.

    Options: see EmitOptions. Raises SeshError for a thread that cannot be one. The report accounts for every block of
    the thread and of the children handed in.
    """
    book = BlockBook()
    notes = Notes(book)
    metadata = thread.metadata or {}
    session_id = options.get("session_id") or ids.derive("session", PROVIDER, thread.id)
    cwd = options.get("cwd") or _text(metadata.get("cwd"))
    if cwd is None:
        cwd = "/"
        notes.say("no-folder", "The thread names no working directory; / was taken.")
    envelope = Envelope(
        session_id=session_id,
        cwd=cwd,
        version=options.get("client_version") or MEASURED_VERSION,
        git_branch=_text(metadata.get("gitBranch")) or "",
    )
    parent = options.get("initial_parent_uuid")
    clock = Clock(start=_after(options.get("initial_time")))
    clock.expect(thread.created_at)
    chain = Chain(envelope, clock, parent)
    entries = choose(messages, book, notes, options)
    writer = SegmentWriter(chain, _vocabulary(thread, messages, cwd, options.get("tools")), book, notes)
    for segment in segments(entries):
        writer.write(segment)
    if clock.moved:
        notes.say("time-moved", f"{clock.moved} times were moved to rise strictly, by {clock.most} ms at most.")
    before, after = _file_lines(thread, chain, session_id, parent)
    lines = [*before, *chain.lines, *after]
    if link := options.get("link"):
        stamped = {**link, "emittedLines": len(lines) + 1}
        lines.insert(0, unchained({"type": "sesh-link", "sesh": stamped, "sessionId": session_id}))
    notes.close()
    return EmitResult(
        session_id=session_id,
        path=session_path(session_id, cwd),
        lines=lines,
        modified=chain.last_ts or clock.next(thread.created_at),
        report=book.report(),
    )


def _vocabulary(thread: Thread, messages: Sequence[Message], cwd: str, tools: str | None) -> Vocabulary:
    """How calls are named. Unless told otherwise as the client's own tools: its screen draws no others."""
    if tools == "keep":
        return lambda block: [kept(block)]
    origin = next((m.provenance.provider for m in messages if m.provenance is not None), None)
    name, _ = tool_name(_text((thread.metadata or {}).get("provider")) or origin or "other")
    place = Place(cwd, name)
    return lambda block: native(block, place)


def _file_lines(thread: Thread, chain: Chain, session_id: str, parent: str | None) -> tuple[list[bytes], list[bytes]]:
    """What belongs to the file and not to the talk: its title, in every version's way."""
    leaf = chain.parent
    if leaf is None or not chain.lines or parent is not None or not thread.title:
        return [], []  # lines that carry on another session leave its title alone
    title = jsontext.without_lone_surrogates(thread.title)
    # 1.0.x takes its titles from `summary` lines whose leaf is the session's; 2.0.76 and later from `custom-title`.
    return (
        [unchained({"type": "summary", "summary": title, "leafUuid": leaf})],
        [unchained({"type": "custom-title", "customTitle": title, "sessionId": session_id})],
    )


def _after(initial_time: str | None) -> int | None:
    return None if initial_time is None else milliseconds(initial_time)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
