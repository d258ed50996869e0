"""`thread_rolled_back`: which messages it takes out of the thread (formats/codex.md §9).

It counts user messages backwards, steering and injected ones too, the client's own (`<turn_aborted>`, environment)
not. A compaction within what is taken out is undone, and what stood before it is the history again. Only after a
compaction that has no list of its own the client counts in what it made of it: the messages kept and the summary.
Measured on 0.169 with hand-made files (tests/providers/codex/measured).
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from sesh.format import walk
from sesh.format.message import Message


class RolledBack(NamedTuple):
    """What stays and what goes, both in order."""

    kept: list[Message]
    removed: list[Message]


def roll_back(messages: list[Message], count: int) -> RolledBack | None:
    """Take out the last `count` (≥ 1) user messages and all after them; None where there is no user message."""
    at = walk.last_summary(messages)
    if at is not None and _without_list(messages[at]):
        prompts_after = [i for i in range(at + 1, len(messages)) if walk.is_prompt(messages[i])]
        if len(prompts_after) < count:
            kept = [*messages[:at], _shortened(messages, at, count - len(prompts_after))]
            return RolledBack(kept, messages[at + 1 :])
    prompts = [i for i, m in enumerate(messages) if walk.is_prompt(m)]
    if not prompts:
        return None
    cut = prompts[max(len(prompts) - count, 0)]
    return RolledBack(messages[:cut], messages[cut:])


def _without_list(summary: Message) -> bool:
    payload = (summary.provider_data or {}).get("payload")
    return isinstance(payload, dict) and not isinstance(payload.get("replacement_history"), list)


def _shortened(messages: list[Message], at: int, count: int) -> Message:
    """The summary with a window that ends before its `count` last user messages (the summary is one itself)."""
    window = messages[at].window or [messages[at].id]
    users = {m.id for m in messages[: at + 1] if m.role == "user" and m.kind in (None, "summary")}
    counted = [i for i, message_id in enumerate(window) if message_id in users]
    cut = counted[max(len(counted) - count, 0)] if counted else 0
    return msgspec.structs.replace(messages[at], window=window[:cut])
