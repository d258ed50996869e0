"""Law 2, as a function: what came back from a round trip, against what went in, less what the report names.

Compared are the words, not the book-keeping: role, kind, blocks, time, model, turns, windows, children, title. Ids,
steps, parents, provenance, `providerData` and `raw` belong to the file a message was read from and differ by design. A
message without blocks says nothing and may be gone.

The report counts; it does not say for each block which one. So the check has two grades. A report that names nothing
asks for equality. One that names n drops and m changes allows that at most n + m of the given blocks are missing, and
that at most as many others stand in their place (what is dropped may leave a trace in what the client shows); all the
rest must still be there, in order, with its time and model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec

from sesh.format import jsontext, walk
from sesh.format.message import Message
from sesh.providers.api import IngestedThread, IngestResult
from sesh.report.reports import EmitReport
from sesh.testing.conversations import Conversation

_BOOK_KEEPING: Final = (
    *("id", "threadId", "turnId", "stepId", "parentId", "runId", "v"),
    *("provenance", "providerData", "raw", "usage"),
)


_Chain: TypeAlias = "tuple[int, int, int, _Chain | None]"
"""How good some pairs are together, the last of them (its two places), and those before it."""


@dataclass(frozen=True, kw_only=True)
class _Said:
    """One block (or a message without any), as far as it must survive."""

    text: str
    """Role, kind and the block, as canonical JSON."""
    told: bool
    """Whether it is part of the talk. Thinking and contexts usually stay home, and only leave traces."""
    ts: str
    model: str | None


def difference(given: Conversation, reports: Sequence[EmitReport], got: IngestResult) -> list[str]:
    """What got lost or changed without being named, one sentence each; empty when the law holds.

    `reports`: of every emit on the way, one for a plain round trip, two for there and back.
    """
    changed = sum(sum(r.changed.values()) for r in reports)
    dropped = sum(sum(r.dropped.values()) for r in reports)
    named = {e.code for r in reports for e in r.entries}
    found: list[str] = []
    if (given.thread.title or None) != got.thread.title and given.thread.title and not named & {"title", "surrogates"}:
        found.append(f"title {given.thread.title!r} came back as {got.thread.title!r}")
    if "surrogates" in named:
        given = _as_taken(given)
    if not changed and not dropped:
        # A result that a compaction kept without its call is no loss of a block: its note alone tells of it.
        found += _unequal("main thread", given.messages, got.messages, windows="orphan-dropped" not in named)
        found += _children_unequal(given.children, got.children)
        return found
    missing, extra, moved = _compared(given, got)
    if len(missing) > changed + dropped:
        found.append(f"{len(missing)} blocks are missing, {changed + dropped} are named: {_some(missing)}")
    if len(extra) > changed + dropped:
        found.append(f"{len(extra)} blocks are new, {changed + dropped} are named: {_some(extra)}")
    return found + moved


def plain(message: Message) -> dict[str, Any]:
    """A message as what must survive: wire form without ids, parents, provenance and what only one provider reads."""
    value: dict[str, Any] = msgspec.to_builtins(message)
    for key in _BOOK_KEEPING:
        value.pop(key, None)
    value.pop("window", None)  # ids: compared by place, see `_windows`
    for block in value["content"]:
        block.pop("providerData", None)
    return value


def _as_taken(given: Conversation) -> Conversation:
    """What is left where lone surrogates were replaced outside of blocks: in models, turns and times."""

    def taken(messages: Sequence[Message]) -> list[Message]:
        return [
            msgspec.structs.replace(
                m,
                model=jsontext.without_lone_surrogates(m.model),
                ts=jsontext.without_lone_surrogates(m.ts),
                turn_id=jsontext.without_lone_surrogates(m.turn_id),
            )
            for m in messages
        ]

    children = [IngestedThread(thread=c.thread, messages=taken(c.messages)) for c in given.children]
    return Conversation(thread=given.thread, messages=taken(given.messages), children=children)


def _unequal(where: str, given: Sequence[Message], got: Sequence[Message], *, windows: bool) -> list[str]:
    given, got = _speaking(given), _speaking(got)
    found = []
    if len(given) != len(got):
        found.append(f"{where}: {len(given)} messages went in, {len(got)} came back")
    for n, (a, b) in enumerate(zip(given, got, strict=False)):
        if (want := plain(a)) != (have := plain(b)):
            keys = [k for k in {**want, **have} if want.get(k) != have.get(k)]
            found.append(f"{where}, message {n}: " + "; ".join(f"{k} {want.get(k)!r} -> {have.get(k)!r}" for k in keys))
            break
    if not found and _turns(given) != _turns(got):
        found.append(f"{where}: turns {_turns(given)} came back as {_turns(got)}")
    if windows and not found and _windows(given) != _windows(got):
        found.append(f"{where}: windows {_windows(given)} came back as {_windows(got)}")
    return found


def _children_unequal(given: Sequence[IngestedThread], got: Sequence[IngestedThread]) -> list[str]:
    if len(given) != len(got):
        return [f"{len(given)} children went in, {len(got)} came back"]
    left = list(got)
    found = []
    for n, child in enumerate(given):
        want = [plain(m) for m in _speaking(child.messages)]
        twin = next((g for g in left if [plain(m) for m in _speaking(g.messages)] == want), None)
        if twin is None:
            found.append(f"child {n} ({(child.thread.metadata or {}).get('relation')}) did not come back as it was")
        else:
            left.remove(twin)
    return found


def _speaking(messages: Iterable[Message]) -> list[Message]:
    """The messages that hold something. Where calls stand among the results of their step has no meaning."""
    return walk.by_step([m for m in messages if m.content])


def _turns(messages: Sequence[Message]) -> list[int]:
    """How many messages each turn has. A message without a turn is of the one before it (`walk.turns`)."""
    return [len(run) for run in walk.turns(messages)]


def _windows(messages: Sequence[Message]) -> list[list[int] | None]:
    """Each summary's window as places in the thread. Ids that are not in it count for nothing."""
    place = {m.id: n for n, m in enumerate(messages)}
    return [
        None if m.window is None or m.window == [m.id] else [place[i] for i in m.window if i in place]
        for m in messages
        if m.kind == "summary"
    ]


def _compared(given: Conversation, got: IngestResult) -> tuple[list[str], list[str], list[str]]:
    """(missing, extra, moved) over the main thread and, after it, the children."""
    want = [*_said(given.messages), *(s for c in given.children for s in _said(c.messages))]
    have = [*_said(got.messages), *(s for c in got.children for s in _said(c.messages))]
    pairs = _aligned(want, have)
    moved: list[str] = []
    for a, b in pairs:
        x, y = want[a], have[b]
        if not x.told:
            continue
        if x.ts != y.ts:
            moved.append(f"{x.text[:120]}: time {x.ts} came back as {y.ts}")
        if x.model != y.model:
            moved.append(f"{x.text[:120]}: model {x.model} came back as {y.model}")
    kept, found = {a for a, _ in pairs}, {b for _, b in pairs}
    missing = [s.text for n, s in enumerate(want) if n not in kept]
    extra = [s.text for n, s in enumerate(have) if n not in found]
    return missing, extra, moved


def _aligned(want: Sequence[_Said], have: Sequence[_Said]) -> list[tuple[int, int]]:
    """Which block is which: as many as can be, in order, and of equal ones those of the same time and model.

    Not `difflib`: it looks for the longest run first, and so may pass over blocks that are there.
    """
    start = 0
    while start < min(len(want), len(have)) and want[start] == have[start]:
        start += 1
    stop = 0
    while stop < min(len(want), len(have)) - start and want[-1 - stop] == have[-1 - stop]:
        stop += 1
    pairs = _best(want[start : len(want) - stop], have[start : len(have) - stop])
    return [
        *((n, n) for n in range(start)),
        *((start + a, start + b) for a, b in pairs),
        *((len(want) - n, len(have) - n) for n in range(stop, 0, -1)),
    ]


def _best(want: Sequence[_Said], have: Sequence[_Said]) -> list[tuple[int, int]]:
    """The best pairs that rise on both sides. The work grows with the pairs of equal texts, not with what differs."""
    places: dict[str, list[int]] = {}
    for b in range(len(have) - 1, -1, -1):
        places.setdefault(have[b].text, []).append(b)
    worth = len(want) + 1  # more than all the equal times there can be
    ends: list[_Chain | None] = [None] * (len(have) + 1)  # a tree of prefix maxima: the best chain that ends before b
    for a, x in enumerate(want):
        for b in places.get(x.text, ()):
            before = None
            n = b
            while n:
                found = ends[n]
                if found is not None and (before is None or found[0] > before[0]):
                    before = found
                n &= n - 1
            chain = ((before[0] if before is not None else 0) + worth + (x == have[b]), a, b, before)
            n = b + 1
            while n <= len(have):
                found = ends[n]
                if found is None or found[0] < chain[0]:
                    ends[n] = chain
                n += n & -n
    best: _Chain | None = None
    n = len(have)
    while n:
        found = ends[n]
        if found is not None and (best is None or found[0] > best[0]):
            best = found
        n &= n - 1
    pairs: list[tuple[int, int]] = []
    while best is not None:
        pairs.append(best[1:3])
        best = best[3]
    return pairs[::-1]


def _said(messages: Sequence[Message]) -> list[_Said]:
    found = []
    for message in messages:
        for block in plain(message)["content"]:
            text = jsontext.escaped([message.role, message.kind, block]).decode()
            told = message.kind != "context" and block["type"] != "reasoning"
            found.append(_Said(text=text, told=told, ts=message.ts, model=message.model))
    return found


def _some(texts: Sequence[str]) -> str:
    return " | ".join(t[:160] for t in texts[:4])
