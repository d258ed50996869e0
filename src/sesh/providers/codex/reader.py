"""A Codex rollout as canonical messages: `parse_codex_rollout`.

Response items are the conversation; events are echoes of them, or the only witness (fold.py). The history is gathered
from all files it lies in (lineage.py), read once in order (fold.py), and what it names besides, sub-agents and reviews,
comes as child threads. What becomes of each kind of record: MAPPING.md.
"""

from __future__ import annotations

from typing import Any, Final, Unpack

import msgspec

from sesh.errors import NotASession
from sesh.format import ids
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import IngestedThread, IngestResult, ReadOptions, Source, as_source
from sesh.providers.codex import header, lineage, records
from sesh.providers.codex.detect import is_stream
from sesh.providers.codex.fold import Fold
from sesh.providers.codex.layout import parse_name
from sesh.providers.codex.records import Closing, SessionMeta, Strange, Unreadable
from sesh.providers.codex.transcript import PROVIDER, Origin, Transcript
from sesh.report.reports import LineBook

_MAIN: Final = "rollout.jsonl"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


def parse_codex_rollout(source: Source, /, **options: Unpack[ReadOptions]) -> IngestResult:
    """Read a rollout of any version, with what lies beside it.

    `source`: the file's bytes or text, or a SessionSource whose companions are named relative to CODEX_HOME (other
    rollouts, `session_index.jsonl`; see `layout`) and fetched only where the session names them. The main thread is
    what Codex sends its model on resume, with what came before compactions in front; forks' bases are joined, segments
    of reverts resolved to the newest, rolled-back and superseded turns become child threads.

    Raises NotASession for an empty file, the `codex exec --json` stream, and a file without any conversation.
    """
    given = as_source(source)
    book = LineBook()
    file = given.name or _MAIN
    found = records.read(given.main, file, book)
    _refuse(found, given.name, given.main)
    name = parse_name(given.name) if given.name else None
    fallback = options.get("session_id") or _nameless(given.main)
    main = lineage.opened(found, file, name, fallback)
    library = lineage.Library(given.companions, book, given.name.removesuffix(".zst") if given.name else None)
    reading = _Reading(library, book, options)
    if main.meta is None or main.meta is not found[0]:
        _note_header(main, name is not None, book)
    thread, messages = reading.thread(main, main.thread, None, None)
    if not _speaks(messages) and not any(_speaks(c.messages) for c in reading.children):
        raise NotASession(
            f"{given.name or 'This rollout'} holds no conversation: {len(found)} records, none of them a message."
            + (f" {reading.missing}" if reading.missing else ""),
            hint="`sesh list --all` shows the sessions that have one.",
        )
    index = library.index()
    title = header.name_in_index(index[1], index[0], main.thread, book) if index else None
    if title is not None:
        thread = _titled(thread, title)
    return IngestResult(thread=thread, messages=messages, children=reading.children, report=book.report())


class _Reading:
    """One parse: the files at hand, and the child threads found on the way."""

    def __init__(self, library: lineage.Library, book: LineBook, options: ReadOptions) -> None:
        self.library = library
        self.book = book
        self.options = options
        self.children: list[IngestedThread] = []
        self.missing = ""
        self._read: set[str] = set()

    def thread(
        self, main: lineage.File, key: str, parent: str | None, origin_message: str | None
    ) -> tuple[Thread, list[Message]]:
        """A thread and its messages; its children are added to `children`. `key` is what its ids derive from."""
        self._read.add(main.thread)
        line = lineage.of(main, self.library)
        head = line.stretches[-1].file
        thread_id = ids.thread_id(PROVIDER, key)
        first = next((s.file for s in line.stretches if s.file.thread == main.thread), head)
        began = header.created(first.meta, first.records, parse_name(first.file), main.thread)
        transcript = Transcript(
            session=main.thread,
            key=key,
            thread_id=thread_id,
            start=began,
            keep_raw=bool(self.options.get("keep_raw")),
            run_id=self.options.get("run_id"),
        )
        fold = Fold(transcript, Closing(self.book))
        if line.cycle:
            self.book.note("cycle", "Rollouts name each other as their base; the circle was left.", file=main.file)
        elif line.missing is not None:
            self._note_missing(line.missing, main)
        own_meta = first.meta
        superseded: list[tuple[Fold, str, str | None]] = []
        for stretch in line.stretches:
            self._feed(fold, stretch, main.thread, own_meta, superseded)
        fold.finish()
        for other in line.others:
            branch = fold.branch()
            self._feed(branch, lineage.Stretch(other, len(other.records)), main.thread, own_meta, [])
            branch.finish()
            superseded.append((branch, f"segment:{other.segment}", None))
        thread = self._described(main, own_meta, fold, thread_id, began, parent, origin_message)
        self._add_rolled(fold, thread, key, began)
        for branch, name, before in superseded:
            self._add_superseded(branch, name, before, thread, key, began)
        for child, call in fold.showing.named.items():
            self._add_child(child, call, main, key, thread_id)
        return thread, fold.messages

    def _feed(
        self,
        fold: Fold,
        stretch: lineage.Stretch,
        own: str,
        own_meta: records.Record | None,
        superseded: list[tuple[Fold, str, str | None]],
    ) -> None:
        file, stop = stretch
        foreign = file.thread != own
        prefix = "" if file.segment == own else f"{file.segment}:"
        copied, whose = lineage.inherited(file) if not foreign else (0, None)
        copied = min(copied, stop)
        if copied:
            fold.feed(file.records[:copied], Origin(whose or file.thread, prefix, inherited=True), own_meta)
        origin = Origin(file.thread, prefix, inherited=foreign)
        fold.feed(file.records[copied:stop] if copied or stop < len(file.records) else file.records, origin, own_meta)
        rest = file.records[stop:]
        if not rest:
            return
        if foreign:
            for record in rest:
                self.book.skipped(record.file, record.item, "after the fork")
            return
        branch = fold.branch()
        before = fold.messages[-1].id if fold.messages else None
        branch.feed(rest, Origin(file.thread, prefix), own_meta)
        branch.finish()
        superseded.append((branch, f"after:{prefix}{rest[0].place}", before))

    def _described(
        self,
        main: lineage.File,
        meta: records.Record | None,
        fold: Fold,
        thread_id: str,
        began: str,
        parent: str | None,
        origin_message: str | None,
    ) -> Thread:
        payload = meta.line.payload if meta is not None and isinstance(meta.line, SessionMeta) else {}
        found = header.metadata(payload, main.thread)
        kept: dict[str, Any] = {}
        if meta is not None and isinstance(meta.line, SessionMeta):
            found, kept = header.restored(found, meta.line)
        if not kept:
            if "cwd" not in found and (cwd := header.cwd_in(fold.messages)):
                found["cwd"] = cwd
            if fold.transcript.model is not None:
                found["model"] = fold.transcript.model
            if fold.context_window is not None:
                found["contextWindow"] = fold.context_window
        if fold.link is not None:
            found["link"] = fold.link
        above = payload.get("parent_thread_id")
        if parent is not None:
            found.setdefault("relation", "subagent")  # our writer leaves what else a child may be on its header
            found["agentId"] = main.thread
        elif isinstance(above, str):
            parent = ids.thread_id(PROVIDER, above)
            found["agentId"] = main.thread
        title, stamped = kept.get("title"), kept.get("createdAt")
        return Thread(
            id=thread_id,
            agent_id=self.options.get("agent_id"),
            parent_thread_id=parent,
            origin_message_id=origin_message,
            title=title if isinstance(title, str) else fold.name,
            created_at=stamped if isinstance(stamped, str) else began,
            metadata=found,
        )

    def _add_rolled(self, fold: Fold, thread: Thread, key: str, began: str) -> None:
        for rolled in fold.rolled:
            self._add_part(rolled.messages, f"rollback:{rolled.key}", rolled.origin, thread, key, began)

    def _add_superseded(
        self, branch: Fold, name: str, before: str | None, thread: Thread, key: str, began: str
    ) -> None:
        if not _speaks(branch.messages):
            return
        text = f"{len(branch.messages)} messages of an earlier segment were reverted; they are a child thread."
        self.book.note("superseded", text)
        self._add_part(branch.messages, name, before, thread, key, began)
        self._add_rolled(branch, thread, key, began)

    def _add_part(
        self, messages: list[Message], name: str, origin: str | None, thread: Thread, key: str, began: str
    ) -> None:
        part_key = f"{key}/{name}"
        part_id = ids.thread_id(PROVIDER, part_key)
        child = Thread(
            id=part_id,
            agent_id=self.options.get("agent_id"),
            parent_thread_id=thread.id,
            origin_message_id=origin,
            created_at=messages[0].ts if messages else began,
            metadata={
                "provider": PROVIDER,
                "sessionId": (thread.metadata or {}).get("sessionId"),
                "relation": "rollback",
            },
        )
        moved = [msgspec.structs.replace(m, thread_id=part_id) for m in messages]
        self.children.append(IngestedThread(thread=child, messages=moved))

    def _add_child(self, child: str, call: str | None, main: lineage.File, key: str, thread_id: str) -> None:
        if child in self._read:
            return
        segments = self.library.segments(child)
        file = self.library.read(segments[0][1]) if segments else None
        if file is None:
            text = f"The thread {child} that this session started lies in its own rollout, which was not at hand."
            self.book.note("missing-companion", text)
            return
        if call is None:
            self.book.note(
                "unlinked-child", f"No call of this session names the thread {child}; it is a child all the same."
            )
        at = len(self.children)
        thread, messages = self.thread(file, f"{key}/{child}", thread_id, call)
        self.children.insert(at, IngestedThread(thread=thread, messages=messages))

    def _note_missing(self, missing: tuple[str, int | None], main: lineage.File) -> None:
        wanted, end = missing
        upto = f" up to ordinal {end}" if end is not None else ""
        text = (
            f"Earlier history lies in thread {wanted}{upto} (history_base); its rollout, rollout-*-{wanted}.jsonl,"
            " was not at hand. This is only what came after."
        )
        self.missing = text
        self.book.note("missing-history", text, file=main.file)


def _titled(thread: Thread, title: str) -> Thread:
    return msgspec.structs.replace(thread, title=title)


def _speaks(messages: list[Message]) -> bool:
    return any(m.kind != "context" for m in messages)


def _refuse(found: list[records.Record], name: str | None, data: bytes) -> None:
    where = name or "This input"
    if data[:4] == _ZSTD:
        raise NotASession(f"{where} is compressed.", hint="Decompress it first: `zstd -d`.")
    if not found:
        raise NotASession(f"{where} is empty.", hint="Name a rollout of Codex, rollout-*.jsonl.")
    if any(isinstance(r.line, Strange) and is_stream(r.line.value) for r in found[:50]):
        raise NotASession(
            f"{where} is the output stream of `codex exec --json`, not a session file.",
            hint="The session itself lies under ~/.codex/sessions; `sesh list --all` shows it.",
        )
    if all(isinstance(r.line, (Strange, Unreadable)) for r in found):
        raise NotASession(f"{where} is no rollout; none of its lines is a record of Codex.")


def _nameless(data: bytes) -> str:
    """An id for a file that tells none, by its first line: the same file gives the same, and so does a longer one."""
    return ids.derive("codex-rollout", data.split(b"\n", 1)[0].decode("utf-8", "replace"))


def _note_header(main: lineage.File, named: bool, book: LineBook) -> None:
    if main.meta is None:
        source = "the file's name" if named else "no header; it was derived from the first line"
        book.note("id-from-file-name", f"The file has no readable header; the session id comes from {source}.")
