"""Mail between agents in the form that came before the `agent_message` item: a record of its own, or JSON as words.

`{"author", "recipient", "other_recipients"?, "content", "encrypted_content"?, "trigger_turn"}`, the agents named by
their paths (`/root`, `/root/kid`). 0.169 still reads both: of a record (`inter_agent_communication`) it makes an
`agent_message`, an assistant's message of such JSON begins a turn (measured with hand-made rollouts).
"""

from __future__ import annotations

from typing import Final

from sesh.format.json import JsonObject, JsonValue
from sesh.format.regex import regex

_PATH: Final = regex(r"/root(?:/[a-z0-9_]+)*")


def item(value: JsonValue) -> JsonObject | None:
    """A communication as the `agent_message` item that says the same; None where it is none that Codex would take."""
    if not isinstance(value, dict) or not isinstance(value.get("trigger_turn"), bool):
        return None
    said, sealed = value.get("content"), value.get("encrypted_content")
    agents = [value.get(key) for key in ("author", "recipient")]
    if not isinstance(said, str) or not all(isinstance(a, str) and _PATH.fullmatch(a) for a in agents):
        return None
    content: list[JsonObject] = [{"type": "input_text", "text": said}] if said or sealed is None else []
    if isinstance(sealed, str):
        content.append({"type": "encrypted_content", "encrypted_content": sealed})
    return {"type": "agent_message", "author": agents[0], "recipient": agents[1], "content": content}
