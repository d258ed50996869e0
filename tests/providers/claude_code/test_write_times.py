"""Times of a chain: the source's own where they rise, a millisecond on where they do not, valid always."""

from __future__ import annotations

import pytest

from sesh.providers.claude_code.write_times import Clock, iso, milliseconds


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-11-30T16:12:10.395Z", "2026-11-30T16:12:10.395Z"),
        ("2026-11-30T16:12:10Z", "2026-11-30T16:12:10.000Z"),
        ("2026-11-30T18:12:10.395123+02:00", "2026-11-30T16:12:10.395Z"),
        ("2026-11-30T16:12:10.395", "2026-11-30T16:12:10.395Z"),
        ("2024-02-29T00:00:00.000Z", "2024-02-29T00:00:00.000Z"),
    ],
)
def test_a_time_as_the_client_writes_it(text: str, written: str) -> None:
    assert Clock().next(text) == written


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z"]
)
def test_what_is_no_time(text: str) -> None:
    assert milliseconds(text) is None
    assert Clock(start=1_000).next(text) == iso(1_001)


def test_times_rise_and_say_how_far_they_moved() -> None:
    clock = Clock()
    found = [
        clock.next(t) for t in ("2026-11-30T16:12:10.000Z", "2026-11-30T16:12:10.000Z", "2026-11-30T16:12:09.000Z")
    ]
    assert [t[17:] for t in found] == ["10.000Z", "10.001Z", "10.002Z"]
    assert (clock.moved, clock.most) == (2, 1002)


def test_a_chain_that_is_carried_on_comes_after_what_was_there() -> None:
    assert Clock(start=milliseconds("2026-11-30T16:12:10.000Z")).next("2026-11-30T16:12:10.000Z").endswith("10.001Z")


def test_a_first_message_without_a_time_takes_the_threads() -> None:
    clock = Clock()
    clock.expect("2026-11-30T16:12:10.000Z")
    assert clock.next(None) == "2026-11-30T16:12:10.000Z"
