"""How far a session reaches, and what of it came after an earlier moment.

Clients only append, so mostly the earlier bytes are simply a beginning of the present ones: then whatever is read now
and was not read from that beginning is new. Where a client has rewritten, forked or reverted the session, its messages
are known again by their marks: short digests of what was said, in order.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Final, Literal

from sesh.format import jsontext, lines, walk
from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    WebSearchBlock,
)
from sesh.format.message import Message
from sesh.handoff.link import Extent
from sesh.providers.api import IngestedThread, IngestResult, Provider, SessionSource

MARK_BYTES: Final = 6
_REACH: Final = 4
"""How many messages on end may read differently in a rewritten file."""
_BLOCK_REACH: Final = 16
"""The same, in blocks: a search becomes a call and a result where its stamp is gone."""
EMPTY: Final = Extent(lines=0, size=0, sha256=hashlib.sha256(b"").hexdigest(), messages=0)


def whole(data: bytes) -> bytes:
    """The bytes without a torn last line: one that has no LF and is no JSON, because its writer is still at work."""
    cut = data.rfind(b"\n") + 1
    if cut == len(data):
        return data
    rest = jsontext.pieces(data[cut:])
    return data if rest and all(p.readable for p in rest) else data[:cut]


def measure(data: bytes, result: IngestResult) -> Extent:
    """How far a session with these bytes, read as `result`, reaches."""
    said = [m for m in result.messages if m.kind != "context"]
    prompts = [n for n, m in enumerate(said) if walk.is_prompt(m)]
    return Extent(
        lines=sum(1 for _ in lines.split(data)),
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        messages=len(said),
        prompts_at=prompts,
        last=max((m.ts for m in result.messages), default=None),
        marks=base64.b64encode(b"".join(map(mark, said))).decode(),
    )


def begins_with(data: bytes, extent: Extent) -> bool:
    """Whether a file still begins with what was there then."""
    return len(data) >= extent.size and hashlib.sha256(memoryview(data)[: extent.size]).hexdigest() == extent.sha256


def mark(message: Message) -> bytes:
    """A short digest of what was said, made of what survives every rewriting of a file.

    Call ids stand for calls and results: names and inputs may come back translated where a stamp was dropped. Times
    are left out: Codex 0.169 gives a legacy fork's copied lines the time of the fork. So are roles and kinds.
    """
    return _digest(*message.content)


def marks_of(reached: Extent) -> list[bytes]:
    """The marks of what was said then, in order."""
    packed = base64.b64decode(reached.marks)
    return [packed[i : i + MARK_BYTES] for i in range(0, len(packed), MARK_BYTES)]


def _essence(block: AnyBlock) -> str:
    match block:
        case TextBlock():
            return f"\0text {block.text}"
        case ToolCallBlock() | FileChangeBlock() | WebSearchBlock():
            return f"\0call {block.call_id or ''}"
        case ToolResultBlock():
            return f"\0result {block.call_id}"
        case ReasoningBlock():
            return f"\0reasoning {block.text or ''}"
        case AttachmentBlock():
            return f"\0attachment {len(block.data or '')} {(block.data or block.uri or '')[:64]}"
        case _:
            return f"\0{block.source_type}"


@dataclass(frozen=True, kw_only=True)
class News:
    """What of a session came after an earlier moment.

    messages: the new ones of the main thread, in order, the clients' own context included. children: threads that are
    new as a whole. lost_prompts: how many of the earlier prompts are no longer on the main thread (reverted, rewound,
    forked away). torn_turn: whether the last earlier turn that is left has lost its end (Claude Code's
    `--resume-session-at` goes back into a turn). known: whether the earlier part was known by its bytes or by its
    content. result: the whole reading.
    """

    messages: Sequence[Message]
    children: Sequence[IngestedThread]
    lost_prompts: int
    known: Literal["bytes", "content"]
    result: IngestResult
    torn_turn: bool = False

    @property
    def gone(self) -> int:
        """How many of the earlier turns are no longer there, or not whole."""
        return self.lost_prompts + self.torn_turn

    @property
    def turns(self) -> int:
        """How many new prompts of a human there are."""
        return sum(map(walk.is_prompt, self.messages))

    @property
    def conversation(self) -> list[Message]:
        """The new messages without what a client put in of its own."""
        return [m for m in self.messages if m.kind != "context"]

    @property
    def moved_on(self) -> bool:
        """Whether anybody said anything. A client's own context and remarks (a slash command, say) do not count."""
        return any(m.kind in (None, "summary") for m in self.messages)

    def with_earlier(self, turns: int) -> News:
        """The same and the last so many of the earlier turns, as far as they are there still."""
        new = {m.id for m in self.messages}
        prompts = [n for n, m in enumerate(self.result.messages) if m.id not in new and walk.is_prompt(m)]
        if not turns or not prompts:
            return self
        messages = self.result.messages[prompts[-min(turns, len(prompts))] :]
        ids = {m.id for m in messages}
        own = {c.thread.id for c in self.children}
        children = [c for c in self.result.children if c.thread.id in own or c.thread.origin_message_id in ids]
        return dataclasses.replace(self, messages=messages, children=children)


def since(extent: Extent, provider: Provider, source: SessionSource, result: IngestResult | None = None) -> News:
    """What is in a session now and was not when it reached `extent`. Raises SeshError where it cannot be read.

    result: the reading of `source`, where there is one already.
    """
    result = result or provider.parse(source)
    if begins_with(source.main, extent):
        return _by_bytes(extent, provider, source, result)
    return _by_content(extent, result)


def _by_bytes(extent: Extent, provider: Provider, source: SessionSource, now: IngestResult) -> News:
    if len(source.main) == extent.size:
        return News(messages=[], children=[], lost_prompts=0, known="bytes", result=now)
    earlier = SessionSource(main=source.main[: extent.size], name=source.name, companions=source.companions)
    then = provider.parse(earlier)
    known = {m.id for m in then.messages}
    known.update(m.id for child in then.children for m in child.messages)
    kept = {m.id for m in now.messages}
    news = News(
        messages=[m for m in now.messages if m.id not in known],
        children=[c for c in now.children if not all(m.id in known for m in c.messages)],
        lost_prompts=sum(1 for m in then.messages if walk.is_prompt(m) and m.id not in kept),
        known="bytes",
        result=now,
        torn_turn=_has_lost_its_end(then.messages, kept),
    )
    return _less_the_copies(news, then.messages) if news.gone else news


def _has_lost_its_end(then: Sequence[Message], kept: Set[str]) -> bool:
    """Whether a turn of `then` is there still (its prompt is in `kept`), and something that was said in it is not."""
    prompt_kept = False
    for message in then:
        if walk.is_prompt(message):
            prompt_kept = message.id in kept
        elif prompt_kept and message.kind in (None, "summary") and message.id not in kept:
            return True
    return False


def _less_the_copies(news: News, then: Sequence[Message]) -> News:
    """The same news, where the client has only logged again, under new ids, what was there.

    Claude Code 2.0.76 does so on resuming a session that has a line of several blocks (a prompt with a picture): all
    that follows is appended once more, a block a line, without the stamps. What was said is compared block by block,
    because the lines are other ones. They keep their times: the same question asked again after a rewind is a new one.
    """
    said = [m for m in news.result.messages if m.kind != "context"]
    before, prompts = _by_block([m for m in then if m.kind != "context"])
    after, _ = _by_block(said)
    old, kept = align([b for b, _ in before], [b for b, _ in after], prompts, reach=_BLOCK_REACH)
    lost = sum(1 for at in prompts if at >= kept)
    torn = kept < len(before) and kept not in prompts
    fresh = {m.id for m in news.messages}
    copies = [m for _, m in after[:old] if m.id in fresh]
    if lost + torn >= news.gone or not copies or copies[0].ts > max(m.ts for m in then):
        return news
    copied = {m.id for m in copies}
    return News(
        messages=[m for m in news.messages if m.id not in copied],
        children=news.children,
        lost_prompts=lost,
        known="content",
        result=news.result,
        torn_turn=torn,
    )


def _by_block(said: Sequence[Message]) -> tuple[list[tuple[bytes, Message]], set[int]]:
    """The mark of each block with its message, and the places where prompts begin."""
    found: list[tuple[bytes, Message]] = []
    prompts: set[int] = set()
    for message in said:
        if walk.is_prompt(message):
            prompts.add(len(found))
        found += [(_digest(block), message) for block in message.content]
    return found, prompts


def _digest(*content: AnyBlock) -> bytes:
    digest = hashlib.blake2b(digest_size=MARK_BYTES)
    for block in content:
        digest.update(_essence(block).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _by_content(extent: Extent, now: IngestResult) -> News:
    """The earlier part is the beginning of what is there now, as far as the two say the same (`align`).

    A file that begins with a summary holds nothing of what came before that: Claude Code 2.1.328 forks a session so
    (`--fork-session`). What it does not hold is not gone for that, since the summary stands for it.
    """
    said = [m for m in now.messages if m.kind != "context"]
    then, marks = marks_of(extent), [mark(m) for m in said]
    lead = _first_compaction(said)
    begins = 0 if lead is None else then.index(marks[lead]) if marks[lead] in then else len(then)
    prompts = {at - begins for at in extent.prompts_at}
    old, kept = align(then[begins:], marks[lead or 0 :], prompts)
    old += lead or 0
    known = {m.id for m in said[:old]}
    last = said[old - 1].id if old else None
    past = old == 0
    fresh: list[Message] = []
    for message in now.messages:
        if past and message.id not in known:
            fresh.append(message)
        past = past or message.id == last
    return News(
        messages=fresh,
        children=[c for c in now.children if _is_later(c.messages, extent)],
        lost_prompts=sum(1 for at in prompts if at >= kept),
        known="content",
        result=now,
    )


def _first_compaction(said: Sequence[Message]) -> int | None:
    """Where the summary stands that a file begins with, what it kept of earlier messages before it; else None."""
    for n, message in enumerate(said):
        if message.window is not None and said[0].id in message.window:
            return n
    return 0 if said and said[0].kind == "summary" else None


def align(then: Sequence[bytes], now: Sequence[bytes], prompts: Set[int], *, reach: int = _REACH) -> tuple[int, int]:
    """How many of `now`, from the beginning, are of `then`; and how many of `then` are still there.

    A few messages on either side may be other ones: a rewriting may drop what a writer had stamped on a line, and the
    message then reads a little differently. A turn that is there in part only (the same question asked again after a
    revert) counts as not there: `prompts` are the places in `then` where turns begin.
    """
    i = j = 0
    turn = (0, 0)
    while i < len(then) and j < len(now):
        if then[i] != now[j]:
            step = _resume(then, now, i, j, reach)
            if step is None:
                break
            i, j = i + step[0], j + step[1]
            continue
        if i in prompts:
            turn = (i, j)
        i, j = i + 1, j + 1
    if i < len(then) and i not in prompts and j < len(now):
        i, j = turn
    return j, i


def _resume(then: Sequence[bytes], now: Sequence[bytes], i: int, j: int, reach: int) -> tuple[int, int] | None:
    """The nearest place after a difference where two messages on end are the same again, or the last one of `then`."""
    for distance in range(1, 2 * reach + 1):
        for a in range(max(0, distance - reach), min(distance, reach) + 1):
            x, y = i + a, j + distance - a
            if x >= len(then) or y >= len(now) or then[x] != now[y]:
                continue
            if x + 1 == len(then) or (y + 1 < len(now) and then[x + 1] == now[y + 1]):
                return a, distance - a
    return None


def _is_later(messages: Iterable[Message], extent: Extent) -> bool:
    """Whether a child thread was begun after the earlier moment."""
    return extent.last is None or any(m.ts > extent.last for m in messages)


def without_torn_line(source: SessionSource) -> tuple[SessionSource, bool]:
    """The same session up to its last whole line, and whether a torn one was left out."""
    data = whole(source.main)
    if len(data) == len(source.main):
        return source, False
    return SessionSource(main=data, name=source.name, companions=source.companions), True
