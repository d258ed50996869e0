"""A canonical thread as a Codex rollout (seeds/provider-adapters, `emitCodexRollout`; MAPPING.md beside this file)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from sesh.format import jsontext, walk
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import EmitOptions, EmitResult, EmittedFile, IngestedThread
from sesh.providers.boundary import guarded
from sesh.providers.codex import write_meta, write_usage
from sesh.providers.codex.write_children import Child
from sesh.providers.codex.write_cut import cut
from sesh.providers.codex.write_lines import Times, has_surrogates, times_of
from sesh.providers.codex.write_meta import Session, Style
from sesh.providers.codex.write_thread import last_time, write_thread
from sesh.report.codes import CODES
from sesh.report.reports import BlockBook


@guarded
def emit_codex_rollout(thread: Thread, messages: Sequence[Message], /, **options: Unpack[EmitOptions]) -> EmitResult:
    """The rollout of a thread, ready for `sessions/YYYY/MM/DD/` of a CODEX_HOME, and the account of every block.

    Options: see `EmitOptions`. Children become sub-agent rollouts in `files`; a title becomes a line for
    `session_index.jsonl` in `appends`. Pure: nothing is written anywhere.
    """
    book = BlockBook()
    version = options.get("client_version")
    history = write_meta.choose_history(options.get("history") or "auto", version)
    book.note("history-mode", history.why)
    messages = _as_sent(messages, book)
    session = write_meta.session_of(
        thread,
        messages[0].ts if messages else None,
        session_id=options.get("session_id"),
        cwd=options.get("cwd"),
        client_version=version,
    )
    if session.cwd == "/" and not options.get("cwd") and (thread.metadata or {}).get("cwd") != "/":
        book.note("no-folder", CODES["no-folder"])
    style = Style(
        history=history,
        version=write_meta.version_of(version),
        native=options.get("tools") == "native",
        keep_context=bool(options.get("keep_context")),
        keep_raw=bool(options.get("keep_raw")),
    )
    part = cut(
        messages,
        since_compaction=bool(options.get("since_compaction")),
        last_turns=options.get("last_turns"),
    )
    if part.why is not None:
        book.note("cut", part.why)
    gone = {m.id for m in part.left}
    children = [c for c in options.get("children") or () if c.thread.origin_message_id not in gone]
    _leave_out(part.left, book)
    for child in options.get("children") or ():
        if child.thread.origin_message_id in gone:
            _leave_out(child.messages, book)
    sessions = _sessions(session, children)
    under = _by_parent(session, children, sessions)
    files = []
    times = times_of(messages)
    main = _write(session, part.kept, style, book, under.get(session.session_id, ()), times, options.get("link"))
    for child, own in zip(children, sessions, strict=True):
        ordered, when = _as_sent(child.messages, book), times_of(child.messages)
        lines = _write(own, ordered, style, book, under.get(own.session_id, ()), when)
        files.append(EmittedFile(path=own.path, lines=lines, modified=last_time(when, own.created)))
    modified = last_time(times, session.created)
    return EmitResult(
        session_id=session.session_id,
        path=session.path,
        lines=main,
        modified=modified,
        report=book.report(),
        files=files,
        appends=_name(session, modified),
    )


def _as_sent(messages: Sequence[Message], book: BlockBook) -> Sequence[Message]:
    """The messages in the order in which their model was sent them: Codex sends its own the file as it stands."""
    ordered = walk.by_step(messages)
    moved = [now for was, now in zip(messages, ordered, strict=True) if was is not now]
    if moved:
        book.note("reordered", CODES["reordered"], message_id=moved[0].id)
    return ordered


def _leave_out(messages: Sequence[Message], book: BlockBook) -> None:
    for message in messages:
        first = book.open(len(message.content))
        for i in range(len(message.content)):
            book.dropped(first + i, "cut")


def _sessions(main: Session, children: Sequence[IngestedThread]) -> list[Session]:
    """The children as sessions, each under its parent, or under the main one where that is not among them."""
    parents = {c.thread.id: c.thread.parent_thread_id for c in children}
    made = {main.thread.id: main}

    def made_of(child: IngestedThread, above: frozenset[str]) -> Session:
        thread = child.thread
        if thread.id not in made:
            parent = thread.parent_thread_id or ""
            if parent in parents and parent not in above:
                made_of(by_id[parent], above | {thread.id})
            made[thread.id] = write_meta.child_of(
                made.get(parent, main), thread, child.messages[0].ts if child.messages else None
            )
        return made[thread.id]

    by_id = {c.thread.id: c for c in children}
    return [made_of(c, frozenset({c.thread.id})) for c in children]


def _by_parent(
    main: Session, children: Sequence[IngestedThread], sessions: Sequence[Session]
) -> dict[str, list[Child]]:
    """The children of each session, by its id."""
    found: dict[str, list[Child]] = {}
    for child, session in zip(children, sessions, strict=True):
        name, role = write_meta.names_of(child.thread)
        relation = (child.thread.metadata or {}).get("relation")
        named = Child(
            session_id=session.session_id,
            origin=child.thread.origin_message_id,
            relation=relation if isinstance(relation, str) else "subagent",
            name=name,
            role=role,
            prompt=walk.first_prompt(child.messages) or "",
        )
        found.setdefault(session.parent_id or main.session_id, []).append(named)
    return found


def _write(
    session: Session,
    messages: Sequence[Message],
    style: Style,
    book: BlockBook,
    children: Sequence[Child],
    times: Times,
    link: JsonObject | None = None,
) -> list[bytes]:
    writer = write_thread(session, messages, style, book, children, times)
    lines = writer.lines
    if has_surrogates(session.thread):
        book.note("surrogates", "Lone surrogates in the thread's title or metadata were replaced by U+FFFD.")
    if link is not None:
        link = {**link, "emittedLines": len(lines.lines)}
    meta = write_meta.session_meta(session, style.history, link)
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
