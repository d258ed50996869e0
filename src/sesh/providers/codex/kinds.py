"""Which user messages a human typed, and which the client put in (formats/codex.md §9, "Context that isn't ...").

0.169 says it itself: `internal_chat_message_metadata_passthrough.content_item_kinds`. Before that only the words tell:
a message is the client's when all of its text is wrapped in a tag that the client uses. A human's text that quotes
such a tag, or goes on after it, stays a human's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from sesh.format.message import Kind
from sesh.format.regex import regex

# Tags around whole messages. A notice is a remark on the talk that the model is sent; context is not about the talk.
NOTICE_TAGS: Final = frozenset(
    {
        "turn_aborted",
        "subagent_notification",
        "user_shell_command",
        "user_action",
        "hook_prompt",
        "agent_message_board_notification",
    }
)
CONTEXT_TAGS: Final = frozenset(
    {
        "environment_context",
        "user_instructions",
        "INSTRUCTIONS",
        "permissions instructions",
        "skills_instructions",
        "apps_instructions",
        "plugins_instructions",
        "recommended_plugins",
        "collaboration_mode",
        "multi_agent_mode",
        "multi_agent_role",
        "personality_spec",
        "model_switch",
        "realtime_conversation",
        "skill",
        "hook_context",
        "codex_internal_context",
        "goal_context",
    }
)
_WRAPPED: Final = regex(r"<([A-Za-z_][\w ]*?)(?: [\w-]+=\"[^\"]*\")*>.*</\1>", re.DOTALL)
_AGENTS_FILE: Final = regex(r"# AGENTS\.md instructions[^\n]*\n+<INSTRUCTIONS>.*</INSTRUCTIONS>", re.DOTALL)
WARNINGS: Final = (
    ("Warning: The maximum number of unified exec processes you can keep open is", ""),
    ("Warning: apply_patch was requested via ", "Use the apply_patch tool instead of exec_command."),
    ("Warning: Your account was flagged for potentially high-risk cyber activity", ""),
)
"""Warnings that older versions put in as user messages: how each begins and ends. 0.169 knows these and no others."""

IMAGE_TAG: Final = regex(r"\s*(?:<image(?: [^>]*)?>|</image>)\s*")
"""The text parts that Codex puts around an image (0.104 and later)."""

# Names in content_item_kinds (seen: 0.169).
_NOTICE_KINDS: Final = frozenset({"generic.turn_aborted", "multi_agent.subagent_notification", "shell.user_command"})


def stated(names: Any) -> tuple[bool, Kind | None]:
    """What `content_item_kinds` says of a user message: (whether it says anything, the kind)."""
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        return False, None
    if all(n == "unknown" for n in names):
        return False, None
    if any(n == "user" or n.startswith("user.") for n in names):
        return True, None
    if any(n == "compaction.summary" for n in names):
        return True, "summary"
    return True, "notice" if all(n in _NOTICE_KINDS for n in names) else "context"


def of_texts(texts: Sequence[str]) -> Kind | None:
    """The kind of a user message by its words alone. Several parts are the client's only if each of them is."""
    found: set[Kind] = set()
    for text in texts:
        body = text.strip()
        if not body:
            continue
        kind = _of_text(body)
        if kind is None:
            return None
        found.add(kind)
    if not found:
        return None
    return "context" if "context" in found else "notice"


def _of_text(body: str) -> Kind | None:
    if body[0] == "<":
        match = _WRAPPED.fullmatch(body)
        if match is None or body.count(f"</{match[1]}>") > 1:
            return None
        return "notice" if match[1] in NOTICE_TAGS else "context" if match[1] in CONTEXT_TAGS else None
    if body.startswith("# AGENTS.md instructions") and _AGENTS_FILE.fullmatch(body):
        return "context"
    return "notice" if is_warning(body) else None


def is_warning(body: str) -> bool:
    """Whether a text is a warning of the client's."""
    return body.startswith("Warning: ") and any(body.startswith(b) and body.endswith(e) for b, e in WARNINGS)
