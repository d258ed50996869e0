"""One thread as one rollout file: its turns, in each the response items and what people see of them.

The model is sent response items, people see events and completed items (formats/codex.md §1.1). Both are written side
by side: `_Turns` keeps the turn's frame and the display, `ThreadWriter` the messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from sesh.format import jsontext, walk
from sesh.format import stamp as stamps
from sesh.format.blocks import FileChangeBlock, ReasoningBlock, ToolCallBlock, ToolResultBlock, WebSearchBlock
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.providers.codex import kinds, write_usage
from sesh.providers.codex.pairing import Pairs, Place, Planner
from sesh.providers.codex.tools_native import NativeTools
from sesh.providers.codex.write_compaction import Segment, segments
from sesh.providers.codex.write_items import Item, Outcome
from sesh.providers.codex.write_lines import RolloutLines, has_surrogates, stamp_of, unix_ms
from sesh.providers.codex.write_message import ItemMaker
from sesh.providers.codex.write_meta import History, Session
from sesh.providers.codex.write_turns import Turns
from sesh.report.reports import BlockBook

_ANSWERABLE: Final = (ToolCallBlock, FileChangeBlock, WebSearchBlock)


class ThreadWriter:
    """Writes the messages of one thread. Every block it is given is opened and closed in the book."""

    def __init__(
        self,
        session: Session,
        messages: Sequence[Message],
        history: History,
        book: BlockBook,
        *,
        keep_context: bool,
        native: NativeTools | None,
    ) -> None:
        self.lines: Final = RolloutLines(ordinals=history.paginated)
        self._book: Final = book
        self._keep_context: Final = keep_context
        self._messages: Final = [self._cleaned(m) for m in messages]
        self._originals: Final = messages
        self._maker: Final = ItemMaker(self._messages, native)
        self._segments: Final = segments(self._messages)
        self._compactions: Final = {s.summary for s in self._segments}
        self._turns: Final = Turns(self.lines, session, history)
        self._planner: Final = Planner(set())
        self._moved: Final[dict[Place, int]] = {}
        self._total: JsonObject = {}
        self._stubs: list[str] = []
        self._orphans: list[str] = []
        self.context_tokens = 0
        """About how many tokens the model is going to be sent."""

    def write(self) -> None:
        """All of it, from the first turn to the closing token count."""
        for segment in self._segments:
            seen = [(i, self._messages[i]) for i in [*segment.held, *segment.body] if self._kept(i)]
            pairs = self._planner.plan(seen)
            if segment.summary is not None:
                self._compact(segment, pairs)
            for at in segment.body:
                self._message(at, pairs)
        self._close()

    # -- messages ---------------------------------------------------------------------------------

    def _cleaned(self, message: Message) -> Message:
        """The message as Codex can read it: no lone surrogates."""
        if not has_surrogates(message.content):
            return message
        value = jsontext.without_lone_surrogates(msgspec.to_builtins(message))
        return msgspec.convert(value, Message)

    def _kept(self, at: int) -> bool:
        message = self._messages[at]
        if message.kind != "context" or self._keep_context:
            return True
        return message.provenance is not None and message.provenance.provider == "codex"

    def _message(self, at: int, pairs: Pairs) -> None:
        message = self._messages[at]
        first = self._book.open(len(message.content))
        if not self._kept(at):
            for i in range(len(message.content)):
                self._book.dropped(first + i, "context")
            return
        outcomes: list[Outcome | None] = [None] * len(message.content)
        self._turns.enter(message)
        for block in message.content:
            if isinstance(block, ReasoningBlock) and block.text:
                self._turns.thought(block.text)
        items = list(self._maker.items(at, pairs, outcomes))
        if at not in self._compactions:  # a compaction's words go into the `compacted` line that follows
            for n, item in enumerate(items):
                self._item(at, item, more=n > 0)
            self._answers(at, pairs)
        self._settle(at, first, outcomes, pairs)
        if message.usage is not None and at not in self._compactions:
            self._usage(message)

    def _settle(self, at: int, first: int, outcomes: list[Outcome | None], pairs: Pairs) -> None:
        original = self._originals[at]
        held = set(pairs.moved.values())
        for i, outcome in enumerate(outcomes):
            if (at, i) in held:
                self._moved[at, i] = first + i
                continue
            if outcome is None:
                raise AssertionError(f"no rule for block {i} of message {original.id}")
            what, why = outcome
            if what == "dropped":
                self._book.dropped(first + i, why)
                if why == "orphan-result":
                    self._orphans.append(original.id)
            elif original is not self._messages[at] and original.content[i] != self._messages[at].content[i]:
                self._book.changed(first + i, "surrogates")
            elif what == "changed":
                self._book.changed(first + i, why)
            else:
                self._book.written(first + i)

    def _item(self, at: int, item: Item, *, more: bool = False) -> None:
        """One response item with its stamp, and what is seen of it."""
        message = self._messages[at]
        before = len(self.lines.lines)
        self.lines.add(self._turns.ts, "response_item", item.payload, self._stamp(at, item, more=more))
        self.context_tokens += write_usage.estimate(len(self.lines.lines[before]), item.payload)
        blocks = [message.content[i] for i in item.blocks]
        block = blocks[0] if len(blocks) == 1 else None
        if item.stub:
            self._turns.answered(item.call_id, None)
        elif isinstance(block, ToolResultBlock):
            self._turns.answered(item.call_id, block)
        elif isinstance(block, _ANSWERABLE):
            self._turns.called(item.call_id, block)
        else:
            self._turns.said(message, item.payload)

    def _stamp(self, at: int, item: Item, *, more: bool = False) -> JsonObject | None:
        message, original = self._messages[at], self._originals[at]
        if item.stub:
            return {"stub": True}
        exact = item.exact and message is original
        return stamp_of(
            stamps.Stamp(
                kind=_kind_to_say(message, item),
                role=message.role if message.role != item.role else None,
                model=message.model,
                ts=message.ts if message.ts != self._turns.ts else None,
                blocks=None if exact else stamps.wire_blocks([original.content[i] for i in item.blocks]),
                more=more or None,
                error=item.error if exact else None,
            )
        )

    def _answers(self, at: int, pairs: Pairs) -> None:
        """After a message: made-up results of its open calls, and results that had stood too early."""
        for place, item, outcome in self._maker.answers(at, pairs):
            self._item(place[0], item)
            if outcome is None:
                self._stubs.append(self._originals[at].id)
            elif (number := self._moved.pop(place, None)) is not None:
                self._book.changed(number, outcome.why)

    # -- compactions ------------------------------------------------------------------------------

    def _compact(self, segment: Segment, pairs: Pairs) -> None:
        """The `compacted` line of a summary that has just been passed, and its mark in the transcript."""
        if segment.summary is None:
            return
        summary = self._messages[segment.summary]
        history = [item.payload for at in segment.held for item in self._held(at, pairs)]
        text = walk.text_of(summary)
        speech = Item({}, list(range(len(summary.content))), "user")
        only_text = [b.text for b in summary.content if hasattr(b, "text")] == [text] and summary.role == "user"
        speech.exact = only_text
        payload: JsonObject = {"message": text, "replacement_history": history}
        before = len(self.lines.lines)
        self.lines.add(self._turns.ts, "compacted", payload, self._stamp(segment.summary, speech))
        self.context_tokens = write_usage.estimate(len(self.lines.lines[before]), {"content": []})
        self._turns.compacted()

    def _held(self, at: int, pairs: Pairs) -> list[Item]:
        """The items of a message that the model still holds after a compaction, calls answered."""
        if not self._kept(at):
            return []
        items = list(self._maker.items(at, pairs, [None] * len(self._messages[at].content)))
        return items + [item for _, item, _ in self._maker.answers(at, pairs)]

    # -- usage and the end ------------------------------------------------------------------------

    def _usage(self, message: Message) -> None:
        if message.usage is not None:
            step = write_usage.codex_usage(message.usage)
            self._total = write_usage.add(self._total, step)
            self.lines.add(self._turns.ts, "event_msg", write_usage.token_count(self._total, step))

    def _close(self) -> None:
        for number in self._moved.values():
            self._book.dropped(number, "orphan-result")
        event = write_usage.token_count(self._total, write_usage.context_of(self.context_tokens))
        self._turns.close(event)
        if self._stubs:
            self._book.note(
                "stub-result",
                f"{len(self._stubs)} calls had no result; each got one that says `aborted`, as Codex does itself.",
                message_id=self._stubs[0],
            )
        if self._orphans:
            self._book.note(
                "orphan-dropped",
                f"{len(self._orphans)} results have no call in this conversation; Codex would not send them.",
                message_id=self._orphans[0],
            )


def _kind_to_say(message: Message, item: Item) -> str | None:
    """The kind to stamp: what reading the record alone would get wrong."""
    payload = item.payload
    read: str | None = None
    if payload.get("role") == "developer":
        read = "context"
    elif payload.get("role") == "user":
        read = kinds.of_texts([p["text"] for p in payload["content"] if "text" in p])
    if message.kind == read:
        return None
    return message.kind or stamps.SAID


def last_time(messages: Sequence[Message], otherwise: str) -> str:
    """The latest time among the messages, as ISO; `otherwise` where none can be read."""
    best, best_ms = otherwise, unix_ms(otherwise) or -1
    for message in messages:
        ms = unix_ms(message.ts)
        if ms is not None and ms > best_ms:
            best, best_ms = message.ts, ms
    return best
