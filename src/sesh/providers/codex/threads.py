"""A thread with all it is made of: its history from every file, and what hangs beside it as child threads."""

from __future__ import annotations

from typing import Any

import msgspec

from sesh.format import ids
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import IngestedThread, ReadOptions
from sesh.providers.codex import header, lineage, records
from sesh.providers.codex.fold import Fold
from sesh.providers.codex.records import Closing, SessionMeta
from sesh.providers.codex.transcript import PROVIDER, Origin, Transcript
from sesh.report.reports import LineBook


class Reading:
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
        at = len(self.children)
        line = lineage.of(main, self.library)
        head = line.stretches[-1].file
        thread_id = ids.thread_id(PROVIDER, key)
        first = next((s.file for s in line.stretches if s.file.thread == main.thread), head)
        began = header.created(first.meta, first.records, first.name, main.thread)
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
        named = dict(fold.showing.named)
        for branch, _, _ in superseded:
            named = {**branch.showing.named, **named}
        # A call that was rolled back lies in the part that holds it now, and its child hangs there.
        holders = {m.id: c.thread.id for c in self.children[at:] for m in c.messages}
        for child, call in named.items():
            self._add_child(child, call, key, holders.get(call or "", thread_id))
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
                fold.closing.skipped(record, "after the fork")
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
            title=fold.name or (title if isinstance(title, str) else None),
            created_at=stamped if isinstance(stamped, str) else began,
            metadata=found,
        )

    def _add_rolled(self, fold: Fold, thread: Thread, key: str, began: str) -> None:
        for rolled in fold.rolled:
            self._add_part(rolled.messages, f"rollback:{rolled.key}", rolled.origin, thread, key, began)

    def _add_superseded(
        self, branch: Fold, name: str, before: str | None, thread: Thread, key: str, began: str
    ) -> None:
        if not speaks(branch.messages):
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

    def _add_child(self, child: str, call: str | None, key: str, thread_id: str) -> None:
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


def speaks(messages: list[Message]) -> bool:
    """Whether anything but context was said."""
    return any(m.kind != "context" for m in messages)
