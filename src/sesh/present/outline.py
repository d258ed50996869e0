"""A conversation as a person reads it: turns of prompts, answers and tool runs with their results in place.

One view model for the terminal, Markdown and HTML. It holds what was said and leaves how it looks to them: nothing is
cut, escaped or coloured here. Times are the source's ISO text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, assert_never

from sesh.format import walk
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
    output_parts,
)
from sesh.format.json import JsonValue
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.present import patch
from sesh.present.headline import headline
from sesh.present.shell_output import ShellOutput, unwrapped
from sesh.providers.api import IngestedThread

Voice: TypeAlias = Literal["user", "assistant", "notice", "context", "summary"]


@dataclass(frozen=True, kw_only=True)
class Words:
    """Text that somebody said. `voice` says who: the human, the model, or a client (notice, context, summary)."""

    voice: Voice
    text: str
    ts: str
    message_id: str


@dataclass(frozen=True, kw_only=True)
class Thought:
    """The model's thinking; `text` is None where the vendor keeps it encrypted."""

    text: str | None
    message_id: str


@dataclass(frozen=True, kw_only=True)
class Picture:
    """An image or document. `data` is base64; `label` is what to call it."""

    media_type: str
    label: str
    message_id: str
    data: str | None = None
    uri: str | None = None


@dataclass(kw_only=True)
class Run:
    """A tool run: the call, and its result where one was found.

    `subject` is the call in one line; `arguments` all of it as text; `output` the result's text, None while there is
    none. `failed` is None where nobody says. `child` is the index in `Outline.children` of the thread it began.
    """

    name: str
    subject: str
    arguments: str
    ts: str
    message_id: str
    call_id: str | None = None
    output: str | None = None
    pictures: list[Picture] = field(default_factory=list)
    failed: bool | None = None
    diffs: list[patch.FileDiff] = field(default_factory=list)
    children: list[Outline] = field(default_factory=list)

    @property
    def printed(self) -> ShellOutput:
        """The output without what a client puts around it for its model."""
        return unwrapped(self.output or "")


@dataclass(frozen=True, kw_only=True)
class Odd:
    """A block that sesh has no name for."""

    source_type: str
    text: str
    message_id: str


Item: TypeAlias = Words | Thought | Picture | Run | Odd


@dataclass(kw_only=True)
class Turn:
    """What one prompt led to. `number` counts prompts from 1; 0 is what came before the first."""

    number: int
    ts: str
    items: list[Item] = field(default_factory=list)
    children: list[Outline] = field(default_factory=list)
    """Threads that parted here and that no tool run began: abandoned branches, rolled-back turns."""


@dataclass(kw_only=True)
class Outline:
    """A thread, to be shown. `relation` says what a child is to its parent; None for the main thread.

    `prompts` is how many turns a human began, whichever of them are shown (`present.select`).
    """

    thread: Thread
    title: str
    relation: str | None
    turns: list[Turn]
    messages: int
    prompts: int = 0


_IMAGE_TAG: Final = re.compile(r"\s*(?:<image(?: [^>]*)?>|</image>)\s*")
_UNTITLED: Final = "Untitled session"


def outline(thread: Thread, messages: Sequence[Message], children: Sequence[IngestedThread] = ()) -> Outline:
    """The view of a thread and all its children, each at the tool run or turn where it began.

    A child whose origin is not known stands at the end of its parent; one whose parent is not among the threads
    stands at the end of the main thread. No child is left out.
    """
    views = {thread.id: _Builder(thread, messages)}
    views.update({c.thread.id: _Builder(c.thread, c.messages) for c in children})
    for child in children:
        parent = views.get(child.thread.parent_thread_id or "", views[thread.id])
        own = views[child.thread.id]
        if parent is own or _is_inside(own, parent, views):
            parent = views[thread.id]  # a loop of parents: kept at the main thread
        parent.adopt(own.view)
    return views[thread.id].view


def _is_inside(own: _Builder, parent: _Builder, views: dict[str, _Builder]) -> bool:
    seen: set[str] = set()
    at: _Builder | None = parent
    while at is not None and at.view.thread.id not in seen:
        if at is own:
            return True
        seen.add(at.view.thread.id)
        at = views.get(at.view.thread.parent_thread_id or "")
    return False


def _said_again(messages: Sequence[Message]) -> set[str]:
    """Messages that a compaction kept, word for word, of those above: they were said once, and are shown once.

    They are for the model, and are summaries themselves in the window of the one that follows (ARCHITECTURE.md,
    Compaction). One whose words were cut, or stand nowhere else, is shown.
    """
    kept = {i for m in messages if m.kind == "summary" for i in m.window or () if i != m.id}
    if not kept:
        return set()
    said: set[tuple[str, str, tuple[str | None, ...]]] = set()
    again: set[str] = set()
    for message in messages:
        files = tuple(b.data or b.uri for b in message.content if isinstance(b, AttachmentBlock))
        words = (message.role, walk.text_of(message), files)
        if message.kind is None:
            said.add(words)
        elif message.kind == "summary" and message.id in kept and any(words[1:]) and words in said:
            again.add(message.id)
    return again


class _Builder:
    """Builds one thread's view."""

    def __init__(self, thread: Thread, messages: Sequence[Message]) -> None:
        relation = (thread.metadata or {}).get("relation") if thread.parent_thread_id else None
        self.view: Final = Outline(
            thread=thread,
            title=_UNTITLED,
            relation=str(relation) if relation else ("child" if thread.parent_thread_id else None),
            turns=[],
            messages=len(messages),
        )
        self._runs: Final[dict[str, Run]] = {}
        self._turn_of: Final[dict[str, Turn]] = {}
        self._run_of: Final[dict[str, Run]] = {}
        self._number = 0
        again = _said_again(messages)
        for message in messages:
            if message.id not in again:
                self._add(message)
        title = thread.title or (thread.metadata or {}).get("description") or self._first_words()
        if title:
            self.view.title = " ".join(str(title).split())

    def _first_words(self) -> str | None:
        """What a human said first, for a title where there is none."""
        said = (i.text for t in self.view.turns for i in t.items if isinstance(i, Words) and i.voice == "user")
        return next((text for text in said if text.strip()), None)

    def adopt(self, child: Outline) -> None:
        """Put a child where it began."""
        origin = child.thread.origin_message_id or ""
        run = self._run_of.get(origin)
        if run is not None and child.relation in ("subagent", "sidechain", "child"):
            run.children.append(child)
            return
        turn = self._turn_of.get(origin) or (self.view.turns[-1] if self.view.turns else self._begin("", 0))
        turn.children.append(child)

    def _begin(self, ts: str, number: int) -> Turn:
        turn = Turn(number=number, ts=ts)
        self.view.turns.append(turn)
        return turn

    def _add(self, message: Message) -> None:
        if walk.is_prompt(message):
            self._number += 1
            self.view.prompts = self._number
            self._begin(message.ts, self._number)
        elif not self.view.turns:
            self._begin(message.ts, 0)
        turn = self.view.turns[-1]
        self._turn_of[message.id] = turn
        pictures = any(isinstance(b, AttachmentBlock) for b in message.content)
        for block in message.content:
            if pictures and isinstance(block, TextBlock) and _IMAGE_TAG.fullmatch(block.text):
                continue  # Codex says to its model where an image begins and ends; the image itself is shown
            item = self._item(block, message)
            if item is not None:
                turn.items.append(item)

    def _item(self, block: AnyBlock, message: Message) -> Item | None:
        match block:
            case TextBlock():
                return Words(voice=_voice(message), text=block.text, ts=message.ts, message_id=message.id)
            case ReasoningBlock():
                return Thought(text=block.text, message_id=message.id)
            case AttachmentBlock():
                return _picture(block, message.id)
            case ToolCallBlock():
                diffs = patch.of_call(block.name, block.input)
                subject = diffs[0].path if diffs else headline(block.name, block.input)
                return self._run(message, block.name, subject, block.input, block.call_id, diffs)
            case FileChangeBlock():
                diffs = patch.of_patch(block.patch or "")
                subject = ", ".join(d.path for d in diffs) or block.path or ""
                return self._run(message, "apply_patch", subject, block.patch or "", block.call_id, diffs)
            case WebSearchBlock():
                run = self._run(message, "web_search", block.query, block.query, block.call_id, [])
                run.output = None if block.results is None else _json(block.results)
                return run
            case ToolResultBlock():
                return self._result(block, message)
            case UnknownBlock():
                return Odd(source_type=block.source_type, text=_json(block.raw), message_id=message.id)
            case _ as unreachable:
                assert_never(unreachable)

    def _run(
        self,
        message: Message,
        name: str,
        subject: str,
        arguments: JsonValue,
        call_id: str | None,
        diffs: list[patch.FileDiff],
    ) -> Run:
        run = Run(
            name=name,
            subject=subject,
            arguments=_json(arguments),
            ts=message.ts,
            message_id=message.id,
            call_id=call_id,
            diffs=diffs,
        )
        if call_id is not None:
            self._runs[call_id] = run
        self._run_of[message.id] = run
        return run

    def _result(self, block: ToolResultBlock, message: Message) -> Run | None:
        """Fill in the run this result belongs to; a result without one is a run of its own."""
        run = self._runs.get(block.call_id)
        orphan = run is None or run.output is not None
        if run is None or orphan:
            run = self._run(message, "result", "of a call that is not here", None, None, [])
        parts = output_parts(block.output)
        if parts is None:
            run.output = "" if block.output is None else _json(block.output)
        else:
            run.output = "\n".join(p.text for p in parts if isinstance(p, TextBlock))
            run.pictures += [_picture(p, message.id) for p in parts if isinstance(p, AttachmentBlock)]
            odd = [_json(p.raw) for p in parts if isinstance(p, UnknownBlock)]
            run.output = "\n".join(filter(None, [run.output, *odd]))
        run.failed = block.is_error
        self._run_of[message.id] = run
        return run if orphan else None


def _voice(message: Message) -> Voice:
    if message.kind is not None:
        return message.kind
    match message.role:
        case "user" | "assistant":
            return message.role
        case "system" | "tool":
            return "context"


def _picture(block: AttachmentBlock, message_id: str) -> Picture:
    media = block.media_type or "file"
    size = f", {len(block.data) * 3 // 4:,} bytes" if block.data else ""
    where = f" {block.uri}" if block.uri and not block.uri.startswith("data:") else ""
    label = f"{'image' if media.startswith('image/') else 'document'} ({media}{size}){where}"
    return Picture(media_type=media, label=label, message_id=message_id, data=block.data, uri=block.uri)


def _json(value: JsonValue) -> str:
    """A JSON value for reading: a string as it is, an object indented."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)
