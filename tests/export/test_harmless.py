"""No form of a conversation can drive the terminal that prints it, whatever kind of block the words stand in."""

from __future__ import annotations

import re

import pytest

from sesh.export import html, markdown, terminal, text
from sesh.format.blocks import (
    AttachmentBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    WebSearchBlock,
)
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.present.outline import Outline, outline
from sesh.present.plain import plain

EVIL = "a\x1b]0;title\x07\x1b[2J\x9b31m\x9d0;t\x9c \u202eb\u202c ``\x1b[0m`\r\x08\x1bPq\x1b\\ \x1bc"


def conversation() -> Outline:
    """Every kind of block, by every voice, with words that would drive a terminal."""
    patch = f"*** Begin Patch\n*** Update File: {EVIL}\n@@ {EVIL}\n-{EVIL}\n+{EVIL}\n*** End Patch"
    blocks = [
        TextBlock(text=EVIL),
        TextBlock(
            text=f"| {EVIL} |\n| --- |\n| {EVIL} |\n\n```{EVIL}\n{EVIL}\n```\n<{EVIL}> [{EVIL}](https://x/{EVIL})"
        ),
        ReasoningBlock(text=EVIL),
        ToolCallBlock(call_id="1", name=EVIL, input={"command": f"{EVIL}\n{EVIL}", EVIL: EVIL}),
        ToolResultBlock(call_id="1", output=EVIL, is_error=True),
        ToolCallBlock(call_id="2", name="Write", input={"file_path": EVIL, "content": EVIL}),
        ToolResultBlock(call_id="3", output=[{"type": "text", "text": EVIL}, {"type": "unknown", "raw": EVIL}]),
        FileChangeBlock(call_id="4", patch=patch),
        WebSearchBlock(query=EVIL, results=[EVIL]),
        AttachmentBlock(media_type=f"image/{EVIL}", uri=f"https://x/{EVIL}"),
        UnknownBlock(source_type=EVIL, raw={EVIL: EVIL}),
    ]
    voices = [("user", None), ("assistant", None), ("user", "notice"), ("system", "context"), ("user", "summary")]
    messages = [
        Message(id=f"m{n}", thread_id="t", role=role, ts=f"2026-01-01T10:00{EVIL}", kind=kind, content=blocks)  # type: ignore[arg-type]
        for n, (role, kind) in enumerate(voices)
    ]
    about = {"cwd": EVIL, "gitBranch": EVIL, "model": EVIL, "version": EVIL, "sessionId": EVIL}
    thread = Thread(id="t", created_at=f"2026-01-01T{EVIL}", title=EVIL, metadata=about)
    return outline(thread, messages)


@pytest.mark.parametrize("form", ["html", "markdown", "text", "terminal"])
def test_nothing_of_it_reaches_the_terminal(form: str) -> None:
    view = conversation()
    match form:
        case "html":
            made = html.page(view, client="x")
        case "markdown":
            made = "\n".join(markdown.document(view, client="x"))
        case "text":
            made = "\n".join(map(plain, text.lines(view, full=True)))  # as `sesh show` prints it
        case _:
            made = re.sub(r"\x1b\[[0-9;]*m", "", terminal.rendered(view, full=True, client="x", width=100))
    assert not re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", made)


def test_no_code_breaks_a_fence_or_a_span() -> None:
    fence, *_, last = markdown.fenced("``\x1b[0m`\nx")
    assert (fence, last) == ("````", "````")
    assert markdown._inline("a `\x1b[0m` b") == "``` a `` b ```".replace("``` a", "```a").replace("b ```", "b```")
