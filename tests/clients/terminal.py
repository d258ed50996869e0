"""A client's screen: the program in a terminal of its own, drawn by an emulator, keys pressed when it rests."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from typing import Final

import pyte

_REST_S: Final = 1.5
"""So long without a byte means that the client waits for a key."""
_READ: Final = 1 << 16


def screens(
    command: Sequence[str],
    until: str,
    keys: Sequence[Sequence[str]],
    *,
    cwd: str,
    env: Mapping[str, str],
    size: tuple[int, int],
    timeout: float,
) -> list[str]:
    """What the screen shows when the program rests: at first, and after each of `keys`. Then the program is killed.

    `until`: words that must be there before it counts as resting; `keys`: pairs of a key and such words for after it.
    `size` is (columns, rows); a screen taller than the transcript needs no scrolling. Lines have no blanks at their
    ends, and empty lines at the end of the screen are left out.
    """
    columns, rows = size
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        command, cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, close_fds=True
    )
    os.close(theirs)
    try:
        end = time.monotonic() + timeout
        found = [_rested(ours, stream, screen, until, end)]
        for key, then in keys:
            os.write(ours, key.encode())
            found.append(_rested(ours, stream, screen, then, end))
        return found
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(ours)


def _rested(ours: int, stream: pyte.ByteStream, screen: pyte.Screen, until: str, end: float) -> str:
    while time.monotonic() < end:
        ready, _, _ = select.select([ours], [], [], _REST_S)
        if not ready:
            if until in _text(screen):
                break
            continue
        try:
            data = os.read(ours, _READ)
        except OSError:  # the program ended and took the terminal with it
            break
        if not data:
            break
        _answer(ours, data)
        stream.feed(data)
    return _text(screen)


def _text(screen: pyte.Screen) -> str:
    return "\n".join(line.rstrip() for line in screen.display).rstrip("\n") + "\n"


def _answer(ours: int, data: bytes) -> None:
    """What a terminal answers when it is asked who it is and where its cursor stands; some programs wait for it."""
    if b"\x1b[c" in data or b"\x1b[0c" in data:
        os.write(ours, b"\x1b[?62;22c")
    if b"\x1b[6n" in data:
        os.write(ours, b"\x1b[1;1R")
