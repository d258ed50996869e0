"""The list of sessions: what stands in a file system must not stand in its way."""

from __future__ import annotations

import pytest

from sesh.catalog.listing import iso

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1_772_359_200 * SECOND + 999_999_999, "2026-03-01T10:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (300_000_000_000 * SECOND, "9999-12-31T23:59:59Z"),
        (-99_999_999_999 * SECOND, "0001-01-01T00:00:00Z"),
        (2**80, "9999-12-31T23:59:59Z"),
    ],
)
def test_any_time_a_file_system_holds_can_be_listed(nanoseconds: int, text: str) -> None:
    assert iso(nanoseconds) == text


def test_microseconds_are_exact() -> None:
    assert iso(1_772_359_200_123_456_789, "microseconds") == "2026-03-01T10:00:00.123456Z"
