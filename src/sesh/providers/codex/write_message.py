"""A message as response items, in the vocabulary asked for: tools as they are, or as Codex's own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

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
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.providers.codex import outputs, write_again
from sesh.providers.codex.pairing import Pairs, Place
from sesh.providers.codex.tools_native import NativeTools
from sesh.providers.codex.write_items import (
    READ_AS,
    ROLES,
    WRITTEN,
    Item,
    Outcome,
    call,
    content_part,
    result_item,
    search,
    stub,
)
from sesh.providers.codex.write_lines import Times
from sesh.providers.codex.write_meta import Style

Outcomes = list[Outcome | None]


class ItemMaker:
    """Makes the items of a thread's messages. Asked again for the same message, it makes the same ones."""

    def __init__(self, messages: Sequence[Message], own: Collection[int], style: Style, times: Times) -> None:
        """`own` are the indices of the messages that Codex's reader made."""
        self._messages: Final = messages
        self._times: Final = times
        self._links: Final = style.links
        self._native: Final = NativeTools(style.version, links=style.links) if style.native else None
        self.own: Final[dict[int, JsonObject]] = {}
        """Codex's own records among the messages, by index."""
        for at in own:
            payload = write_again.item_payload(messages[at], raw=style.keep_raw)
            if payload is not None:
                self.own[at] = payload
        self._translated: Final[dict[Place, JsonObject | None]] = {}

    def items(self, at: int, pairs: Pairs, outcomes: Outcomes) -> list[Item]:
        """The response items of the message at this index, in order; results that are to be moved are left out.

        `outcomes` is filled in, one for each block (None: a result that is written elsewhere).
        """
        message = self._messages[at]
        if at in self.own:
            outcomes[:] = [WRITTEN] * len(outcomes)
            return [self._own_item(message, self.own[at])]
        if not message.content:
            return [Item({}, [], "assistant", exact=False)]
        role = ROLES[message.role]
        items: list[Item] = []
        speech: Item | None = None
        made: Item | None
        for i, block in enumerate(message.content):
            match block:
                case TextBlock() | AttachmentBlock() | UnknownBlock():
                    form = content_part(block, assistant=role == "assistant", links=self._links)
                    outcomes[i] = WRITTEN if form.code is None else Outcome("changed", form.code)
                    if speech is None:
                        speech = Item({"type": "message", "role": role, "content": []}, [], READ_AS[role])
                        items.append(speech)
                    speech.payload["content"].append(form.value)
                    speech.blocks.append(i)
                    speech.exact = speech.exact and form.exact
                    continue
                case ReasoningBlock():
                    outcomes[i] = Outcome("dropped", "reasoning" if block.text else "reasoning-redacted")
                    made = Item({}, [i], "assistant", exact=False, thought=block.text or None)
                case ToolResultBlock():
                    made = self._result((at, i), block, pairs, outcomes)
                case ToolCallBlock() | FileChangeBlock() | WebSearchBlock():
                    made = self._call((at, i), block, pairs, outcomes)
            speech = None
            if made is not None:
                items.append(made)
        return items

    @staticmethod
    def _own_item(message: Message, payload: JsonObject) -> Item:
        """Codex's own record. A result's error flag is the reader's finding, which events may have told it."""
        found = payload.get("call_id")
        call_id = found if isinstance(found, str) else None
        item = Item(payload, list(range(len(message.content))), message.role, call_id=call_id, own=True)
        block = message.content[0] if len(message.content) == 1 else None
        if isinstance(block, ToolResultBlock) and outputs.failed(payload.get("output")) != block.is_error:
            item.error = block.is_error
        return item

    def answers(self, at: int, pairs: Pairs) -> Iterator[tuple[Place, Item, Outcome | None]]:
        """After a message: made-up results of its open calls, and results that had stood before their call.

        With each the place it belongs to, and what became of the block (None: made up).
        """
        for i, asked in enumerate(self._messages[at].content):
            place = (at, i)
            if place in pairs.stubs and not self._needs_none(place):
                lost = isinstance(asked, FileChangeBlock) and asked.call_id is None
                yield place, stub(pairs.written_id[place], lost=lost), None
            early = pairs.moved.get(place)
            if early is None:
                continue
            block = self._messages[early[0]].content[early[1]]
            outcomes: Outcomes = [None] * (early[1] + 1)
            if isinstance(block, ToolResultBlock):
                yield early, self._answer(early, block, pairs, outcomes), Outcome("changed", "reordered")

    def _needs_none(self, place: Place) -> bool:
        written = self._translated.get(place)
        return written is not None and written["type"] == "web_search_call"

    def _call(
        self,
        place: Place,
        block: ToolCallBlock | FileChangeBlock | WebSearchBlock,
        pairs: Pairs,
        outcomes: Outcomes,
    ) -> Item:
        i = place[1]
        call_id = pairs.written_id.get(place)
        if self._native is not None and isinstance(block, ToolCallBlock) and call_id is not None:
            written = self._native_call(self._native, place, block, pairs, call_id)
            if written is not None:
                outcomes[i] = Outcome("changed", "renamed-tool")
                return Item(written, [i], "assistant", exact=False, call_id=call_id)
        form = search(block) if call_id is None and isinstance(block, WebSearchBlock) else call(block, call_id or "")
        same_id = call_id is None or block.call_id == call_id
        code = form.code or (None if same_id or block.call_id is None else "call-id")
        outcomes[i] = WRITTEN if code is None else Outcome("changed", code)
        return Item(form.value, [i], "assistant", form.exact and same_id, call_id=call_id)

    def _result(self, place: Place, block: ToolResultBlock, pairs: Pairs, outcomes: Outcomes) -> Item | None:
        if place not in pairs.written_id:
            outcomes[place[1]] = Outcome("dropped", "orphan-result")
            return Item({}, [place[1]], "assistant", exact=False)
        if place in pairs.early:
            return None
        return self._answer(place, block, pairs, outcomes)

    def _answer(self, place: Place, block: ToolResultBlock, pairs: Pairs, outcomes: Outcomes) -> Item:
        call_id = pairs.written_id[place]
        if self._native is None:
            return result_item(block, place[1], call_id, outcomes, links=self._links)
        asked = pairs.call_of[place]
        asking = self._messages[asked[0]].content[asked[1]]
        if isinstance(asking, ToolCallBlock):
            written = self._translated.get(asked)
            if written is not None:
                payload = self._translated.get(place)
                if payload is None:
                    payload = self._native.result(asking, written, block, self._seconds(asked, place))
                    self._translated[place] = payload
                outcomes[place[1]] = Outcome("changed", "renamed-tool")
                role = "system" if payload["type"] == "message" else "tool"
                return Item(payload, [place[1]], role, exact=False, call_id=call_id)
            self._native.passed(asking, block)
        return result_item(block, place[1], call_id, outcomes, links=self._links)

    def _native_call(
        self, native: NativeTools, place: Place, block: ToolCallBlock, pairs: Pairs, call_id: str
    ) -> JsonObject | None:
        if place not in self._translated:
            answer = pairs.result_of.get(place)
            result = self._messages[answer[0]].content[answer[1]] if answer else None
            found = result if isinstance(result, ToolResultBlock) else None
            self._translated[place] = native.call(block, found, call_id)
        return self._translated[place]

    def _seconds(self, asked: Place, answered: Place) -> float:
        began, ended = self._times[self._messages[asked[0]].ts], self._times[self._messages[answered[0]].ts]
        return 0.0 if began is None or ended is None else max(ended - began, 0) / 1000
