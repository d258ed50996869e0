"""Locks between processes, of the kind the operating system takes back when a process dies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(descriptor: int) -> Iterator[None]:
    """Hold the exclusive lock on an open file; waits for it. Does nothing where the platform has no such locks."""
    if fcntl is None:
        yield
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def held_by_another(path: Path) -> bool:
    """Whether some process holds an exclusive lock on the file. False where it is not there or cannot be asked.

    Asking takes a shared lock for an instant; the file's content is neither read nor changed.
    """
    if fcntl is None:
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    else:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        return False
    finally:
        os.close(descriptor)


class Keeper(msgspec.Struct, frozen=True):
    """The process that holds a lock; `stopped` where it does not run on by itself (SIGSTOP, Ctrl-Z, a debugger)."""

    pid: int
    stopped: bool

    def __str__(self) -> str:
        return f"process {self.pid}{', which is stopped' if self.stopped else ''}"


def keeper(path: Path) -> Keeper | None:
    """Who holds the exclusive lock on a file; None where nobody does, or where only the system could tell.

    Linux tells it in /proc/locks: the kind, the process, the device and the inode of each lock (proc_locks(5)). Some
    file systems (btrfs, overlays) show another device there than stat does, so that a sole inode counts too.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        status = path.stat()
        locks = Path("/proc/locks").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    found: dict[int, str] = {}
    for line in locks.splitlines():
        words = line.split()
        if len(words) == 8 and words[1:4:2] == ["FLOCK", "WRITE"] and words[5].endswith(f":{status.st_ino}"):
            found[int(words[4])] = words[5]
    pids = [pid for pid, where in found.items() if where == device] or list(found)
    return Keeper(pids[0], _is_stopped(pids[0])) if len(pids) == 1 and pids[0] > 0 else None


def _is_stopped(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[:1] in (["T"], ["t"])


def waiting_advice(held: Keeper | None) -> str:
    """What to do where another sesh holds a lock for too long. It may be ended at any instant (place.py)."""
    if held is None:
        return "Run it again when it is done."
    if held.stopped:
        return (
            f"`kill -CONT {held.pid}` lets it go on, `kill -9 {held.pid}` ends it; neither leaves anything half-made."
        )
    return f"Run it again when that is done, or end it with `kill {held.pid}`: nothing is left half-made."
