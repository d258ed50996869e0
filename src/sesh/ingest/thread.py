"""Bringing one thread of a store up to a reading of it: appending what is new, never contradicting what is there.

What a store has of a thread is a log: messages in the order in which they were first read. When a client goes back
(rewind, retry, rollback), the messages that it left stay where they are, what it says next is appended, and the
thread's `metadata.left` names those that it left, so that whoever wants the client's present conversation skips them.
They stand in the child thread of the abandoned branch as well, like everywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from sesh.format import jsontext, wire
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores import MessageStore, append_all

MARKS: Final = "ingested"
"""`Thread.metadata` key: by source (`provider:session id`), what was taken from it."""
LEFT: Final = "left"
_PAGE: Final = 500


class Mark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How much of a source is in a thread.

    messages: so many of its main thread's messages, the last of which is `last`. settled: so many of them can no
    longer change. bytes, modified: the session file then (not on child threads). held: messages that were held back.
    """

    messages: int = 0
    settled: int = 0
    last: str | None = None
    bytes: int | None = None
    modified: str | None = None
    held: int = 0


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it. differing: stored messages that read differently now. left: ids the client went back behind."""

    appended: int
    differing: int
    held: int
    mark: Mark
    left: Sequence[str]


def mark_of(thread: Thread | None, source: str) -> Mark | None:
    """What a thread's record says was taken from a source; None where it says nothing."""
    marks = ((thread.metadata or {}) if thread is not None else {}).get(MARKS)
    try:
        return jsontext.convert(marks[source], Mark) if isinstance(marks, dict) and source in marks else None
    except msgspec.ValidationError:
        return None  # somebody else's key of that name


def grow(
    store: MessageStore,
    thread: Thread | None,
    thread_id: str,
    source: str,
    read: Sequence[Message],
    settled: int,
    *,
    before: int = 0,
) -> Growth:
    """Append what is new of `read` to a thread; only the first `settled` messages of it may be taken.

    thread: the stored record. Where its mark still holds, only what follows is looked at; else the thread is paged
    through and compared, for which `read` has to be the whole. before: how many messages of the thread come before
    `read`, less than the mark says are settled, and the mark has to hold; all other numbers count from there. Raises
    StoreFailed.
    """
    mark = mark_of(thread, source)
    at = 0 if mark is None else mark.messages - before
    gone = left_of(thread)
    if mark is not None and 0 < at <= len(read) and read[at - 1].id == mark.last and not come_back(gone, read[at:]):
        doubtful = _stored_after(store, thread_id, read[:at], mark.settled - before)
        differing = _differing(doubtful, read[mark.settled - before : at])
        taken = max(settled, at)
        new = read[at:taken]
        left: Sequence[str] = gone
        scattered = False
    else:
        if before:
            raise AssertionError("a thread can only be compared with the whole of what was read")
        stored = {m.id: m for page in _pages(store, thread_id) for m in page}
        differing = _differing(stored, read)
        taken = settled
        while taken < len(read) and read[taken].id in stored:  # taken before, when the session seemed to be at rest
            taken += 1
        new = [m for m in read[:taken] if m.id not in stored]
        left = _left(thread, source, stored, {m.id for m in read})
        scattered = any(m.id in stored for m in read[taken:])
    append_all(store, new)
    held = len(read) - taken
    last = read[taken - 1].id if taken else None
    now = Mark(messages=before + taken, settled=before + min(settled, taken), last=last, held=held)
    if scattered:  # what stands before a mark is stored, and nothing after it; where that is not so, there is none
        now = Mark(held=held)
    return Growth(appended=len(new), differing=differing, held=held, mark=now, left=left)


def left_of(thread: Thread | None) -> Sequence[str]:
    """The messages that the client went back behind, as a thread's record names them."""
    found = ((thread.metadata or {}) if thread is not None else {}).get(LEFT)
    return found if isinstance(found, list) else ()


def come_back(left: Sequence[str], read: Sequence[Message]) -> bool:
    """Whether the client is again where it had left: those messages are stored, and no longer to be skipped."""
    return bool(left) and not {m.id for m in read}.isdisjoint(left)


def _pages(store: MessageStore, thread_id: str) -> list[list[Message]]:
    found: list[list[Message]] = []
    while page := store.get_messages(thread_id, after_id=found[-1][-1].id if found else None, limit=_PAGE):
        found.append(page)
    return found


def _stored_after(store: MessageStore, thread_id: str, taken: Sequence[Message], settled: int) -> dict[str, Message]:
    """Those of the messages taken that were not settled when they were, as they are stored."""
    if settled >= len(taken):
        return {}
    after = taken[settled - 1].id if settled else None
    return {m.id: m for m in store.get_messages(thread_id, after_id=after, limit=len(taken) - settled)}


def _differing(stored: dict[str, Message], read: Sequence[Message]) -> int:
    """How many stored messages read differently now. Another run's stamp is no difference: the first one stays."""
    count = 0
    for message in read:
        known = stored.get(message.id)
        if known is not None and known != message:
            count += msgspec.structs.replace(message, run_id=known.run_id) != known
    return count


def _left(thread: Thread | None, source: str, stored: dict[str, Message], read: set[str]) -> list[str]:
    """Stored messages of this source that are no longer on its main thread."""
    marks = ((thread.metadata or {}) if thread is not None else {}).get(MARKS)
    alone = not isinstance(marks, dict) or set(marks) <= {source}
    before = set(left_of(thread))
    return [m.id for m in stored.values() if m.id not in read and (alone or _is_of(m, source) or m.id in before)]


def _is_of(message: Message, source: str) -> bool:
    said = message.provenance
    return said is not None and f"{said.provider}:{said.session_id}" == source


def put(
    store: MessageStore, stored: Thread | None, read: Thread, marks: Mapping[str, Mark], growth: Growth | None
) -> None:
    """Put a thread's record: what was read, over what was stored, with the marks of the sources.

    What the reading does not say (an agent, a title given by a gateway, keys of a later schema) stays as it was
    stored. Nothing is put where nothing changed.
    """
    record: JsonObject = jsontext.loads(wire.encode(stored)) if stored is not None else {}
    if record.get("v", wire.VERSION) != wire.VERSION:
        return  # a newer sesh's record is not ours to rewrite
    said: JsonObject = msgspec.to_builtins(read)
    metadata = {**record.get("metadata", {}), **said.get("metadata", {})}
    if marks:
        metadata[MARKS] = {**metadata.get(MARKS, {}), **msgspec.to_builtins(marks)}
    if growth is not None:
        metadata.pop(LEFT, None)
        if growth.left:
            metadata[LEFT] = list(growth.left)
    if metadata:
        said["metadata"] = metadata
    text = jsontext.dumps({**record, **said})
    if stored is None or not wire.same(text, wire.encode(stored)):
        store.put_thread(wire.load_thread(text))
