"""What Codex itself takes for the user's words, which is not always what a person typed.

`thread_rolled_back` counts user turns, and a compaction without a list keeps what the user said. 0.169 goes by the
words of a message for both, and by no statement beside them (`content_item_kinds`): a message is the client's where
one of its parts is wrapped in one of a few markers, and every other user message is the user's, `<user_action>` and
`<user_instructions>` too, but for the words with which Codex begins a summary. Mail between agents begins a turn as
well. All of it measured with hand-made rollouts
(tests/providers/codex/measured); who really said it is a message's `kind` (kinds.py).
"""

from __future__ import annotations

from typing import Final

from sesh.format import jsontext
from sesh.format.blocks import AttachmentBlock, TextBlock
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.regex import regex
from sesh.providers.codex import kinds, mail

# How the client's own user messages begin and end, in small letters: it tells these whatever the case.
_WRAPPED: Final = (
    ("# agents.md instructions", "</instructions>"),
    *(
        (f"<{tag}>", f"</{tag}>")
        for tag in (
            "environment_context",
            "turn_aborted",
            "user_shell_command",
            "subagent_notification",
            "skill",
            "goal_context",
            "recommended_plugins",
            "agent_message_board_notification",
        )
    ),
)
_INTERNAL: Final = regex(r'(?s)<codex_internal_context source="[a-z0-9_]+">.*</codex_internal_context>')
_HOOK: Final = regex(r"(?is)<hook_prompt\s[^>]*?hook_run_id=(?:\"[^\"]+\"|'[^']+')[^>]*>.*</hook_prompt>")
# How the client's developer messages about settings begin.
_SETTINGS: Final = tuple(
    f"<{tag}>"
    for tag in (
        "permissions instructions",
        "skills_instructions",
        "apps_instructions",
        "plugins_instructions",
        "environments_instructions",
        "managed_developer_instructions",
        "collaboration_mode",
        "multi_agent_mode",
        "multi_agent_role",
        "persistent_mode",
        "personality_spec",
        "model_switch",
        "realtime_conversation",
        "token_budget",
        "context_window",
        "context_window_guidance",
        "tools",
    )
)
_SUMMARY: Final = (400, "371aca20f23d546135443e5c289f62b304aea1a9ce21cfa0e80e17d4c6020fd0")
"""How Codex begins its summaries, 0.36 to 0.169: so many characters of its own, and their SHA-256."""
_IMAGE_OPENS: Final = "<image name="


def begins_turn(message: Message) -> bool:
    """Whether Codex counts the message as the beginning of a turn."""
    item = _item(message)
    if item is None:
        return False
    kind, role = item.get("type"), item.get("role")
    if kind != "message":
        return kind == "agent_message"
    if role == "user":
        return not _is_clients(message) and not _is_summary(message)
    return role == "assistant" and _is_mail_as_text(message)


def goes_with_turn(message: Message) -> bool:
    """Whether Codex takes the message out together with the turn that follows it: the client's word on its settings."""
    item = _item(message)
    if item is None or item.get("type") != "message":
        return False
    if item.get("role") == "user":
        return _is_clients(message)
    return item.get("role") == "developer" and any(
        text.lstrip()[:40].lower().startswith(_SETTINGS) for text in _texts(message)
    )


def words(message: Message) -> list[str] | None:
    """What a compaction without a list keeps of a message: its texts, without those around images; else None.

    A message of images alone leaves an empty text, one without any part no text.
    """
    item = _item(message)
    if item is None or item.get("type") != "message" or item.get("role") != "user":
        return None
    if _is_clients(message) or _is_summary(message):
        return None
    blocks = message.content
    found: list[str] = []
    for i, block in enumerate(blocks):
        if not isinstance(block, TextBlock):
            continue
        after = i + 1 < len(blocks) and isinstance(blocks[i + 1], AttachmentBlock)
        before = i > 0 and isinstance(blocks[i - 1], AttachmentBlock)
        if not (after and _opens_image(block.text)) and not (before and block.text == "</image>"):
            found.append(block.text)
    return found or ([""] if blocks else [])


def is_item(message: Message) -> bool:
    """Whether the message stands for an item of the history, and not for what was only shown, or is unreadable."""
    return _item(message) is not None


def is_of_compaction(message: Message) -> bool:
    """Whether a `compacted` line gave the message: a summary, or what its list says anew."""
    return message.provider_data is not None and message.provider_data.get("line") == "compacted"


def _item(message: Message) -> JsonObject | None:
    """The response item that a message stands for, its content apart; None for what is no item of the history."""
    data = message.provider_data
    if data is None:
        return None
    match data.get("line"):
        case None:
            payload = data.get("payload")
            return payload if isinstance(payload, dict) else None
        case "inter_agent_communication":
            return {"type": "agent_message"}
        case "compacted":
            return {"type": "message", "role": message.role}
        case _:
            return None


def _texts(message: Message) -> list[str]:
    return [b.text for b in message.content if isinstance(b, TextBlock)]


def _is_clients(message: Message) -> bool:
    return any(_is_marked(text) for text in _texts(message))


def _is_summary(message: Message) -> bool:
    """Whether the words begin as Codex's own summaries do. (Told by a digest: they are not ours to copy.)"""
    length, digest = _SUMMARY
    block = message.content[0] if message.content else None
    if not isinstance(block, TextBlock) or len(block.text) < length or not block.text.startswith("Another language "):
        return False
    import hashlib  # few conversations were compacted

    return hashlib.sha256(block.text[:length].encode("utf-8", "surrogatepass")).hexdigest() == digest


def _is_marked(text: str) -> bool:
    first = text[:1]
    if first not in "<#W" and not first.isspace():
        return False  # as nearly all are
    text = text.strip()
    if kinds.is_warning(text):
        return True
    begins, ends = text[:40].lower(), text[-40:].lower()
    if any(begins.startswith(begin) and ends.endswith(end) for begin, end in _WRAPPED):
        return True
    return bool(_INTERNAL.fullmatch(text) or _HOOK.match(text))


def _opens_image(text: str) -> bool:
    return text == "<image>" or (text.startswith(_IMAGE_OPENS) and text.endswith(">"))


def _is_mail_as_text(message: Message) -> bool:
    """Mail between agents as JSON in the words of an assistant: so versions before `agent_message` wrote it."""
    block = message.content[0] if len(message.content) == 1 else None
    if not isinstance(block, TextBlock) or not block.text.lstrip().startswith("{"):
        return False
    try:
        return mail.item(jsontext.loads(block.text)) is not None
    except jsontext.UnreadableJson:
        return False
