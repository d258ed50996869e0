"""What a list costs: `python -m bench.lists [--sessions 5000] [--megabytes 1000] [--rounds 5]`.

A home of both clients is made in a temporary folder, its sessions log-normal in size. The yardsticks: a process that
decodes every line of every session with orjson (`pip install orjson`), and `python -I -S -c pass`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from bench import generate
from bench.pairs import Cost, as_users, paired, run
from bench.table import NO_AIM, Row

WORD: Final = "erloadcon"
"""One that the made-up prompts have (bench/words.py)."""
DECODE_ALL: Final = """
import sys
from pathlib import Path
import orjson
for path in Path(sys.argv[1]).rglob("*.jsonl"):
    with path.open("rb") as f:
        for line in f:
            orjson.loads(line)
"""


def make_home(root: Path, sessions: int, size: int) -> None:
    """Sessions of both clients, `size` bytes in all, in a home below `root`: beginnings of a few long ones."""
    draw = random.Random(1)
    weights = [draw.lognormvariate(0, 1.2) for _ in range(sessions)]
    sizes = [int(w * size / sum(weights)) for w in weights]
    seeds = range(1, 5)
    long = {(kind, s): list(generate.lines(kind, max(sizes), s)) for kind in generate.KINDS for s in seeds}
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for n, most in enumerate(sizes):
        at = start + timedelta(minutes=37 * n)
        kind, seed = ("claude" if n % 2 else "codex"), seeds[n // 2 % len(seeds)]
        session = str(uuid.UUID(int=draw.getrandbits(128), version=4))
        path = root / (
            f".claude/projects/-work-project-{n % 40}/{session}.jsonl"
            if kind == "claude"
            else f".codex/sessions/{at:%Y/%m/%d}/rollout-{at:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        own, made_for = session.encode(), generate.session_id(kind, seed).encode()
        with path.open("wb") as f:
            for line in long[kind, seed]:
                f.write(line.replace(made_for, own))
                if f.tell() >= most:
                    break
        os.utime(path, (at.timestamp(), at.timestamp()))


def rows(rounds: int, sessions: int = 5000, megabytes: int = 1000) -> Iterator[Row]:
    """What a list and a search cost in a home of so many sessions."""
    with tempfile.TemporaryDirectory(prefix="sesh-bench-list-") as name:
        root = Path(name)
        make_home(root, sessions, megabytes * 1_000_000)
        environment = as_users(
            root, {"HOME": name, "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
        )
        cache = root / "cache"
        environment |= {"XDG_CACHE_HOME": str(cache), "SESH_HOME": str(root / "sesh")}
        sesh = [sys.executable, "-m", "sesh"]

        def sesh_does(*arguments: str) -> Callable[[], Cost]:
            return lambda: run([*sesh, *arguments], environment)

        def anew(*arguments: str) -> Callable[[], Cost]:
            def once() -> Cost:
                for folder in (cache, root / "sesh"):
                    shutil.rmtree(folder, ignore_errors=True)
                return sesh_does(*arguments)()

            return once

        def decoded() -> Cost:
            return run([sys.executable, "-c", DECODE_ALL, name], environment)

        what = f"of {sessions:,} sessions, {megabytes:,} MB, against decoding them with orjson"
        listed = ("list", "--all", "--json")
        first = paired(anew(*listed), decoded, rounds)
        yield Row(f"`sesh list` {what}, no cache", "0.35 x", f"{first.cpu:.2f} x")
        again = paired(sesh_does(*listed), decoded, rounds)  # the cache is there from the last run above
        yield Row("the same with the cache, against without", "0.25 x", f"{again.cpu / first.cpu:.2f} x")
        searched = ("search", "--json", "-n", "20", WORD)
        found = paired(anew(*searched), decoded, 1)
        yield Row(f"`sesh search` {what}, no index yet", NO_AIM, f"{found.cpu:.1f} x")
        found = paired(sesh_does(*searched), decoded, rounds)
        yield Row("the same with the index", NO_AIM, f"{found.cpu:.2f} x")
        helped = paired(
            sesh_does("--help"), lambda: run([sys.executable, "-I", "-S", "-c", "pass"], environment), rounds * 4
        )
        yield Row("`sesh --help`, against `python -I -S -c pass`", "8 x", f"{helped.cpu:.1f} x")


def main() -> None:
    """Make the home, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sessions", type=int, default=5000)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    for row in rows(given.rounds, given.sessions, given.megabytes):
        print(row, flush=True)


if __name__ == "__main__":
    main()
