"""What files held while a conversation went on, as far as its own tools showed it.

Claude's Edit names the text to replace, apply_patch names whole lines. Which lines those were can be told where the
conversation has read or written the file before; elsewhere the texts stand for whole lines.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from sesh.format.json import JsonObject
from sesh.format.regex import regex
from sesh.providers.codex.display import texts_replaced

_NUMBERED: Final = regex(r"[ ]*(\d+)[\t→](.*)", re.DOTALL)
"""A line of Read's output: `N<tab>text` (2.1.328), right-aligned with an arrow before (1.0, 2.0)."""


class FileViews:
    """Contents by path. A file that a shell command names may have changed, and is forgotten."""

    def __init__(self) -> None:
        self._contents: Final[dict[str, str]] = {}

    def get(self, path: str) -> str | None:
        """What the file holds, or None where that is not known."""
        return self._contents.get(path)

    def passed(self, name: str, given: JsonObject, output: str) -> None:
        """A tool of Claude's has run without an error: learn from it."""
        path = given.get("file_path")
        if name == "Bash":
            command = str(given.get("command"))
            for known in [p for p in self._contents if PurePosixPath(p).name in command]:
                del self._contents[known]
        elif not isinstance(path, str):
            return
        elif name == "Write" and isinstance(given.get("content"), str):
            self._contents[path] = given["content"]
        elif name == "Read" and not given.get("offset") and not given.get("limit"):
            seen = whole(output)
            if seen is not None:
                self._contents[path] = seen
        elif name in ("Edit", "MultiEdit"):
            after = self.edited(name, given)
            if after is not None:
                self._contents[path] = after
            else:
                self._contents.pop(path, None)

    def edited(self, name: str, given: JsonObject) -> str | None:
        """The content that an Edit or MultiEdit leaves; None where that cannot be told."""
        content = self._contents.get(str(given.get("file_path")))
        edits = given.get("edits") if name == "MultiEdit" else [given]
        pairs = texts_replaced(edits)
        if content is None or pairs is None or not isinstance(edits, list):
            return None
        for edit, (old, new) in zip(edits, pairs, strict=True):
            if not old or old not in content:
                return None
            content = content.replace(old, new) if edit.get("replace_all") else content.replace(old, new, 1)
        return content


def whole(output: str) -> str | None:
    """A file's content from Read's output of all of it; None where the output is anything else."""
    lines: list[str] = []
    for line in output.split("\n"):
        match = _NUMBERED.fullmatch(line)
        if match is None or int(match[1]) != len(lines) + 1:
            break
        lines.append(match[2])
    rest = output.split("\n")[len(lines) :]
    if not lines or (rest and "".join(rest).strip() and not "\n".join(rest).lstrip().startswith("<system-reminder>")):
        return None
    return "\n".join(lines)
