"""A patch as Claude Code's own edits: Write for a new file, Edit for each hunk, and what is left as a shell command.

One patch may become several calls. MultiEdit is not used: 2.1.328 no longer has it and its screen shows nothing for
tools it does not know (formats/claude-code.md §5).
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from sesh.format.json import JsonObject
from sesh.providers.claude_code.write_blocks import Use

_FILE: Final = {"*** Add File: ": "add", "*** Delete File: ": "delete", "*** Update File: ": "update"}
_MOVE: Final = "*** Move to: "
_CODE: Final = "renamed-tool"


class _File(msgspec.Struct):
    kind: str
    path: str
    move_to: str | None = None
    hunks: list[list[str]] = []


def edits(patch: str, cwd: str) -> list[Use]:
    """The calls that do what the patch does, in its order; empty where the text is no patch that can be read."""
    files = _files(patch)
    return [] if files is None else [use for file in files for use in _uses(file, cwd)]


def _uses(file: _File, cwd: str) -> Iterator[Use]:
    path = absolute(file.path, cwd)
    if file.kind == "add":
        content = "".join(line[1:] + "\n" for hunk in file.hunks for line in hunk if line.startswith("+"))
        yield Use("Write", {"file_path": path, "content": content}, _CODE)
    elif file.kind == "delete":
        yield Use("Bash", {"command": f"rm {shlex.quote(file.path)}", "description": f"Delete {file.path}"}, _CODE)
    else:
        for hunk in file.hunks:
            old, new = texts_of(hunk)
            yield Use("Edit", {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}, _CODE)
        if file.move_to is not None:
            command = f"mv {shlex.quote(file.path)} {shlex.quote(file.move_to)}"
            yield Use("Bash", {"command": command, "description": f"Rename {file.path} to {file.move_to}"}, _CODE)


def absolute(path: str, cwd: str) -> str:
    """Claude Code's tools take absolute paths only."""
    return posixpath.normpath(posixpath.join(cwd, path))


def texts_of(hunk: Sequence[str]) -> tuple[str, str]:
    """What a hunk finds, and what it puts there."""
    old: list[str] = []
    new: list[str] = []
    for line in hunk:
        mark, words = line[:1], line[1:]
        if mark != "+":
            old.append(words)
        if mark != "-":
            new.append(words)
    return "\n".join(old), "\n".join(new)


def _files(patch: str) -> list[_File] | None:
    """The files of a patch; None where a line is none that apply_patch knows."""
    lines = patch.strip("\n").split("\n")
    if not lines or lines[0].strip() != "*** Begin Patch":
        return None
    files: list[_File] = []
    hunk: list[str] | None = None
    """The hunk that goes on; a file's first needs no heading."""
    for line in lines[1:]:
        first = line[:1]
        if hunk is not None and first in ("+", "-"):
            hunk.append(line)
            continue
        if first not in ("+", "-", "") and line.strip() == "*** End Patch":
            break
        heading = next((h for h in _FILE if line.startswith(h)), None) if first == "*" else None
        if heading is not None:
            files.append(_File(_FILE[heading], line[len(heading) :].strip()))
            hunk = None
        elif not files:
            return None
        elif first in ("+", "-", " ", ""):
            if hunk is None:
                hunk = []
                files[-1].hunks.append(hunk)
            hunk.append(line or " ")
        elif line.startswith(_MOVE):
            files[-1].move_to = line[len(_MOVE) :].strip()
        elif line.startswith("@@"):
            hunk = []
            files[-1].hunks.append(hunk)
        elif line.startswith("*** End of File"):
            continue
        else:
            return None
    for file in files:
        file.hunks = [h for h in file.hunks if h]
    return files


def structured(old: str, new: str) -> list[JsonObject]:
    """A replaced text as the client's `structuredPatch`, one hunk.

    Its line numbers count from 1: where in the file the text stood is not known.
    """
    before, after = _lines(old), _lines(new)
    most = min(len(before), len(after))
    head = 0
    while head < most and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < most - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    lines = [" " + line for line in before[:head]]
    lines += ["-" + line for line in before[head : len(before) - tail]]
    lines += ["+" + line for line in after[head : len(after) - tail]]
    lines += [" " + line for line in before[len(before) - tail :]]
    return [{"oldStart": 1, "oldLines": len(before), "newStart": 1, "newLines": len(after), "lines": lines}]


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []
