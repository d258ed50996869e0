"""One thread as one rollout file: its turns, in each the response items and what people see of them.

The model is sent response items, people see events and completed items (formats/codex.md §1.1). Both are written side
by side: `Turns` keeps the turn's frame and the display, `ThreadWriter` the messages.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Sized
from typing import Final

import msgspec

from sesh.format import jsontext, walk
from sesh.format.blocks import FileChangeBlock, TextBlock, ToolCallBlock, ToolResultBlock, UnknownBlock, WebSearchBlock
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.providers.codex import write_again, write_stamps, write_usage
from sesh.providers.codex.pairing import Pairs, Place, Planner
from sesh.providers.codex.write_children import Child, Children
from sesh.providers.codex.write_compaction import Segment, segments
from sesh.providers.codex.write_items import WRITTEN, Item, Outcome
from sesh.providers.codex.write_lines import RolloutLines, Times, has_surrogates, times_of, unix_ms
from sesh.providers.codex.write_message import ItemMaker
from sesh.providers.codex.write_meta import Session, Style
from sesh.providers.codex.write_turns import Turns
from sesh.report.codes import CODES
from sesh.report.reports import BlockBook

_NO_WORDS: Final = "(no words)"
_ANSWERABLE: Final = (ToolCallBlock, FileChangeBlock, WebSearchBlock)


def write_thread(
    session: Session,
    messages: Sequence[Message],
    style: Style,
    book: BlockBook,
    children: Sequence[Child],
    times: Times,
) -> ThreadWriter:
    """The thread, written.

    Hardly any holds a lone surrogate, which Codex cannot read, and to look for one takes as long as to encode the line:
    so it is written as it is, and once more without them where the encoding of a line comes upon one.
    """
    own = frozenset(at for at, message in enumerate(messages) if write_again.is_own(message))
    mark = book.mark()
    # Not seen by the encoding of a line: what is not written, and an escape inside of a text of Codex's own record.
    unseen = [b.provider_data for m in messages for b in m.content if b.provider_data is not None]
    if not has_surrogates(unseen) and not has_surrogates([messages[at].content for at in own]):
        writer = ThreadWriter(session, messages, messages, own, style, book, children, times)
        try:
            writer.write()
        except UnicodeEncodeError:
            book.back_to(mark)
        else:
            return writer
    cleaned = [_cleaned(m) for m in messages]
    times = {**times, **times_of(cleaned)}
    writer = ThreadWriter(session, messages, cleaned, own, style, book, children, times)
    writer.write()
    named = [m.id for m in messages if has_surrogates([m.turn_id, m.model, m.ts])]
    if named:
        text = f"Lone surrogates in the turn, model or time of {_counted(named, 'message')} were replaced by U+FFFD."
        book.note("surrogates", text, message_id=named[0])
    return writer


class ThreadWriter:
    """Writes the messages of one thread. Every block it is given is opened and closed in the book.

    `messages` are the originals or, where these hold lone surrogates, what Codex can read of each; `own` are the
    indices of those that Codex's reader made.
    """

    def __init__(
        self,
        session: Session,
        originals: Sequence[Message],
        messages: Sequence[Message],
        own: Collection[int],
        style: Style,
        book: BlockBook,
        children: Sequence[Child],
        times: Times,
    ) -> None:
        self.lines: Final = RolloutLines(ordinals=style.history.paginated, strict=messages is originals)
        self._book: Final = book
        self._style: Final = style
        self._from: Final = (session.thread.metadata or {}).get("sessionId")
        self._originals: Final = originals
        self._messages: Final = messages
        self._own: Final = own
        self._maker: Final = ItemMaker(messages, own, style, times)
        self._segments: Final = segments(self._messages)
        self._compactions: Final = {s.summary for s in self._segments}
        self._left_out: Final = _left_out(messages, own, style)
        self._children: Final = Children(children)
        preview = _preview(messages, session.thread.title)
        self._turns: Final = Turns(self.lines, session, style, self._children, preview, times)
        self._places: Final[dict[int, int]] = {}
        """For each message written, how many were written before it: where the reader will find it."""
        self._turn_ids: Final = _turn_ids(messages)
        self._planner: Final = Planner(set(self._maker.own))
        self._moved: Final[dict[Place, int]] = {}
        self._total: JsonObject = {}
        self._stubs: Final[dict[Place, str]] = {}
        self._orphans: list[str] = []
        self._not_held: list[str] = []
        self._changes: Final[dict[str, list[str]]] = {}
        self.context_tokens = 0
        """About how many tokens the model is going to be sent."""

    def write(self) -> None:
        """All of it, from the first turn to the closing token count."""
        first = self._book.open(sum(len(m.content) for m in self._messages))
        for segment in self._segments:
            pairs = self._planner.plan(self._messages, self._kept([*segment.held, *segment.body]))
            if segment.summary is not None:
                self._compact(segment.summary, segment, pairs)
            for at in segment.body:
                self._message(at, first, pairs)
                first += len(self._messages[at].content)
        self._close()

    # -- messages ---------------------------------------------------------------------------------

    def _kept(self, places: Sequence[int]) -> Sequence[int]:
        return [at for at in places if at not in self._left_out] if self._left_out else places

    def _message(self, at: int, first: int, pairs: Pairs) -> None:
        """One message. `first` is the number of its first block in the book."""
        message = self._messages[at]
        if at in self._left_out:
            for i, block in enumerate(message.content):
                self._book.dropped(first + i, "unknown" if isinstance(block, UnknownBlock) else "context")
            return
        turn = self._turn_ids[at]
        self._turns.enter(message, turn, outside=turn is None and message.kind == "context")
        before = len(self.lines.lines)
        outcomes: list[Outcome | None] = [None] * len(message.content)
        compaction = at in self._compactions
        line = write_again.line_kind(message) if at in self._own else None
        if line is not None and (
            write_again.compacted_payload(message) if compaction else self._line_again(at, line, message)
        ):
            outcomes = [WRITTEN] * len(message.content)
        else:
            items = self._maker.items(at, pairs, outcomes)
            if not compaction:  # a compaction's words go into the `compacted` line that follows
                more = False
                for item in items:
                    self._item(at, item, more=more)
                    more = True
                if pairs.stubs or pairs.moved:
                    self._answers(at, pairs)
        if compaction or len(self.lines.lines) > before:
            self._places[at] = len(self._places)
        self._settle(at, first, outcomes, pairs)
        if message.usage is not None and not compaction:
            step = write_usage.codex_usage(message.usage)
            self._total = write_usage.add(self._total, step) if self._total else step
            self.lines.add(self._turns.ts, "event_msg", write_usage.token_count(self._total, step))

    def _settle(self, at: int, first: int, outcomes: list[Outcome | None], pairs: Pairs) -> None:
        original = self._originals[at]
        clean = original is self._messages[at]
        for i, outcome in enumerate(outcomes):
            if outcome is WRITTEN and clean:
                self._book.written(first + i)
            elif (at, i) in pairs.early:
                self._moved[at, i] = first + i
            elif outcome is None:
                raise AssertionError(f"no rule for block {i} of message {original.id}")
            elif outcome.what == "dropped":
                self._book.dropped(first + i, outcome.why)
                if outcome.why == "orphan-result":
                    self._orphans.append(original.id)
            elif not clean and original.content[i] != self._messages[at].content[i]:
                self._changed(first + i, "surrogates", original.id)
            elif outcome.what == "changed":
                self._changed(first + i, outcome.why, original.id)
            else:
                self._book.written(first + i)

    def _changed(self, item: int, code: str, message_id: str) -> None:
        self._book.changed(item, code)
        self._changes.setdefault(code, []).append(message_id)

    def _item(self, at: int, item: Item, *, more: bool = False) -> None:
        """One item with its stamp, and what is seen of it."""
        message, original = self._messages[at], self._originals[at]
        stamp = write_stamps.of_item(item, message, original, self._turns.ts, more=more)
        if item.thought is not None:
            return self._turns.thought(item.thought, stamp)
        if not item.payload:
            return self._turns.carried(stamp)
        metadata = None
        if item.own:
            metadata = (message.provider_data or {}).get("metadata")
            if self._style.keep_raw and message.raw is not None:
                stamp = None
        length = self.lines.add(self._turns.ts, "response_item", item.payload, stamp, metadata)
        self.context_tokens += write_usage.estimate(length, item.payload)
        return self._show(message, item)

    def _show(self, message: Message, item: Item) -> None:
        if item.stub:
            self._turns.answered(item.call_id, None)
            return
        block = message.content[item.blocks[0]] if len(item.blocks) == 1 else None
        if item.payload["type"] == "reasoning":
            for text in write_again.thoughts(message):
                self._turns.thought(text, write_stamps.STUB)
        elif isinstance(block, ToolResultBlock):
            self._turns.answered(item.call_id, block)
        elif isinstance(block, _ANSWERABLE):
            self._turns.called(item.call_id, write_again.full_name(block) if item.own else block, message)
        else:
            self._turns.said(message, item.payload)

    def _answers(self, at: int, pairs: Pairs) -> None:
        """After a message: made-up results of its open calls, and results that had stood too early."""
        for place, item, outcome in self._maker.answers(at, pairs):
            self._item(place[0], item)
            if outcome is None:
                self._stubs[place] = self._originals[at].id
            elif (number := self._moved.pop(place, None)) is not None:
                self._changed(number, outcome.why, self._originals[place[0]].id)

    def _line_again(self, at: int, line: str, message: Message) -> bool:
        """A record of Codex's own that was no response item, again; whether it could be."""
        data = message.provider_data or {}
        block = message.content[0] if len(message.content) == 1 else None
        payload = data.get("payload")
        if line == "compacted":
            return payload is None  # the summary's own record holds this one as well
        if line == "event_msg":
            seen = Item({}, list(range(len(message.content))), "assistant", exact=False)
            stamp = write_stamps.of_item(seen, message, self._originals[at], self._turns.ts, more=False)
            if isinstance(payload, dict):
                self._turns.event_again(payload, self._from, stamp)
            else:
                self._turns.carried(stamp)  # one event told of several messages
            return True
        if line == "inter_agent_communication":
            if not isinstance(payload, dict) or not write_again.is_same_mail(payload, message):
                return False
            self.lines.add(self._turns.ts, line, payload)
            return True
        if not isinstance(block, UnknownBlock):
            return False
        if line == "unreadable" and isinstance(block.raw, str):
            self.lines.text(block.raw)
            return True
        if isinstance(block.raw, dict):
            self.lines.again(block.raw)
            return True
        return False

    # -- compactions ------------------------------------------------------------------------------

    def _compact(self, at: int, segment: Segment, pairs: Pairs) -> None:
        """The `compacted` line of a summary that has just been passed, and its mark in the transcript."""
        summary, original = self._messages[at], self._originals[at]
        text = walk.text_of(summary)
        payload = write_again.compacted_payload(summary)
        if payload is None:
            history = [item.payload for held in segment.held for item in self._held(held, pairs) if item.payload]
            payload = {"message": text, "replacement_history": history}
        plain = summary.role == "user" and all(isinstance(b, TextBlock) for b in summary.content)
        whole = Item({}, list(range(len(summary.content))), "user", exact=plain and len(summary.content) == 1)
        stamp = write_stamps.of_item(whole, summary, original, self._turns.ts, more=False) or {}
        if "slot" not in (summary.provider_data or {}) or not write_again.is_own(summary):
            here = self._places[at]
            stamp["window"] = [here - self._places[held] for held in segment.held if held in self._places]
        self.lines.add(self._turns.ts, "compacted", payload, stamp)
        replaced = payload.get("replacement_history")
        items = [i for i in replaced if isinstance(i, dict)] if isinstance(replaced, list) else []
        self.context_tokens = sum(write_usage.estimate(len(jsontext.dumps(i)), i) for i in items)
        self._turns.compacted()

    def _held(self, at: int, pairs: Pairs) -> list[Item]:
        """The items of a message that the model still holds after a compaction, calls answered."""
        if at in self._left_out:
            return []
        items = self._maker.items(at, pairs, [None] * len(self._messages[at].content))
        message = self._messages[at]
        if any(
            isinstance(b, ToolResultBlock) and (at, i) not in pairs.written_id for i, b in enumerate(message.content)
        ):
            self._not_held.append(message.id)
        for place, item, outcome in self._maker.answers(at, pairs):
            items.append(item)
            if outcome is None:
                self._stubs[place] = self._originals[at].id
        return items

    # -- the end ----------------------------------------------------------------------------------

    def _name_children(self) -> None:
        if not self._children.all:
            return
        where = {m.id: self._places.get(at) for at, m in enumerate(self._originals)}
        for child in self._children.all:
            place = where.get(child.origin or "")
            self._turns.names(child, None if place is None else len(self._places) - place)

    def _close(self) -> None:
        for number in self._moved.values():
            self._book.dropped(number, "orphan-result")
        self._name_children()
        context = write_usage.context_of(self.context_tokens)
        self._turns.close(write_usage.token_count(self._total, context))
        for code, places in self._changes.items():
            self._book.note(code, f"{_counted(places, 'block')}: {CODES[code]}", message_id=places[0])
        if self._stubs:
            calls = _counted(self._stubs, "call")
            text = f"{calls} had no result; each got a made-up one, without which Codex says `aborted` itself."
            self._book.note("stub-result", text, message_id=next(iter(self._stubs.values())))
        if self._orphans:
            self._book.note(
                "orphan-dropped",
                f"{len(self._orphans)} results have no call before them; Codex would not send them.",
                message_id=self._orphans[0],
            )
        if self._not_held:
            kept = _counted(self._not_held, "result")
            text = f"Compactions kept {kept} without the call: not among what the model is sent."
            self._book.note("orphan-dropped", text, message_id=self._not_held[0])


def _cleaned(message: Message) -> Message:
    """The message as Codex can read it: no lone surrogates."""
    if not has_surrogates(message.content):
        return message
    value = jsontext.without_lone_surrogates(msgspec.to_builtins(message))
    return msgspec.convert(value, Message)


def _left_out(messages: Sequence[Message], own: Collection[int], style: Style) -> Collection[int]:
    """Which messages stay behind: another client's context, which tells Codex nothing."""
    if style.keep_context:
        return ()
    return {at for at, m in enumerate(messages) if m.kind == "context" and at not in own}


def _turn_ids(messages: Sequence[Message]) -> list[str | None]:
    """The turn of each message. One without is in the turn around it, where it stands in the midst of one."""
    found = [m.turn_id for m in messages]
    if None not in found:
        return found
    following: str | None = None
    after: list[str | None] = [None] * len(found)
    for at in range(len(found) - 1, -1, -1):
        after[at] = following
        following = found[at] or following
    before: str | None = None
    for at, turn in enumerate(found):
        if turn is None and before is not None and before == after[at]:
            found[at] = before
        before = found[at] or before
    return found


def _preview(messages: Sequence[Message], title: str | None) -> str | None:
    """What to list the thread under where no prompt comes early enough: its first prompt, first words, title, or tool.

    Never nothing: what has no prompt to show is in no list, and can only be resumed by its id.
    """
    said = walk.first_prompt(messages)
    if said is not None:
        return said
    talk = [m for m in messages if m.kind != "context"]
    words = next((w for w in (walk.text_of(m).strip() for m in talk) if w), title)
    if words or not talk:
        return words
    names = (b.name.strip() for m in talk for b in m.content if isinstance(b, ToolCallBlock))
    return next((n for n in names if n), _NO_WORDS)


def last_time(times: Times, otherwise: str) -> str:
    """The latest of these times, as ISO; `otherwise` where none can be read."""
    best, best_ms = otherwise, unix_ms(otherwise) or -1
    for ts, ms in times.items():
        if ms is not None and ms > best_ms:
            best, best_ms = ts, ms
    return best


def _counted(things: Sized, name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"
