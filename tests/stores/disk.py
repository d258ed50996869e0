"""A disk that is really full: a small file system in memory, where the tests may mount one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, kilobytes: int, owner: str | None = None) -> Iterator[Path]:
    """`folder` as a tmpfs of that size, owned by `owner`. Skips the test where mounting is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = shutil.which("mount")
    if mount is None:
        pytest.skip("no `mount` here to make a small disk with")
    options = f"size={kilobytes}k,mode={'777' if owner is None else f'700,uid={owner}'}"
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
        capture_output=True,
        text=True,
    )
    if made.returncode:
        pytest.skip(f"a small disk needs the right to mount: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)
