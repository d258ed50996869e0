"""What a line's stamp has to say: only what reading the record alone would get wrong (format/stamp.py)."""

from __future__ import annotations

from sesh.format import stamp as stamps
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.providers.codex import kinds
from sesh.providers.codex.write_items import Item
from sesh.providers.codex.write_lines import has_surrogates

STUB: JsonObject = {"stub": True}


def of_item(item: Item, written: Message, original: Message, ts: str, *, more: bool) -> JsonObject | None:
    """The stamp of an item's line.

    `blocks` are whole here; where the line is written, its own long texts are taken out (write_lines.py).
    `written` is the message as Codex can take it, `original` as it was given; `ts` is the time on the line; `more`:
    the line goes on with the message that the line before began.
    """
    if item.stub:
        return STUB
    stamp: JsonObject = {}  # the keys of stamps.Stamp, in its order
    read = _kind_read(item.payload)
    if written.kind != read:
        stamp["kind"] = written.kind or stamps.SAID
    if written.role != item.role:
        stamp["role"] = written.role
    if written.model is not None:
        stamp["model"] = written.model
    if original.ts != ts:
        stamp["ts"] = original.ts
    exact = item.exact and written is original
    escaped: str | None = None
    if not exact:
        blocks = stamps.wire_blocks([original.content[i] for i in item.blocks])
        if written is not original and has_surrogates(blocks):
            escaped = stamps.escape(blocks)
        else:
            stamp["blocks"] = blocks
    if more:
        stamp["more"] = True
    if exact and item.error is not None:
        stamp["error"] = item.error
    if escaped is not None:
        stamp["escaped"] = escaped
    return stamp or None


def _kind_read(payload: JsonObject) -> str | None:
    """The kind that reading the record alone would give."""
    role = payload.get("role")
    if role == "developer":
        return "context"
    if role != "user" or payload.get("type") != "message":
        return None
    content = payload.get("content")
    parts = content if isinstance(content, list) else []
    return kinds.of_texts([p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str)])
