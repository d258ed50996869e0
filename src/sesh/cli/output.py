"""What commands print: JSON documents and results on stdout, remarks on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from sesh.errors import Lossy, Refused, SeshError
from sesh.format import jsontext
from sesh.present.plain import plain, printable
from sesh.report.reports import EmitReport


def emit_json(value: Any) -> None:
    """One JSON document on stdout, indented, and nothing else. Structs are written in their wire form."""
    write_bytes(jsontext.pretty(value) + b"\n")


def write_bytes(data: bytes) -> None:
    """Bytes to stdout as they are: UTF-8 whatever the terminal's encoding, no newline translation.

    On a terminal itself what could steer it is left out: a line of a session may hold anything.
    """
    write_chunks([data])


def write_chunks(chunks: Iterable[bytes]) -> None:
    """The same, piece by piece, for what need not be in memory twice."""
    sys.stdout.flush()
    if sys.stdout.isatty():
        chunks = (plain(chunk.decode("utf-8", "replace")).encode() for chunk in chunks)
    sys.stdout.buffer.writelines(chunks)
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


def loss(report: EmitReport) -> str | None:
    """The same line where there is a loss, else None."""
    return None if report.lossless else loss_line(report)


def give_account(report: Any, file: Path | None, *, strict: bool, lost: str | None, words: tuple[str, str]) -> None:
    """Write the report where `--report` says; under `--strict`, go no further where anything got lost.

    lost: what did, in words. words: what is not done then, and what would do it ("handed off", "hand it off"). Raises
    Lossy, SeshError.
    """
    if file is not None:
        write_report(file, report)
    if strict and lost is not None:
        done, do = words
        raise Lossy(
            f"Not {done}, since --strict allows no loss: {lost}.", hint=f"Leave --strict out to {do} all the same."
        )


def write_report(file: Path, report: Any) -> None:
    """A report as JSON in a file. An earlier report is replaced; any other file is left alone. Raises SeshError."""
    text = jsontext.pretty(report) + b"\n"
    is_stream = file.parts[:2] in (("/", "dev"), ("/", "proc"))  # /dev/stderr may be a file, whose rest must stay
    if file.exists() and not is_stream and not _is_report(file):
        raise Refused(f"{file} is there already, and is no report of sesh.", hint="Name another file with --report.")
    try:
        if is_stream or (file.exists() and not file.is_file()):
            with file.open("ab", buffering=0) as f:
                f.write(text)
        else:
            _replace(file.resolve(), text)
    except OSError as e:
        raise SeshError(f"The report {file} cannot be written: {e.strerror or e}.") from e


def need_folder(path: Path) -> None:
    """Raise SeshError where the folder that a file (or a new folder) is to be made in is not there: a slip, mostly."""
    if not path.absolute().parent.is_dir():
        raise SeshError(f"There is no folder {path.parent}.", hint="Make it first, or name another place with -o.")


def _replace(file: Path, text: bytes) -> None:
    """A file whole or not at all: a full disk leaves neither a torn report nor the loss of the one before."""
    temporary = file.with_name(f".sesh-{os.getpid()}.tmp")
    try:
        temporary.write_bytes(text)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _is_report(file: Path) -> bool:
    if not file.is_file():
        return file.exists()  # a pipe takes anything
    try:
        value = jsontext.loads(file.read_bytes())
    except jsontext.UnreadableJson:
        return not file.stat().st_size
    return isinstance(value, dict) and "read" in value
