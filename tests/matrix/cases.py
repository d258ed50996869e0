"""The rows of the matrix: one small conversation for each thing that a thread can hold."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sesh.format import ids
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
    part,
)
from sesh.format.message import Message, Provenance, Usage
from sesh.format.thread import Thread
from sesh.providers.api import IngestedThread
from sesh.testing.conversations import Conversation
from sesh.testing.strategies import FOLDER

_MCP: Final = "mcp__demo__add"
"""A name that both clients draw, so that a case about something else is not about names."""
_SESSION: Final = "01a2f000-0000-7000-8000-0000000000bb"
_PNG: Final = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
    )
).decode()
_IMAGE: Final = AttachmentBlock(media_type="image/png", data=_PNG)
_PDF: Final = base64.b64encode(b"%PDF-1.4\n%%EOF\n").decode()
_PATCH: Final = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch\n"
_PATCHES: Final = "*** Begin Patch\n*** Add File: b.txt\n+b\n*** Delete File: a.txt\n*** End Patch\n"


class Story:
    """A conversation being told, one message a second."""

    def __init__(self, session: str = _SESSION) -> None:
        self.session = session
        self.thread_id = ids.thread_id("elsewhere", session)
        self.title: str | None = None
        self.messages: list[Message] = []
        self.children: list[IngestedThread] = []
        self.turn: str | None = None

    def say(self, role: str, *content: AnyBlock, **more: Any) -> Message:
        """Add a message."""
        n = len(self.messages)
        said = Message(
            id=ids.message_id("elsewhere", self.session, f"line:{n}"),
            thread_id=self.thread_id,
            turn_id=self.turn,
            parent_id=self.messages[-1].id if self.messages else None,
            role=role,  # type: ignore[arg-type]
            ts=f"2026-11-20T10:00:{n:02}.000Z",
            content=list(content),
            provenance=Provenance(provider="elsewhere", channel="session-file", session_id=self.session),
            **more,
        )
        self.messages.append(said)
        return said

    def prompt(self, words: str = "Please do it.") -> Message:
        """Begin a turn."""
        n = len(self.messages)
        self.turn = ids.message_id("elsewhere", self.session, f"line:{n}")
        return self.say("user", TextBlock(text=words))

    def answer(self, words: str = "Done.", **more: Any) -> Message:
        """Words of the model."""
        return self.say("assistant", TextBlock(text=words), **more)

    def child(self, relation: str, origin: Message | None) -> None:
        """A child thread of two messages."""
        told = Story(f"{self.session}/{relation}")
        told.prompt(f"Words of a {relation}.")
        told.answer()
        thread = Thread(
            id=told.thread_id,
            parent_thread_id=self.thread_id,
            origin_message_id=origin.id if origin else None,
            created_at=told.messages[0].ts,
            metadata={"relation": relation, "cwd": FOLDER},
        )
        self.children.append(IngestedThread(thread=thread, messages=told.messages))

    def told(self) -> Conversation:
        """What a writer is given."""
        metadata = {"cwd": FOLDER, "gitBranch": "main"}
        thread = Thread(id=self.thread_id, title=self.title, created_at="2026-11-20T10:00:00.000Z", metadata=metadata)
        return Conversation(thread=thread, messages=self.messages, children=self.children)


@dataclass(frozen=True)
class Case:
    """A row of the matrix: `group` and `name` are what the table says, `tell` makes the conversation."""

    group: str
    name: str
    tell: Callable[[Story], object]

    @property
    def id(self) -> str:
        """Its name in tests and marks."""
        return f"{self.group}: {self.name}"

    def conversation(self) -> Conversation:
        """A prompt, the thing in question, an answer."""
        story = Story()
        story.prompt()
        self.tell(story)
        story.answer()
        return story.told()


def _called(given: Any, name: str = "demo_tool") -> Callable[[Story], object]:
    def tell(story: Story) -> object:
        story.say("assistant", ToolCallBlock(call_id="call_1", name=name, input=given))
        return story.say("tool", ToolResultBlock(call_id="call_1", output="done"))

    return tell


def _gave(output: Any, *, is_error: bool | None = None) -> Callable[[Story], object]:
    def tell(story: Story) -> object:
        story.say("assistant", ToolCallBlock(call_id="call_1", name=_MCP, input={"a": 1}))
        return story.say("tool", ToolResultBlock(call_id="call_1", output=output, is_error=is_error))

    return tell


def _parallel(story: Story) -> None:
    for n in (1, 2):
        story.say("assistant", ToolCallBlock(call_id=f"call_{n}", name=_MCP, input={"n": n}))
    for n in (2, 1):
        story.say("tool", ToolResultBlock(call_id=f"call_{n}", output=str(n)))


def _patched(**fields: Any) -> Callable[[Story], object]:
    def tell(story: Story) -> object:
        story.say("assistant", FileChangeBlock(call_id="call_1", **fields))
        said = "Success. Updated the following files:\nM a.txt\n"
        return story.say("tool", ToolResultBlock(call_id="call_1", output=said))

    return tell


def _said(role: str, *content: AnyBlock, **more: Any) -> Callable[[Story], object]:
    return lambda story: story.say(role, *content, **more)


def _window(story: Story) -> None:
    kept = story.answer("Kept words.")
    own = ids.message_id("elsewhere", story.session, f"line:{len(story.messages)}")
    story.say("user", TextBlock(text="A summary."), kind="summary", window=[kept.id, own])


def _encrypted(story: Story) -> None:
    raw = {"type": "compaction", "encrypted_content": "c2VjcmV0"}
    story.say("system", UnknownBlock(source_type="compaction", raw=raw), kind="summary")


def _subagent(story: Story) -> None:
    call = story.say("assistant", ToolCallBlock(call_id="call_1", name="Task", input={"prompt": "Look."}))
    story.say("tool", ToolResultBlock(call_id="call_1", output="Looked."))
    story.child("subagent", call)


def _titled(story: Story) -> None:
    story.title = "A title"


_USAGE: Final = Usage(input_tokens=10, output_tokens=5, cache_read_tokens=100, cache_write_tokens=7, reasoning_tokens=2)

CASES: Final = (
    Case("text", "of the user", _said("user", TextBlock(text="More words."))),
    Case("text", "of the model", _said("assistant", TextBlock(text="Words."))),
    Case("text", "of the system", _said("system", TextBlock(text="A rule."))),
    Case("text", "several in one message", _said("assistant", TextBlock(text="One."), TextBlock(text="Two."))),
    Case("text", "with a lone surrogate", _said("user", TextBlock(text="half \ud83d a face"))),
    Case("text", "that looks like a client's own", _said("user", TextBlock(text="<environment_context> is a tag"))),
    Case("reasoning", "with its words", _said("assistant", ReasoningBlock(text="I think."))),
    Case("reasoning", "encrypted", _said("assistant", ReasoningBlock(redacted=True))),
    Case("tool call", "with an object", _called({"path": "a.txt"})),
    Case("tool call", "with text", _called("raw words")),
    Case("tool call", "with a list", _called([1, 2])),
    Case("tool call", "of an MCP server", _called({"a": 1}, "mcp__demo__add")),
    Case("tool call", "with an odd name", _called({"a": 1}, "a tool/é")),
    Case("tool call", "several at once", _parallel),
    Case(
        "tool call",
        "without a result",
        _said("assistant", ToolCallBlock(call_id="call_1", name=_MCP, input={"a": 1})),
    ),
    Case("tool result", "text", _gave("words")),
    Case("tool result", "text and an image", _gave([part(TextBlock(text="see")), part(_IMAGE)])),
    Case("tool result", "JSON", _gave({"rows": [1, 2]})),
    Case("tool result", "nothing", _gave(None)),
    Case("tool result", "an error", _gave("No such file", is_error=True)),
    Case("tool result", "without a call", _said("tool", ToolResultBlock(call_id="gone", output="words"))),
    Case("file change", "one file", _patched(path="a.txt", patch=_PATCH)),
    Case("file change", "several files", _patched(patch=_PATCHES)),
    Case("web search", "with a query", _said("assistant", WebSearchBlock(query="a question"))),
    Case(
        "web search",
        "with results",
        _said("assistant", WebSearchBlock(query="a question", results=[{"title": "A", "url": "https://example.com"}])),
    ),
    Case("attachment", "image", _said("user", _IMAGE)),
    Case("attachment", "image by its address", _said("user", AttachmentBlock(uri="https://example.com/a.png"))),
    Case("attachment", "PDF", _said("user", AttachmentBlock(media_type="application/pdf", data=_PDF))),
    Case("unknown", "block of the model", _said("assistant", UnknownBlock(source_type="new_block", raw={"a": 1}))),
    Case("unknown", "record", _said("system", UnknownBlock(source_type="new_record", raw={"a": 1}), kind="context")),
    Case("message", "notice", _said("user", TextBlock(text="[Request interrupted by user]"), kind="notice")),
    Case("message", "context", _said("user", TextBlock(text="<environment_context>x"), kind="context")),
    Case("message", "model's name", lambda s: s.answer("Words.", model="some-model")),
    Case("message", "usage", lambda s: s.answer("Words.", usage=_USAGE)),
    Case("compaction", "summary alone", _said("user", TextBlock(text="A summary."), kind="summary")),
    Case("compaction", "summary and kept messages", _window),
    Case("compaction", "encrypted summary", _encrypted),
    Case("thread", "title", _titled),
    Case("child", "sub-agent", _subagent),
    Case("child", "sidechain", lambda s: s.child("sidechain", None)),
    Case("child", "abandoned branch", lambda s: s.child("branch", s.messages[0])),
    Case("child", "rolled-back turns", lambda s: s.child("rollback", s.messages[0])),
)
