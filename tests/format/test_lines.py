"""Bytes to lines: LF alone ends one; every byte is in exactly one line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sesh.format import lines


@given(data=st.lists(st.sampled_from((b"a", b"\r", b"\n", b"\0", b"\xef\xbb\xbf", "\u2028".encode(), b"\x0b\x85"))))
def test_every_byte_is_in_one_line_and_offsets_are_true(data: list[bytes]) -> None:
    whole = b"".join(data)
    found = list(lines.split(whole))
    body = whole.removeprefix(lines.BOM)
    assert [line.number for line in found] == list(range(1, len(found) + 1))
    assert len(found) == body.count(b"\n") + (not body.endswith(b"\n") and bool(body))
    for line in found:
        assert whole[line.offset :].startswith(line.data)
        assert line.ended == (b"\n" in whole[line.offset :])


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh".encode()
    assert [line.data for line in lines.split(text)] == [text]


def test_byte_order_mark_and_carriage_returns_are_left_out() -> None:
    found = list(lines.split(b"\xef\xbb\xbfone\r\n\r\ntwo\r"))
    assert [line.data for line in found] == [b"one", b"", b"two"]
    assert [line.ended for line in found] == [True, True, False]


def test_a_mark_that_is_not_at_the_start_stays() -> None:
    assert [line.data for line in lines.split(b"a\n\xef\xbb\xbfb")] == [b"a", b"\xef\xbb\xbfb"]


def test_an_empty_file_has_no_lines() -> None:
    assert list(lines.split(b"")) == []


def test_the_last_time_of_a_piece() -> None:
    part = b'{"timestamp":"2026-11-20T10:00:00Z"}\n{"timestamp" : "2026-11-20T11:00:00Z"}\n{"timestamp":null}'
    assert lines.last_time(part) == "2026-11-20T11:00:00Z"
    assert lines.last_time(b'{"time":1}') is None
