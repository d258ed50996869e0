"""Two commands by turns, A B A B: CPU time as the median of the ratios, memory as the peak of each process."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    """What a process took: CPU seconds (its own and the kernel's for it), and its peak memory in MB."""

    cpu: float
    memory: float


class Ratio(NamedTuple):
    """One command against another: the median ratio of CPU times, and the median costs of both."""

    cpu: float
    mine: Cost
    other: Cost


Command = Sequence[str]


def as_users(folder: Path, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of measured processes: Python keeps the bytecode of what it compiled, as where people use it.

    It is kept in `folder`, so that what another run left counts neither for nor against this one.
    """
    found = {k: v for k, v in environment.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**found, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def run(command: Command, environment: Mapping[str, str]) -> Cost:
    """Run a command to its end. Raises RuntimeError, with what it said, where it failed.

    Linux counts the memory of the process that starts another one in the other's peak: keep this one small.
    """
    with subprocess.Popen(
        command, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {said.decode(errors='replace')}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def paired(mine: Callable[[], Cost], other: Callable[[], Cost], rounds: int) -> Ratio:
    """Both by turns, `rounds` times. A machine that is slow for a while is slow for both.

    The first run of each does not count: it compiles modules, and fetches files from the disk.
    """
    mine(), other()
    pairs = [(mine(), other()) for _ in range(rounds)]
    return Ratio(
        statistics.median(a.cpu / b.cpu for a, b in pairs), _median(a for a, _ in pairs), _median(b for _, b in pairs)
    )


def _median(costs: Iterable[Cost]) -> Cost:
    found = list(costs)
    return Cost(statistics.median(c.cpu for c in found), statistics.median(c.memory for c in found))
