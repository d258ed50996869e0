"""The lines of one file, opened in the ledger, decoded, and closed once each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from sesh.format import lines
from sesh.format.json import JsonValue
from sesh.providers.claude_code.records import SPEAKING, Kind, Line, ToolFacts, decode, kind_of, pieces, says_elsewhere
from sesh.report.reports import UNKNOWN, USED, LineBook

_BLANK: Final = b" \t\r\n\0"

NONE: Final = -1
"""No node of a tree."""


class Record(msgspec.Struct, gc=False, eq=False):
    """One record of a file: where it stands, what it is, and what became of it.

    `at` is its place among the records of its file, `item` that in the ledger, `number` its line number (from 1).
    `line` is None where the bytes are no record, and then `value` holds the JSON or the text. `data` is the line's
    bytes where they will be needed again (`raw`, unknown records). `node` is its place in the tree of its file, set
    when the tree is made; NONE where it has none.
    """

    at: int
    item: int
    number: int
    line: Line | None
    kind: Kind
    node: int = NONE
    data: bytes | None = None
    value: JsonValue = None

    @property
    def source_id(self) -> str:
        """The vendor's id of this record, or `line:N`."""
        return self.line.uuid if self.line is not None and self.line.uuid else f"line:{self.number}"


class Reading:
    """One file's records in order, and the book they are accounted in."""

    def __init__(self, book: LineBook, file: str, *, main: bool, keep_raw: bool) -> None:
        self.book: Final = book
        self.file: Final = file
        self._main: Final = main
        self.records: Final[list[Record]] = []
        self.beside: Final[list[Record]] = []
        """Those of `records` that are no user or assistant line: few, so that what looks for them need not ask all."""
        self.naming: Final[list[Record]] = []
        """Those that may say which call began an agent: progress lines, and results that name an agent."""
        self._keep_raw: Final = keep_raw
        self._ledger: Final = book.ledger(file)

    def read(self, data: bytes) -> None:
        """All lines of the file. Blank and torn ones are closed here; every other record waits for its outcome."""
        for raw in lines.split(data):
            line = decode(raw.data)
            if line is None:
                self._odd(raw)
                continue
            kind = kind_of(line)
            if kind in SPEAKING and not (line.message and line.message.content) and says_elsewhere(raw.data):
                kind = "unknown"
            record = self.add(self._ledger.open(), raw.number, line, kind)
            if self._keep_raw or kind == "unknown":
                record.data = raw.data

    def add(self, item: int, number: int, line: Line | None, kind: Kind) -> Record:
        """A record, which is `item` in the ledger."""
        record = Record(len(self.records), item, number, line, kind)
        self.records.append(record)
        if kind not in SPEAKING:
            self.beside.append(record)
        result = line.tool_use_result if line is not None else None
        if kind == "progress" or (isinstance(result, ToolFacts) and result.agent_id is not msgspec.UNSET):
            self.naming.append(record)
        return record

    def _odd(self, raw: lines.RawLine) -> None:
        if not raw.data.strip(_BLANK):
            self.book.skipped(self.file, self.book.open(self.file), "blank")
            return
        found = pieces(raw.data)
        if len(found) > 1:
            self.note("shared-line", f"{len(found)} records stand on this line; each was read.", raw.number)
        for odd in found:
            last = odd is found[-1]
            if not odd.readable and last and not raw.ended:
                self.note("torn-last-line", "The last line is cut off; it was left out.", raw.number)
                self.book.skipped(self.file, self.book.open(self.file), "torn-line")
                continue
            line = odd.line
            kind = "unreadable" if line is None else kind_of(line)
            record = self.add(self._ledger.open(), raw.number, line, kind)
            record.value = odd.value
            if not odd.readable:
                text = f"This is no record ({odd.flaw}); its text was kept."
                self.note("unreadable-line", text, raw.number)
            elif odd.flaw is not None and odd.flaw != "shares its line":
                self.note("repaired-bytes", f"The bytes were repaired: {odd.flaw}.", raw.number)
            if odd.lost:
                self.note("odd-field", f"Not of the type it always has: {', '.join(odd.lost)}.", raw.number)

    def note(self, code: str, text: str, number: int | None = None, message_id: str | None = None) -> None:
        """A note on a line of this file."""
        self.book.note(code, text, line=number, file=None if self._main else self.file, message_id=message_id)

    def is_open(self, record: Record) -> bool:
        """Whether nothing has become of it yet."""
        return self._ledger.is_open(record.item)

    def still_open(self) -> list[Record]:
        """The records that nothing has become of yet."""
        waiting = frozenset(self._ledger.still_open())
        return [r for r in self.records if r.item in waiting]

    def used(self, record: Record) -> None:
        """It went into a message or the thread."""
        self._ledger.close(record.item, USED)

    def unknown(self, record: Record) -> None:
        """It is kept whole."""
        self._ledger.close(record.item, UNKNOWN)

    def skipped(self, record: Record, kind: str) -> None:
        """It is state, counted under `kind`."""
        self.book.skipped(self.file, record.item, kind)

    def of_kind(self, *kinds: Kind) -> Iterator[Record]:
        """The records of some kinds, none of them user or assistant lines, in file order."""
        return (r for r in self.beside if r.kind in kinds)
