"""Messages in the API's form: each block's content, and what is to be said of it in the report.

Calls are named first, results after them, because a result is written for its call: under its id, and drawn the way
the call's tool is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from sesh.format import ids, stamp
from sesh.format.blocks import FileChangeBlock, ToolCallBlock, ToolResultBlock, WebSearchBlock
from sesh.format.json import JsonObject, JsonValue
from sesh.providers.claude_code import tools_shown, write_children
from sesh.providers.claude_code.steps import Arranged, Entry, Slot
from sesh.providers.claude_code.write_blocks import CALLS, Call, CallIds, Said, Use, Written, kept, output, said
from sesh.providers.claude_code.write_children import Agent
from sesh.providers.claude_code.write_compaction import is_readable
from sesh.providers.claude_code.write_notes import Notes

Vocabulary: TypeAlias = Callable[[Call], list[Use]]
"""How calls are named: under their own names, or as the client's own tools."""


class Form(msgspec.Struct, gc=False):
    """A message on its way into lines.

    `parts[i]` is block i. `faithful` is False where the content alone does not give the blocks back; `left` counts the
    pieces that are still to be written, `lines` the lines that were.
    """

    parts: list[Said]
    left: int
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
        for slot in self._arranged.calls:
            if slot.own and isinstance(slot.block, CALLS):
                slot.uses = [kept(slot.block)]
                slot.uses[0].id = names.give(slot.call_id, "")
        for slot in self._arranged.calls:
            block = slot.block
            if slot.own or not isinstance(block, CALLS):
                continue
            slot.uses = vocabulary(block)
            first, *more = slot.uses
            first.id = names.give(slot.call_id, "" if slot.call_id else _call_id(slot))
            for n, use in enumerate(more, 2):
                use.id = names.give(f"{first.id}-{n}", "")
            if slot.first is not None:
                self._say_changes(slot, block)
        for message_id, began in self._spawned.items():
            self._link(message_id, began)

    def _link(self, message_id: str, began: Sequence[Agent]) -> None:
        """Give each sub-agent its call among the calls of its message: those that begin one first."""
        mine = [s for s in self._arranged.calls if s.message.id == message_id]
        mine.sort(key=lambda slot: slot.uses[0].name not in ("Agent", "Task"))
        for slot, agent in zip(mine, began, strict=False):
            self._agents.setdefault(slot.uses[0].id, agent)

    @property
    def calls_of_agents(self) -> dict[str, str]:
        """By agent id: the id of the call that began it, as written in this segment."""
        return {agent.agent_id: call for call, agent in self._agents.items()}

    def _say_changes(self, slot: Slot, block: Call) -> None:
        code, about = slot.uses[0].code, slot.message.id
        if code in ("renamed-tool", "tool-name", "as-call"):
            names = slot.uses[0].name if len(slot.uses) == 1 else " and ".join(dict.fromkeys(u.name for u in slot.uses))
            self._notes.say(code, f"{_what(block)} went over as {names}.", about)
        if block.call_id not in (None, slot.uses[0].id):
            self._notes.say("call-id", "The id of a call was changed to one that the API accepts once.", about)

    def form(self, entry: Entry) -> Form:
        """One message."""
        message, slots = entry.message, entry.slots
        if entry.own is not None:
            return Form([Said(None) for _ in message.content], entry.pieces)
        parts: list[Said] = []
        faithful = entry.pieces < 2
        unreadable = message.kind == "summary" and not is_readable(message)
        for i, block in enumerate(message.content):
            if (slot := slots.get(i)) is not None:
                part = self._result(block, slot) if isinstance(block, ToolResultBlock) else _call(slot)
            elif unreadable:
                part = Said(None, dropped="encrypted-summary")
            else:
                part = said(block, "assistant" if message.role == "assistant" else "user")
            parts.append(part)
            if not part.faithful:
                faithful = False
        if unreadable and entry.first is not None:
            text = "A compaction's summary holds no words that can be told; the earlier turns are sent instead."
            self._notes.say("encrypted-summary", text, message.id)
        return Form(parts, entry.pieces, faithful)

    def _result(self, block: ToolResultBlock, slot: Slot) -> Said:
        if slot.call is None:
            text = "A result without a call was left out."
            if slot.first is None:
                text = "A compaction kept a result without its call: it is not among what the model is sent."
            self._notes.say_each("orphan-dropped", text, slot.message.id)
            return Said(None, dropped="orphan-result")
        use, *more = slot.call.uses
        one = output(block.given)
        if use.code == "renamed-tool":
            shown = tools_shown.translated(use, one.content, block.is_error)
        else:
            shown = tools_shown.Shown(one.content, tools_shown.drawn(use, one.content, block.is_error))
        code = one.code or (None if use.id == block.call_id else "call-id")
        if code is None and shown.content is not one.content and shown.content != one.content:
            code = "renamed-tool"
        part = Said(
            tool_result(use.id, shown.content, block.is_error),
            code,
            faithful=code is None and block.excerpt is None,
            drawn=shown.drawn,
            more=[_rest(u, one.content, block.is_error) for u in more] if more else (),
        )
        text, said = block.output, shown.content
        if (
            shown.put is not None
            and isinstance(text, str)
            and isinstance(said, str)
            and len(text) >= stamp.LONG
            and block.excerpt is None
        ):
            part.same = stamp.Same([0, "output"], [0, "content"], stamp.checksum(said), shown.put, shown.cut)
        if use.id in self._agents and use.name in ("Agent", "Task") and not block.is_error:
            part.drawn = write_children.drawn(self._agents[use.id])
        return part


def _what(block: Call) -> str:
    """A call in the words of a report."""
    match block:
        case ToolCallBlock():
            return repr(block.name)
        case FileChangeBlock():
            return "A patch"
        case WebSearchBlock():
            return "A search"


def _call_id(slot: Slot) -> str:
    """An id for a call that has none."""
    return "call_" + ids.derive("call", slot.message.id, str(slot.index)).replace("-", "")[:24]


def _call(slot: Slot) -> Said:
    use, *more = slot.uses
    code = use.code or (None if use.id == slot.call_id else "call-id")
    rest = [Written(_tool_use(u)) for u in more] if more else ()
    return Said(_tool_use(use), code, faithful=code is None, more=rest)


def _rest(use: Use, content: JsonValue, is_error: bool | None) -> Written:
    """The result of one more call that stands for a part of a call."""
    shown = tools_shown.part_of_it(use, content, is_error)
    return Written(tool_result(use.id, shown.content, is_error), shown.drawn)


def _tool_use(use: Use) -> JsonObject:
    return {"type": "tool_use", "id": use.id, "name": use.name, "input": use.input}


def tool_result(call: str, content: JsonValue, is_error: bool | None) -> JsonObject:
    """A tool_result block."""
    made: JsonObject = {"tool_use_id": call, "type": "tool_result", "content": content}
    if is_error is not None:
        made["is_error"] = is_error
    return made
