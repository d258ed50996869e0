"""What Codex sends on resume, by canonical messages: their records made again (`again.py`), repaired as Codex does it.

What Codex keeps to itself is left out, and its own repairs are applied, as measured (formats/codex.md §4 and §5): a
call without an output is answered with "aborted", an output without a call is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sesh.format import walk
from sesh.format.message import Message
from sesh.providers.codex import again, mail
from sesh.providers.codex.items import PASSTHROUGH, convert

Payload = dict[str, Any]


def sent(messages: Sequence[Message]) -> list[Payload]:
    """The items of the model's window, in order, repaired as Codex repairs them."""
    lists = _lists(messages)
    items = [made for m in walk.window(messages) if (made := _item(m, lists.get(m.id))) is not None]
    return repaired([{k: v for k, v in i.items() if k != PASSTHROUGH} for i in items])


def _lists(messages: Sequence[Message]) -> dict[str, Payload]:
    """For each message that a `compacted` line gave, that line's payload: the summary's, which stands last, has it."""
    found: dict[str, Payload] = {}
    payload: Payload | None = None
    for message in reversed(messages):
        data = message.provider_data or {}
        if data.get("line") == "compacted":
            payload = data.get("payload") or payload
            if payload is not None:
                found[message.id] = payload
    return found


def _item(message: Message, history: Payload | None) -> Payload | None:
    data = message.provider_data or {}
    if data.get("line") == "compacted":
        items = (history or {}).get("replacement_history")
        if isinstance(items, list) and isinstance(data.get("slot"), int):
            found: Payload = items[data["slot"]]
            return found if convert(found) is not None else {"type": "other"}  # so Codex sends what it does not know
        return {"type": "message", "role": "user", "content": [again.part(b) for b in message.content]}
    record = again.line(message)
    if record is not None and record.type == "inter_agent_communication":
        return mail.item(record.payload)
    return record.payload if record is not None and record.type == "response_item" else None


def repaired(items: Sequence[Payload]) -> list[Payload]:
    """Every call answered, every answer asked for."""
    answered = {i.get("call_id") for i in items if str(i["type"]).endswith("_output")}
    asked = {i.get("call_id") for i in items if str(i["type"]).endswith("_call")}
    out: list[Payload] = []
    for each in items:
        kind, call_id = str(each["type"]), each.get("call_id")
        if kind.endswith("_output") and call_id is not None and call_id not in asked:
            continue
        out.append(each)
        if kind.endswith("_call") and call_id is not None and call_id not in answered:
            form = "custom_tool_call_output" if kind == "custom_tool_call" else "function_call_output"
            out.append({"type": form, "call_id": call_id, "output": "aborted"})
    return out
