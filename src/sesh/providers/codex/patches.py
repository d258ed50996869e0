"""apply_patch in all its costumes, and which files a patch touches.

Seen (formats/codex.md §3): a custom call whose input is the patch (0.36 and later), a function call with
`{"input": patch}` (older models), `shell ["apply_patch", patch]` (0.28, 0.36), and a heredoc in a shell command. A
command that does anything else besides is no patch and stays a tool call.
"""

from __future__ import annotations

import re
from typing import Any, Final

from sesh.format.json import JsonValue
from sesh.format.regex import regex

BEGIN: Final = "*** Begin Patch"
_FILE: Final = regex(r"(?:Add|Update|Delete) File: (.+?)\r?$", re.MULTILINE)
_HEREDOC: Final = regex(
    r"\s*(?:cd\s+(?:'[^']*'|\"[^\"]*\"|[^\s;&|'\"]+)\s*&&\s*)?(?:apply_patch|applypatch)\s+<<-?\s*"
    r"(?P<q>['\"]?)(?P<tag>\w+)(?P=q)\s*\n(?P<patch>.*?)\n(?P=tag)\s*",
    re.DOTALL,
)
_SHELLS: Final = frozenset({"bash", "sh", "zsh"})
_RUNNERS: Final = frozenset({"shell", "container.exec", "local_shell", "shell_command", "exec_command"})


def in_call(name: str, arguments: JsonValue) -> str | None:
    """The patch that a call by this name with these (decoded) arguments applies, or None where it is another call."""
    if name in ("apply_patch", "applypatch"):
        if isinstance(arguments, str):
            return arguments
        if isinstance(arguments, dict) and len(arguments) == 1:
            given = arguments.get("input", arguments.get("patch"))
            return given if isinstance(given, str) else None
        return None
    if name not in _RUNNERS or not isinstance(arguments, dict):
        return None
    return in_command(arguments.get("command", arguments.get("cmd")))


def in_command(command: Any) -> str | None:
    """The patch that a shell command applies: `["apply_patch", PATCH]`, or a heredoc given to a shell."""
    if isinstance(command, str):
        return _heredoc(command)
    if not isinstance(command, list) or not command or not all(isinstance(c, str) for c in command):
        return None
    if command[0] in ("apply_patch", "applypatch") and len(command) == 2:
        return str(command[1])
    if len(command) == 3 and command[0].rpartition("/")[2] in _SHELLS and command[1] in ("-lc", "-c"):
        return _heredoc(command[2])
    return None


def _heredoc(script: str) -> str | None:
    if BEGIN not in script:
        return None
    match = _HEREDOC.fullmatch(script)
    return match["patch"] if match else None


def path_of(patch: str) -> str | None:
    """The one file that a patch touches; None where it is several, or none."""
    # Split first: few lines begin so, and a pattern that begins with `^` would be tried at each character.
    marked = f"\n{patch}".split("\n*** ")[1:]
    paths = {match[1] for match in map(_FILE.match, marked) if match is not None}
    return paths.pop() if len(paths) == 1 else None


def from_changes(changes: Any) -> str | None:
    """A patch text for the `changes` of a FileChange item or a patch_apply_end event, which keep no patch of their own.

    `{path: {"type": "add"|"delete", "content": ...} | {"type": "update", "unified_diff": ..., "move_path": ...}}`. Line
    numbers of hunks are left out, as apply_patch has none.
    """
    if not isinstance(changes, dict):
        return None
    out = [BEGIN]
    for path, change in changes.items():
        if not isinstance(change, dict):
            return None
        match change.get("type"):
            case "add":
                out.append(f"*** Add File: {path}")
                out += [f"+{line}" for line in str(change.get("content") or "").removesuffix("\n").split("\n")]
            case "delete":
                out.append(f"*** Delete File: {path}")
            case "update":
                out.append(f"*** Update File: {path}")
                if change.get("move_path"):
                    out.append(f"*** Move to: {change['move_path']}")
                diff = str(change.get("unified_diff") or "").removesuffix("\n")
                out += ["@@" if line.startswith("@@ ") else line for line in diff.split("\n") if line]
            case _:
                return None
    out.append("*** End Patch")
    return "\n".join(out)
