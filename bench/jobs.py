"""What a measured process does, where it is no command of sesh: `python -m bench.jobs JOB FILE`."""

from __future__ import annotations

import gc
import resource
import sys
from pathlib import Path


def yardstick(path: Path) -> None:
    """U: decode each line, and nothing else."""
    import msgspec

    decode = msgspec.json.Decoder().decode
    with path.open("rb") as f:
        for line in f:
            decode(line)


def messages(path: Path) -> None:
    """Read a session into a list of messages, as a program does that uses sesh as a library."""
    from sesh.files.read import open_session

    opened = open_session(path)
    opened.provider.parse(opened.source)


def kept(path: Path) -> None:
    """The same; prints what the messages keep in memory once the file is let go, in parts of the file's size."""
    from sesh.files.read import open_session

    # A first, small reading loads all modules, so that they do not count.
    small = path.with_suffix(".head")
    with path.open("rb") as whole:
        small.write_bytes(b"".join(whole.readline() for _ in range(40)))
    first = open_session(small)
    first.provider.parse(first.source)
    del first
    before = _resident()
    opened = open_session(path)
    read = opened.provider.parse(opened.source)
    del opened
    gc.collect()
    print((_resident() - before) / path.stat().st_size)
    assert read.messages


def _resident() -> int:
    """Bytes of memory in use now (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


JOBS = {"yardstick": yardstick, "messages": messages, "kept": kept}

if __name__ == "__main__":
    JOBS[sys.argv[1]](Path(sys.argv[2]))
