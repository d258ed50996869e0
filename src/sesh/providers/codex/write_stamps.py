"""What a line's stamp has to say: only what reading the record alone would get wrong (format/stamp.py)."""

from __future__ import annotations

from sesh.format import stamp as stamps
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.providers.codex import kinds
from sesh.providers.codex.write_items import Item
from sesh.providers.codex.write_lines import stamp_of

STUB: JsonObject = {"stub": True}


def of_item(item: Item, written: Message, original: Message, ts: str, *, more: bool) -> JsonObject | None:
    """The stamp of an item's line.

    `written` is the message as Codex can take it, `original` as it was given; `ts` is the time on the line; `more`:
    the line goes on with the message that the line before began.
    """
    if item.stub:
        return STUB
    exact = item.exact and written is original
    return stamp_of(
        stamps.Stamp(
            kind=_kind(written, item),
            role=written.role if written.role != item.role else None,
            model=written.model,
            ts=original.ts if original.ts != ts else None,
            blocks=None if exact else stamps.wire_blocks([original.content[i] for i in item.blocks]),
            more=more or None,
            error=item.error if exact else None,
        )
    )


def _kind(message: Message, item: Item) -> str | None:
    payload = item.payload
    read: str | None = None
    if payload.get("role") == "developer":
        read = "context"
    elif payload.get("role") == "user" and payload.get("type") == "message":
        content = payload.get("content")
        parts = content if isinstance(content, list) else []
        read = kinds.of_texts([p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str)])
    if message.kind == read:
        return None
    return message.kind or stamps.SAID
