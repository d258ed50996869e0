"""Shell calls of other clients as Bash: the command out of its arguments, the output out of its frame.

Frames that Codex puts around a command's output (formats/codex.md §3): a JSON string with `output` and
`metadata.exit_code` (0.36), `Exit code: N … Output:` (0.47 to 0.87), `Chunk ID: … Process exited with code N … Output:`
(0.104 and later).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from typing import Final

import msgspec

from sesh.format import jsontext
from sesh.format.json import JsonObject, JsonValue
from sesh.format.regex import regex

RUNNERS: Final = frozenset({"exec_command", "shell_command", "shell", "container.exec", "local_shell", "unified_exec"})
"""Tools that run a command and nothing else."""
_SHELLS: Final = frozenset({"bash", "sh", "zsh"})
_OLD_FRAME: Final = regex(
    r"Exit code: (?P<code>-?\d+)\nWall time: [^\n]*\n(?:Total output lines: \d+\n)?Output:\n(?P<body>.*)", re.S
)
_FRAME: Final = regex(
    r"(?:Chunk ID: [^\n]*\n)?Wall time: [^\n]*\n"
    r"(?:Process exited with code (?P<code>-?\d+)\n|Process running with session ID (?P<session>[^\n]*)\n)"
    r"(?:Original token count: \d+\n)?Output:\n(?P<body>.*)",
    re.S,
)


class ShellOutput(msgspec.Struct, frozen=True, gc=False):
    """What a command printed. `code` is its exit status, None where it still ran; `framed` says how it was known.

    `frame` is what stood before the body, where that stood at the end as it is.
    """

    body: str
    code: int | None
    framed: bool
    frame: str | None = None


def command_of(arguments: JsonValue, here: Collection[str]) -> JsonObject | None:
    """Bash's input for a runner's arguments; None where they hold no command. `here` are the session's own folders."""
    if not isinstance(arguments, dict):
        return None
    given = arguments
    if isinstance(arguments.get("action"), dict):  # local_shell_call
        given = arguments["action"]
    command = given.get("cmd", given.get("command"))
    if isinstance(command, list) and command and all(isinstance(c, str) for c in command):
        command = _script(command)
    if not isinstance(command, str) or not command.strip():
        return None
    where = given.get("workdir") or given.get("working_directory")
    if isinstance(where, str) and where and where.rstrip("/") not in {h.rstrip("/") for h in here}:
        command = f"cd {shlex.quote(where)} && {command}"
    made: JsonObject = {"command": command}
    timeout = given.get("timeout_ms")
    if isinstance(timeout, int) and not isinstance(timeout, bool) and timeout > 0:
        made["timeout"] = timeout
    return made


def _script(argv: list[str]) -> str:
    """What a person would type: the script given to a shell, else the words quoted."""
    if len(argv) == 3 and argv[0].rpartition("/")[2] in _SHELLS and argv[1] in ("-lc", "-c"):
        return argv[2]
    return shlex.join(argv)


def unframed(text: str) -> ShellOutput:
    """A command's output without the frame that its client put around it."""
    if text.startswith("{"):
        found = _json_frame(text)
        if found is not None:
            return found
    match = _OLD_FRAME.fullmatch(text) or _FRAME.fullmatch(text)
    if match is None:
        return ShellOutput(text, None, False)
    code = match["code"]
    at = match.start("body")
    return ShellOutput(text[at:], None if code is None else int(code), True, text[:at])


def _json_frame(text: str) -> ShellOutput | None:
    try:
        value = jsontext.loads(text)
    except jsontext.UnreadableJson:
        return None
    if not isinstance(value, dict) or value.keys() != {"output", "metadata"}:
        return None
    body, metadata = value["output"], value["metadata"]
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    if not isinstance(body, str) or not isinstance(code, int):
        return None
    return ShellOutput(body, code, True)
