"""What a user line's words are: a human's, a client's remark that its model is sent, or context that nobody typed.

The client writes its own texts as user lines between tags (`<command-name>`, `<bash-stdout>`, ...). Only a text that
is such a piece from its first to its last character counts: a human who quotes a tag stays human. Since 2.1.328 a
typed prompt also says so (`promptSource: "typed"`, `origin.kind: "human"`), and then nothing else is asked.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from sesh.format.message import Kind
from sesh.format.regex import regex
from sesh.providers.claude_code.records import Line

Voice: TypeAlias = Literal["human", "command", "output", "event", "interrupt", "context"]
"""Who speaks in a text. (Texts and no enum: `records.Kind` says why.)

`command`: a slash command, a bash-mode line, a memory note: typed by a human, written down by the client.
`output`: what such a command printed.
`event`: a background task's or a team-mate's message: it starts a turn.
"""


class Tag(msgspec.Struct, frozen=True):
    """A tag that the client writes: whose voice it is, and the first version it was seen in."""

    voice: Voice
    since: str


TAGS: Final[dict[str, Tag]] = {
    "command-name": Tag("command", "1.0.120"),
    "command-message": Tag("command", "1.0.120"),
    "command-args": Tag("command", "1.0.120"),
    "bash-input": Tag("command", "2.1.328"),
    "user-memory-input": Tag("command", "1.0 (reported)"),
    "local-command-stdout": Tag("output", "2.0.30"),
    "local-command-stderr": Tag("output", "2.0 (reported)"),
    "bash-stdout": Tag("output", "2.1.328"),
    "bash-stderr": Tag("output", "2.1.328"),
    "task-notification": Tag("event", "2.1.50"),
    "bash-notification": Tag("event", "2.0.76"),
    "teammate-message": Tag("event", "2.1 (reported)"),
    "system-reminder": Tag("context", "1.0.120"),
    "local-command-caveat": Tag("context", "2.1.50"),
    "session-start-hook": Tag("context", "1.0.120"),
    "user-prompt-submit-hook": Tag("context", "1.0.120"),
    "pre-tool-use-hook": Tag("context", "1.0 (reported)"),
    "post-tool-use-hook": Tag("context", "1.0.120"),
    "ide_opened_file": Tag("context", "2.0 (reported)"),
    "ide_selection": Tag("context", "2.0 (reported)"),
    "ide_diagnostics": Tag("context", "2.0 (reported)"),
}
"""Every tag of the client's own that a user text may consist of."""

INTERRUPTS: Final = frozenset({"[Request interrupted by user]", "[Request interrupted by user for tool use]"})
"""Texts the client writes where a human pressed Escape (all versions)."""

_TAIL: Final = regex(r"(?:Read the output file to retrieve the |Full transcript available at: )[^\n]*")
"""What 2.1.50 writes under a task's notification, outside its tag."""
_OPEN: Final = regex(r"<([a-z][a-z_-]*)(?:\s[^<>]*)?>")
_PIECE: Final = regex(r"(?s)<([a-z-]+)>(.*?)</\1>(?=\s*(?:<[a-z-]+>|$))")
"""A piece of a command: what it holds may have its closing tag, too."""
_KIND: Final[dict[Voice, Kind | None]] = {
    "human": None,
    "command": "notice",
    "output": "notice",
    "event": "notice",
    "interrupt": "notice",
    "context": "context",
}


_BEGINNING: Final[tuple[Voice, ...]] = ("human", "command", "event")


def kind_of(voice: Voice) -> Kind | None:
    """The canonical kind of a message in this voice."""
    return _KIND[voice]


def begins_turn(voice: Voice) -> bool:
    """Whether words in this voice are what the model is asked next."""
    return voice in _BEGINNING


def voice_of(text: str, line: Line | None = None) -> Voice:
    """Whose words a user text is. `line` is the line it stands on; without one, only the text is asked."""
    if line is not None:
        if line.is_meta:
            return "context"
        if line.prompt_source == "typed" or (line.origin is not None and line.origin.kind == "human"):
            return "human"
        if line.origin is not None and line.origin.kind == "task-notification":
            return "event"
    body = text.strip()
    if body in INTERRUPTS:
        return "interrupt"
    return _tagged(body) or "human"


def _tagged(body: str) -> Voice | None:
    """The voice of a text that is nothing but the client's tagged pieces; None where anything stands outside them."""
    if not body.startswith("<"):
        return None
    at, voice = 0, None
    while at < len(body):
        opened = _OPEN.match(body, at)
        tag = TAGS.get(opened.group(1)) if opened else None
        if opened is None or tag is None:
            return None if voice is None else _printed(body, voice)
        closing = f"</{opened.group(1)}>"
        end = body.find(closing, opened.end())
        if end < 0:
            return None if voice is None else _printed(body, voice)
        voice = voice or tag.voice
        at = end + len(closing)
        while at < len(body) and body[at].isspace():
            at += 1
    return voice


def _printed(body: str, voice: Voice) -> Voice | None:
    """A command may print a closing tag itself, or be given one: then there are more closing tags than opening ones.

    A human who quotes two outputs has as many of both.
    """
    if voice == "event" and _TAIL.fullmatch(body[body.rfind(">") + 1 :].strip()):
        return voice
    if voice not in ("command", "output", "event"):
        return None
    names = [name for name, tag in TAGS.items() if tag.voice is voice]
    if not any(body.endswith(f"</{name}>") for name in names):
        return None
    opened, closed = (sum(body.count(mark + name) for name in names) for mark in ("<", "</"))
    return voice if closed > opened else None


def command_of(text: str) -> str | None:
    """What a human typed for a slash command or a bash-mode line: `/hello world`, `! ls`; None for other texts."""
    body = text.strip()
    if _tagged(body) != "command":
        return None
    parts = {m.group(1): m.group(2).strip() for m in _PIECE.finditer(body)}
    if "command-name" in parts:
        return " ".join(filter(None, (parts["command-name"], parts.get("command-args"))))
    if "bash-input" in parts:
        return f"! {parts['bash-input']}"
    if "user-memory-input" in parts:
        return f"# {parts['user-memory-input']}"
    return None
