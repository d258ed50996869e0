"""Making new messages stand on their own, where the earlier ones are in the file already and are not written again."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TypeAlias

import msgspec

from sesh.format import ids
from sesh.format.blocks import AnyBlock, FileChangeBlock, ToolCallBlock, ToolResultBlock, WebSearchBlock
from sesh.format.message import Message
from sesh.handoff.extent import News
from sesh.providers.api import IngestedThread


def messages(news: News) -> list[Message]:
    """The new messages, fit for a writer that sees no others.

    What a compaction kept of earlier messages is named in its summary's `window` by their ids, and those messages are
    not among the new ones. Each is put in before the summary as an item of the window of its own (ARCHITECTURE.md,
    Compaction), so that the model is sent the same after the merge as before. A client's context stays context: it does
    not go over to another client because a compaction kept it.
    """
    new = {m.id for m in news.messages}
    earlier = {m.id: m for m in news.result.messages if m.id not in new}
    found: list[Message] = []
    for message in news.messages:
        if message.kind == "summary" and message.window is not None:
            copies = {i: _kept(earlier[i], message) for i in message.window if i in earlier}
            found += copies.values()
            window = [copies[i].id if i in copies else i for i in message.window]
            message = msgspec.structs.replace(message, window=window)
        found.append(message)
    return found


def _kept(message: Message, summary: Message) -> Message:
    return msgspec.structs.replace(
        message,
        id=ids.derive("kept", summary.id, message.id),
        kind="context" if message.kind == "context" else "summary",
        window=None,
        ts=summary.ts,
        usage=None,
    )


def children(news: News, parent: str) -> list[IngestedThread]:
    """The new child threads, hung under the thread that the messages go to."""
    own = news.result.thread.id
    return [
        IngestedThread(
            thread=msgspec.structs.replace(child.thread, parent_thread_id=parent)
            if child.thread.parent_thread_id == own
            else child.thread,
            messages=child.messages,
        )
        for child in news.children
    ]


_Call: TypeAlias = ToolCallBlock | FileChangeBlock | WebSearchBlock


def call_ids(messages: Iterable[Message]) -> set[str]:
    """The ids of all calls in a conversation."""
    return {b.call_id for m in messages for b in m.content if isinstance(b, _Call) and b.call_id is not None}


def with_own_call_ids(messages: list[Message], taken: Set[str]) -> tuple[list[Message], int]:
    """The messages with other ids for calls whose id the copy has already, and how many calls those are.

    Vendors make ids that are unique in the world; a proxy or a scripted model may count from one in each run, and
    Claude Code throws the second pair of the same id away (formats/claude-code.md §3).
    """
    twice = call_ids(messages) & taken
    if not twice:
        return messages, 0
    names: dict[str, str] = {}
    for given in sorted(twice):
        n = 0
        while (name := f"{given[:40]}_{ids.derive('call', given, str(n))[:8]}") in taken:
            n += 1
        names[given] = name
    return [_renamed(m, names) for m in messages], len(names)


def _renamed(message: Message, names: dict[str, str]) -> Message:
    if not any(getattr(b, "call_id", None) in names for b in message.content):
        return message
    content: list[AnyBlock] = [
        msgspec.structs.replace(b, call_id=names[b.call_id])
        if isinstance(b, _Call | ToolResultBlock) and b.call_id in names
        else b
        for b in message.content
    ]
    return msgspec.structs.replace(message, content=content)
