"""The order of a thread's records: the trunk of the tree, with what has no place in the tree put in by file order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from sesh.providers.claude_code.book import NONE, Reading, Record
from sesh.providers.claude_code.tree import CHAINED, call_ids


def is_chained(record: Record) -> bool:
    """Whether a record has a place in the tree. A line of an unknown type has one where it bears an id and a parent."""
    if record.kind in CHAINED:
        return True
    line = record.line
    return (
        record.kind == "unknown"
        and line is not None
        and line.uuid is not None
        and line.parent_uuid is not msgspec.UNSET
    )


def loose_ends(reading: Reading) -> list[Record]:
    """Unknown and unreadable records without a place in the tree."""
    return [r for r in reading.of_kind("unknown", "unreadable") if r.node == NONE]


_END: Final = 1 << 62


def place(after: int | None) -> int:
    """Where in the file a record counts as standing; None is after everything."""
    return _END if after is None else after


def interleaved(trunk: Sequence[Record], loose: Sequence[tuple[int, Record]]) -> list[Record]:
    """Records without a place in the tree, put into the trunk where they stand in the file.

    A queued prompt does not come between a call and its result: it waits for the step to end.
    """
    if not loose:
        return list(trunk)
    waiting = sorted(loose, key=lambda pair: (pair[0], pair[1].at))
    out: list[Record] = []
    held: list[Record] = []
    open_calls: set[str] = set()
    at = 0
    for record in trunk:
        while at < len(waiting) and waiting[at][0] < record.at:
            (held if open_calls and waiting[at][1].kind == "queue-operation" else out).append(waiting[at][1])
            at += 1
        line = record.line
        if line is not None and line.message is not None:
            for kind, call_id in call_ids(line.message.content):
                if kind == "tool_use":
                    open_calls.add(call_id)
                else:
                    open_calls.discard(call_id)
        out.append(record)
        if held and not open_calls:
            out += held
            held = []
    return [*out, *held, *(r for _, r in waiting[at:])]
