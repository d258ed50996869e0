"""A canonical thread as a Codex rollout (seeds/provider-adapters, `emitCodexRollout`; MAPPING.md beside this file)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Unpack

from sesh.format import jsontext
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import EmitOptions, EmitResult, EmittedFile
from sesh.providers.codex import write_meta, write_usage
from sesh.providers.codex.tools_native import NativeTools
from sesh.providers.codex.write_meta import History, Session
from sesh.providers.codex.write_thread import ThreadWriter, last_time
from sesh.report.reports import BlockBook


def emit_codex_rollout(thread: Thread, messages: Sequence[Message], /, **options: Unpack[EmitOptions]) -> EmitResult:
    """The rollout of a thread, ready for `sessions/YYYY/MM/DD/` of a CODEX_HOME, and the account of every block.

    Options: see `EmitOptions`. Children become sub-agent rollouts in `files`; a title becomes a line for
    `session_index.jsonl` in `appends`. Pure: nothing is written anywhere.
    """
    book = BlockBook()
    version = options.get("client_version")
    history = write_meta.choose_history(options.get("history") or "auto", version)
    book.note("history-mode", history.why)
    session = write_meta.session_of(
        thread,
        messages[0].ts if messages else None,
        session_id=options.get("session_id"),
        cwd=options.get("cwd"),
        client_version=version,
    )
    how = _How(history, bool(options.get("keep_context")), options.get("tools") == "native", version)
    sessions = {thread.id: session}
    files = []
    main = _write(session, messages, how, book, link=options.get("link"))
    for child in options.get("children") or ():
        parent = sessions.get(child.thread.parent_thread_id or "", session)
        own = write_meta.child_of(parent, child.thread, child.messages[0].ts if child.messages else None)
        sessions[child.thread.id] = own
        lines = _write(own, child.messages, how, book, link=None)
        files.append(EmittedFile(path=own.path, lines=lines, modified=last_time(child.messages, own.created)))
    modified = last_time(messages, session.created)
    return EmitResult(
        session_id=session.session_id,
        path=session.path,
        lines=main,
        modified=modified,
        report=book.report(),
        files=files,
        appends=_name(session, modified),
    )


class _How(NamedTuple):
    """What all files of one emit have in common."""

    history: History
    keep_context: bool
    native: bool
    client_version: str | None


def _write(
    session: Session, messages: Sequence[Message], how: _How, book: BlockBook, *, link: JsonObject | None
) -> list[bytes]:
    native = NativeTools(write_meta.version_of(how.client_version)) if how.native else None
    writer = ThreadWriter(session, messages, how.history, book, keep_context=how.keep_context, native=native)
    writer.write()
    lines = writer.lines
    if link is not None:
        link = {**link, "emittedLines": len(lines.lines)}
    meta = write_meta.session_meta(session, how.history, link)
    lines.begin(session.created, meta, {"thread": write_meta.thread_stamp(session.thread)})
    if writer.context_tokens > write_usage.WINDOW:
        book.note(
            "over-window",
            f"The history is about {writer.context_tokens:,} tokens, more than the {write_usage.WINDOW:,} that Codex's"
            " default models hold: Codex will compact it before the first turn.",
        )
    return lines.lines


def _name(session: Session, modified: str) -> list[EmittedFile]:
    """The thread's name, for the user's own list of names (a handoff may append it; `convert` never does)."""
    title = session.thread.title
    if not title:
        return []
    line = jsontext.without_lone_surrogates({"id": session.session_id, "thread_name": title, "updated_at": modified})
    return [EmittedFile(path="session_index.jsonl", lines=[jsontext.dumps(line)])]
