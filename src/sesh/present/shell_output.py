"""What a command printed, without what Codex puts around it for the model (formats/codex.md §3), code mode's included.

0.36          {"output": "...", "metadata": {"exit_code": 0, "duration_seconds": 0.0}}
0.47 to 0.87  Exit code: 0 / Wall time: 0.1 seconds / Output: / ...
from 0.104    Chunk ID: 3fa1b2 / Wall time: ... / Process exited with code 0 / Original token count: 9 / Output: / ...
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sesh.format import jsontext

_ENVELOPE: Final = re.compile(
    r"(?:Chunk ID: [^\n]*\n|Script (?:completed|failed)\n)?(?:Exit code: (?P<old>-?\d+)\n)?Wall time:? [^\n]*\n"
    r"(?:Process exited with code (?P<new>-?\d+)\n)?(?:Process running with session ID [^\n]*\n)?"
    r"(?:Original token count: [^\n]*\n)?(?:Total output lines: [^\n]*\n\n?)?Output:\n+"
)


class ShellOutput(NamedTuple):
    """The command's exit code, None where nobody says it, and what it printed."""

    exit_code: int | None
    printed: str


def unwrapped(output: str) -> ShellOutput:
    """A tool's output with its envelope taken off; the output itself where it has none."""
    match = _ENVELOPE.match(output)
    if match is not None:
        code = match["old"] or match["new"]
        return ShellOutput(int(code) if code is not None else None, output[match.end() :])
    if output.startswith('{"output":'):
        try:
            value = jsontext.loads(output)
        except jsontext.UnreadableJson:
            return ShellOutput(None, output)
        about = value.get("metadata")
        if isinstance(value.get("output"), str) and isinstance(about, dict):
            code = about.get("exit_code")
            return ShellOutput(code if isinstance(code, int) else None, value["output"])
    return ShellOutput(None, output)
