"""The end of a session file that has only grown, read without the rest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from sesh.files.read import ZSTD_SUFFIX, FolderView

_HEAD: Final = 4096
_NEAR: Final = 16_384
"""How many bytes at the beginning and before the old end tell whether what was read is still there."""


class Print(msgspec.Struct, frozen=True, kw_only=True):
    """What tells that a file still begins with the `size` bytes that were read.

    Clients append; whatever else they do to a session makes another file of it (`node`), or is seen at its ends. What
    is changed in its middle alone is not, where the file keeps its number: changed in place, or deleted and written
    anew (a file system may give the number again).
    """

    size: int
    node: int
    digest: bytes


@dataclass(frozen=True, kw_only=True)
class Tail:
    """A file's bytes from an offset on. `size` is the file's, `modified` its mtime in nanoseconds."""

    data: bytes
    size: int
    modified: int
    print: Print


def print_of(path: Path, data: bytes) -> Print | None:
    """The print of a file that was read whole as `data`; None where it is gone, or cannot be read from its middle."""
    if path.name.endswith(ZSTD_SUFFIX):
        return None
    try:
        node = path.stat().st_ino
    except OSError:
        return None
    return Print(size=len(data), node=node, digest=_digest(data[:_HEAD], data[-_NEAR:]))


def tail(path: Path, offset: int, known: Print) -> Tail | None:
    """The bytes from `offset` on, where the file begins with what was read before; None where it does not."""
    try:
        with path.open("rb", buffering=0) as f:
            status = os.fstat(f.fileno())
            if status.st_ino != known.node or status.st_size < known.size or offset > known.size:
                return None
            head = _exactly(f.fileno(), 0, min(_HEAD, known.size))
            near = max(0, min(offset, known.size - _NEAR))
            data = _exactly(f.fileno(), near, status.st_size - near)
    except OSError:  # the whole reading says what is wrong with it
        return None
    before = data[max(0, known.size - _NEAR) - near : known.size - near]
    if len(data) != status.st_size - near or _digest(head, before) != known.digest:
        return None
    start = (head + data[max(0, known.size - near) :])[:_HEAD]  # a small file's beginning may have grown, too
    more = Print(size=status.st_size, node=known.node, digest=_digest(start, data[-_NEAR:]))
    return Tail(data=data[offset - near :], size=status.st_size, modified=status.st_mtime_ns, print=more)


def _exactly(file: int, offset: int, count: int) -> bytes:
    os.lseek(file, offset, os.SEEK_SET)
    parts: list[bytes] = []
    while count > 0 and (part := os.read(file, count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _digest(head: bytes, near: bytes) -> bytes:
    return hashlib.blake2b(head + near, digest_size=16).digest()


def looks(view: FolderView, keys: Iterable[str]) -> bytes:
    """A digest of the sizes and times of files beside a session: the same as long as nothing is written to them."""
    said = [f"{key}\0{view.stamp(key)}" for key in keys]
    return hashlib.blake2b("\n".join(said).encode("utf-8", "surrogatepass"), digest_size=16).digest()
