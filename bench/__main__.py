"""All measurements of docs/performance.md, and the page's table.

    python -m bench                                     print the table (some minutes; an idle machine says more)
    python -m bench --write                             also put it into docs/performance.md
    python -m bench --sizes 1 10 --rounds 3             less of it, sooner
    python -m bench --peers FOLDER                      with other converters (bench/peers.py)
    python -m bench.stores                              stores: paging, appending, memory

Figures are ratios of CPU time in runs by turns, never seconds. U is a process that decodes each line of the same file
with msgspec and does nothing else (bench/jobs.py).
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench import generate
from bench.pairs import Cost, as_users, paired, run
from bench.peers import peers

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
BEGIN, END = "<!-- bench: begin -->\n", "<!-- bench: end -->"
TARGETS = {"claude": "codex", "codex": "claude-code"}
TITLES = {"claude": "Claude Code", "codex": "Codex"}


class Row(NamedTuple):
    """One line of the table."""

    what: str
    aim: str
    found: str


class Bench:
    """The measurements of one run, in a folder of their own."""

    def __init__(self, folder: Path, sizes: Sequence[float], rounds: int) -> None:
        self.folder = folder
        self.rounds = rounds
        self.sizes = sizes
        self.environment = {**as_users(folder), "HOME": str(folder / "home"), "SESH_HOME": str(folder / "sesh")}
        for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR"):
            self.environment.pop(name, None)
        (folder / "home").mkdir()
        self.files = {
            (kind, size): generate.write(kind, int(size * 1e6), folder / f"{kind}-{size:g}.jsonl")
            for kind in TARGETS
            for size in sizes
        }

    # processes

    def process(self, *arguments: str) -> Callable[[], Cost]:
        """A Python process with these arguments."""
        return lambda: run([sys.executable, *arguments], self.environment)

    def job(self, name: str, file: Path) -> Callable[[], Cost]:
        """A job of bench/jobs.py on a file."""
        return self.process("-m", "bench.jobs", name, str(file))

    def convert(self, file: Path, to: str) -> Callable[[], Cost]:
        """The whole command, into a new file, as people run it."""
        target = self.folder / "out.jsonl"

        def once() -> Cost:
            cost = self.process("-m", "sesh", "convert", str(file), "--to", to, "-o", str(target), "-q")()
            target.unlink()
            return cost

        return once

    # rows

    def rows(self) -> Iterator[Row]:
        """Everything but the peers."""
        for kind, aim in (("claude", "2.0 U"), ("codex", "2.5 U")):
            yield from self._by_size(
                f"convert {TITLES[kind]} to {TITLES['codex' if kind == 'claude' else 'claude']}",
                kind,
                aim,
                lambda f, k=kind: self.convert(f, TARGETS[k]),
            )
        for kind in TARGETS:
            yield from self._by_size(
                f"{TITLES[kind]} to canonical JSON Lines", kind, "1.7 U", lambda f: self.convert(f, "canonical")
            )
        for kind in TARGETS:
            yield from self._by_size(
                f"{TITLES[kind]} to a list of messages", kind, "1.3 U", lambda f: self.job("messages", f)
            )
        yield from self._kept()
        yield from self._growth()
        yield from self._appended()
        yield self._small()

    def _by_size(self, what: str, kind: str, aim: str, mine: Callable[[Path], Callable[[], Cost]]) -> Iterator[Row]:
        for size in self.sizes:
            file = self.files[kind, size]
            found = paired(mine(file), self.job("yardstick", file), self.rounds)
            aimed = aim if size >= 100 else "—"
            yield Row(f"{what}, {size:g} MB", aimed, f"{found.cpu:.1f} U, {found.mine.memory:.0f} MB")

    def _kept(self) -> Iterator[Row]:
        for kind in TARGETS:
            command = [sys.executable, "-m", "bench.jobs", "kept", str(self.files[kind, self.sizes[-1]])]
            said = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True).stdout
            yield Row(f"memory that the messages of {TITLES[kind]} keep", "0.7 x file", f"{float(said):.2f} x file")

    def _growth(self) -> Iterator[Row]:
        if len(self.sizes) < 2:
            return
        small, large = self.sizes[-2:]
        for kind, to in TARGETS.items():
            low, high = (self.convert(self.files[kind, size], to)().memory for size in (small, large))
            what = f"peak memory of convert from {TITLES[kind]}, {large:g} MB against {small:g} MB"
            yield Row(what, "1.5 x", f"{high / low:.1f} x ({low:.0f} to {high:.0f} MB)")

    def _appended(self) -> Iterator[Row]:
        """Taking one more line into a store, from a session of the largest size against one of the smallest."""
        for kind in TARGETS:
            grown = []
            for size in (self.sizes[-1], self.sizes[0]):
                file, more = self.folder / f"grown-{size:g}.jsonl", generate.lines(kind, sys.maxsize)
                ingest = self.process(
                    "-m", "sesh", "ingest", str(file), "--store", f"sqlite:{file}.db", "--final", "-q"
                )
                with file.open("wb") as f:
                    while f.tell() < size * 1e6:
                        f.write(next(more))
                ingest()
                grown.append(lambda file=file, more=more, ingest=ingest: _one_more(file, more, ingest))
            found = paired(*grown, self.rounds)
            what = (
                f"one appended line of {TITLES[kind]} into a store, {self.sizes[-1]:g} MB against {self.sizes[0]:g} MB"
            )
            yield Row(what, "1.5 x", f"{found.cpu:.1f} x, {found.mine.memory:.0f} MB")

    def _small(self) -> Row:
        file = generate.write("claude", 20_000, self.folder / "small.jsonl")
        found = paired(self.convert(file, "codex"), self.process("-I", "-S", "-c", "pass"), max(self.rounds, 9))
        return Row("convert of 20 KB, against `python -I -S -c pass`", "10 x", f"{found.cpu:.0f} x")

    def against(self, folder: Path) -> Iterator[Row]:
        """The peers that are installed in `folder`, at the largest size."""
        size = self.sizes[-1]
        for kind, to in TARGETS.items():
            file = self.files[kind, size]
            for peer in peers(folder, file, kind, self.folder / "peers", as_users(self.folder)):

                def theirs(peer=peer) -> Cost:  # type: ignore[no-untyped-def]
                    peer.fresh()
                    return run(peer.command, peer.environment)

                what = f"{peer.name} from {TITLES[kind]}, {size:g} MB, against sesh"
                try:
                    found = paired(theirs, self.convert(file, to), min(self.rounds, 3))
                except RuntimeError as e:
                    yield Row(what, "3 x, 8 x memory", f"it failed: {str(e).splitlines()[-1][:100]}")
                    continue
                more = found.mine.memory / found.other.memory
                yield Row(what, "3 x, 8 x memory", f"{found.cpu:.1f} x, {more:.1f} x memory")


def _one_more(file: Path, more: Iterator[bytes], ingest: Callable[[], Cost]) -> Cost:
    with file.open("ab") as f:
        f.write(next(more))
    return ingest()


def machine() -> str:
    """The machine in general terms."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{platform.system()} on {platform.machine()}, {cores} cores; {python}, msgspec {msgspec.__version__}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", nargs="+", type=float, default=[1, 10, 100], metavar="MB")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", type=Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sesh-bench-") as folder:
        bench = Bench(Path(folder), given.sizes, given.rounds)
        table = [
            f"Measured on: {machine()}. Load when it began: {os.getloadavg()[0]:.1f}.\n",
            "| what | at most | found |",
            "| --- | --- | --- |",
        ]
        print("\n".join(table), flush=True)
        for row in chain(bench.rows(), bench.against(given.peers) if given.peers else ()):
            table.append(f"| {row.what} | {row.aim} | {row.found} |")
            print(table[-1], flush=True)
    if given.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(before + BEGIN + "\n".join(table) + "\n" + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
