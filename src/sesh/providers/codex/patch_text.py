"""The `apply_patch` text: reading it for display, and writing it from whole-file and find-and-replace edits.

    *** Begin Patch
    *** Add File: PATH          then lines with +
    *** Delete File: PATH
    *** Update File: PATH       then optionally *** Move to: PATH, and hunks: @@ [heading], lines with space, - or +
    *** End Patch

A file's change as Codex keeps it in FileChange and patch_apply_end: `{"type": "add"|"delete", "content"}` or
`{"type": "update", "unified_diff", "move_path"}` (formats/codex.md §3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

import msgspec

from sesh.format.json import JsonObject

BEGIN: Final = "*** Begin Patch"
END: Final = "*** End Patch"
_FILE: Final = {"*** Add File: ": "add", "*** Delete File: ": "delete", "*** Update File: ": "update"}
_MOVE: Final = "*** Move to: "


class FilePatch(msgspec.Struct):
    """What a patch does to one file. `body` holds the lines under its heading, without the heading."""

    kind: str
    path: str
    move_to: str | None = None
    body: list[str] = []


def parse(patch: str) -> list[FilePatch]:
    """The files of a patch, in order; empty where the text is no patch. Forgiving: for display only."""
    files: list[FilePatch] = []
    for line in patch.split("\n"):
        for heading, kind in _FILE.items():
            if line.startswith(heading):
                files.append(FilePatch(kind, line[len(heading) :].strip()))
                break
        else:
            if line.startswith((BEGIN, END)) or not files:
                continue
            if line.startswith(_MOVE):
                files[-1].move_to = line[len(_MOVE) :].strip()
            else:
                files[-1].body.append(line)
    return files


def changes(patch: str) -> JsonObject:
    """A patch as Codex's map from path to change. Updates are numbered from line 1, for want of the file itself."""
    found: JsonObject = {}
    for file in parse(patch):
        if file.kind == "update":
            found[file.path] = update("".join(_numbered(file.body)), file.move_to)
        else:
            content = "".join(line[1:] + "\n" for line in file.body if line.startswith("+"))
            found[file.path] = {"type": file.kind, "content": content}
    return found


def update(diff: str, move_to: str | None = None) -> JsonObject:
    """The change of one file that was there before."""
    return {"type": "update", "unified_diff": diff, "move_path": move_to}


def _numbered(body: Iterable[str]) -> Iterator[str]:
    """Hunks with the line numbers a unified diff needs."""
    hunk: list[str] = []
    at = 1
    for line in [*body, "@@"]:
        if not line.startswith("@@"):
            if line[:1] in (" ", "-", "+"):
                hunk.append(line)
            elif not line:
                hunk.append(" ")
            continue
        while hunk and hunk[-1] == " ":
            hunk.pop()
        if hunk:
            old = sum(h[0] != "+" for h in hunk)
            new = sum(h[0] != "-" for h in hunk)
            yield f"@@ -{at},{old} +{at},{new} @@\n"
            yield from (h + "\n" for h in hunk)
            at += max(old, new)
        hunk = []


def diff_of(old: str, new: str) -> str:
    """A unified diff's hunks from one text to another, both taken as whole lines."""
    before, after = _bare(old), _bare(new)
    if before == after:
        return ""
    if set(before).isdisjoint(after):  # so are most small edits, and looking for what is common takes long
        return _heading(0, len(before), 0, len(after)) + _signed("-", before) + _signed("+", after)
    from difflib import SequenceMatcher  # only where a diff is made

    hunks = []
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(3):
        hunks.append(_heading(group[0][1], group[-1][2], group[0][3], group[-1][4]))
        for tag, i, end, j, new_end in group:
            if tag == "equal":
                hunks.append(_signed(" ", before[i:end]))
            else:
                hunks += (_signed("-", before[i:end]), _signed("+", after[j:new_end]))
    return "".join(hunks)


def _heading(start: int, end: int, new_start: int, new_end: int) -> str:
    """The line above a hunk of these lines (counted from 0), as unified diffs have it."""
    return f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@\n"


def _range(start: int, end: int) -> str:
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + 1 if count else start},{count}"


def _signed(sign: str, lines: list[str]) -> str:
    return "".join([f"{sign}{line}\n" for line in lines])


def add_file(path: str, content: str) -> str:
    """A patch that makes a file. A last line without a line feed gets one: the format cannot say otherwise."""
    return "\n".join([BEGIN, f"*** Add File: {path}", *("+" + line for line in _bare(content)), END])


def replace_text(path: str, edits: Iterable[tuple[str, str]]) -> str:
    """A patch of one hunk an edit: the lines of the old text out, those of the new text in."""
    out = [BEGIN, f"*** Update File: {path}"]
    for old, new in edits:
        out.append("@@")
        out += ("-" + line for line in _bare(old))
        out += ("+" + line for line in _bare(new))
    return "\n".join([*out, END])


def update_file(path: str, old: str, new: str) -> str | None:
    """A patch from one whole content of a file to another; None where none can say it (no change, no lines before).

    A hunk is found by its lines alone, first match first, so context grows from three lines until the patch gives
    exactly `new`.
    """
    before, after = _bare(old), _bare(new)
    if not before or before == after:
        return None
    context = 3
    while True:
        body = ["@@" if line.startswith("@@") else line for line in _hunks(before, after, context)]
        if _applied(before, body) == after:
            return "\n".join([BEGIN, f"*** Update File: {path}", *body, END])
        if context > len(before):
            return None
        context *= 4


def apply(patch: str, files: Mapping[str, str]) -> dict[str, str]:
    """The files of a patch after it, from their contents before. Raises ValueError where a hunk is found nowhere."""
    after: dict[str, str] = {}
    for file in parse(patch):
        if file.kind == "add":
            after[file.path] = "".join(line[1:] + "\n" for line in file.body)
        elif file.kind == "update":
            found = _applied(_bare(files[file.path]), file.body)
            if found is None:
                raise ValueError(f"a hunk does not apply to {file.path}")
            after[file.move_to or file.path] = "".join(line + "\n" for line in found)
    return after


def _hunks(before: list[str], after: list[str], context: int) -> Iterator[str]:
    """A unified diff without its two lines of file names."""
    from difflib import unified_diff  # only where a patch is made

    return islice(unified_diff(before, after, lineterm="", n=context), 2, None)


def _applied(before: list[str], body: list[str]) -> list[str] | None:
    """Lines with the hunks applied, each at the first place after the one before where its old lines stand."""
    out: list[str] = []
    at = 0
    for hunk in _split(body):
        old = [line[1:] for line in hunk if line[0] != "+"]
        start = next((i for i in range(at, len(before) - len(old) + 1) if before[i : i + len(old)] == old), None)
        if start is None:
            return None
        out += before[at:start]
        out += [line[1:] for line in hunk if line[0] != "-"]
        at = start + len(old)
    return out + before[at:]


def _split(body: list[str]) -> Iterator[list[str]]:
    hunk: list[str] = []
    for line in [*body, "@@"]:
        if line.startswith("@@"):
            if hunk:
                yield hunk
            hunk = []
        else:
            hunk.append(line or " ")


def _bare(text: str) -> list[str]:
    """Lines without line feeds; a final one ends the last line and begins none."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
