"""All measurements of docs/performance.md, and the page's table.

    python -m bench                                     print the table (some minutes; an idle machine says more)
    python -m bench --write                             also put it into docs/performance.md
    python -m bench --sizes 1 10 --rounds 3             less of it, sooner
    python -m bench --peers FOLDER                      with other converters (bench/peers.py)
    python -m bench --lists --stores                    with bench/lists.py and bench/stores.py, which run alone as well

Figures are ratios of CPU time in runs by turns, never seconds. U is a process that decodes each line of the same file
with msgspec and does nothing else (bench/jobs.py).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from bench import generate, lists, stores
from bench.pairs import Cost, as_users, paired, run
from bench.peers import peers
from bench.table import NO_AIM, PAGE, Row, head, put

CORPUS = Path(__file__).parent.parent / "tests" / "corpus"
TARGETS = {"claude": "codex", "codex": "claude-code"}
TITLES = {"claude": "Claude Code", "codex": "Codex"}


class Bench:
    """The measurements of one run, in a folder of their own."""

    def __init__(self, folder: Path, sizes: Sequence[float], long: float, rounds: int) -> None:
        self.folder = folder
        self.rounds = rounds
        self.sizes = sizes
        self.long = long
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
        """The whole command, into a new file of a new folder (sub-agents get files beside it), as people run it."""
        folder = self.folder / "out"
        command = ("-m", "sesh", "convert", str(file), "--to", to, "-o", str(folder / "out.jsonl"), "-q")

        def once() -> Cost:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            return self.process(*command)()

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
        yield from self._largest()

    def _by_size(self, what: str, kind: str, aim: str, mine: Callable[[Path], Callable[[], Cost]]) -> Iterator[Row]:
        for size in self.sizes:
            file = self.files[kind, size]
            found = paired(mine(file), self.job("yardstick", file), self.rounds)
            aimed = aim if size >= 100 else NO_AIM
            yield Row(f"{what}, {size:g} MB", aimed, f"{found.cpu:.1f} U, {found.mine.memory:.0f} MB")

    def _kept(self) -> Iterator[Row]:
        for kind in TARGETS:
            command = [sys.executable, "-m", "bench.jobs", "kept", str(self.files[kind, self.sizes[-1]])]
            said = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True).stdout
            yield Row(f"memory that the messages of {TITLES[kind]} keep", "0.7 x file", f"{float(said):.2f} x file")

    def _largest(self) -> Iterator[Row]:
        """The largest session that the real clients wrote, as the tests have it."""
        for kind, to in TARGETS.items():
            file = largest(kind)
            found = paired(self.convert(file, to), self.process("-I", "-S", "-c", "pass"), max(self.rounds, 9))
            size = f"{file.stat().st_size / 1000:.0f} KB"
            what = (
                f"convert of the largest {TITLES[kind]} session of the corpus, {size}, against `python -I -S -c pass`"
            )
            yield Row(what, NO_AIM, f"{found.cpu:.0f} x")

    def _growth(self) -> Iterator[Row]:
        """Peak memory of a long session against that of one of 10 MB."""
        for kind, to in TARGETS.items():
            peaks = []
            for size in (10, self.long):
                file = self._made(kind, size)
                peaks.append(self.convert(file, to)().memory)
            low, high = peaks
            what = f"peak memory of convert from {TITLES[kind]}, {self.long:g} MB against 10 MB"
            yield Row(what, "1.5 x", f"{high / low:.1f} x ({low:.0f} to {high:.0f} MB)")

    def _made(self, kind: str, size: float) -> Path:
        """A session of this size, made where there is none yet."""
        file = self.folder / f"{kind}-{size:g}.jsonl"
        return file if file.exists() else generate.write(kind, int(size * 1e6), file)

    def _appended(self) -> Iterator[Row]:
        """Taking one more line into a store, from a long session against one of 1 MB."""
        for kind in TARGETS:
            grown = []
            for size in (self.long, 1):
                file, more = self.folder / f"grown-{size:g}.jsonl", generate.lines(kind, sys.maxsize)
                ingest = self.process(
                    "-m", "sesh", "ingest", str(file), "--store", f"sqlite:{file}.db", "--final", "-q"
                )
                with file.open("wb") as f:
                    while f.tell() < size * 1e6:
                        f.write(next(more))
                ingest()
                grown.append(lambda file=file, more=more, ingest=ingest: _one_more(file, more, ingest))
            found = paired(*grown, max(self.rounds, 9))
            for file in self.folder.glob("grown-*"):
                file.unlink()
            what = f"one appended line of {TITLES[kind]} into a store, {self.long:g} MB against 1 MB"
            yield Row(what, "1.5 x", f"{found.cpu:.1f} x, {found.mine.memory:.0f} MB")

    def _small(self) -> Row:
        file = generate.write("claude", 20_000, self.folder / "small.jsonl")
        found = paired(self.convert(file, "codex"), self.process("-I", "-S", "-c", "pass"), max(self.rounds, 9))
        return Row("convert of 20 KB, against `python -I -S -c pass`", "10 x", f"{found.cpu:.1f} x")

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
                    said = str(e).rpartition(" ended with ")[2].strip()
                    yield Row(what, "3 x, 8 x memory", f"it failed: {said[:100]}")
                    continue
                more = found.mine.memory / found.other.memory
                yield Row(what, "3 x, 8 x memory", f"{found.cpu:.1f} x, {more:.1f} x memory")


def _one_more(file: Path, more: Iterator[bytes], ingest: Callable[[], Cost]) -> Cost:
    with file.open("ab") as f:
        f.write(next(more))
    return ingest()


def largest(kind: str) -> Path:
    """The largest session of a client that the tests have from the client itself."""
    folder = CORPUS / {"claude": "claude-code", "codex": "codex"}[kind]
    return max((p for p in folder.rglob("*.jsonl") if p.is_file()), key=lambda p: p.stat().st_size)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", nargs="+", type=float, default=[1, 10, 100], metavar="MB")
    parser.add_argument("--long", type=float, default=500, metavar="MB", help="the session for memory and appending")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", type=Path, metavar="FOLDER")
    parser.add_argument("--lists", action="store_true", help="also bench.lists")
    parser.add_argument("--stores", action="store_true", help="also bench.stores (some minutes more)")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sesh-bench-") as folder:
        bench = Bench(Path(folder), given.sizes, given.long, given.rounds)
        above, rows = head(), []
        print(above, flush=True)
        for row in chain(
            bench.rows(),
            bench.against(given.peers) if given.peers else (),
            lists.rows(given.rounds) if given.lists else (),
            stores.rows() if given.stores else (),
        ):
            rows.append(row)
            print(row, flush=True)
    if given.write:
        put(above, rows)


if __name__ == "__main__":
    main()
