"""Processes that take one session take turns: two readings of a growing file must not cross on their way to a store."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sesh.errors import StoreFailed
from sesh.files import locks

_WAIT_SECONDS: Final = 60.0


@contextmanager
def turn(folder: Path, session: Path) -> Iterator[None]:
    """Keep others on this machine from taking a session meanwhile; `folder` is sesh's own. Raises StoreFailed.

    There are 256 locks for all sessions, so that the folder stays small. A taker of a session that holds its lock may
    take it again. Where no lock can be made (a folder that cannot be written), there are no turns.
    """
    from filelock import FileLock, Timeout  # only where something is written

    name = hashlib.blake2b(os.fsencode(os.path.realpath(session)), digest_size=1).hexdigest()
    file = folder / "turns" / f"{name}.lock"
    lock = FileLock(file, timeout=_WAIT_SECONDS, is_singleton=True)
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock.acquire()
    except Timeout:
        held = locks.keeper(file)
        raise StoreFailed(
            f"Another sesh{f' ({held})' if held else ''} has been taking {session}, or a session that shares its lock, "
            f"for {_WAIT_SECONDS:.0f} s ({file}).",
            hint=locks.waiting_advice(held),
        ) from None
    except (OSError, NotImplementedError):
        pass  # no turns: the marks that either road asks again are what remains
    try:
        yield
    finally:
        lock.release()
