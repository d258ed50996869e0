"""Canonical messages as the rows that a client sends its model, so that the two can be compared.

A row is what `tests/clients/sent.py` (and the files under tests/corpus/sent) makes of a request: a JSON object with a
`kind`: `user`, `assistant` (text), `image`, `call` (id, name, input), `result` (id, text, images), `search`, or the
vendor's own word for anything else. `settled` brings rows of any origin into one form; two conversations are the same
when their settled rows are equal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from sesh.format import blocks
from sesh.format.message import Message

Row: TypeAlias = dict[str, Any]

THINKING = ("thinking", "redacted_thinking", "reasoning")
SAID = ("user", "assistant", "system", "developer")


def of_messages(messages: Iterable[Message]) -> list[Row]:
    """The rows of messages, in order: thinking is left out, contexts are not (see `conversation`)."""
    return [row for message in messages for row in of_message(message)]


def of_message(message: Message) -> list[Row]:
    """The rows of one message, a block each."""
    return [row for block in message.content if (row := of_block(block, message.role)) is not None]


def conversation(messages: Iterable[Message]) -> list[Row]:
    """The rows of what was said: all messages but `context` ones, and those in the system's voice.

    A client's request has the latter among its own context (`tests/clients/sent.py`).
    """
    return of_messages(m for m in messages if m.kind != "context" and not (m.role == "system" and m.kind == "notice"))


def of_block(block: blocks.AnyBlock, role: str) -> Row | None:
    """The row of a block; None for thinking."""
    match block:
        case blocks.TextBlock():
            return {"kind": role, "text": block.text}
        case blocks.ReasoningBlock():
            return None
        case blocks.ToolCallBlock():
            return {"kind": "call", "id": block.call_id, "name": block.name, "input": block.input}
        case blocks.FileChangeBlock():
            return {"kind": "call", "id": block.call_id, "name": "apply_patch", "input": {"input": block.patch}}
        case blocks.WebSearchBlock():
            return {"kind": "search", "query": block.query}
        case blocks.ToolResultBlock():
            text, images = output_text(block.given)
            row: Row = {"kind": "result", "id": block.call_id, "text": text}
            return {**row, "images": images} if images else row
        case blocks.AttachmentBlock():
            return {"kind": "image", "images": [digest(block)]}
        case blocks.UnknownBlock():
            rest = {k: v for k, v in block.raw.items() if k != "type"} if isinstance(block.raw, dict) else block.raw
            return {"kind": block.source_type, "raw": rest}


def digest(block: blocks.AttachmentBlock) -> str:
    """The name by which a picture is known in a row: of its base64 text, or of its URL."""
    return digest_of(block.data or block.uri or "")


def digest_of(data: str) -> str:
    """The same, of the base64 text or URL itself."""
    return hashlib.sha256(data.encode()).hexdigest()[:12]


def output_text(output: Any) -> tuple[str, list[str]]:
    """A tool's output as its text (parts joined by line feeds) and its pictures' digests."""
    parts = blocks.output_parts(output)
    if parts is None:
        return ("" if output is None else json.dumps(output, sort_keys=True)), []
    texts: list[str] = []
    images: list[str] = []
    for part in parts:
        match part:
            case blocks.TextBlock():
                texts.append(part.text)
            case blocks.AttachmentBlock():
                images.append(digest(part))
            case blocks.UnknownBlock():
                texts.append(json.dumps(part.raw, sort_keys=True))
    return "\n".join(texts), images


def without(rows: Sequence[Row], apart: Sequence[Row]) -> list[Row]:
    """`rows` less those of `apart`, each once, by kind, text and id: how contexts are left out on the client's side."""
    names = [_name(r) for r in apart]
    left: list[Row] = []
    for row in rows:
        name = _name(row)
        if name in names:
            names.remove(name)
        else:
            left.append(row)
    return left


def _name(row: Row) -> tuple[str, str, str, str]:
    return row["kind"], str(row.get("text", "")).strip(), str(row.get("images", "")), str(row.get("id", ""))


def settled(rows: Iterable[Row]) -> list[Row]:
    """Rows in the one form in which they are compared.

    Thinking goes. Text loses its outer white space, and empty rows go. What one side said in several rows on end
    becomes one row with the texts joined by line feeds and the pictures after them (one vendor keeps them apart, the
    other in one message). A call's input that is plain text counts as {"input": text}. Whether a result was an error
    is left out: only one vendor's request says it.
    """
    out: list[Row] = []
    for row in rows:
        kind = row["kind"]
        if kind in THINKING:
            continue
        if kind in SAID or kind == "image":
            side = "user" if kind == "image" else kind
            text = str(row.get("text") or "").strip()
            images = list(row.get("images") or [])
            if not text and not images:
                continue
            if out and out[-1]["kind"] == side:
                last = out[-1]
                last["text"] = "\n".join(t for t in (last["text"], text) if t)
                last["images"] += images
            else:
                out.append({"kind": side, "text": text, "images": images})
        elif kind == "call":
            given = row.get("input")
            given = {"input": given} if isinstance(given, str) else given
            out.append({"kind": "call", "id": row.get("id"), "name": row.get("name"), "input": given})
        elif kind == "result":
            text = str(row.get("text") or "").strip()
            out.append({"kind": "result", "id": row.get("id"), "text": text, "images": list(row.get("images") or [])})
        elif kind in ("search", "web_search_call"):
            out.append({"kind": "search", "query": row.get("query") or looked_for(row.get("action") or {})})
        else:
            out.append(dict(row))
    return out


def looked_for(action: Row) -> str:
    """The words of a Codex search action: a query, a page that was opened, or a pattern looked for in it."""
    if action.get("pattern"):
        return f"'{action['pattern']}' in {action.get('url')}"
    return str(action.get("query") or action.get("url") or "")
