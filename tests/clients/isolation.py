"""A network namespace that has loopback and nothing else, for the client and the scripted model together."""

from __future__ import annotations

import fcntl
import socket
import struct
import subprocess
from functools import cache
from typing import Final

_SIOCGIFFLAGS: Final = 0x8913
_SIOCSIFFLAGS: Final = 0x8914
_IFF_UP: Final = 1


@cache
def prefix() -> tuple[str, ...]:
    """The command that starts a program without network; empty where this machine does not allow it.

    As root a plain namespace; else one with a user mapping, where the kernel lets users make it.
    """
    for flags in (("--net",), ("--map-root-user", "--net")):
        command = ("unshare", *flags)
        try:
            tried = subprocess.run([*command, "true"], capture_output=True, check=False)
        except FileNotFoundError:
            return ()
        if tried.returncode == 0:
            return command
    return ()


def raise_loopback() -> None:
    """Bring up `lo`, which is down in a new namespace. Needs no program (`ip` is not everywhere)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        request = struct.pack("16sH14x", b"lo", 0)
        (flags,) = struct.unpack_from("H", fcntl.ioctl(s, _SIOCGIFFLAGS, request), 16)
        if not flags & _IFF_UP:
            fcntl.ioctl(s, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _IFF_UP))
