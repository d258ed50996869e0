"""Locks between processes, of the kind the operating system takes back when a process dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
