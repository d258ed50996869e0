"""Where the talk goes on: the line from which 2.1.328 walks to the root when it resumes (measured: test_leaf.py).

The last line of the tree, unless a `last-prompt` line says otherwise. The last of these with a `leafUuid` counts:

    it names a line      that line is the leaf. But where the last line descends from it, or is of the same step of the
                         model (parallel calls hang on each other in many ways), the talk simply went on: the last line
    ... with `explicit`  (a rewind) the named line, also where all under it was there before; once more is written into
                         the tree, it is as the others. A later line of its kind that names the same is explicit, too
    null, `explicit`     rewound to before the first prompt: nothing is sent, until more is written
    no line of the file  as if there were none

A compaction's boundary makes all before it void. After one that preserved messages, a line that is not explicit counts
only where nothing was said under the line that it names. Where no such line stands in the file at all, and the last
line has children (the file is out of order), the talk goes on with the latest of those.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from sesh.providers.claude_code.book import NONE, Record
from sesh.providers.claude_code.records import SPEAKING, Line
from sesh.providers.claude_code.tree import BOUNDARY, Tree, call_ids

_ROWS: Final = ("user", "assistant", "system", "attachment")
_ASIDE: Final = {"system": "file_snapshot", "attachment": "fork_briefing"}
"""Lines that the client does not count when it looks for the last one (2.1.328 by name)."""


class _Told(msgspec.Struct, frozen=True):
    """What the `last-prompt` lines say.

    `node` is the line named, or NONE; `explicit` that nothing came after; `rewound` that it ever was explicit;
    `withdrawn` that the talk was rewound to before its first prompt; `spoken` that there is such a line at all.
    """

    node: int = NONE
    explicit: bool = False
    rewound: bool = False
    withdrawn: bool = False
    spoken: bool = False


def leaf_of(tree: Tree, prompts: Iterable[Record]) -> int:
    """The user or assistant line where the talk goes on; NONE where nothing would be sent.

    `prompts`: the file's `last-prompt` records, in order. Where the leaf is a message that a compaction preserved, it
    is the line after which those are replayed, and `tree.ends` says how many of them are.
    """
    last, at = _last_row(tree)
    told = _told(tree, [*prompts], at)
    if told.withdrawn or last == NONE:
        return NONE
    preserving = tree.preserving
    named = told.node
    if named != NONE and (told.explicit or preserving == NONE):
        goes_on = not told.explicit and _goes_on(tree, last, named, batches=not told.rewound)
        found = _saying(tree, last if goes_on else named)
        if told.explicit and preserving != NONE and tree.lines[named].uuid == tree.anchor(preserving):
            tree.ends[preserving] = 0  # rewound to the summary itself
    elif preserving == NONE:
        found = _saying(tree, last if told.spoken else _latest_under(tree, last))
    else:
        found = NONE
    return found if found != NONE else _among_ends(tree, last, named, told)


def _is_row(record: Record) -> bool:
    line = record.line
    if line is None or line.type not in _ROWS or (record.kind == "unknown" and line.type in SPEAKING):
        return False
    odd = _ASIDE.get(line.type)
    return odd is None or odd not in (line.subtype, line.attachment.type if line.attachment is not None else None)


def _last_row(tree: Tree) -> tuple[int, int]:
    """The last line of the tree that is no side chain, and its place among the file's records."""
    for n in range(len(tree.records) - 1, NONE, -1):
        record = tree.records[n]
        if not tree.aside[n] and _is_row(record):
            return (n if n not in tree.doubled else tree.by_uuid[str(tree.lines[n].uuid)]), record.at
    return NONE, NONE


def _told(tree: Tree, prompts: list[Record], last_at: int) -> _Told:
    void = max((tree.records[n].at for n in tree.boundaries), default=NONE)
    uuid: str | None = None
    explicit = rewound = False
    for record in reversed(prompts):
        line = record.line
        if line is None:
            continue
        if record.at < void:
            break
        if line.leaf_uuid:
            if uuid is not None and uuid != line.leaf_uuid:
                break
            uuid = line.leaf_uuid
            rewound = rewound or line.explicit
            explicit = explicit or (line.explicit and record.at > last_at)
        elif line.leaf_uuid is None and line.explicit:
            if uuid is None and record.at > last_at:
                return _Told(withdrawn=True, spoken=True)
            break
    spoken = any(p.line is not None and p.line.leaf_uuid is not msgspec.UNSET for p in prompts)
    node = NONE if uuid is None else tree.by_uuid.get(uuid, NONE)
    if node == NONE or tree.aside[node]:
        return _Told(spoken=spoken)
    return _Told(node, explicit, rewound, spoken=spoken)


def _saying(tree: Tree, n: int) -> int:
    """The nearest user or assistant line at a line or above it."""
    while n != NONE and tree.records[n].kind not in SPEAKING:
        n = tree.parent[n]
    return tree.replayed_after(n)


def _latest_under(tree: Tree, last: int) -> int:
    """The latest line that hangs on the last one of the file, however far below; itself where there is none."""
    if last not in tree.parent:
        return last
    under = {last: True}
    latest = found = last
    time = best = ""
    for n, line in enumerate(tree.lines):
        if tree.aside[n] or n in tree.doubled or not _is_row(tree.records[n]):
            continue
        said = line.timestamp or ""
        if said > time:
            latest, time = n, said
        if n != last and said >= best and _hangs(tree, n, under):
            found, best = n, said
    return last if latest == last else found


def _hangs(tree: Tree, n: int, under: dict[int, bool]) -> bool:
    way: list[int] = []
    up = n
    while up != NONE and up not in under:
        way.append(up)
        up = tree.parent[up]
    answer = up != NONE and under[up]
    under.update(dict.fromkeys(way, answer))
    return answer


def _among_ends(tree: Tree, last: int, named: int, told: _Told) -> int:
    """Of the lines under which nothing was said: the named one, or where the last line is, or the latest."""
    start = tree.preserving
    nodes = [n for n in range(len(tree.lines)) if n >= start and not tree.aside[n] and n not in tree.doubled]
    parents = {tree.parent[n] for n in nodes}
    answered = {tree.parent[n] for n in nodes if tree.records[n].kind in SPEAKING}
    ends = {_saying(tree, n) for n in nodes if n not in parents and _is_row(tree.records[n])} - answered - {NONE}
    if len(ends) > 1:
        chosen = last
        if named in ends and not _goes_on(tree, last, named, batches=not told.rewound):
            chosen = named
        found = _saying(tree, chosen)
        if found != NONE:
            return found
    return max(ends, key=lambda n: (tree.lines[n].timestamp or "", -n), default=NONE)


# ---- whether the talk went on from a line that was named -------------------------------------------------


def _goes_on(tree: Tree, last: int, named: int, *, batches: bool) -> bool:
    """Whether the last line is what came of the named one. `batches`: also by way of another call of the same step."""
    return tree.descends(last, named) or (batches and _same_step(tree, last, named)) or _split(tree, last, named)


def _is_link(line: Line) -> bool:
    """What hangs between things said: the client's own lines."""
    if line.type == "user":
        return line.is_meta and not _calls(line, "tool_result")
    return line.type == "attachment" or (line.type == "system" and line.subtype != BOUNDARY)


def _is_said(line: Line) -> bool:
    return line.type == "user" and not line.is_meta and not _calls(line, "tool_result")


def _calls(line: Line, kind: str) -> list[str]:
    return [c for k, c in call_ids(line.message.content) if k == kind] if line.message is not None else []


def _step(line: Line) -> str | None:
    return line.message.id if line.type == "assistant" and line.message is not None else None


def _of_step(tree: Tree, n: int, step: str) -> list[int]:
    """The lines above a line that are of the same API message, with the results and links between them."""
    found: list[int] = []
    n = tree.parent[n]
    while n != NONE:
        line = tree.lines[n]
        if not (_step(line) == step or _is_link(line) or (line.type == "user" and _calls(line, "tool_result"))):
            break
        found.append(n)
        n = tree.parent[n]
    return found


def _same_step(tree: Tree, last: int, named: int) -> bool:
    """Whether the way up from the last line goes past a call of the step to which the named line belongs."""
    lines = tree.lines
    call, link = named, NONE
    while call != NONE and (_is_link(lines[call]) or lines[call].is_virtual):
        call, link = tree.parent[call], call
    if call == NONE:
        return False
    answered = _calls(lines[call], "tool_result")
    hooked = False
    if answered:
        call = tree.parent[call]
    elif link != NONE:
        attached, step = lines[link].attachment, _step(lines[call])
        asked = attached.tool_use_id if attached is not None else None
        beside = [call, *_of_step(tree, call, step)] if step is not None else []
        call = next((n for n in beside if asked in _calls(lines[n], "tool_use")), NONE)
        answered, hooked = ([asked], True) if call != NONE and asked is not None else ([], False)
    if call == NONE:
        return False
    step, calls = _step(lines[call]), _calls(lines[call], "tool_use")
    if step is None or not calls:
        return False
    earlier = set(_of_step(tree, call, step))
    later = False
    below, n = NONE, last
    while n != NONE:
        line = lines[n]
        if n == call:
            if later:
                return True
            others = _calls(lines[below], "tool_result") if below != NONE else []
            mine = [c for c in others if c in calls]
            return bool(set(answered) & set(calls)) and any(
                len(calls) > 1 if hooked else c not in answered for c in mine
            )
        if _step(line) == step and _calls(line, "tool_use"):
            if n in earlier:
                return True
            later = True
        elif not (_step(line) == step or _is_link(line) or _calls(line, "tool_result")):
            later = False
        below, n = n, tree.parent[n]
    return False


def _split(tree: Tree, last: int, named: int) -> bool:
    """Whether a reply in several lines is named, and the talk went on from a line of the client's between them."""
    lines = tree.lines
    step = _step(lines[named])
    if step is None:
        return False
    above = _of_step(tree, named, step)
    said = [named, *(n for n in above if lines[n].type == "assistant")]
    between = [n for n in above if n > said[-1] and lines[n].type != "assistant"] if len(said) > 1 else []
    if not between or any(_calls(lines[n], "tool_use") for n in said):
        return False
    if not all(lines[n].type in ("attachment", "system") for n in between):
        return False
    below, n, talked = NONE, last, False
    while n not in (NONE, between[0]):
        line = lines[n]
        talked = talked or line.type == "assistant" or _is_said(line)
        below, n = n, tree.parent[n]
    if n == NONE or not talked or (lines[below].timestamp or "") <= (lines[named].timestamp or ""):
        return False
    return named not in tree.parent
