"""Another process that appends to a store, for `StoreSuite`: it says of each message when it was acknowledged.

    python -m sesh.testing.store_worker URL THREAD PREFIX COUNT [--batch N] [--size BYTES] [--largest-file BYTES]

Prints an id per line as soon as the store has taken the message, so that whoever kills the process knows what must be
there. On a SeshError it prints `failed: KIND: …` and exits with 3. `--largest-file` is a disk that is full: no file of
this process may grow beyond that (RLIMIT_FSIZE).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import count, islice

from sesh.errors import SeshError
from sesh.format.blocks import TextBlock
from sesh.format.message import Message
from sesh.stores import append_all, open_store


def made(thread_id: str, prefix: str, number: int, size: int = 200) -> Message:
    """Message `number` of a worker; its text is what its id says, `size` characters of it."""
    text = f"{prefix} {number} " * (size // (len(prefix) + 3) + 1)
    return Message(
        id=f"{prefix}-{number}",
        thread_id=thread_id,
        role="user",
        ts="2026-11-30T18:00:00.000Z",
        content=[TextBlock(text=text[:size])],
    )


def main(arguments: Sequence[str]) -> int:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("thread")
    parser.add_argument("prefix")
    parser.add_argument("count", type=int, help="0: until killed")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--largest-file", type=int)
    given = parser.parse_args(arguments)
    try:
        store = open_store(given.url)
        if given.largest_file is not None:
            _fill_the_disk(given.largest_file)
        numbers: Iterator[int] = iter(range(given.count)) if given.count else count()
        while batch := [made(given.thread, given.prefix, n, given.size) for n in islice(numbers, given.batch)]:
            if given.batch == 1:
                store.append_message(batch[0])
            else:
                append_all(store, batch)
            print(*(m.id for m in batch), sep="\n", flush=True)  # noqa: T201 - this is its whole purpose
    except SeshError as e:
        print(f"failed: {type(e).__name__}: {e}", flush=True)  # noqa: T201
        return 3
    return 0


def _fill_the_disk(largest: int) -> None:
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
