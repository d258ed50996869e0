"""The title of a written session: by the thread, or by its words where a picker would show a tag."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesh.format.blocks import TextBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.claude_code.writer import emit_claude_session

TIME = "2026-11-20T10:00:00.000Z"


def titles(prompt: str, title: str | None = None) -> list[Any]:
    """The titles of a session with one prompt, in the lines of each version."""
    thread = Thread(id="t", title=title, created_at=TIME, metadata={"cwd": "/w"})
    said = [
        Message(id=role, thread_id="t", role=role, ts=TIME, content=[TextBlock(text=text)])  # type: ignore[arg-type]
        for role, text in (("user", prompt), ("assistant", "Done."))
    ]
    lines = [json.loads(line) for line in emit_claude_session(thread, said).lines]
    return [
        line.get("customTitle") or line.get("summary") for line in lines if line["type"] in ("custom-title", "summary")
    ]


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ('<image name=[Image #1] path="/w/dot.png">\n</image>\nRich please', "Rich please"),
        ("<div> is too wide", "<div> is too wide"),
        ("<b>\n  two\n lines", "<b> two lines"),
    ],
)
def test_a_prompt_that_begins_with_a_tag_is_titled_by_its_words(prompt: str, title: str) -> None:
    assert titles(prompt) == [title, title]


@pytest.mark.parametrize("prompt", ["Fix it", "a < b", '<image name=[Image #1] path="/w/dot.png">\n</image>'])
def test_other_prompts_are_left_to_the_client(prompt: str) -> None:
    assert titles(prompt) == []


def test_a_given_title_comes_first() -> None:
    assert titles("<div> is too wide", "Layout") == ["Layout", "Layout"]
