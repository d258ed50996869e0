"""Blocks of the Messages API as canonical blocks."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from sesh.format.blocks import (
    AttachmentBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    WebSearchBlock,
    output_parts,
)
from sesh.providers.claude_code.content import blocks_of, output_of
from tests.providers.claude_code.made import PIXEL, Made

PNG = {"type": "base64", "media_type": "image/png", "data": PIXEL}


@pytest.mark.parametrize("content", [None, "", [], [""], [{"type": "text", "text": ""}]])
def test_nothing_said(content: Any) -> None:
    assert blocks_of(content) == []


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text"},
        {"type": "text", "text": 5},
        {"type": "thinking"},
        {"type": "tool_use", "id": 5, "name": "x"},
        {"type": "tool_use", "id": "c"},
        {"type": "tool_result"},
        {"type": "image"},
        {"type": "image", "source": {"type": "file", "file_id": "f"}},
        {"type": "document", "source": {"type": "content", "content": []}},
        {"type": "container_upload", "file_id": "f"},
        {"type": "input_text", "text": "x"},
    ],
)
def test_a_block_that_is_not_what_its_type_promises_is_kept_whole(block: dict[str, Any]) -> None:
    assert blocks_of([block]) == [UnknownBlock(source_type=block["type"], raw=block)]


@pytest.mark.parametrize("content", [5, {"0": "h", "1": "i"}, [None], [{"no": "type"}], [[1]]])
def test_content_of_no_known_shape_is_kept_whole(content: Any) -> None:
    (block,) = blocks_of(content)
    assert isinstance(block, UnknownBlock)
    assert block.raw in (content, *(content if isinstance(content, list) else ()))


def test_keys_beyond_the_known_ones_stay_with_the_block() -> None:
    cached = {"cache_control": {"type": "ephemeral"}}
    text, call, result, image = blocks_of(
        [
            {"type": "text", "text": "x", "citations": [1]},
            {"type": "tool_use", "id": "c", "name": "n", "input": {}, **cached},
            {"type": "tool_result", "tool_use_id": "c", "content": "ok", **cached},
            {"type": "image", "source": PNG, **cached},
        ]
    )
    assert text == TextBlock(text="x", provider_data={"citations": [1]})
    assert call == ToolCallBlock(call_id="c", name="n", input={}, provider_data=cached)
    assert result == ToolResultBlock(call_id="c", output="ok", provider_data=cached)
    assert image == AttachmentBlock(media_type="image/png", data=PIXEL, provider_data=cached)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "tool_use", "id": "a", "name": "Bash", "caller": {"type": "direct"}},
        {"type": "tool_result", "tool_use_id": "a", "cache_control": {"type": "ephemeral"}},
    ],
)
def test_such_a_key_stays_also_where_a_known_one_is_missing(block: dict[str, Any]) -> None:
    [made] = blocks_of([block])
    assert made.provider_data == dict([list(block.items())[-1]])


def test_pictures_and_documents() -> None:
    url, pdf, plain = blocks_of(
        [
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
            {
                "type": "document",
                "title": "T",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "eA=="},
            },
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}},
        ]
    )
    assert url == AttachmentBlock(uri="https://example.com/a.png")
    assert pdf == AttachmentBlock(
        media_type="application/pdf", data="eA==", provider_data={"title": "T", "type": "document"}
    )
    assert isinstance(plain, AttachmentBlock)
    assert base64.b64decode(plain.data or "") == b"words"


@pytest.mark.parametrize("output", ["text", "", {"a": 1}, 5, [1, "x", None], [{"no": "type"}]])
def test_an_output_that_is_no_list_of_parts_stays_as_it_is(output: Any) -> None:
    assert output_of(output) == output


def test_an_outputs_parts() -> None:
    reference = {"type": "tool_reference", "tool_name": "x"}
    output = output_of([{"type": "text", "text": "a"}, {"type": "image", "source": PNG}, reference, "plain"])
    assert output_parts(output) == [
        TextBlock(text="a"),
        AttachmentBlock(media_type="image/png", data=PIXEL),
        UnknownBlock(source_type="tool_reference", raw=reference),
        TextBlock(text="plain"),
    ]
    assert output_of(None) == ""
    assert output_of([]) == []


def test_whether_it_was_an_error_is_what_the_block_says() -> None:
    said = [
        block.is_error
        for error in (True, False, None, "yes")
        for block in blocks_of([{"type": "tool_result", "tool_use_id": "c", "content": "x", "is_error": error}])
        if isinstance(block, ToolResultBlock)
    ]
    assert said == [True, False, None, None]


def test_a_search_that_the_vendor_ran() -> None:
    s = Made()
    hits = [{"type": "web_search_result", "title": "T", "url": "https://example.com"}]
    use = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}}
    s.said("x1", "a1", [use], "step")
    s.said("x2", "x1", [{"type": "web_search_tool_result", "tool_use_id": "s1", "content": hits}], "step")
    search, result = s.read().messages[2:]
    assert isinstance(search.content[0], WebSearchBlock)
    assert (search.content[0].call_id, search.content[0].query) == ("s1", "q")
    assert result.role == "tool"
    assert isinstance(result.content[0], ToolResultBlock)
    assert result.content[0].call_id == "s1"


def test_another_tool_that_the_vendor_ran_is_a_call() -> None:
    (block,) = blocks_of([{"type": "server_tool_use", "id": "s1", "name": "code_execution", "input": {"code": "1"}}])
    assert isinstance(block, ToolCallBlock)
    assert block.provider_data == {"type": "server_tool_use"}
