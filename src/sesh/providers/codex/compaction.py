"""What the model holds after a `compacted` line (formats/codex.md §4, §9).

`replacement_history` (0.128 and later) lists it item by item: user messages that were kept, contexts written anew, the
summary, or an encrypted one. Without it (up to 0.104, and whenever it is null) the client keeps the user messages and
puts the summary after them. Items that repeat an earlier message are that message; they are not said again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from sesh.format import jsontext, walk
from sesh.format.blocks import TextBlock
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.providers.codex import items

NO_SUMMARY: Final = "(no summary available)"


class Slot(NamedTuple):
    """One message of the window: an earlier one by its id, or a new one. `summary`: it stands for the rest."""

    kept: str | None
    new: items.Converted | None
    summary: bool = False


def slots(payload: JsonObject, held: Sequence[Message], vendor_ids: Mapping[str, str]) -> list[Slot]:
    """The window after a compaction. `held`: what the model was sent before it; `vendor_ids`: canonical by item id."""
    message = payload.get("message")
    words = message if isinstance(message, str) else ""
    history = payload.get("replacement_history")
    if isinstance(history, list):
        return _replaced(history, words, held, vendor_ids)
    kept = [Slot(m.id, None) for m in held if walk.is_prompt(m) and walk.text_of(m)]
    return [*kept, Slot(None, _summary(words or NO_SUMMARY), summary=True)]


def _summary(words: str) -> items.Converted:
    return items.Converted("user", "summary", [TextBlock(text=words)], {})


def _replaced(history: list[Any], words: str, held: Sequence[Message], vendor_ids: Mapping[str, str]) -> list[Slot]:
    earlier: dict[bytes, list[str]] = {}
    for message in held:
        earlier.setdefault(_signature(message.role, message.content), []).append(message.id)
    held_ids = {m.id for m in held}
    found: list[Slot] = []
    summary_at: int | None = None
    # Backwards, because of two messages with the same words the later one was kept.
    for i in range(len(history) - 1, -1, -1):
        item = history[i]
        made = items.convert(item) if isinstance(item, dict) else None
        if made is None:
            made = items.Converted("system", "context", [items.unknown(item)], {})
        if summary_at is None and _is_summary(made, words):
            summary_at = i
            found.append(Slot(None, made._replace(kind="summary"), summary=True))
            continue
        own = vendor_ids.get(item["id"]) if isinstance(item, dict) and isinstance(item.get("id"), str) else None
        if own is not None and own in held_ids:
            found.append(Slot(own, None))
            continue
        same = earlier.get(_signature(made.role, made.content))
        found.append(Slot(same.pop(), None) if same else Slot(None, made))
    found.reverse()
    return found


def _is_summary(made: items.Converted, words: str) -> bool:
    if made.kind == "summary":
        return True
    text = made.content[0].text if len(made.content) == 1 and isinstance(made.content[0], TextBlock) else None
    return bool(words) and made.role == "user" and text == words


def _signature(role: str, content: Sequence[Any]) -> bytes:
    return jsontext.dumps([role, [_bare(b) for b in content]])


def _bare(block: Any) -> JsonObject:
    value: JsonObject = msgspec.to_builtins(block)
    value.pop("providerData", None)
    return value
