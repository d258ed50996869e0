"""What commands print: JSON documents and results on stdout, remarks on stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from sesh.errors import Refused
from sesh.format import jsontext
from sesh.present.plain import printable
from sesh.report.reports import EmitReport


def emit_json(value: Any) -> None:
    """One JSON document on stdout, indented, and nothing else. Structs are written in their wire form."""
    write_bytes(jsontext.pretty(value) + b"\n")


def write_bytes(data: bytes) -> None:
    """Bytes to stdout as they are: UTF-8 whatever the terminal's encoding, no newline translation."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(text: str = "") -> None:
    """A line of the result, on stdout, for people. Colour codes are left out where stdout is no terminal."""
    click.echo(printable(text))


def remark(text: str) -> None:
    """A line beside the result, on stderr."""
    click.echo(printable(text), err=True)


def sums(counts: Mapping[str, int]) -> str:
    """`{"a": 2, "b": 1}` as `a 2, b 1`."""
    return ", ".join(f"{name} {n}" for name, n in counts.items())


def loss_line(report: EmitReport) -> str:
    """What an emit changed or dropped, in one line: the default of the loss policy (design.md §4)."""
    parts = [f"{report.written} of {report.blocks} blocks written as they were"]
    if report.changed:
        parts.append(f"changed: {sums(report.changed)}")
    if report.dropped:
        parts.append(f"dropped: {sums(report.dropped)}")
    return "; ".join(parts)


def write_report(file: Path, report: Any) -> None:
    """A report as JSON in a file. An earlier report is replaced; any other file is left alone. Raises Refused."""
    text = jsontext.pretty(report) + b"\n"
    if file.exists() and not _is_report(file):
        raise Refused(f"{file} is there already, and is no report of sesh.", hint="Name another file with --report.")
    file.write_bytes(text)


def _is_report(file: Path) -> bool:
    if not file.is_file():
        return file.exists()  # a pipe or /dev/stderr takes anything
    try:
        value = jsontext.loads(file.read_bytes())
    except jsontext.UnreadableJson:
        return not file.stat().st_size
    return isinstance(value, dict) and "read" in value
