"""The first and last bytes of a session file: enough for a list, whatever the file's size."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Final

from sesh.errors import SeshError
from sesh.files.read import ZSTD_SUFFIX, read_file
from sesh.providers.api import Glimpse

HEAD_BYTES: Final = 1 << 16
"""Codex's first line holds the model's instructions, some 20 KB; the first prompt comes soon after."""
TAIL_BYTES: Final = 1 << 14
"""Titles are written again every turn (Claude Code 2.1), so that the last one stands near the end."""


def glimpse(path: Path, relative: str, *, whole: bool = False) -> Glimpse | None:
    """What `Provider.card` takes, or with `whole` all of the file; None where it is gone or cannot be read."""
    if whole:
        try:
            return Glimpse(path=relative, head=read_file(path)[0], whole=True)
        except SeshError:
            return None
    try:
        with path.open("rb", buffering=0) as f:
            if relative.endswith(ZSTD_SUFFIX):
                return _compressed(f, relative)
            size = os.fstat(f.fileno()).st_size
            if size <= HEAD_BYTES + TAIL_BYTES:
                return Glimpse(path=relative, head=f.read(HEAD_BYTES + TAIL_BYTES), whole=True)
            head = f.read(HEAD_BYTES)
            f.seek(size - TAIL_BYTES)
            return Glimpse(path=relative, head=head, tail=f.read(TAIL_BYTES))
    except OSError:  # a list is a look around: what is gone or locked is not in it
        return None


def _compressed(f: io.FileIO, relative: str) -> Glimpse | None:
    import zstandard  # only compressed rollouts need it

    limit = HEAD_BYTES + TAIL_BYTES
    try:
        head = zstandard.ZstdDecompressor().stream_reader(f, read_across_frames=True).read(limit)
    except zstandard.ZstdError:
        return Glimpse(path=relative, head=b"")
    return Glimpse(path=relative, head=head, whole=len(head) < limit)
