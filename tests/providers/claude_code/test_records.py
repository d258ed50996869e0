"""Lines as records: decoded once, and what happens where a field is not what it always is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesh.format.blocks import UnknownBlock
from sesh.providers.claude_code.records import Kind, decode, kind_of, pieces
from tests.providers.claude_code.made import Made, codes, short


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ({"type": "user", "message": {"role": "user", "content": "x"}}, "user"),
        ({"type": "user"}, "unknown"),
        ({"type": "assistant", "message": {}}, "assistant"),
        ({"type": "attachment", "attachment": {"type": "date"}}, "attachment"),
        ({"type": "attachment"}, "unknown"),
        ({"type": "summary"}, "fact"),
        ({"type": "mode"}, "state"),
        ({"type": "continued-in"}, "unknown"),
        ({"type": "unreadable"}, "unknown"),
        ({"type": "fact"}, "unknown"),
    ],
)
def test_kinds(line: dict[str, Any], kind: Kind) -> None:
    found = decode(json.dumps(line).encode())
    assert found is not None
    assert kind_of(found) is kind


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timestamp", 1772359200),
        ("cwd", None),
        ("isMeta", "no"),
        ("version", [1]),
        ("forkedFrom", "somewhere"),
        ("forkedFrom", {"sessionId": 5}),
        ("toolUseResult", 17),
        ("agentId", {}),
    ],
)
def test_an_odd_field_is_left_out_and_the_line_kept(field: str, value: Any) -> None:
    s = Made()
    s.user("u2", "a1", "second", **{field: value})
    result = s.read()
    assert short(result) == ["first", "one", "second"]
    odd = [e.text for e in result.report.entries if e.code == "odd-field"]
    assert len(odd) == (0 if value is None else 1)


@pytest.mark.parametrize(
    ("field", "value"), [("usage", {"input_tokens": "many"}), ("model", 5), ("stop_reason", {}), ("id", 7)]
)
def test_an_odd_field_inside_the_message(field: str, value: Any) -> None:
    s = Made()
    s.said("a2", "a1", "two")["message"][field] = value
    result = s.read()
    assert short(result) == ["first", "one", "two"]
    assert [e.text for e in result.report.entries] == [f"Not of the type it always has: message.{field}."]


def test_a_message_that_is_none_is_kept_as_an_unknown_record() -> None:
    s = Made()
    s.line("user", "u2", "a1", message="just words")
    s.line("user", "u3", "u2", message={"0": "h", "1": "i", "content": {"0": "h", "1": "i"}})
    result = s.read()
    first, second = (m.content[0] for m in result.messages[2:])
    assert getattr(first, "raw", {})["message"] == "just words"
    assert getattr(second, "raw", None) == {"0": "h", "1": "i"}
    assert result.report.unknown == 1
    assert "odd-field" in codes(result)


def test_the_last_of_two_equal_keys_counts() -> None:
    assert getattr(decode(b'{"type":"a","type":"mode"}'), "type", "") == "mode"


def test_a_snake_case_session_id_is_another_field() -> None:
    line = decode(b'{"type":"user","sessionId":"now","session_id":"first"}')
    assert line is not None
    assert (line.session_id, line.first_session) == ("now", "first")


def test_pieces_of_a_line_that_is_no_record() -> None:
    found = pieces(b'{"type":"mode"}{"type":"mode"} torn {')
    assert [o.line is not None for o in found] == [True, True, False]
    assert pieces(b'{"type":5}')[0].line is None
    assert pieces(b'{"no":"type"}')[0].readable


@pytest.mark.parametrize(
    "message",
    [{"0": "h", "1": "i", "content": []}, {"text": "hi"}, {"role": "user", "content": "", "body": ["hi"]}],
)
@pytest.mark.parametrize("kind", ["user", "assistant"])
def test_a_message_whose_words_are_not_in_its_content_is_kept_whole(kind: str, message: dict[str, Any]) -> None:
    s = Made()
    s.line(kind, "odd", "a1", message=message)
    s.user("u2", "odd", "after")
    result = s.read()
    kept = [b.raw for m in result.messages for b in m.content if isinstance(b, UnknownBlock)]
    assert [k["message"] for k in kept if isinstance(k, dict)] == [message]
    assert short(result)[-1] == "after"
    assert (result.report.unknown, result.report.skipped) == (1, {})


def test_a_message_that_says_nothing_is_state() -> None:
    s = Made()
    s.line("assistant", "empty", "a1", message={"id": "m", "role": "assistant", "content": [], "type": "message"})
    assert s.read().report.skipped == {"empty": 1}


def test_an_attachment_of_no_type_is_kept_whole() -> None:
    s = Made()
    s.line("attachment", "odd", "a1", attachment={"words": "hi"})
    assert s.read().report.unknown == 1


def test_an_attachment_of_a_type_nobody_knows_is_kept_whole() -> None:
    """It may hold a human's words; what is known to be the client's own state is only counted."""
    s = Made()
    s.line("attachment", "x1", "a1", attachment={"type": "whiteboard", "words": "typed by somebody"})
    s.line("attachment", "x2", "x1", attachment={"type": "date", "date": "2026-11-30"})
    s.said("a2", "x2", "two")
    result = s.read()
    assert (result.report.unknown, result.report.skipped) == (1, {"attachment": 1})
    assert "typed by somebody" in str(result.messages[2].content)
    assert result.messages[2].kind == "context"


def test_a_system_line_of_no_known_subtype_is_kept_whole() -> None:
    """2.1.328 writes what was said in a voice call as one."""
    s = Made()
    s.line("system", "y1", "a1", subtype="voice_call_talk", text="spoken words")
    s.line("system", "y2", "y1", subtype="turn_duration", durationMs=1)
    s.user("u2", "y2", "second")
    result = s.read()
    assert short(result) == ["first", "one", "context: unknown", "second"]
    assert "spoken words" in str(result.messages[2].content)
    assert result.report.skipped == {"system": 1}
