"""What stores cost, as ratios of one run: paging at a million messages, appending, memory.

    python -m bench.stores                                  all back ends but Postgres, a million messages (10 minutes)
    python -m bench.stores --messages 100000                a tenth of it
    python -m bench.stores postgresql://postgres@127.0.0.1/bench    databases beside this one (2 minutes)

Every figure is a ratio of CPU time, or of peak memory, of child processes of this run, so that it means the same on
any machine; for Postgres the time is what passes, since the server does the work. The messages are like those of
real sessions: 3 KB in the mean, most of them small, some of 100 KB (formats measured on the corpus).

* page: `get_messages(after_id, limit=50)` at random places of a thread of N messages, against one of N / 10. At most 3.
* append: `append_messages` against encoding the same messages into lines. JSON Lines: at most 2.5.
* memory: peak memory of a process that appends N messages, against one that appends N / 10. About 1.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.pairs import as_users
from bench.table import NO_AIM, Row
from sesh.format import ids, wire
from sesh.format.blocks import TextBlock
from sesh.format.message import Message, Provenance
from sesh.stores import MessageStore, append_all, open_store

THREAD = "thread-of-the-bench"
TEXT = "".join(f'line {n}: the harvest of the orchard is counted, "page" by page\n' for n in range(3000))
PAGES = 400


def messages(count: int, first: int = 0) -> Iterator[Message]:
    """Messages `first` to `first + count` of a thread, the same each time."""
    sizes = random.Random(first)
    for n in range(first, first + count):
        size = min(100_000, int(sizes.lognormvariate(6.6, 1.6)))
        start = n % 1000
        yield Message(
            id=message_id(n),
            thread_id=THREAD,
            turn_id=ids.derive("turn", str(n // 20)),
            parent_id=message_id(n - 1) if n else None,
            role="assistant",
            ts="2026-11-30T18:00:00.000Z",
            content=[TextBlock(text=TEXT[start : start + size])],
            provenance=Provenance(provider="codex", channel="session-file", session_id=THREAD, source_id=f"line:{n}"),
        )


def message_id(n: int) -> str:
    """The id of message `n`."""
    return ids.derive("bench", str(n))


# what the child processes do


def fill(url: str, count: int) -> dict[str, float]:
    """Append `count` messages that are made as they are taken; peak memory in KB."""
    append_all(opened(url), messages(count))
    return {"rss": float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)}


def page(url: str, count: int, clock: Callable[[], float]) -> dict[str, float]:
    """The median time of a page of 50 at random places, in microseconds."""
    store, places = opened(url), random.Random(1)
    store.get_messages(THREAD, after_id=message_id(0), limit=1)  # JSON Lines reads the thread once, for its index
    taken = []
    for _ in range(PAGES):
        after = message_id(places.randrange(count - 50))
        begun = clock()
        found = store.get_messages(THREAD, after_id=after, limit=50)
        taken.append(clock() - begun)
        assert len(found) == 50
    return {"page": statistics.median(taken) * 1e6}


def append(url: str, count: int, clock: Callable[[], float]) -> dict[str, float]:
    """Appending against encoding, the same batches, by turns: A B A B."""
    store, encoding, appending = opened(url), 0.0, 0.0
    for first in range(0, count, 5000):
        batch = list(messages(min(5000, count - first), first))
        begun = clock()
        b"\n".join([wire.encode(m) for m in batch])
        middle = clock()
        append_all(store, batch)
        encoding, appending = encoding + middle - begun, appending + clock() - middle
    return {"ratio": appending / encoding, "encode": encoding / count * 1e6, "append": appending / count * 1e6}


def opened(url: str) -> MessageStore:
    """The store of a child process."""
    return open_store(url)


# the run


def child(job: str, url: str, count: int, environment: Mapping[str, str]) -> dict[str, Any]:
    """Do one job in a process of its own."""
    command = [sys.executable, "-m", "bench.stores", "--job", job, "--messages", str(count), url]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(environment))
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def measure(
    name: str, small: str, large: str, spare: list[str], count: int, environment: Mapping[str, str]
) -> Iterator[Row]:
    """The three ratios of one kind of store."""

    def done(job: str, url: str, count: int) -> dict[str, Any]:
        return child(job, url, count, environment)

    tenth = count // 10
    done("fill", small, 1)  # does not count: it compiles modules
    low, high = done("fill", small, tenth)["rss"], done("fill", large, count)["rss"]
    pairs = [(done("page", small, tenth)["page"], done("page", large, count)["page"]) for _ in range(3)]
    few, many = (statistics.median(p[i] for p in pairs) for i in (0, 1))
    appends = sorted((done("append", url, 20_000) for url in spare), key=lambda a: a["ratio"])
    one = appends[len(appends) // 2]
    sizes = f"{count:,} messages against {tenth:,}"
    yield Row(f"{name}: page of 50 of {sizes}", NO_AIM, f"{many / few:.2f} x ({few:,.0f} to {many:,.0f} µs)")
    yield Row(
        f"{name}: append, against encoding",
        NO_AIM,
        f"{one['ratio']:.2f} x ({one['encode']:.1f} to {one['append']:.1f} µs)",
    )
    yield Row(f"{name}: memory of {sizes}", NO_AIM, f"{high / low:.2f} x ({low / 1024:.0f} to {high / 1024:.0f} MB)")


def rows(url: str | None = None, count: int = 1_000_000) -> Iterator[Row]:
    """The figures of one store, or of those that need no server."""
    with tempfile.TemporaryDirectory() as folder:
        environment = as_users(Path(folder))
        if url:
            yield from with_servers(url, count, environment)
            return
        for scheme, title, name in (("jsonl", "JSON Lines", "d"), ("sqlite", "SQLite", "f.db")):
            urls = [f"{scheme}:{Path(folder) / scheme}-{n}-{name}" for n in range(5)]
            yield from measure(title, urls[0], urls[1], urls[2:], count, environment)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("url", nargs="?", help="measure this store instead of sqlite: and jsonl:")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--job", choices=["fill", "page", "append"], help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        clock = time.perf_counter if given.url.startswith("postgres") else time.process_time
        if given.job == "fill":
            found = fill(given.url, given.messages)
        else:
            found = {"page": page, "append": append}[given.job](given.url, given.messages, clock)
        print(json.dumps(found))
        return
    for row in rows(given.url, given.messages):
        print(row, flush=True)


def with_servers(url: str, count: int, environment: Mapping[str, str]) -> Iterator[Row]:
    """Five databases beside the one that is named, dropped afterwards."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        names = [f"sesh_bench_{n}" for n in range(5)]
        try:
            for name in names:
                connection.execute(f"CREATE DATABASE {name}")
            urls = [f"{url.rsplit('/', 1)[0]}/{name}" for name in names]
            yield from measure("Postgres", urls[0], urls[1], urls[2:], count, environment)
        finally:
            for name in names:
                connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


if __name__ == "__main__":
    main()
