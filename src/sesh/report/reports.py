"""What a parse and an emit say of themselves: the seeds' `skipped` / `dropped` / `notes`, and the same as data.

    lines  = used + unknown + Σ skipped          (IngestReport, over every file that was read)
    blocks = written + Σ changed + Σ dropped     (EmitReport)

A *line* is a record of a source file: a line that holds two JSON objects counts as two, and an entry says so. A blank
line is skipped as `blank`. A *block* is a block of a message given to a writer; a message without blocks counts none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from sesh.errors import LedgerError
from sesh.report.ledger import Ledger

USED: Final = "used"
UNKNOWN: Final = "unknown"
WRITTEN: Final = "written"
SKIPPED: Final = "skipped:"
_CHANGED: Final = "changed:"
_DROPPED: Final = "dropped:"


class Entry(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One note as data. `code` is stable (report/codes.py); `line` counts from 1 in `file` (default: the main file)."""

    code: str
    text: str
    line: int | None = None
    file: str | None = None
    message_id: str | None = None


class IngestReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The account of a parse. `skipped` counts records by kind; `files` holds each file's own sums."""

    lines: int
    used: int
    unknown: int
    skipped: dict[str, int]
    notes: list[str]
    entries: list[Entry]
    files: dict[str, FileAccount]

    def adds_up(self) -> bool:
        """Law 1 for reading."""
        return self.lines == self.used + self.unknown + sum(self.skipped.values())


class FileAccount(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One file's part of an ingest report. `outcomes` (in order, one per record) is kept in memory, not on the wire."""

    lines: int
    used: int
    unknown: int
    skipped: dict[str, int]


class EmitReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The account of an emit. `changed` counts by code, `dropped` by kind of block or message."""

    blocks: int
    written: int
    changed: dict[str, int]
    dropped: dict[str, int]
    notes: list[str]
    entries: list[Entry]

    def adds_up(self) -> bool:
        """Law 1 for writing."""
        return self.blocks == self.written + sum(self.changed.values()) + sum(self.dropped.values())

    @property
    def lossless(self) -> bool:
        """Whether nothing was dropped or changed: what `--strict` asks."""
        return not self.changed and not self.dropped


class _Notes:
    def __init__(self) -> None:
        self.entries: Final[list[Entry]] = []

    def note(
        self,
        code: str,
        text: str,
        *,
        line: int | None = None,
        file: str | None = None,
        message_id: str | None = None,
    ) -> None:
        """Say something about the input or the output. `code` must stand in report/codes.py."""
        self.entries.append(Entry(code=code, text=text, line=line, file=file, message_id=message_id))

    def count_lines_from(self, before: int) -> None:
        """Number the lines of all notes so far as in a file that has `before` lines in front of what was read."""
        self.entries[:] = [
            e if e.line is None else msgspec.structs.replace(e, line=e.line + before) for e in self.entries
        ]

    def texts(self) -> list[str]:
        """The seeds' `notes`: each entry as a sentence, with its place."""
        return [_sentence(e) for e in self.entries]


def _sentence(entry: Entry) -> str:
    place = ", ".join(
        filter(None, (entry.file, None if entry.line is None else f"line {entry.line}")),
    )
    return f"{place}: {entry.text}" if place else entry.text


class LineBook(_Notes):
    """The reader's side: one ledger per file, and the notes.

    `open(file)` makes an item for the next record of that file; then exactly one of `used`, `unknown`, `skipped`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ledgers: Final[dict[str, Ledger]] = {}

    def ledger(self, file: str) -> Ledger:
        """The ledger of one source file, made on first use, so that an empty file has an account too."""
        found = self._ledgers.get(file)
        if found is None:
            found = self._ledgers[file] = Ledger(f"{file}: line")
        return found

    def open(self, file: str) -> int:
        """Open the next record of `file`; returns its item number there."""
        return self.ledger(file).open()

    def used(self, file: str, item: int) -> None:
        """The record went into a message or into the thread's own fields."""
        self._ledgers[file].close(item, USED)

    def unknown(self, file: str, item: int) -> None:
        """The record is kept whole in an unknown block."""
        self._ledgers[file].close(item, UNKNOWN)

    def skipped(self, file: str, item: int, kind: str) -> None:
        """The record is state or an echo: counted under `kind`."""
        self._ledgers[file].close(item, SKIPPED + kind)

    def is_open(self, file: str, item: int) -> bool:
        """Whether a record still waits for its outcome."""
        return self._ledgers[file].is_open(item)

    def outcomes(self, file: str) -> list[str]:
        """What became of each record of a file, in order: `used`, `unknown`, `skipped:KIND`."""
        return list(self._ledgers[file].outcomes())

    def report(self) -> IngestReport:
        """The account. Raises LedgerError where a record is still open."""
        files = {name: _account(ledger) for name, ledger in self._ledgers.items()}
        skipped: dict[str, int] = {}
        for account in files.values():
            _add(skipped, account.skipped)
        report = IngestReport(
            lines=sum(a.lines for a in files.values()),
            used=sum(a.used for a in files.values()),
            unknown=sum(a.unknown for a in files.values()),
            skipped=dict(sorted(skipped.items())),
            notes=self.texts(),
            entries=list(self.entries),
            files=files,
        )
        if not report.adds_up():
            raise LedgerError(f"the report does not add up: {report}")
        return report


class BlockBook(_Notes):
    """The writer's side: every block of every message that was handed in."""

    def __init__(self) -> None:
        super().__init__()
        self._ledger: Final = Ledger("block")

    def open(self, count: int = 1) -> int:
        """Open `count` blocks (a message's content); returns the number of the first."""
        return self._ledger.open(count)

    def written(self, item: int) -> None:
        """The block reads back as it is."""
        self._ledger.close(item, WRITTEN)

    def changed(self, item: int, code: str) -> None:
        """The block went over in another form; `code` says which (report/codes.py)."""
        self._ledger.close(item, _CHANGED + code)

    def dropped(self, item: int, kind: str) -> None:
        """The block stayed behind; `kind` says what it was (`reasoning`, `context`, ...)."""
        self._ledger.close(item, _DROPPED + kind)

    def mark(self) -> tuple[int, int]:
        """How far the book is written: for `back_to`."""
        return len(self._ledger), len(self.entries)

    def back_to(self, mark: tuple[int, int]) -> None:
        """Forget all that was opened and noted since: it is going to be written once more."""
        self._ledger.forget(mark[0])
        del self.entries[mark[1] :]

    def is_open(self, item: int) -> bool:
        """Whether a block still waits for its outcome."""
        return self._ledger.is_open(item)

    def report(self) -> EmitReport:
        """The account. Raises LedgerError where a block is still open."""
        totals = self._ledger.totals()
        report = EmitReport(
            blocks=len(self._ledger),
            written=totals.get(WRITTEN, 0),
            changed=_under(totals, _CHANGED),
            dropped=_under(totals, _DROPPED),
            notes=self.texts(),
            entries=list(self.entries),
        )
        if not report.adds_up():
            raise LedgerError(f"the report does not add up: {report}")
        return report


def _account(ledger: Ledger) -> FileAccount:
    totals = ledger.totals()
    return FileAccount(
        lines=len(ledger),
        used=totals.get(USED, 0),
        unknown=totals.get(UNKNOWN, 0),
        skipped=_under(totals, SKIPPED),
    )


def _under(totals: dict[str, int], prefix: str) -> dict[str, int]:
    return {k[len(prefix) :]: n for k, n in sorted(totals.items()) if k.startswith(prefix)}


def _add(into: dict[str, int], more: dict[str, int]) -> None:
    for key, n in more.items():
        into[key] = into.get(key, 0) + n


def joined(reports: Iterator[EmitReport]) -> EmitReport:
    """Several emits (a thread and its children) as one account."""
    all_of = list(reports)
    changed: dict[str, int] = {}
    dropped: dict[str, int] = {}
    for r in all_of:
        _add(changed, r.changed)
        _add(dropped, r.dropped)
    return EmitReport(
        blocks=sum(r.blocks for r in all_of),
        written=sum(r.written for r in all_of),
        changed=dict(sorted(changed.items())),
        dropped=dict(sorted(dropped.items())),
        notes=[n for r in all_of for n in r.notes],
        entries=[e for r in all_of for e in r.entries],
    )
