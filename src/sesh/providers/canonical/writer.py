"""A thread, its messages and its children as canonical JSON Lines: everything, as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from sesh.format import ids, wire
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import EmitOptions, EmitResult
from sesh.providers.boundary import guarded, is_file_name
from sesh.report.reports import BlockBook


@guarded
def emit_canonical(thread: Thread, messages: Sequence[Message], /, **options: Unpack[EmitOptions]) -> EmitResult:
    """The thread record, its messages, then each child's record and messages; one line each.

    Only `children` of the options has a meaning here: the canonical form keeps contexts, names and ids as they are.
    """
    book = BlockBook()
    lines: list[bytes] = []
    last = thread.created_at
    family = [(thread, messages), *((c.thread, c.messages) for c in options.get("children", ()))]
    for member, said in family:
        lines.append(wire.encode(member))
        for message in said:
            first = book.open(len(message.content))
            lines.append(wire.encode(message))
            for item in range(first, first + len(message.content)):
                book.written(item)
    if messages:
        last = messages[-1].ts
    name = thread.id if is_file_name(thread.id) else ids.derive("canonical", thread.id)
    return EmitResult(session_id=thread.id, path=f"{name}.jsonl", lines=lines, modified=last, report=book.report())
