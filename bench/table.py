"""The table of docs/performance.md: its rows, and putting them there."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
BEGIN, END = "<!-- bench: begin -->\n", "<!-- bench: end -->"
NO_AIM = "—"


class Row(NamedTuple):
    """One line of the table: what was measured, what was aimed at, what was found."""

    what: str
    aim: str
    found: str

    def __str__(self) -> str:
        return f"| {self.what} | {self.aim} | {self.found} |"


def head() -> str:
    """What stands above the rows: the machine in general terms."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    machine = f"{platform.system()} on {platform.machine()}, {cores} cores; {python}, msgspec {msgspec.__version__}"
    return (
        f"Measured on: {machine}. Load when it began: {os.getloadavg()[0]:.1f}.\n\n"
        "| what | at most | found |\n| --- | --- | --- |"
    )


def put(above: str, rows: Iterable[Row]) -> None:
    """Replace the page's table."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    table = "\n".join([above, *map(str, rows)])
    PAGE.write_text(before + BEGIN + table + "\n" + END + rest.partition(END)[2])
