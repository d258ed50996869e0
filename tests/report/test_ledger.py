"""The double-entry book: an item that is never closed, or closed twice, raises."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesh.errors import LedgerError
from sesh.report.ledger import Ledger


@given(outcomes=st.lists(st.sampled_from(("used", "unknown", "skipped:a", "skipped:b")), max_size=30))
def test_totals_are_what_was_closed(outcomes: list[str]) -> None:
    book = Ledger("line")
    first = book.open(len(outcomes))
    for n, outcome in enumerate(outcomes):
        book.close(first + n, outcome)
    assert book.totals() == Counter(outcomes)
    assert list(book.outcomes()) == outcomes
    assert len(book) == len(outcomes)


def test_items_are_numbered_in_order() -> None:
    book = Ledger("line")
    assert (book.open(), book.open(2), book.open()) == (0, 1, 3)


def test_an_item_never_closed_raises_and_names_the_first() -> None:
    book = Ledger("block")
    book.open(3)
    book.close(0, "written")
    with pytest.raises(LedgerError, match=r"2 block\(s\) never accounted for, the first is 1"):
        book.totals()


def test_an_item_closed_twice_raises_and_names_both() -> None:
    book = Ledger("line")
    book.open()
    book.close(0, "used")
    assert not book.is_open(0)
    assert book.outcome(0) == "used"
    with pytest.raises(LedgerError, match="line 0 is closed twice: as used, then as unknown"):
        book.close(0, "unknown")


def test_what_still_waits() -> None:
    book = Ledger("line")
    book.open(3)
    book.close(1, "used")
    assert book.still_open() == [0, 2]


@pytest.mark.parametrize("item", [0, 1, -1])
def test_an_item_never_opened_cannot_be_closed(item: int) -> None:
    with pytest.raises(LedgerError, match="never opened"):
        Ledger("line").close(item, "used")


def test_many_kinds_of_outcome() -> None:
    book = Ledger("line")
    book.open(1000)
    for n in range(1000):
        book.close(n, f"skipped:{n}")
    assert len(book.totals()) == 1000
