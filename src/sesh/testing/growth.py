"""Law 4, as a function: reading a longer prefix of a live file only adds to what was read."""

from __future__ import annotations

from sesh.format.message import Message
from sesh.providers.api import IngestResult
from sesh.testing.difference import plain


def lost_by_growth(before: IngestResult, after: IngestResult) -> list[str]:
    """What the longer reading no longer has, one sentence each; empty when the law holds.

    Every message read before must be there again under its id, with the same words. Where it stands may change in one
    way: from the main thread to a child, when a branch was abandoned. Usage and the title may still change. A message
    that the earlier report names may be gone (a prompt that stands in a queue until the client sends it).
    """
    now: dict[str, Message] = {m.id: m for m in after.messages}
    for child in after.children:
        now.update((m.id, m) for m in child.messages if m.id not in now)
    named = {e.message_id for e in before.report.entries}
    found = []
    if before.thread.id != after.thread.id:
        found.append(f"the thread's id changed from {before.thread.id} to {after.thread.id}")
    for message in [*before.messages, *(m for c in before.children for m in c.messages)]:
        twin = now.get(message.id)
        if twin is None and message.id in named:
            continue
        if twin is None:
            found.append(f"message {message.id} ({message.role}) is gone")
        elif plain(twin)["content"] != plain(message)["content"]:
            found.append(f"message {message.id} ({message.role}) has other words now")
    kept = {m.id for m in before.messages}
    order = [m.id for m in after.messages if m.id in kept]
    still = set(order)
    if order != [m.id for m in before.messages if m.id in still]:
        found.append("the messages stand in another order now")
    return found
