"""A tool's output as parts, and the block types on the wire."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given

from sesh.format import blocks
from sesh.testing.strategies import json_values, outputs

TEXT = blocks.TextBlock(text="words")
IMAGE = blocks.AttachmentBlock(media_type="image/png", data="aGk=")
OTHER = blocks.UnknownBlock(source_type="tool_reference", raw={"type": "tool_reference", "name": "Bash"})


def test_parts_are_read_as_they_were_made() -> None:
    assert blocks.output_parts([blocks.part(TEXT), blocks.part(IMAGE), blocks.part(OTHER)]) == [TEXT, IMAGE, OTHER]


def test_a_string_is_one_text() -> None:
    assert blocks.output_parts("words") == [TEXT]


def test_no_parts_are_no_output() -> None:
    assert blocks.output_parts([]) == []


@pytest.mark.parametrize(
    "output",
    [
        None,
        7,
        {"type": "text", "text": "words"},
        [{"type": "text"}],
        [{"type": "text", "text": 7}],
        [{"type": "tool_call", "callId": "c", "name": "n", "input": {}}],
        [{"type": ["text"], "text": "words"}],
        [{"type": {}, "text": "words"}],
        [blocks.part(TEXT), "words"],
    ],
)
def test_json_of_the_tools_own_is_no_parts(output: object) -> None:
    assert blocks.output_parts(output) is None


@given(output=outputs())
def test_parts_say_the_same_as_the_output(output: object) -> None:
    parts = blocks.output_parts(output)
    if isinstance(output, list) and parts is not None:
        assert [blocks.part(p) for p in parts] == output


@given(output=json_values())
def test_any_output_is_taken(output: object) -> None:
    blocks.output_parts(output)


def test_every_block_type_has_the_name_the_seeds_give_it() -> None:
    tags = {b.__struct_config__.tag for b in blocks.AnyBlock.__args__}  # type: ignore[attr-defined]
    assert tags == {
        "text",
        "reasoning",
        "tool_call",
        "tool_result",
        "file_change",
        "web_search",
        "attachment",
        "unknown",
    }


def test_blocks_are_frozen() -> None:
    with pytest.raises(AttributeError):
        TEXT.text = "other"  # type: ignore[misc]


def test_what_is_absent_is_not_written() -> None:
    assert msgspec.json.encode(blocks.ReasoningBlock(redacted=True)) == b'{"type":"reasoning","redacted":true}'
