"""JSON as it really stands in session files (design.md §5): each trap, and the way back."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesh.format import jsontext
from sesh.testing.strategies import json_values


@given(value=json_values())
def test_what_is_written_is_read_again(value: object) -> None:
    text = jsontext.dumps(value)
    assert b"\n" not in text
    assert jsontext.loads(text) == value
    assert [(p.value, p.flaw) for p in jsontext.pieces(text)] == [(value, None)]


@given(value=json_values())
def test_escaped_is_plain_ascii_and_the_same_value(value: object) -> None:
    assert jsontext.escaped(value).isascii()
    assert json.loads(jsontext.escaped(value)) == value


@given(value=json_values())
def test_without_lone_surrogates_is_what_a_strict_reader_takes(value: object) -> None:
    text = msgspec.json.encode(jsontext.without_lone_surrogates(value))
    assert jsontext.loads(text) == jsontext.without_lone_surrogates(value)


@given(data=st.binary(max_size=60))
def test_any_bytes_give_a_value_or_one_kind_of_error(data: bytes) -> None:
    for piece in jsontext.pieces(data):
        assert piece.readable or piece.flaw
    try:
        jsontext.loads(data)
    except jsontext.UnreadableJson as e:
        assert str(e)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'"\\ud83d"', "\ud83d"),
        (b'"\\ud83d\\ude00"', "😀"),
        ('"\u2028\x85\u2029"'.encode(), "\u2028\x85\u2029"),
        (b'"a\x01b"', "a\x01b"),
        (b'"a\xffb"', "a\ufffdb"),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'\0\0{"a":1}\0', {"a": 1}),
    ],
    ids=[
        "lone surrogate",
        "pair of escapes",
        "line separators",
        "control",
        "invalid UTF-8",
        "thirty digits",
        "key twice",
        "NULs",
    ],
)
def test_odd_but_readable(data: bytes, expected: object) -> None:
    assert jsontext.loads(data) == expected


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"NaN", "NaN is not JSON"),
        (b'{"a":-Infinity}', "-Infinity is not JSON"),
        (b"[1e400]", "out of range"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"a":"b', "cut off"),
        (b'{"a":1', "cut off"),
        (b"words", "not JSON"),
        (b"", "no JSON value"),
        (b"  \0 ", "no JSON value"),
        (b'{"a":1}{"b":2}', "more than one JSON value"),
    ],
    ids=lambda v: v[:12].decode() if isinstance(v, bytes) else "",
)
def test_unreadable_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(jsontext.UnreadableJson, match=reason):
        jsontext.loads(data)


def test_two_objects_on_one_line_are_two_pieces() -> None:
    found = jsontext.pieces(b'{"a":1} {"b":2}')
    assert [p.value for p in found] == [{"a": 1}, {"b": 2}]
    assert all(p.flaw == "shares its line" for p in found)


def test_a_record_behind_a_torn_one_is_found() -> None:
    torn, whole = jsontext.pieces(b'{"type":"user","message":{"content":"Hel{"type":"assistant","n":1}')
    assert not torn.readable
    assert torn.text == '{"type":"user","message":{"content":"Hel'
    assert whole.value == {"type": "assistant", "n": 1}


def test_no_byte_of_a_line_is_lost_among_its_pieces() -> None:
    line = b'{"a":1} words {"b":2} {"c":'
    assert "".join(p.text for p in jsontext.pieces(line)).replace(" ", "") == line.decode().replace(" ", "")


class _Row(msgspec.Struct, tag_field="type", tag="row"):
    n: int
    words: str | None = None
    more: list[int] = []


def test_salvage_leaves_out_what_does_not_fit_and_names_it() -> None:
    row, lost = jsontext.salvage({"type": "row", "n": 1, "words": 7, "more": [1]}, _Row)
    assert (row.n, row.words, row.more) == (1, None, [1])
    assert lost == ["words"]


def test_salvage_of_what_fits_loses_nothing() -> None:
    assert jsontext.salvage({"type": "row", "n": 1}, _Row) == (_Row(n=1), [])


@pytest.mark.parametrize("value", [{"type": "row"}, {"type": "row", "n": "one"}, [], None, 7])
def test_salvage_without_what_is_required_raises(value: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        jsontext.salvage(value, _Row)


@pytest.mark.parametrize("depth", [100, 700])
def test_deep_values_are_written_and_read(depth: int) -> None:
    value: object = "\ud83d"
    for _ in range(depth):
        value = [value]
    assert jsontext.loads(jsontext.dumps(value)) == value


@pytest.mark.parametrize("depth", [100, 700])
def test_deep_values_lose_their_lone_surrogates(depth: int) -> None:
    value: object = "\ud83d"
    for _ in range(depth):
        value = {"a": value}
    assert jsontext.dumps(jsontext.without_lone_surrogates(value)).count(b"\xef\xbf\xbd") == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\ud83d", "\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
        ("\\ud83d", "\\ud83d"),
        ("\\\ud83d", "\\\ufffd"),
        ("\\\\ud83d\ud83d", "\\\\ud83d\ufffd"),
    ],
)
def test_only_lone_halves_are_replaced(text: str, expected: str) -> None:
    assert jsontext.without_lone_surrogates(text) == expected
    assert jsontext.without_lone_surrogates([{text: text}]) == [{expected: expected}]


@pytest.mark.parametrize("into", [int, bool, list[str], dict[str, int], _Row, int | None])
@pytest.mark.parametrize("value", ["\ud83d", ["\ud83d"], {"\ud83d": "\ud83d"}, {"type": "\ud83d"}])
def test_what_does_not_fit_is_told_in_one_way(value: object, into: object) -> None:
    try:
        fitted = jsontext.convert(value, into)
    except msgspec.ValidationError:
        return
    assert fitted == value


def test_salvage_takes_a_lone_surrogate_for_any_other_wrong_value() -> None:
    row, lost = jsontext.salvage({"type": "row", "n": 1, "more": "\ud83d", "\ud83d": 1}, _Row)
    assert (row.n, row.more, lost) == (1, [], ["more"])


@given(value=json_values())
def test_pretty_is_the_same_value(value: object) -> None:
    assert jsontext.loads(jsontext.pretty(value).replace(b"\n", b" ")) == value


def test_pretty_is_laid_out_the_same_with_and_without_lone_surrogates() -> None:
    plain = jsontext.pretty({"a": ["x", {}], "b": []})
    assert jsontext.pretty({"a": ["\ud83d", {}], "b": []}) == plain.replace(b'"x"', b'"\\ud83d"')
