"""Compactions in Claude Code's form: a boundary, what the model still held, and all that came after it.

The client sends only what follows the last `compact_boundary` (formats/claude-code.md §7). What a compaction kept of
the earlier messages is therefore written again after the boundary, in the order of the summary's `window`, as copies
that say whose they are; every version of the client then sends the same. The earlier lines stay before the boundary,
where a reader finds them by `logicalParentUuid`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from sesh.format.blocks import TextBlock, ToolResultBlock
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.providers.claude_code.steps import Entry
from sesh.providers.claude_code.write_blocks import CALLS


class Segment(msgspec.Struct):
    """What lies between two boundaries. `summary` is the entry that stands for what came before; None: the first."""

    summary: Entry | None
    entries: list[Entry] = []


def is_readable(message: Message) -> bool:
    """Whether a summary can be told to another model: it holds words. An encrypted one holds an unknown block alone."""
    return any(isinstance(b, TextBlock) and b.text.strip() for b in message.content)


def segments(entries: Sequence[Entry]) -> list[Segment]:
    """The entries of a thread between its compactions, copies of what was kept put in.

    Two kinds of summaries make no boundary: one that cannot be read, because without it the earlier turns are all there
    is, so they are sent; and one whose window is all that came before, because nothing was taken away.
    """
    by_id = _in_a_window(entries)
    found = [Segment(None)]
    run: list[Entry] = []
    for entry in entries:
        if entry.message.kind == "summary":
            run.append(entry)
            continue
        if run:
            _compactions(run, by_id, found)
            run = []
        found[-1].entries.append(entry)
    if run:
        _compactions(run, by_id, found)
    _send_results_home(found)
    return found


def _in_a_window(entries: Sequence[Entry]) -> dict[str, Entry]:
    """The entries that a summary's window lists, by each id that they go by."""
    listed = {i for e in entries if e.message.window is not None for i in e.message.window}
    return {name: e for e in entries for name in (e.message.id, *e.names) if name in listed} if listed else {}


def _compactions(run: list[Entry], by_id: dict[str, Entry], found: list[Segment]) -> None:
    """Summaries that stand together: each one that no later one lists, with the cut texts that it lists itself."""
    texts = _cut_texts(run)
    of_others = {e for cut in texts.values() for e in cut}
    for entry in run:
        if entry in of_others:
            continue
        message, cut = entry.message, texts.get(entry, ())
        window = _window(entry, by_id)
        if not (is_readable(message) or is_boundary(entry)) or window == [*found[-1].entries, entry]:
            found[-1].entries += [*cut, entry]
            continue
        for text in cut:
            text.cut = True
        if is_boundary(entry):
            found[-1].entries += cut
            found.append(Segment(entry))
            continue
        if entry.own is not None and _names_kept((message.provider_data or {}).get("compactMetadata")):
            window = [entry]  # the boundary's own data tells it
        new = [*cut, entry]
        if [held for held in window if held in new] != new:
            # Not in the order of the thread: said before the boundary, so that they keep their places there.
            found[-1].entries += cut
            new = [entry]
            if entry not in window:
                found[-1].entries.append(entry)
        found.append(Segment(entry, [held if held in new else Entry(held.message, None) for held in window]))


def _cut_texts(run: Sequence[Entry]) -> dict[Entry, list[Entry]]:
    """By summary: the texts before it that its window lists and no window of their own has, in their order."""
    found: dict[Entry, list[Entry]] = {}
    free: dict[str, Entry] = {}
    for entry in run:
        for name in entry.message.window or ():
            text = free.pop(name, None)
            if text is not None:
                found.setdefault(entry, []).append(text)
        if entry.message.window is None and not is_boundary(entry):
            free[entry.message.id] = entry
    for cut in found.values():
        cut.sort(key=run.index)
    return found


def _window(entry: Entry, by_id: dict[str, Entry]) -> list[Entry]:
    """What a compaction left, as entries; ids of messages that do not go over are passed by."""
    if entry.message.window is None:
        return [entry]
    held = (by_id.get(name) for name in entry.message.window)
    return list(dict.fromkeys(e for e in held if e is not None))


def is_boundary(entry: Entry) -> bool:
    """Whether a message is a boundary of Claude Code's without a summary after it."""
    return entry.own is not None and entry.own.is_boundary


def _names_kept(metadata: object) -> bool:
    """Whether a boundary says itself which messages were preserved. One that sesh wrote does not: lines repeat them."""
    return isinstance(metadata, dict) and bool({"preservedMessages", "preservedSegment"} & metadata.keys())


def still_there(metadata: JsonObject, kept: Sequence[str], written: Callable[[str], bool]) -> JsonObject:
    """What a boundary says of the messages it preserved, without the lines that are not written again.

    The client preserves lines that say nothing, too (`turn_duration`), and replays none where one of the lines that it
    wrote down is missing (2.1.328). `kept`: the lines of the messages that were preserved, in order.
    """
    named, segment = metadata.get("preservedMessages"), metadata.get("preservedSegment")
    if isinstance(named, dict):
        lists = {
            k: [u for u in v if isinstance(u, str) and written(u)] for k, v in named.items() if isinstance(v, list)
        }
        metadata = {**metadata, "preservedMessages": {**named, **lists}}
    if isinstance(segment, dict) and kept and not all(written(str(segment.get(k))) for k in ("headUuid", "tailUuid")):
        metadata = {**metadata, "preservedSegment": {**segment, "headUuid": kept[0], "tailUuid": kept[-1]}}
    return metadata


def since_last(found: Sequence[Segment], entries: Sequence[Entry]) -> tuple[Segment, list[Entry]]:
    """Only what the last compaction left and what came after it, as one segment; and the entries that stay behind."""
    last = found[-1]
    by_id = _in_a_window(entries)
    kept: list[Entry] = []
    for entry in last.entries:
        if entry is last.summary:
            kept += _window(entry, by_id)
        elif entry.first is not None:
            kept.append(entry)
    kept = list(dict.fromkeys(kept))
    for entry in kept:
        entry.cut = False  # without a boundary each is a summary like others, and all of it is sent
    staying = set(kept)
    return Segment(last.summary, kept), [e for e in entries if e not in staying]


def _send_results_home(found: list[Segment]) -> None:
    """A result that came after a compaction goes to the segment of its call, where that is not in its own."""
    if len(found) == 1:
        return
    calls = [{b.call_id for e in s.entries for b in e.message.content if isinstance(b, CALLS)} for s in found]
    for n in range(1, len(found)):
        staying: list[Entry] = []
        for entry in found[n].entries:
            home = None
            content = entry.message.content
            if content and isinstance(content[0], ToolResultBlock) and entry.first is not None:
                results = {b.call_id for b in content if isinstance(b, ToolResultBlock)}
                if len(results) == len(content) and not results & calls[n]:
                    home = next((m for m in range(n - 1, -1, -1) if results & calls[m]), None)
            if home is None:
                staying.append(entry)
            else:
                found[home].entries.append(entry)
        found[n].entries = staying
