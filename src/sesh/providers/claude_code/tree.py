"""From a tree of lines to threads: what Claude Code would send on resume, and what was left aside.

Measured on 2.1.328 (formats/claude-code.md §2, §7). Lines name their parents; the path from the leaf to the root is the
conversation. File order is the backbone and the tree refines it: whatever the parents say, every line ends up in
exactly one place. Older versions chose the leaf by time; the newest version's rule is taken for all files, because
that is the client a session is resumed in.

Nodes are numbers: the index of a record among the chained ones (those with a place in the tree), in file order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Final

import msgspec

from sesh.format.json import JsonObject
from sesh.providers.claude_code.book import NONE, Record
from sesh.providers.claude_code.records import SPEAKING, Line

CHAINED: Final = (*SPEAKING, "system", "attachment", "progress")
BOUNDARY: Final = "compact_boundary"

Note = Callable[[str, str, int], None]
"""Called with a code, a sentence and a line number."""


class Trunk(msgspec.Struct, frozen=True):
    """A line of talk: its nodes in order, and where it hangs (a node of another trunk, or NONE)."""

    nodes: list[int]
    origin: int


class _Kept(msgspec.Struct, frozen=True):
    """A message that a compaction preserved: it is the `count`th (the `last`?) that is replayed after the `anchor`."""

    boundary: int
    anchor: str
    count: int
    last: bool


class Tree:
    """The chained records of one file."""

    def __init__(self, records: Sequence[Record], note: Note, *, sidechain: bool = False) -> None:
        """`sidechain`: the file is a sub-agent's, where the flag is on every line and means nothing."""
        self.records: Final = records
        self.lines: Final[list[Line]] = [r.line for r in records if r.line is not None]
        self.boundaries: Final[set[int]] = set()
        """The marks of compactions, before which nothing is sent."""
        self._note: Final = note
        self.aside: Final[list[bool]] = []
        """Which of them are side chains."""
        self.by_uuid: Final[dict[str, int]] = {}
        self.twins: Final[list[int]] = []
        """Second copies of a line: in no trunk."""
        self._index(sidechain)
        self.doubled: Final = frozenset(self.twins)
        self.preserving: int = NONE
        """The last compaction's mark, where that compaction preserved messages."""
        self.replayed: Final[dict[int, int]] = {}
        """Lines said after some of the preserved messages, and not after all of them: how many of them."""
        self.ends: Final[dict[int, int]] = {}
        """The same, by the mark of the compaction, where the talk ends there (`leaf`)."""
        self.parent: Final = [NONE] * len(self.lines)
        self._times: list[tuple[str, int]] | None = None
        self._unnamed = 0
        self._kept: Final[dict[int, _Kept]] = {}
        self._join()

    # ---- parents ------------------------------------------------------------------------------------

    def _index(self, sidechain: bool) -> None:
        """Names to nodes. The same line twice is a node and its twin; another line of that name is a node too."""
        for n, line in enumerate(self.lines):
            self.records[n].node = n
            self.aside.append(not sidechain and line.is_sidechain)
            if line.subtype == BOUNDARY and line.type == "system":
                self.boundaries.add(n)
            uuid = line.uuid
            if uuid is None:
                continue
            first = self.by_uuid.setdefault(uuid, n)
            if first == n:
                continue
            if self.lines[first] == line:
                self.twins.append(n)
            else:
                self._note("duplicate-id", f"Another line has the id {uuid} already; both were kept.", self._number(n))
                self.by_uuid[uuid] = n

    def _number(self, n: int) -> int:
        return self.records[n].number

    def _join(self) -> None:
        """Finds each node's parent, and makes sure that no node is its own ancestor."""
        before = [NONE, NONE]  # the node before, in the main talk and aside
        seen: dict[object, int] = {}  # by uuid; whatever a line names as its parent may be looked for here
        backwards = False
        twins, boundaries, kept = self.doubled, self.boundaries, self._kept
        for n, (line, aside) in enumerate(zip(self.lines, self.aside, strict=True)):
            if n in twins:
                continue
            up = seen.get(line.parent_uuid, NONE)
            if up == NONE or n in boundaries:
                up = self._parent_of(n, line, before[aside], seen)
                backwards = backwards or up >= n
            if kept and up != NONE:
                up = self._after_replayed(n, up, seen)
            self.parent[n] = up
            before[aside] = n
            if n in boundaries:
                self._keep(n, seen)
            if line.uuid is not None:
                seen[line.uuid] = n
        if self._unnamed:
            text = f"{self._unnamed} line(s) have no parentUuid; each was joined to the line before it."
            self._note("missing-parent", text, self.records[0].number)
        if backwards:  # where every line names one that stands before it, there is no circle
            self._break_cycles()

    def _keep(self, boundary: int, seen: dict[object, int]) -> None:
        """Remembers what a compaction preserved, so that what hangs on it later comes after the summary."""
        anchor, uuids = self.anchor(boundary), self.preserved(boundary)
        if anchor is None or not uuids:
            return
        if boundary == max(self.boundaries):
            self.preserving = boundary
        for count, uuid in enumerate(uuids, 1):
            if uuid in seen:
                self._kept[seen[uuid]] = _Kept(boundary, anchor, count, count == len(uuids))

    def _after_replayed(self, n: int, up: int, seen: dict[object, int]) -> int:
        """What a line hangs on that names one from before a compaction that preserved messages: the summary.

        Preserved messages are replayed under it, and the client has no others: what names one that was not preserved
        comes after all that were (2.1.328).
        """
        kept = self._kept.get(up)
        if kept is not None and kept.anchor in seen:
            if not kept.last:
                self.replayed[n] = kept.count
            return seen[kept.anchor]
        if n > self.preserving > up and self.records[n].kind in SPEAKING and not self.aside[n]:
            return seen.get(self.anchor(self.preserving), up)
        return up

    def replayed_after(self, n: int) -> int:
        """The line that stands for a preserved message, where the talk ends there: that after which it is replayed."""
        kept = self._kept.get(n)
        if kept is None or kept.boundary != self.preserving:
            return n
        found = self.by_uuid.get(kept.anchor, NONE)
        if found == NONE or self.records[found].kind not in SPEAKING:
            return n
        self.ends[kept.boundary] = kept.count
        return found

    def _parent_of(self, n: int, line: Line, before: int, seen: dict[object, int]) -> int:
        named: str | msgspec.UnsetType | None = line.parent_uuid
        if n in self.boundaries and line.logical_parent_uuid is not None:
            # What came before a compaction is kept in front of it, so the logical parent is the parent.
            found = seen.get(line.logical_parent_uuid, NONE)
            return found if found != NONE else before
        if line.is_compact_summary and named is None:
            return before  # 1.0: a summary without a boundary
        if named is None:
            return before if n in self.boundaries else NONE
        if named is msgspec.UNSET:
            self._unnamed += before != NONE
            return before
        found = seen.get(named, NONE)
        if found == NONE:
            found = self.by_uuid.get(named, NONE)  # it stands later in the file
        if found == NONE:
            found = self._before_in_time(n)
            self._note("missing-parent", f"Its parent {named} is not in the file.", self._number(n))
        return found

    def _before_in_time(self, n: int) -> int:
        """The line just before this one in time, on whatever branch (2.1.328); in file order where times are equal."""
        if self._times is None:
            numbered = enumerate(self.lines)
            self._times = sorted((line.timestamp or "", i) for i, line in numbered if i not in self.doubled)
        at = bisect_left(self._times, (self.lines[n].timestamp or "", n)) - 1
        while at >= 0:
            found = self._times[at][1]
            if self.aside[found] == self.aside[n] and found != n:
                return found
            at -= 1
        return NONE

    def _break_cycles(self) -> None:
        """Lines that name each other as parents: the first of them in the file is joined to the line before it."""
        state = bytearray(len(self.parent))  # 0 unseen, 1 on this walk, 2 done
        for start in range(len(self.parent)):
            walk = []
            n = start
            while n != NONE and state[n] == 0:
                state[n] = 1
                walk.append(n)
                n = self.parent[n]
            if n != NONE and state[n] == 1:
                ring = walk[walk.index(n) :]
                first = min(ring)
                self._note("cycle", "Lines name each other as parents; file order was taken.", self._number(first))
                self.parent[first] = self._free_before(first, state)
            for m in walk:
                state[m] = 2

    def _free_before(self, n: int, state: bytearray) -> int:
        """The nearest line before `n` in the file whose way to the root is known, and so leads past no open circle."""
        for found in range(n - 1, NONE, -1):
            if state[found] == 2 and self.aside[found] == self.aside[n] and found not in self.doubled:
                return found
        return NONE

    def descends(self, n: int, of: int) -> bool:
        """Whether `of` stands on the way from `n` to the root."""
        while n not in (NONE, of):
            n = self.parent[n]
        return n != NONE

    @cached_property
    def _leading(self) -> set[int]:
        """The nodes under which a user or assistant line stands. Asked only where something hangs beside a trunk."""
        found: set[int] = set()
        for n, record in enumerate(self.records):
            if record.kind in SPEAKING and n not in self.doubled:
                up = self.parent[n]
                while up != NONE and up not in found:
                    found.add(up)
                    up = self.parent[up]
        return found

    # ---- compactions

    def preserved(self, boundary: int) -> list[str]:
        """The uuids of the lines that a compaction preserved, in order: by name, or else as a segment of the chain.

        The client replays them after the `anchor` (2.1.328, measured: where there is a list, even an empty one, it goes
        before the segment; `allUuids` is not asked). Where one of them is not in the file, it replays none.
        """
        named, segment = self._preserving(boundary)
        if named is not None:
            listed = [u for u in named["uuids"] if isinstance(u, str) and u in self.by_uuid]
            return listed if len(listed) == len(named["uuids"]) else []
        if segment is None:
            return []
        head, n = segment.get("headUuid"), self.by_uuid.get(str(segment.get("tailUuid")), NONE)
        found: list[str] = []
        seen: set[int] = set()  # asked while parents are being found, when lines may still lead in a circle
        while n != NONE and n not in seen:
            seen.add(n)
            uuid = self.lines[n].uuid
            if uuid is not None:
                found.append(uuid)
            if uuid == head:
                return found[::-1]
            n = self.parent[n]
        return []

    def anchor(self, boundary: int) -> str | None:
        """The uuid of the line after which a compaction's preserved messages are replayed: its summary, or itself."""
        named, segment = self._preserving(boundary)
        anchor = (named or segment or {}).get("anchorUuid")
        return anchor if isinstance(anchor, str) else None

    def _preserving(self, boundary: int) -> tuple[JsonObject | None, JsonObject | None]:
        """`preservedMessages` (where it is what it should be) and `preservedSegment` of a compaction."""
        metadata = self.lines[boundary].compact_metadata
        if not isinstance(metadata, dict):
            return None, None
        named, segment = metadata.get("preservedMessages"), metadata.get("preservedSegment")
        listed = named if isinstance(named, dict) and isinstance(named.get("uuids"), list) else None
        return listed, segment if isinstance(segment, dict) else None

    # ---- the main trunk -----------------------------------------------------------------------------

    def path(self, leaf: int) -> list[int]:
        """The nodes from the root to `leaf`."""
        nodes = []
        n = leaf
        while n != NONE:
            nodes.append(n)
            n = self.parent[n]
        nodes.reverse()
        return nodes

    def trunk(self, leaf: int) -> list[int]:
        """The main talk: the path to `leaf`, and what belongs to it from side branches, in order."""
        path = self.path(leaf)
        on = set(path)
        aside = self.aside[path[0]] if path else False
        beside = [n for n, a in enumerate(self.aside) if n not in on and a is aside and n not in self.doubled]
        return self._whole(path, self._below(beside))

    def _whole(self, path: list[int], below: dict[int, list[int]]) -> list[int]:
        """A path and what belongs to it among the nodes that hang on it (`_below`), asked in file order.

        Parallel calls hang on each other in many ways: a result on its own call (2.1), a second call of the same API
        message beside the first one's result. They are one step of the talk and no branch.
        """
        on = set(path)
        hanging = [c for n in path if n in below for c in below[n] if c not in on]
        if not hanging:
            return path
        steps = Steps(self.records[n] for n in path)
        pulled: list[int] = []
        heapify(hanging)
        while hanging:
            n = heappop(hanging)
            if self._belongs(n, on, steps):
                on.add(n)
                pulled.append(n)
                steps.add(self.records[n])
                for child in below.get(n, ()):
                    heappush(hanging, child)
        return merged(path, pulled)

    def _belongs(self, n: int, on: set[int], steps: Steps) -> bool:
        line, kind, up = self.lines[n], self.records[n].kind, self.parent[n]
        if up not in on:
            return False
        if line.is_virtual:
            return True  # shown beside the call whose tool made it
        message = line.message
        if kind == "assistant" and message is not None:
            return message.id is not None and steps.has(message.id)
        if kind == "user" and message is not None:
            answers = [call_id for what, call_id in call_ids(message.content) if what == "tool_result"]
            return bool(answers) and all(steps.awaits(a) for a in answers)
        # Nothing was said under it: a hook's output or a queued prompt beside the line that the talk went on from.
        return n not in self._leading

    # ---- what was left aside ------------------------------------------------------------------------

    def branches(self, used: set[int]) -> list[Trunk]:
        """What is on no trunk yet, apart from side chains: each fork as a trunk of its own, outermost first."""
        return self._trunks(used, aside=False)

    def sidechains(self, used: set[int]) -> list[Trunk]:
        """The inline side chains (1.0): each root with what descends from it."""
        return self._trunks(used, aside=True)

    def _trunks(self, used: set[int], *, aside: bool) -> list[Trunk]:
        """Each loose subtree's newest path, then that of each subtree which is left beside it, and so on.

        A node is looked at once for each trunk that it hangs on, so that it costs no more where branches hang on
        branches, or where a file stands backwards.
        """
        left = [n for n, a in enumerate(self.aside) if a is aside and n not in used and n not in self.doubled]
        inside = set(left)
        roots = [n for n in left if self.parent[n] not in inside]
        below = self._below(left)
        leaf, first = self._extent(roots, below)
        found: list[Trunk] = []
        while roots:
            beside: list[int] = []
            for root in sorted(roots, key=first.__getitem__):
                trunk = Trunk(self._whole(self._path_within(leaf[root], root), below), self.parent[root])
                on = set(trunk.nodes)
                beside += [c for n in trunk.nodes for c in below.get(n, ()) if c not in on]
                found.append(trunk)
            roots = beside
        return found

    def _below(self, nodes: list[int]) -> dict[int, list[int]]:
        """`nodes`, which are in file order, by their parents."""
        below: dict[int, list[int]] = {}
        for n in nodes:
            below.setdefault(self.parent[n], []).append(n)
        return below

    def _extent(self, roots: list[int], below: dict[int, list[int]]) -> tuple[dict[int, int], dict[int, int]]:
        """Of each node's subtree: where the talk in it goes on (its last saying line, or its last), and its first."""
        order = [*roots]
        for n in order:
            order += below.get(n, ())
        saying = {n: n if self.records[n].kind in SPEAKING else NONE for n in order}
        last = {n: n for n in order}
        first = last.copy()
        for n in reversed(order):  # what is below a node comes after it, and so is known here
            up = self.parent[n]
            if up not in last:
                continue
            if saying[n] > saying[up]:
                saying[up] = saying[n]
            if last[n] > last[up]:
                last[up] = last[n]
            if first[n] < first[up]:
                first[up] = first[n]
        return {n: last[n] if saying[n] == NONE else saying[n] for n in order}, first

    def _path_within(self, leaf: int, root: int) -> list[int]:
        nodes = [leaf]
        while nodes[-1] != root:
            nodes.append(self.parent[nodes[-1]])
        nodes.reverse()
        return nodes


def merged(path: list[int], more: Iterable[int]) -> list[int]:
    """`path` with other nodes put in where they stand in the file; the order of `path` itself is kept."""
    waiting = sorted(more)
    if not waiting:
        return path
    out: list[int] = []
    at = 0
    for n in path:
        while at < len(waiting) and waiting[at] < n:
            out.append(waiting[at])
            at += 1
        out.append(n)
    out += waiting[at:]
    return out


class Steps:
    """The API messages and the calls on a trunk. Looked for when first asked: a prompt beside a trunk asks nothing."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._unread: Final = [*records]
        self._messages: Final[set[str]] = set()
        self._calls: Final[dict[str, bool]] = {}  # call id -> whether its result is there

    def add(self, record: Record) -> None:
        """One more record on the trunk."""
        self._unread.append(record)

    def has(self, message_id: str) -> bool:
        """Whether a line of that API message is on the trunk."""
        self._read()
        return message_id in self._messages

    def awaits(self, call_id: str) -> bool:
        """Whether that call is on the trunk and its result is not."""
        self._read()
        return self._calls.get(call_id) is False

    def _read(self) -> None:
        for record in self._unread:
            message = record.line.message if record.line is not None else None
            if message is None:
                continue
            if record.kind == "assistant" and message.id is not None:
                self._messages.add(message.id)
            for kind, call_id in call_ids(message.content):
                if kind == "tool_use":
                    self._calls.setdefault(call_id, False)
                elif call_id in self._calls:
                    self._calls[call_id] = True
        self._unread.clear()


def call_ids(content: object) -> list[tuple[str, str]]:
    """The tool calls and results in a message's content: (`tool_use` or `tool_result`, call id)."""
    found: list[tuple[str, str]] = []
    if isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                kind = block.get("type")
                call_id = block.get("id" if kind == "tool_use" else "tool_use_id")
                if kind in ("tool_use", "tool_result") and isinstance(call_id, str):
                    found.append((kind, call_id))
    return found
