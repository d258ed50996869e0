"""A client's own screen, as a person would see it: run in tmux, without network, and read as text."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.clients import isolation
from tests.clients.claude import Claude, environment, settings
from tests.clients.fixtures import absent

COLUMNS: Final = 200
ROWS: Final = 400
_NOBODY: Final = "http://127.0.0.1:9"
_STILL: Final = 2.0
"""Seconds without a change after which a screen counts as drawn."""
_PATIENCE: Final = 60.0


class Screen:
    """A running client. `picture` waits until it stands still; `press` sends a key (tmux's names) and looks again."""

    def __init__(self, tmux: Sequence[str]) -> None:
        self._tmux: Final = tuple(tmux)

    def picture(self) -> str:
        """The screen as text, lines without their trailing spaces."""
        last, since, end = "", time.monotonic(), time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            now = self._run("capture-pane", "-p", "-t", "s")
            if now != last or not now.strip():
                last, since = now, time.monotonic()
            elif time.monotonic() - since > _STILL:
                break
            time.sleep(0.2)
        return "\n".join(line.rstrip() for line in last.split("\n"))

    def press(self, key: str) -> str:
        """The screen after a key."""
        self._run("send-keys", "-t", "s", key)
        return self.picture()

    def _run(self, *args: str) -> str:
        return subprocess.run([*self._tmux, *args], capture_output=True, text=True, check=True).stdout


@contextmanager
def claude_screen(client: Claude, *args: str, home: Path, cwd: Path) -> Iterator[Screen]:
    """Claude Code with these arguments, in `cwd`, in a terminal of its own. Skips the test where tmux is missing."""
    program = shutil.which("tmux")
    if program is None:
        absent("tmux is not installed (the client's screen cannot be looked at)", "SESH_REQUIRE_CLIENTS")
    home.mkdir(parents=True, exist_ok=True)
    (home / ".claude.json").write_text(json.dumps(settings(cwd)))
    env = [f"{k}={v}" for k, v in environment(home, _NOBODY).items()]
    command = [*isolation.prefix(), "env", "-i", *env, str(client.installed.program), *args]
    tmux = [program, "-S", str(home / "tmux.sock"), "-f", "/dev/null"]
    start = ["new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "-s", "s", "-c", str(cwd), *command]
    subprocess.run([*tmux, *start], check=True)
    try:
        yield Screen(tmux)
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)
