"""Hypothesis strategies for whole conversations. Needs the package `hypothesis`.

`conversations()` makes what a reader could give: turns of prompts, thinking, answers, steps of parallel calls with
results between them, excerpts, patches, searches, images, notices, contexts, compactions with windows, and children of
children. `wild_conversations()` makes what no reader would: any block under any role, calls without results, results
without calls, call ids that repeat, times that fall or are none, children of nobody, messages of unknown provenance,
another's `provider_data`. A writer has to take both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

import msgspec
from hypothesis import strategies as st

from sesh.format import blocks, ids
from sesh.format.blocks import AnyBlock
from sesh.format.message import Kind, Message, Provenance, Role
from sesh.format.thread import RELATIONS, Thread
from sesh.providers.api import IngestedThread
from sesh.testing.strategies import (
    FOLDER,
    PATCHES,
    any_block,
    attachments,
    excerpts,
    json_objects,
    json_values,
    names,
    outputs,
    texts,
    unknowns,
    usages,
)

_TIMES: Final = ("2020-01-01T00:00:00.000Z", "2026-09-21T00:00:00+02:00", "9999-12-31T23:59:59.999Z", "", "no \ud83d")
"""Times that fall, are of another zone, are the last there can be, or are none."""
_DATA: Final[tuple[dict[str, Any], ...]] = (
    {"line": "compacted", "payload": {"message": "words", "replacement_history": []}, "slot": 0},
    {"line": "event_msg", "payload": {"type": "agent_message", "message": "words"}},
    {"line": "response_item", "payload": {"type": "message", "role": "user", "content": []}},
    {"line": "system", "subtype": "compact_boundary", "compactMetadata": {"preservedMessages": {"uuids": ["no"]}}},
    {"messageId": "msg_1", "model": "claude-opus-5-5", "plainContent": True},
)
"""What the clients' readers leave on messages."""
SESSION: Final = "01a2f000-0000-7000-8000-0000000000aa"
_START_MS: Final = 1_790_000_000_000


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """A thread, its messages and its children: what a writer is given."""

    thread: Thread
    messages: list[Message]
    children: list[IngestedThread] = field(default_factory=list)


class _Story:
    """Messages being told: ids, times and turns as a reader would give them."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any], session: str) -> None:
        self.draw = draw
        self.session = session
        self.thread_id = ids.thread_id("elsewhere", session)
        self.messages: list[Message] = []
        self.provider: str = draw(st.sampled_from(("elsewhere", "elsewhere", "claude-code", "codex")))
        self.turn: str | None = None
        self._ms = _START_MS
        self._calls = 0

    def say(self, role: Role, content: list[AnyBlock], *, kind: Kind | None = None, **more: Any) -> Message:
        """Add a message. Its time and provenance are as a reader would give them, unless `more` has others."""
        n = len(self.messages)
        self._ms += self.draw(st.sampled_from((0, 1, 250, 61_000)))
        more = {
            "ts": iso(self._ms),
            "provenance": Provenance(
                provider=self.provider, channel="session-file", session_id=self.session, source_id=f"record-{n}"
            ),
            **more,
        }
        made = Message(
            id=ids.message_id("elsewhere", self.session, f"line:{n}"),
            thread_id=self.thread_id,
            turn_id=self.turn,
            parent_id=self.messages[-1].id if self.messages else None,
            role=role,
            kind=kind,
            content=content,
            **more,
        )
        self.messages.append(made)
        return made

    def call_id(self) -> str:
        """An id that no other call of this thread has."""
        self._calls += 1
        form = self.draw(st.sampled_from(("call_{}", "toolu_{}", "exec-0a{}", "odd id/{} é", "half \ud83d{}")))
        return str(form.format(self._calls))

    def step_id(self) -> str | None:
        """A name for what the model is about to say in one go, or none."""
        return f"msg_{len(self.messages)}" if self.draw(st.booleans()) else None


def iso(unix_ms: int) -> str:
    """A time as the clients write it: ISO 8601 in UTC with milliseconds."""
    return datetime.fromtimestamp(unix_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@st.composite
def conversations(draw: st.DrawFn, *, children: bool = True) -> Conversation:
    """A conversation as a reader gives it: every call answered, every result asked for, ids that differ."""
    story = _Story(draw, SESSION)
    for _ in range(draw(st.integers(1, 3))):
        _turn(story)
    found = _children(story) if children else []
    metadata: dict[str, Any] = {"cwd": FOLDER, "provider": story.provider, "sessionId": SESSION}
    told = (
        ("gitBranch", texts()),
        ("model", st.just("gpt-5.5")),
        ("version", st.just("9.9.9")),
        ("other", json_values()),
    )
    for key, value in told:
        if draw(st.booleans()):
            metadata[key] = draw(value)
    thread = Thread(
        id=story.thread_id,
        title=draw(st.one_of(st.none(), texts(min_size=1))),
        created_at=iso(_START_MS),
        metadata=metadata,
    )
    return Conversation(thread=thread, messages=story.messages, children=found)


def _turn(story: _Story) -> None:
    draw = story.draw
    prompt: list[AnyBlock] = [blocks.TextBlock(text=draw(texts(min_size=1)))]
    if draw(st.booleans()):
        prompt.append(draw(attachments()))
    story.turn = None
    first = story.say("user", prompt)
    by_prompt = draw(st.booleans())
    story.turn = first.id if by_prompt else f"turn-{len(story.messages)}"
    _set_turn(story, story.turn)
    for step in draw(st.lists(st.sampled_from(_STEPS), max_size=4)):
        step(story)
    if draw(st.booleans()):
        story.say(
            "assistant", [blocks.TextBlock(text=draw(texts(min_size=1)))], usage=draw(usages()), model=_model(draw)
        )


def _set_turn(story: _Story, turn: str) -> None:
    story.messages[-1] = msgspec.structs.replace(story.messages[-1], turn_id=turn)


def _model(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Any:
    return draw(st.sampled_from((None, "claude-opus-5-5", "gpt-5.5", "other/model:1", "half \ud83d", "claude-\udc00")))


def _answer(story: _Story) -> None:
    content: list[AnyBlock] = story.draw(
        st.lists(st.one_of(texts().map(lambda t: blocks.TextBlock(text=t)), attachments()), max_size=2)
    )
    story.say("assistant", content, model=_model(story.draw), usage=story.draw(usages()))


def _thinking(story: _Story) -> None:
    words = story.draw(st.one_of(st.none(), texts()))
    story.say(
        "assistant", [blocks.ReasoningBlock(text=words, redacted=None if words else True)], model=_model(story.draw)
    )


def _calls(story: _Story) -> None:
    """What the model says in one go: calls, some with words before them, and a result of each, now or later."""
    draw = story.draw
    step = story.step_id()
    model = _model(draw)
    asked: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        content = draw(st.lists(_spoken(), max_size=1))
        for _ in range(draw(st.sampled_from((1, 1, 2)))):
            content.append(_call(draw, story.call_id()))
            asked.append(content[-1].call_id)
        story.say("assistant", content, step_id=step, model=model, usage=draw(usages()))
        if step is not None and draw(st.booleans()):
            _results(story, [asked.pop(0)])
    if draw(st.sampled_from((False, False, True))):
        draw(st.sampled_from((_context, _notice, _steer)))(story)
    _results(story, draw(st.permutations(asked)))


@cache
def _spoken() -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(blocks.TextBlock, text=texts()),
        st.builds(blocks.ReasoningBlock, text=texts(), redacted=st.sampled_from((None, True))),
    )


def _call(draw: Callable[[st.SearchStrategy[Any]], Any], call_id: str) -> blocks.ToolCallBlock | blocks.FileChangeBlock:
    if draw(st.sampled_from(("call", "call", "patch"))) == "call":
        given = draw(st.one_of(json_objects(), json_objects(), json_values()))
        return blocks.ToolCallBlock(call_id=call_id, name=draw(names()), input=given)
    patch = draw(st.sampled_from(PATCHES))
    path = draw(st.sampled_from((None, "a.txt"))) if "a.txt" in patch else None
    return blocks.FileChangeBlock(call_id=call_id, path=path, patch=patch)


def _results(story: _Story, call_ids: list[str]) -> None:
    """A result of each call: a message of each, or now and then all in one."""
    draw = story.draw
    made: list[AnyBlock] = [
        blocks.ToolResultBlock(
            call_id=call_id,
            output=draw(outputs()),
            excerpt=draw(excerpts()),
            is_error=draw(st.sampled_from((None, True, False))),
        )
        for call_id in call_ids
    ]
    if len(made) > 1 and draw(st.booleans()):
        story.say("tool", made)
    else:
        for block in made:
            story.say("tool", [block])


def _search(story: _Story) -> None:
    results = story.draw(st.one_of(st.none(), json_values()))
    call_id = story.draw(st.one_of(st.none(), st.just(story.call_id())))
    story.say("assistant", [blocks.WebSearchBlock(call_id=call_id, query=story.draw(texts()), results=results)])


def _notice(story: _Story) -> None:
    role = story.draw(st.sampled_from(("user", "assistant", "system")))
    story.say(role, [blocks.TextBlock(text=story.draw(texts(min_size=1)))], kind="notice")


def _context(story: _Story) -> None:
    role = story.draw(st.sampled_from(("user", "system")))
    story.say(role, [blocks.TextBlock(text=story.draw(texts(min_size=1)))], kind="context")


def _system(story: _Story) -> None:
    story.say("system", [story.draw(st.one_of(unknowns(), texts(1).map(lambda t: blocks.TextBlock(text=t))))])


def _steer(story: _Story) -> None:
    story.say("user", [blocks.TextBlock(text=story.draw(texts(min_size=1)))])


def _compaction(story: _Story) -> None:
    """A summary, with the messages that the model keeps: earlier ones, and texts cut short."""
    draw = story.draw
    there = [m for m in story.messages if m.content]
    kept = draw(st.lists(st.sampled_from(there), max_size=3, unique_by=lambda m: m.id)) if there else []
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 2)))):
        cut = story.say("user", [blocks.TextBlock(text=draw(texts(min_size=1)))], kind="summary")
        kept.insert(draw(st.integers(0, len(kept))), cut)
    own = ids.message_id("elsewhere", story.session, f"line:{len(story.messages)}")
    window = [m.id for m in kept]
    if draw(st.sampled_from((True, True, True, False))):  # an older Codex may leave its summary out
        window.insert(draw(st.integers(0, len(kept))), own)
    words: AnyBlock = blocks.TextBlock(text=draw(texts(min_size=1)))
    story.say("user", [words], kind="summary", window=window if window != [own] or draw(st.booleans()) else None)


_STEPS: Final = (
    _answer,
    _thinking,
    _calls,
    _calls,
    _search,
    _notice,
    _context,
    _system,
    _steer,
    _compaction,
    _compaction,
)


def _children(story: _Story) -> list[IngestedThread]:
    """Up to two threads below the main one, and now and then one below each of these."""
    found = []
    for n in range(story.draw(st.sampled_from((0, 0, 1, 2)))):
        told = _child(story, f"{story.session}/child-{n}")
        found.append(told)
        if story.draw(st.sampled_from((False, False, True))):
            found.append(_child(told[1], f"{story.session}/child-{n}-below"))
    return [made for made, _ in found]


def _child(above: _Story, key: str) -> tuple[IngestedThread, _Story]:
    draw = above.draw
    calls = [m for m in above.messages if any(isinstance(b, blocks.ToolCallBlock) for b in m.content)]
    relation = draw(st.sampled_from(RELATIONS))
    origins = calls if relation == "subagent" else above.messages
    origin = draw(st.sampled_from(origins)) if origins and draw(st.booleans()) else None
    told = _Story(draw, key)
    told.provider = above.provider
    _turn(told)
    metadata: dict[str, Any] = {"relation": relation, "cwd": FOLDER}
    for name in ("agentType", "description"):
        if draw(st.booleans()):
            metadata[name] = draw(texts())
    thread = Thread(
        id=told.thread_id,
        parent_thread_id=above.thread_id,
        origin_message_id=origin.id if origin else None,
        title=draw(st.one_of(st.none(), texts(min_size=1))),
        created_at=told.messages[0].ts,
        metadata=metadata,
    )
    return IngestedThread(thread=thread, messages=told.messages), told


@cache
def _wild_block() -> st.SearchStrategy[AnyBlock]:
    return any_block(st.one_of(st.sampled_from(("c1", "c2", "toolu_3", "")), texts()))


@st.composite
def wild_conversations(draw: st.DrawFn) -> Conversation:
    """Any block under any role and kind; calls and results that do not pair; ids that repeat; empty messages."""
    story = _Story(draw, SESSION)
    block = _wild_block()
    for _ in range(draw(st.integers(0, 6))):
        story.turn = draw(st.sampled_from((None, "t1", "t2")))
        role: Role = draw(st.sampled_from(("user", "assistant", "system", "tool")))
        kind: Kind | None = draw(st.sampled_from((None, None, None, "context", "summary", "notice")))
        known = [m.id for m in story.messages]
        window = draw(st.one_of(st.none(), st.lists(st.sampled_from((*known, "no such id")), max_size=3)))
        more: dict[str, Any] = {}
        when = draw(st.sampled_from((None, None, None, *_TIMES)))
        if when is not None:
            more["ts"] = when
        whose = draw(st.sampled_from(("reader", "reader", "reader", "nobody", "another")))
        if whose != "reader":
            more["provenance"] = None
        if whose == "another":
            more["provenance"] = Provenance(provider="elsewhere", channel="session-file")
            more["provider_data"] = draw(st.one_of(st.sampled_from(_DATA), json_objects()))
        story.say(
            role,
            draw(st.lists(block, max_size=3)),
            kind=kind,
            model=_model(draw) if role == "assistant" else None,
            usage=draw(usages()) if role == "assistant" else None,
            window=window if kind == "summary" else None,
            **more,
        )
    thread = Thread(
        id=story.thread_id,
        title=draw(st.one_of(st.none(), texts())),
        created_at=iso(_START_MS),
        metadata=draw(st.one_of(st.none(), st.just({"cwd": FOLDER}), json_objects())),
    )
    found = [_of_nobody(story, n) for n in range(draw(st.sampled_from((0, 0, 0, 1, 2))))]
    return Conversation(thread=thread, messages=story.messages, children=found)


def _of_nobody(above: _Story, n: int) -> IngestedThread:
    """A child that names a parent or an origin which is nowhere; now and then it holds nothing."""
    draw = above.draw
    told = _Story(draw, f"{above.session}/child-{n}")
    if draw(st.booleans()):
        _turn(told)
    known = [m.id for m in above.messages]
    thread = Thread(
        id=told.thread_id,
        parent_thread_id=draw(st.sampled_from((None, "no such thread", above.thread_id, told.thread_id))),
        origin_message_id=draw(st.sampled_from((None, "no such id", *known))),
        created_at=iso(_START_MS),
        metadata=draw(st.one_of(st.none(), st.just({"relation": "no such relation"}), json_objects())),
    )
    return IngestedThread(thread=thread, messages=told.messages)
