"""Reports add up, and say the same as notes and as data."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesh.errors import LedgerError
from sesh.report.reports import BlockBook, EmitReport, IngestReport, LineBook, joined

FILE_NAMES = st.sampled_from(("", "subagents/agent-1.jsonl"))
OUTCOMES = st.sampled_from(("used", "unknown", "mode", "blank"))


@given(records=st.lists(st.tuples(FILE_NAMES, OUTCOMES), max_size=20))
def test_lines_are_used_unknown_or_skipped(records: list[tuple[str, str]]) -> None:
    book = LineBook()
    for file, outcome in records:
        item = book.open(file)
        assert book.is_open(file, item)
        match outcome:
            case "used":
                book.used(file, item)
            case "unknown":
                book.unknown(file, item)
            case kind:
                book.skipped(file, item, kind)
    report = book.report()
    assert report.adds_up()
    assert report.lines == len(records)
    assert sum(f.lines for f in report.files.values()) == report.lines
    assert report.skipped == {k: n for k in ("blank", "mode") if (n := sum(o == k for _, o in records))}


@given(outcomes=st.lists(st.sampled_from(("written", "changed", "dropped")), max_size=20))
def test_blocks_are_written_changed_or_dropped(outcomes: list[str]) -> None:
    book = BlockBook()
    first = book.open(len(outcomes))
    for n, outcome in enumerate(outcomes, first):
        match outcome:
            case "written":
                book.written(n)
            case "changed":
                book.changed(n, "as-text")
            case _:
                book.dropped(n, "reasoning")
    report = book.report()
    assert report.adds_up()
    assert report.blocks == len(outcomes)
    assert report.lossless == all(o == "written" for o in outcomes)


def test_an_open_line_or_block_raises() -> None:
    lines, blocks = LineBook(), BlockBook()
    lines.open("")
    blocks.open()
    with pytest.raises(LedgerError):
        lines.report()
    with pytest.raises(LedgerError):
        blocks.report()


def test_an_empty_file_has_an_account() -> None:
    book = LineBook()
    book.ledger("empty.jsonl")
    assert book.report().files["empty.jsonl"].lines == 0


def test_each_outcome_can_be_asked_for() -> None:
    book = LineBook()
    book.used("", book.open(""))
    book.skipped("", book.open(""), "mode")
    assert book.outcomes("") == ["used", "skipped:mode"]


def test_notes_say_the_same_as_entries() -> None:
    book = LineBook()
    book.note("branch", "A branch became a child.", line=7)
    book.note("compaction", "Compacted here.")
    book.note("torn-last-line", "Left out.", line=9, file="agent.jsonl")
    report = book.report()
    assert report.notes == [
        "line 7: A branch became a child.",
        "Compacted here.",
        "agent.jsonl, line 9: Left out.",
    ]
    assert [e.code for e in report.entries] == ["branch", "compaction", "torn-last-line"]


def test_reports_are_json_in_camel_case() -> None:
    book = BlockBook()
    book.dropped(book.open(), "reasoning")
    book.note("as-text", "Written as text.", message_id="m1")
    value = msgspec.to_builtins(book.report())
    assert value["dropped"] == {"reasoning": 1}
    assert value["entries"] == [{"code": "as-text", "text": "Written as text.", "messageId": "m1"}]
    assert msgspec.convert(value, EmitReport) == book.report()


def test_a_report_that_does_not_add_up_says_so() -> None:
    off = IngestReport(lines=3, used=1, unknown=0, skipped={"mode": 1}, notes=[], entries=[], files={})
    assert not off.adds_up()
    off2 = EmitReport(blocks=2, written=1, changed={}, dropped={}, notes=[], entries=[])
    assert not off2.adds_up()


def test_several_emits_are_one_account() -> None:
    def one(kind: str) -> EmitReport:
        book = BlockBook()
        book.written(book.open())
        book.dropped(book.open(), kind)
        book.changed(book.open(), "as-text")
        return book.report()

    whole = joined(iter([one("reasoning"), one("context"), one("reasoning")]))
    assert whole.adds_up()
    assert (whole.blocks, whole.written) == (9, 3)
    assert whole.changed == {"as-text": 3}
    assert whole.dropped == {"context": 1, "reasoning": 2}
