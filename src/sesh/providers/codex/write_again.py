"""Codex's own messages as the same records again (same-vendor writing; ARCHITECTURE.md, "Same vendor").

The reader keeps in `provider_data` what the blocks do not hold: `{"payload": REST, "metadata"?}` for a response item,
and `{"line": ...}` for everything else; `again` puts the two together. A record is only taken where reading it gives
the very blocks of the message: a message that was edited, or that a stamp restored, is written like any other.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import msgspec

from sesh.format.blocks import AnyBlock, FileChangeBlock, ReasoningBlock, ToolCallBlock, WebSearchBlock
from sesh.format.json import JsonObject
from sesh.format.message import Message

PROVIDER: Final = "codex"
Call: TypeAlias = ToolCallBlock | FileChangeBlock | WebSearchBlock


def is_own(message: Message) -> bool:
    """Whether Codex's reader made this message and left what is needed to write it again."""
    came = message.provenance
    return came is not None and came.provider == PROVIDER and isinstance(message.provider_data, dict)


def line_kind(message: Message) -> str | None:
    """`compacted`, `event_msg`, `unknown`, ... for messages that no response item gave; else None (MAPPING.md)."""
    kind = (message.provider_data or {}).get("line") if is_own(message) else None
    return kind if isinstance(kind, str) else None


def item_payload(message: Message, *, raw: bool = False) -> JsonObject | None:
    """The response item that gave this message; None where it is none, or no longer says the same.

    raw: take it from the record that the message holds, where it holds one, with its keys in their order.
    """
    if not is_own(message):
        return None
    rest = (message.provider_data or {}).get("payload")
    if line_kind(message) is not None or not isinstance(rest, dict) or not isinstance(rest.get("type"), str):
        return None
    from sesh.providers.codex import again  # what puts a record together is needed for Codex's own alone

    whole = message.raw.get("payload") if raw and isinstance(message.raw, dict) else None
    if isinstance(whole, dict) and _gives(whole, message):
        return whole
    payload = again.item(rest, message.content)
    return payload if payload is not None and _gives(payload, message) else None


def _gives(payload: JsonObject, message: Message) -> bool:
    """Whether reading the item gives this message's role and blocks."""
    from sesh.providers.codex import items  # as above, and the reader's rules with it

    made = items.convert(payload)
    return made is not None and made.role == message.role and _same(made.content, message.content)


def is_same_mail(payload: JsonObject, message: Message) -> bool:
    """Whether reading mail between agents, a record of its own, gives this message's role and blocks."""
    from sesh.providers.codex import mail  # needed for Codex's own alone

    item = mail.item(payload)
    return item is not None and _gives(item, message)


def thoughts(message: Message) -> list[str]:
    """The readable thoughts of a message."""
    return [b.text for b in message.content if isinstance(b, ReasoningBlock) and b.text]


def full_name(block: Call) -> Call:
    """A call under the name that says whose tool it is: 0.128 and later keep an MCP server in `namespace`."""
    space = (block.provider_data or {}).get("namespace") if isinstance(block, ToolCallBlock) else None
    if isinstance(block, ToolCallBlock) and isinstance(space, str) and space.startswith("mcp__"):
        return msgspec.structs.replace(block, name=f"{space}__{block.name}")
    return block


def compacted_payload(message: Message) -> JsonObject | None:
    """The `compacted` record that gave this summary."""
    found = (message.provider_data or {}).get("payload") if line_kind(message) == "compacted" else None
    return found if isinstance(found, dict) else None


def _same(a: list[AnyBlock], b: list[AnyBlock]) -> bool:
    return len(a) == len(b) and all(_said(x) == _said(y) for x, y in zip(a, b, strict=True))


def _said(block: AnyBlock) -> Any:
    value = msgspec.to_builtins(block)
    value.pop("isError", None)  # said by events, or by a stamp; never by the item
    return value
