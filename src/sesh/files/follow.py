"""Waking up when files below some folders may have changed, by the system's own signals or by the clock.

With the package `watchfiles` (the extra `watch`) a change wakes at once; without it, or where the folders cannot be
watched, the clock does. Either way the caller looks itself what has changed: a signal may be lost or come twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Final

POLL_SECONDS: Final = 1.0
"""How often to look where nothing wakes us."""
WATCH_SECONDS: Final = 5.0
"""How often to look where signals do: what comes of time alone (a session at rest) has no signal."""


def wakes(folders: Sequence[Path], stop: Event, *, poll_seconds: float = POLL_SECONDS) -> Iterator[None]:
    """Yield once at the beginning, then whenever it is time to look again; ends when `stop` is set.

    Folders that do not exist yet are waited for by the clock.
    """
    yield None
    while not stop.is_set():
        there = [folder for folder in folders if folder.is_dir()]
        if there and _can_watch():
            yield from _signals(there, folders, stop)
        elif not stop.wait(poll_seconds):
            yield None


def _can_watch() -> bool:
    try:
        import watchfiles  # noqa: F401 - only whether it is there
    except ImportError:
        return False
    return True


def _signals(there: Sequence[Path], wanted: Sequence[Path], stop: Event) -> Iterator[None]:
    """Wake on signals until one of the wanted folders appears or goes, and the watch has to be made anew."""
    from watchfiles import watch

    timeout = int(WATCH_SECONDS * 1000)
    for _ in watch(
        *there, stop_event=stop, rust_timeout=timeout, yield_on_timeout=True, raise_interrupt=True, debounce=400
    ):
        yield None
        if [folder for folder in wanted if folder.is_dir()] != list(there):
            return
