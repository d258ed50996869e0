"""Stamps that name what their line says already, in place of saying it again."""

from __future__ import annotations

from typing import Any

import pytest

from sesh.format import stamp
from sesh.format.blocks import TextBlock, ToolCallBlock, ToolResultBlock

LONG = "".join(f"{n}: words of a long output\n" for n in range(20))
SUM = stamp.checksum(LONG)
FRAME = "Chunk ID: 1\nProcess exited with code 1\nOutput:\n"


def result(content: Any) -> list[Any]:
    return [{"type": "tool_result", "tool_use_id": "c", "content": content}]


def shortened(block: Any, content: Any) -> stamp.Stamp:
    rest = stamp.unsaid(stamp.wire_blocks([block]), content)
    assert rest is not None
    made = stamp.Stamp(rest=rest.blocks, same=rest.same)
    assert len(stamp.jsontext.encode_any(made)) < len(LONG)
    return made


@pytest.mark.parametrize(
    ("block", "content"),
    [
        (TextBlock(text=LONG), LONG),
        (TextBlock(text=LONG), [{"type": "text", "text": "x"}, {"type": "text", "text": LONG}]),
        (ToolResultBlock(call_id="c d", output=LONG), result(LONG)),
        (ToolResultBlock(call_id="c", output=FRAME + LONG), result(LONG)),
        (ToolCallBlock(call_id="c", name="n", input={"cmd": "x", "argv": ["sh", LONG], "n": 1}), LONG),
        (ToolResultBlock(call_id="c", output=FRAME + LONG), result("Exit code 1\n" + LONG)),
        (ToolResultBlock(call_id="c", output=LONG), result("Exit code 1\n" + LONG)),
        (ToolResultBlock(call_id="c", output=LONG), result("two\nlines before\n" + LONG)),
        (ToolResultBlock(call_id="c", output=LONG), result("x" * 200 + LONG)),
        (
            ToolResultBlock(call_id="c", output=[{"type": "text", "text": LONG}]),
            result([{"type": "text", "text": LONG}]),
        ),
        (
            ToolCallBlock(call_id="c", name="exec_command", input={"cmd": LONG, "argv": ["sh", "x"], "n": 1}),
            [{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": LONG}}],
        ),
    ],
)
def test_what_the_line_says_is_not_said_twice(block: Any, content: Any) -> None:
    mark = shortened(block, content)
    assert stamp.blocks_of(mark, content) == [block]
    (found,) = stamp.blocks_of(mark, content) or []
    if isinstance(found, ToolCallBlock):
        assert list(found.input) == ["cmd", "argv", "n"]  # the order of keys is the tool's


@pytest.mark.parametrize(
    ("block", "content"),
    [
        (TextBlock(text="short"), "short"),
        (TextBlock(text=LONG), LONG.upper()),
        (TextBlock(text=LONG + "more"), LONG),
        (TextBlock(text="a" + "x" * 300), "b" + "x" * 300),
        (TextBlock(text="a\nb" + "x" * 300), "a\nc" + "x" * 300),
        (TextBlock(text=LONG), None),
        (ToolResultBlock(call_id="c", output=LONG), result("x" * 201 + "\nmore\n" + LONG)),
    ],
)
def test_what_the_line_does_not_say_stays(block: Any, content: Any) -> None:
    assert stamp.unsaid(stamp.wire_blocks([block]), content) is None


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        [],
        result(None),
        result([]),
        result("Exit code 1\n[redacted]"),
        result("Exit code 1\n" + LONG + "more"),
        result("Exit code 1\n" + LONG[1:]),
        result("Exit code 2\n" + LONG),
        result("Exit code 1\n" + LONG[:-1] + "!"),
        result("[redacted]"),
        [LONG],
        {"0": LONG},
    ],
)
def test_where_another_text_stands_nothing_is_restored(content: Any) -> None:
    mark = shortened(ToolResultBlock(call_id="c", output=FRAME + LONG), result("Exit code 1\n" + LONG))
    assert stamp.blocks_of(mark, content) is None


def test_what_was_changed_in_the_middle_is_changed_in_the_block() -> None:
    mark = shortened(ToolResultBlock(call_id="c", output=FRAME + LONG), result("Exit code 1\n" + LONG))
    changed = LONG[:200] + "-" * 20 + LONG[220:]
    said = stamp.blocks_of(mark, result("Exit code 1\n" + changed))
    assert said == [ToolResultBlock(call_id="c", output=FRAME + changed)]


def test_texts_that_changed_places_are_not_taken_for_each_other() -> None:
    texts = [LONG + "one", LONG + "two"]
    parts = [{"type": "text", "text": t} for t in texts]
    rest = stamp.unsaid(stamp.wire_blocks([TextBlock(text=t) for t in texts]), parts)
    assert rest is not None and len(rest.same) == 2
    mark = stamp.Stamp(rest=rest.blocks, same=rest.same)
    assert stamp.blocks_of(mark, parts) == [TextBlock(text=t) for t in texts]
    for changed in (parts[::-1], parts[1:], [{"type": "text", "text": "new"}, *parts]):
        assert stamp.blocks_of(mark, changed) is None


def test_each_list_is_copied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [{"type": "text", "text": f"{n} {LONG}{n}"} for n in range(50)]
    block = ToolResultBlock(call_id="c", output=parts)
    rest = stamp.unsaid(stamp.wire_blocks([block]), result(parts))
    assert rest is not None and len(rest.same) == 50
    looked = []
    monkeypatch.setattr(stamp, "id", lambda value: looked.append(value) or id(value), raising=False)
    mark = stamp.Stamp(rest=rest.blocks, same=rest.same)
    assert stamp.blocks_of(mark, result(parts)) == [block]
    assert len({id(value) for value in looked if isinstance(value, list)}) == 2  # as it was read, and its one copy


@pytest.mark.parametrize(
    "same",
    [
        [],
        [{"at": [], "of": [], "sum": SUM}],
        [{"at": [0], "of": [], "sum": SUM}],
        [{"at": [7, "text"], "of": [], "sum": SUM}],
        [{"at": [-1, "text"], "of": [], "sum": SUM}],
        [{"at": [0, "type", "x"], "of": [], "sum": SUM}],
        [{"at": ["text"], "of": [], "sum": SUM}],
        [{"at": [0, "text"], "of": [0, 0, "x"], "sum": SUM}],
        [{"at": [0, "text"]}],
        [{"at": [0, "text"], "of": [], "sum": SUM}, {"at": [0, "text"], "of": [], "sum": SUM}],
        [{"at": [0, 1.5], "of": [], "sum": SUM}],
        "none",
    ],
)
def test_a_stamp_that_somebody_edited_restores_nothing(same: Any) -> None:
    mark = stamp.read({"rest": [{"type": "text", "text": ""}], "same": same})
    assert stamp.blocks_of(mark, LONG) is None


def test_what_was_read_is_left_alone() -> None:
    read = {"rest": [{"type": "tool_call", "callId": "c", "name": "n", "input": {"a": ""}}], "same": []}
    read["same"] = [{"at": [0, "input", "a"], "of": [], "sum": SUM}]
    assert stamp.blocks_of(stamp.read(read), LONG) == [ToolCallBlock(call_id="c", name="n", input={"a": LONG})]
    assert read["rest"] == [{"type": "tool_call", "callId": "c", "name": "n", "input": {"a": ""}}]
