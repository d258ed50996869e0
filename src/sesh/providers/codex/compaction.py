"""What the model holds after a `compacted` line (formats/codex.md §4, §9).

`replacement_history` (0.128 and later) lists it item by item: user messages that were kept, contexts written anew, the
summary, or an encrypted one. Without it (up to 0.104, and whenever it is null) the client keeps the texts of the last
user messages, up to 20,000 tokens, and puts the summary after them (measured on 0.169 with hand-made files). Items
that repeat an earlier message are that message; they are not said again.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple, assert_never

import msgspec

from sesh.format import jsontext
from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    WebSearchBlock,
)
from sesh.format.json import JsonObject
from sesh.format.message import Kind, Message
from sesh.providers.codex import counted, items

NO_SUMMARY: Final = "(no summary available)"
"""What 0.169 sends for an empty message."""
_BUDGET: Final = 20_000
"""Tokens of user messages that the client keeps; it takes four bytes for a token, and cuts the oldest in the middle."""


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
    return [*_kept_texts(held), Slot(None, _texts("summary", [words or NO_SUMMARY]), summary=True)]


def _texts(kind: Kind | None, texts: Sequence[str]) -> items.Converted:
    return items.Converted("user", kind, [TextBlock(text=t) for t in texts], {})


def _kept_texts(held: Sequence[Message]) -> list[Slot]:
    """The user messages that a compaction without a list leaves: their texts, the newest that fit, the last one cut."""
    found: list[Slot] = []
    left = _BUDGET
    for message in reversed(held):
        if left <= 0:
            break
        texts = counted.words(message)
        if texts is None:
            continue
        size = sum(_tokens(t) for t in texts)
        if size > left:
            found.append(Slot(None, _texts(None, [cut("\n".join(texts), left)])))
        elif texts == [getattr(b, "text", None) for b in message.content]:
            found.append(Slot(message.id, None))
        else:
            found.append(Slot(None, _texts(None, texts)))
        left -= size
    found.reverse()
    return found


def _tokens(text: str) -> int:
    return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4


def cut(text: str, tokens: int) -> str:
    """A text as Codex cuts it to so many tokens: both ends, and in the middle how much is missing."""
    data = text.encode("utf-8", "surrogatepass")
    half = tokens * 4 // 2
    left = data[:half].decode("utf-8", "ignore")
    right = data[len(data) - (tokens * 4 - half) :].decode("utf-8", "ignore")
    return f"{left}\n…{(len(data) - tokens * 4 + 3) // 4} tokens truncated…\n{right}"


def _replaced(history: list[Any], words: str, held: Sequence[Message], vendor_ids: Mapping[str, str]) -> list[Slot]:
    converted = [_converted(item) for item in history]
    roles = {made.role for made in converted}  # most often prompts alone, and few messages are
    earlier: dict[Hashable, list[str]] = {}
    for message in held:
        if message.role in roles:
            earlier.setdefault(_signature(message.role, message.content), []).append(message.id)
    held_ids = {m.id for m in held} if vendor_ids else set()
    found: list[Slot] = []
    summary_at: int | None = None
    # Backwards, because of two messages with the same words the later one was kept.
    for i in range(len(history) - 1, -1, -1):
        item, made = history[i], converted[i]
        if summary_at is None and _is_summary(made, words):
            summary_at = i
            found.append(Slot(None, msgspec.structs.replace(made, kind="summary"), summary=True))
            continue
        own = vendor_ids.get(item["id"]) if isinstance(item, dict) and isinstance(item.get("id"), str) else None
        if own is not None and own in held_ids:
            found.append(Slot(own, None))
            continue
        same = earlier.get(_signature(made.role, made.content))
        found.append(Slot(same.pop(), None) if same else Slot(None, made))
    found.reverse()
    return found


def _converted(item: Any) -> items.Converted:
    made = items.convert(item) if isinstance(item, dict) else None
    return items.Converted("system", "context", [items.unknown(item)], {}) if made is None else made


def _is_summary(made: items.Converted, words: str) -> bool:
    if made.kind == "summary":
        return True
    text = made.content[0].text if len(made.content) == 1 and isinstance(made.content[0], TextBlock) else None
    return bool(words) and made.role == "user" and text == words


def _signature(role: str, content: Sequence[Any]) -> Hashable:
    """What two messages must share to be the same; `provider_data` (ids, metadata) does not count."""
    return role, *(_own(b) for b in content)


def _own(block: AnyBlock) -> Hashable:
    match block:
        case TextBlock():
            return block.text
        case ToolCallBlock() | ToolResultBlock() | FileChangeBlock():
            return block.__class__, block.call_id
        case AttachmentBlock():
            return block.data, block.uri
        case ReasoningBlock():
            return block.__class__, block.text
        case WebSearchBlock():
            return block.__class__, block.query
        case UnknownBlock():
            return block.__class__, jsontext.dumps(block.raw)
        case _:
            assert_never(block)
