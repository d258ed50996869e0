"""Messages in the API's form: each block's content, and what is to be said of it in the report.

Calls are named first, results after them, because a result is written for its call: under its id, and drawn the way
the call's tool is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from sesh.format import ids
from sesh.format.blocks import ToolResultBlock
from sesh.format.json import JsonObject, JsonValue
from sesh.providers.claude_code import tools_shown, write_children
from sesh.providers.claude_code.steps import Arranged, Entry, Slot
from sesh.providers.claude_code.write_blocks import Call, CallIds, Use, kept, output, said
from sesh.providers.claude_code.write_children import Agent
from sesh.providers.claude_code.write_compaction import is_readable
from sesh.providers.claude_code.write_notes import Notes

Vocabulary: TypeAlias = Callable[[Call], list[Use]]
"""How calls are named: under their own names, or as the client's own tools."""


class Result(msgspec.Struct):
    """A tool_result block, what the screen draws of it, and the call slot it answers."""

    block: JsonObject
    drawn: JsonValue


class Form(msgspec.Struct):
    """A message on its way into lines.

    `content[i]` is what block i stands as on its line (empty: nowhere). `more[i]` are further calls that stand for a
    part of call i, or their results, on lines of their own. `codes` and `dropped` go into the book. `faithful` is
    False where the content alone does not give the blocks back; `lines` counts the lines written so far.
    """

    content: list[list[JsonObject]]
    codes: list[str | None]
    dropped: list[str | None]
    drawn: dict[int, JsonValue] = {}
    more: dict[int, list[Result]] = {}
    faithful: bool = True
    lines: int = 0


class Former:
    """Makes the forms of one segment's messages."""

    def __init__(
        self, arranged: Arranged, vocabulary: Vocabulary, notes: Notes, spawned: Mapping[str, Sequence[Agent]]
    ) -> None:
        self._arranged: Final = arranged
        self._notes: Final = notes
        self._agents: Final[dict[str, Agent]] = {}
        self._spawned: Final = spawned
        self._name(vocabulary)

    def _name(self, vocabulary: Vocabulary) -> None:
        """Give every call its names and its ids, which no other call of the segment has."""
        names = CallIds()
        for (entry, i), slot in self._arranged.calls.items():
            block = entry.message.content[i]
            assert isinstance(block, Call)
            if entry.own is not None:
                slot.uses = [(names.give(slot.call_id, ""), kept(block))]
        for (entry, i), slot in self._arranged.calls.items():
            block = entry.message.content[i]
            if entry.own is not None or not isinstance(block, Call):
                continue
            otherwise = "call_" + ids.derive("call", entry.message.id, str(i)).replace("-", "")[:24]
            first = names.give(slot.call_id, otherwise)
            uses = vocabulary(block)
            slot.uses = [(first, uses[0])]
            for n, use in enumerate(uses[1:], 2):
                slot.uses.append((names.give(f"{first}-{n}", otherwise), use))
            if entry.first is not None:
                self._say_changes(slot, block, uses)
        for message_id, began in self._spawned.items():
            self._link(message_id, began)

    def _link(self, message_id: str, began: Sequence[Agent]) -> None:
        """Give each sub-agent its call among the calls of its message: those that begin one first."""
        mine = [s for (e, _), s in self._arranged.calls.items() if e.message.id == message_id]
        mine.sort(key=lambda slot: slot.uses[0][1].name not in ("Agent", "Task"))
        for slot, agent in zip(mine, began, strict=False):
            self._agents.setdefault(slot.uses[0][0], agent)

    @property
    def calls_of_agents(self) -> dict[str, str]:
        """By agent id: the id of the call that began it, as written in this segment."""
        return {agent.agent_id: call for call, agent in self._agents.items()}

    def _say_changes(self, slot: Slot, block: Call, uses: list[Use]) -> None:
        code, about = uses[0].code, slot.entry.message.id
        if code in ("renamed-tool", "tool-name", "as-call"):
            names = list(dict.fromkeys(u.name for u in uses))
            was = getattr(block, "name", None) or ("apply_patch" if block.call_id is not None else "a search")
            self._notes.say(code, f"{was!r} went over as {' and '.join(names)}.", about)
        if block.call_id not in (None, slot.uses[0][0]):
            self._notes.say("call-id", "The id of a call was changed to one that the API accepts once.", about)

    def form(self, entry: Entry) -> Form:
        """One message."""
        message = entry.message
        count = len(message.content)
        form = Form([[] for _ in range(count)], [None] * count, [None] * count)
        if entry.own is not None:
            return form
        unreadable = message.kind == "summary" and not is_readable(message)
        for i, block in enumerate(message.content):
            if isinstance(block, Call):
                self._call(form, i, self._arranged.calls[entry, i])
            elif isinstance(block, ToolResultBlock):
                self._result(form, i, block, self._arranged.results[entry, i])
            elif unreadable:
                form.dropped[i] = "encrypted-summary"
            else:
                one = said(block, "assistant" if message.role == "assistant" else "user")
                form.content[i], form.codes[i], form.dropped[i] = one.content, one.code, one.dropped
                form.faithful &= one.faithful
        if unreadable and entry.first is not None:
            text = "A compaction's summary is encrypted and cannot be told; the earlier turns are sent instead."
            self._notes.say("encrypted-summary", text, message.id)
        return form

    def _call(self, form: Form, i: int, slot: Slot) -> None:
        (name, use), *more = slot.uses
        form.content[i] = [_tool_use(name, use)]
        if more:
            form.more[i] = [Result(_tool_use(n, u), None) for n, u in more]
        form.codes[i] = use.code or (None if name == slot.call_id else "call-id")
        form.faithful &= form.codes[i] is None

    def _result(self, form: Form, i: int, block: ToolResultBlock, slot: Slot) -> None:
        if slot.partner is None:
            form.dropped[i] = "orphan-result"
            if slot.entry.first is not None:
                self._notes.say_each("orphan-dropped", "A result without a call was left out.", slot.entry.message.id)
            return
        (name, use), *more = slot.partner.uses
        one = output(block.given)
        if use.code == "renamed-tool":
            shown = tools_shown.translated(use, one.content, block.is_error)
        else:
            shown = tools_shown.Shown(one.content, tools_shown.drawn(use, one.content, block.is_error))
        form.content[i] = [tool_result(name, shown.content, block.is_error)]
        form.drawn[i] = shown.drawn
        if name in self._agents and use.name in ("Agent", "Task") and not block.is_error:
            form.drawn[i] = write_children.drawn(self._agents[name])
        for other, part in more:
            part_shown = tools_shown.part_of_it(part, one.content, block.is_error)
            made = tool_result(other, part_shown.content, block.is_error)
            form.more.setdefault(i, []).append(Result(made, part_shown.drawn))
        code = one.code or (None if name == block.call_id else "call-id")
        if code is None and shown.content != one.content:
            code = "renamed-tool"
        form.codes[i] = code
        form.faithful &= code is None and block.excerpt is None


def _tool_use(name: str, use: Use) -> JsonObject:
    return {"type": "tool_use", "id": name, "name": use.name, "input": use.input}


def tool_result(call: str, content: JsonValue, is_error: bool | None) -> JsonObject:
    """A tool_result block."""
    made: JsonObject = {"tool_use_id": call, "type": "tool_result", "content": content}
    if is_error is not None:
        made["is_error"] = is_error
    return made
