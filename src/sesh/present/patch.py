"""What a tool did to files, as lines of a diff: apply_patch text, and Claude Code's Edit, MultiEdit and Write."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from sesh.format.json import JsonValue

Sign: TypeAlias = Literal["+", "-", " ", "@"]
Operation: TypeAlias = Literal["add", "update", "delete"]

_HEADS: Final[dict[str, Operation]] = {
    "*** Add File: ": "add",
    "*** Update File: ": "update",
    "*** Delete File: ": "delete",
}
_MOVE: Final = "*** Move to: "


@dataclass(frozen=True, kw_only=True)
class FileDiff:
    """One file's part of a change. `lines` are pairs of a sign and the text without it; `@` marks a hunk's head."""

    path: str
    operation: Operation
    lines: list[tuple[Sign, str]]
    moved_to: str | None = None

    @property
    def added(self) -> int:
        """How many lines came."""
        return sum(sign == "+" for sign, _ in self.lines)

    @property
    def removed(self) -> int:
        """How many lines went."""
        return sum(sign == "-" for sign, _ in self.lines)


def of_patch(patch: str) -> list[FileDiff]:
    """The files of an apply_patch text, in order. Empty where the text is no such patch."""
    found: list[FileDiff] = []
    for line in patch.split("\n"):
        operation = next((o for head, o in _HEADS.items() if line.startswith(head)), None)
        if operation is not None:
            found.append(FileDiff(path=line.split(": ", 1)[1].strip(), operation=operation, lines=[]))
        elif line.startswith(_MOVE) and found:
            last = found.pop()
            found.append(
                FileDiff(
                    path=last.path, operation=last.operation, lines=last.lines, moved_to=line[len(_MOVE) :].strip()
                )
            )
        elif found and line[:1] in ("+", "-", " "):
            sign: Sign = "+" if line[0] == "+" else "-" if line[0] == "-" else " "
            found[-1].lines.append((sign, line[1:]))
        elif found and line.startswith("@@"):
            found[-1].lines.append(("@", line))
    return found


def of_call(name: str, arguments: JsonValue) -> list[FileDiff]:
    """The change that a call of one of Claude Code's editing tools asks for; empty for every other call."""
    if not isinstance(arguments, dict) or not isinstance(arguments.get("file_path"), str):
        return []
    path = arguments["file_path"]
    if name == "Write" and isinstance(arguments.get("content"), str):
        return [FileDiff(path=path, operation="add", lines=[("+", t) for t in _text_lines(arguments["content"])])]
    edits = arguments.get("edits") if name == "MultiEdit" else [arguments] if name == "Edit" else None
    if not isinstance(edits, list):
        return []
    lines: list[tuple[Sign, str]] = []
    for edit in edits:
        old, new = (edit.get("old_string"), edit.get("new_string")) if isinstance(edit, dict) else (None, None)
        if not isinstance(old, str) or not isinstance(new, str):
            return []
        if lines:
            lines.append(("@", "@@"))
        lines += _difference(old, new)
    return [FileDiff(path=path, operation="update", lines=lines)]


def _text_lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def _difference(old: str, new: str) -> Iterator[tuple[Sign, str]]:
    before, after = _text_lines(old), _text_lines(new)
    if len(before) * len(after) > 1_000_000:  # difflib is quadratic: name what went and what came
        yield from (("-", t) for t in before)
        yield from (("+", t) for t in after)
        return
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from ((" ", t) for t in before[a:b])
            continue
        yield from (("-", t) for t in before[a:b])
        yield from (("+", t) for t in after[c:d])
