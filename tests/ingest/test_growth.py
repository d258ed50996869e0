"""Every session of the corpus taken in line by line: nothing that was stored is ever contradicted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sesh.errors import NotASession
from sesh.format.message import Message
from sesh.handoff.book import Book
from sesh.ingest.points import Points
from sesh.ingest.session import Ingest
from sesh.ingest.settle import settled
from sesh.ingest.thread import LEFT, Growth, grow, put
from sesh.providers.api import IngestResult, SessionSource
from sesh.stores import MessageStore, open_store
from tests.ingest.roads import LONG
from tests.sessions import Session, main_sessions

SEGMENTED = ("trees/reverted",)
"""Codex sessions in several files: cutting one of them short while the later ones lie beside it is no moment that was.

`test_segments` goes through the moments that were.
"""
GROWING = [s for s in main_sessions() if not any(part in s.name for part in SEGMENTED)]


def take_in(store: MessageStore, read: IngestResult, *, whole: bool) -> int:
    """Store what may be stored of a reading; how many stored messages it contradicts."""
    differing = 0
    for thread, messages in ((read.thread, read.messages), *((c.thread, c.messages) for c in read.children)):
        before = store.get_thread(thread.id)
        growth: Growth = grow(
            store, before, thread.id, "test:s", messages, len(messages) if whole else settled(messages)
        )
        put(store, before, thread, {"test:s": growth.mark}, growth)
        stored = {m.id: m for m in store.get_messages(thread.id)}
        differing += sum(m.id in stored and stored[m.id] != m for m in messages)
    return differing


def present(store: MessageStore, thread_id: str) -> list[Message]:
    """The thread as the client has it now."""
    thread = store.get_thread(thread_id)
    left = set((thread.metadata or {}).get(LEFT, [])) if thread is not None else set()
    return [m for m in store.get_messages(thread_id) if m.id not in left]


@pytest.mark.parametrize("session", GROWING, ids=lambda s: s.name)
def test_line_by_line(session: Session) -> None:
    opened = session.open()
    data, store = opened.source.main, open_store("memory:")
    cuts = [m.end() for m in re.finditer(b"\n", data)]
    if not cuts or cuts[-1] != len(data):
        cuts.append(len(data))
    read = None
    for cut in cuts:
        source = SessionSource(main=data[:cut], name=opened.source.name, companions=opened.source.companions)
        try:
            read = opened.provider.parse(source)
        except NotASession:
            continue
        assert take_in(store, read, whole=False) == 0, f"after {cut} bytes"
    assert read is not None
    assert take_in(store, read, whole=True) == 0
    assert present(store, read.thread.id) == read.messages
    for child in read.children:
        assert present(store, child.thread.id) == child.messages


@pytest.mark.parametrize("tree", ["reverted", "reverted-twice"])
def test_segments(tree: str, tmp_path: Path) -> None:
    """A revert begins a new file of the same session: its thread goes on, and names what was reverted."""
    import shutil

    from sesh.files.read import open_session
    from sesh.providers import registry
    from tests.sessions import CORPUS

    store, source = open_store("memory:"), CORPUS / "codex/trees" / tree
    lefts = []
    for path in sorted(source.rglob("rollout-*.jsonl")):
        copy = tmp_path / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        opened = open_session(copy, registry.get("codex"))
        read = opened.provider.parse(opened.source)
        assert take_in(store, read, whole=True) == 0
        assert present(store, read.thread.id) == read.messages
        thread = store.get_thread(read.thread.id)
        assert thread is not None
        lefts.append(len((thread.metadata or {}).get(LEFT, [])))
    assert max(lefts) >= 2


def is_kept(folder: Path, session: Session, cuts: list[tuple[int, bool]], *, by_short_road: bool) -> None:
    """Make a session's file hold so many lines, one number after another, and look at the store each time."""
    opened = session.open()
    lines, path, store = (
        opened.source.main.splitlines(keepends=True),
        folder / opened.source.name,
        open_store("memory:"),
    )
    points = Points(folder / "points", "store", least_bytes=0) if by_short_road else None
    for count, rests in cuts:
        path.write_bytes(b"".join(lines[:count]))
        now = path.stat().st_mtime_ns + (LONG if rests else 0)
        try:
            Ingest(store, Book(folder / "sesh"), {}, points=points).take(path, now)
        except NotASession:
            continue  # cut so short that nobody has said anything
        read = opened.provider.parse(SessionSource(main=path.read_bytes(), name=path.name))
        # As sets: what comes back stands where it was first read.
        there = {m.id for m in present(store, read.thread.id)}
        ids = {m.id for m in read.messages}
        assert there == ids if rests else there <= ids, f"after {count} lines"


@pytest.mark.parametrize("by_short_road", [False, True])
@pytest.mark.parametrize(
    "cuts",
    [
        [(12, True), (8, True), (9, True), (12, True)],  # a copy of before, put back by a backup, which goes on
        [(12, True), (6, True), (12, True), (14, True)],
        [(12, False), (10, False), (3, False), (12, False), (12, True)],
        [(14, True), (5, False), (3, False), (14, True)],
    ],
)
@pytest.mark.parametrize("name", ["1-0-120-basic", "1-0-120-agents", "2-1-50-basic/9007", "codex/0.104.0/basic.jsonl"])
def test_a_file_that_is_cut_short_and_goes_on(
    name: str, cuts: list[tuple[int, bool]], by_short_road: bool, tmp_path: Path
) -> None:
    """What was taken back is named as left, and no longer once it is there again."""
    is_kept(tmp_path, next(s for s in GROWING if name in s.name), cuts, by_short_road=by_short_road)
