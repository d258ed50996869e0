"""Lines as they really stand in files, each decoded to what it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesh.format.blocks import UnknownBlock
from sesh.providers.codex import records
from sesh.providers.codex.reader import parse_codex_rollout
from sesh.providers.codex.records import BareState, EventMsg, ResponseItem, SessionMeta, Strange, Unreadable
from sesh.report.reports import LineBook
from tests.providers.codex.rollouts import THREAD, agent, codes, data, item, meta, read, said, user

LINE = json.dumps({"timestamp": "2026-03-01T11:00:00Z", **user()}, separators=(",", ":")).encode()


def lines(raw: bytes) -> tuple[list[records.Record], LineBook]:
    book = LineBook()
    return records.read(raw, "f", book), book


def closed(raw: bytes) -> list[str]:
    found, book = lines(raw)
    for record in found:
        book.used("f", record.item)
    return book.outcomes("f")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_marks(start: bytes, end: bytes) -> None:
    found, _ = lines(start + LINE + end)
    assert [type(r.line) for r in found] == [ResponseItem]
    assert found[0].place == "line:1"


def test_separators_inside_strings_end_no_line() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"
    raw = json.dumps(user(text), ensure_ascii=False).encode()
    assert said(read(json.loads(raw)).messages) == [("user", text)]
    assert len(lines(raw + b"\n" + raw)[0]) == 2


def test_blank_lines_are_counted() -> None:
    assert closed(b"\n" + LINE + b"\n  \n\0\0\n") == ["skipped:blank", "used", "skipped:blank", "skipped:blank"]


def test_two_records_on_a_line() -> None:
    found, book = lines(LINE + LINE + b"\n" + LINE)
    assert [(r.number, r.second, r.place) for r in found] == [(1, 0, "line:1"), (1, 1, "line:1.1"), (2, 0, "line:2")]
    assert next(e.code for e in book.entries) == "shared-line"


def test_a_torn_last_line_is_left_out_and_an_unreadable_one_kept() -> None:
    found, book = lines(b"not json\n" + LINE + b"\n" + LINE[:50])
    assert [type(r.line) for r in found] == [Unreadable, ResponseItem]
    assert book.outcomes("f")[2] == "skipped:torn-line"
    assert {e.code for e in book.entries} == {"unreadable-line", "torn-last-line"}


def test_surrogates_nul_and_broken_utf8() -> None:
    half = json.dumps(user("half \ud83d")).encode()
    broken = LINE.replace(b'"content":[]', b'"content":[{"type":"input_text","text":"\xff"}]')
    main = data(meta()) + half + b"\n\0\0" + broken + b"\n"
    result = parse_codex_rollout(main)
    assert [t for _, t in said(result.messages)] == ["half \ud83d", "\ufffd"]
    assert codes(result).count("repaired-bytes") == 1


@pytest.mark.parametrize("value", ["[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000, "NaN", "1e999", '{"a":Infinity}'])
def test_what_no_parser_takes_is_kept_as_text(value: str) -> None:
    found, _ = lines(value.encode() + b"\n" + LINE + b"\n")
    assert isinstance(found[-1].line, ResponseItem)
    assert not isinstance(found[0].line, ResponseItem)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"record_type": "state"}, BareState),
        ({"id": THREAD, "timestamp": "2025-07-01T08:00:00Z", "instructions": None}, SessionMeta),
        ({"type": "message", "role": "user", "content": []}, ResponseItem),
        ({"type": "reasoning", "id": "r", "summary": []}, ResponseItem),
        ({"type": "thread.started"}, Strange),
        ({"type": "session_meta"}, Strange),
        ({"type": "session_meta", "payload": None}, Strange),
        ({"type": "session_meta", "payload": "x"}, Strange),
        ({"type": "event_msg", "payload": {"type": 3}}, Strange),
        ({"type": "event_msg", "payload": {"type": "x", "item": "y"}}, Strange),
        ({"type": "event_msg", "payload": {"type": "x", "message": [1]}}, EventMsg),
        ({"type": [], "payload": {}}, Strange),
        ({}, Strange),
        ([], Strange),
        (3, Strange),
        (None, Strange),
    ],
)
def test_what_a_line_is(value: object, kind: type) -> None:
    found, _ = lines(json.dumps(value).encode())
    assert isinstance(found[0].line, kind)


def test_great_numbers_are_kept() -> None:
    number = 123456789012345678901234567890
    result = read(user("x"), {"type": "response_item", "payload": {"type": "brand_new", "n": number}}, agent("y"))
    block = result.messages[1].content[0]
    assert block.raw["payload"]["n"] == number  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "odd",
    [
        item("function_call_output", output={"words": "hi"}),
        item("function_call_output", call_id=7, output={"words": "hi"}),
        item("tool_search_output", tools={"words": "hi"}),
        item("image_generation_call", result={"words": "hi"}),
        item("image_generation_call", result=["hi"]),
        item("agent_message", author="/root", recipient="/root/a", content="hi"),
        item("agent_message", author="/root", recipient="/root/a", content={"words": "hi"}),
    ],
)
def test_an_item_whose_words_are_of_an_odd_type_is_kept_whole(odd: dict[str, Any]) -> None:
    result = read(user("x"), odd, agent("y"))
    kept = [b.raw for m in result.messages for b in m.content if isinstance(b, UnknownBlock)]
    assert [k["payload"] for k in kept if isinstance(k, dict)] == [odd["payload"]]
    assert result.report.unknown == 1
