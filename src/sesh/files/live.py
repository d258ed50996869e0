"""Is a session open in its client at this moment? Read from what the clients themselves leave on the disk.

Codex 0.169 holds an flock on `thread-writer-locks/<thread id>.lock` for as long as it has the thread open. Claude Code
2.1 keeps `sessions/<pid>.json` with the session's id and the start time of its process, and removes it at exit; after
a kill it stays, so the process is looked for too. (Both measured on the real clients.)
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from sesh.files.locks import held_by_another
from sesh.files.place import alive
from sesh.format import jsontext
from sesh.format.json import JsonObject
from sesh.providers.api import Provider


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """The client that has a session open: its title, the process where it is known, and the file that says so."""

    client: str
    pid: int | None
    sign: Path

    def __str__(self) -> str:
        return self.client if self.pid is None else f"{self.client} (process {self.pid})"


def holder(provider: Provider, home: Path, session_id: str) -> Holder | None:
    """Who has the session open, or None."""
    if provider.writer_lock is not None:
        lock = home / provider.writer_lock(session_id)
        if held_by_another(lock):
            return Holder(client=provider.title, pid=None, sign=lock)
    if provider.live_registry is not None:
        for file in sorted(home.glob(provider.live_registry)):
            entry = _entry(file)
            pid = entry.get("pid")
            if entry.get("sessionId") == session_id and isinstance(pid, int) and _is_same_process(pid, entry):
                return Holder(client=provider.title, pid=pid, sign=file)
    return None


def _entry(file: Path) -> JsonObject:
    """A registry file's object; empty where it vanished or is no object."""
    try:
        value = jsontext.loads(file.read_bytes())
    except (OSError, jsontext.UnreadableJson):
        return {}
    return value if isinstance(value, dict) else {}


def _is_same_process(pid: int, entry: JsonObject) -> bool:
    """Whether the process that wrote the entry still runs: same number and, where Linux tells it, same start time."""
    if not alive(pid):
        return False
    started = entry.get("procStart")
    if not isinstance(started, str) or not started.isdigit():
        return True
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return True
    fields = status.rpartition(")")[2].split()
    return len(fields) < 20 or fields[19] == started  # field 22 of proc(5): start time in clock ticks
