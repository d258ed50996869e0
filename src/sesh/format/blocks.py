"""The eight blocks a message is made of (seeds/canonical-message-format), as frozen structs.

Python names are snake_case, the wire is camelCase, and `type` is the tag. `provider_data` is an additive,
optional field: what the block's own provider needs to write the same record again. Other providers never see it.

`ToolResultBlock.output` is any JSON value. Where a vendor's output is a list of content parts (text, images,
documents), the list holds the *wire form* of text, attachment and unknown blocks, so that an image inside a tool's
output means the same in every provider; `part` and `output_parts` make and read it.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from sesh.format import jsontext
from sesh.format.json import JsonObject, JsonValue


class Block(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="type", gc=False):
    """What all blocks share. Not used itself: see `AnyBlock`."""

    provider_data: JsonObject | None = None


class TextBlock(Block, tag="text", frozen=True, kw_only=True, gc=False):
    """Words, as said."""

    text: str


class ReasoningBlock(Block, tag="reasoning", frozen=True, kw_only=True, gc=False):
    """The model's thinking. `redacted` with no text: the vendor keeps it encrypted and sesh invents nothing."""

    text: str | None = None
    redacted: bool | None = None


class ToolCallBlock(Block, tag="tool_call", frozen=True, kw_only=True, gc=False):
    """A tool run that the model asked for. `input` is the decoded arguments, or their text where they are no JSON."""

    call_id: str
    name: str
    input: JsonValue


class ToolResultBlock(Block, tag="tool_result", frozen=True, kw_only=True, gc=False):
    """What a tool gave back. `is_error` is absent where the source neither says so nor lets it be read.

    `excerpt` (additive): what the model was given in place of the whole output, where the client kept that in a file of
    its own (Claude Code spills large outputs). The next model is given the same; `output` is for everybody else.
    """

    call_id: str
    output: JsonValue
    excerpt: JsonValue = None
    is_error: bool | None = None

    @property
    def given(self) -> JsonValue:
        """What the model was given: the excerpt where there is one, else the output."""
        return self.output if self.excerpt is None else self.excerpt


class FileChangeBlock(Block, tag="file_change", frozen=True, kw_only=True, gc=False):
    """A patch (`apply_patch`), however it was called. `patch` is the exact text; `path` is set where it is one file."""

    call_id: str | None = None
    path: str | None = None
    patch: str | None = None


class WebSearchBlock(Block, tag="web_search", frozen=True, kw_only=True, gc=False):
    """A web search run on the vendor's side. `query` is the URL of a page opened; empty where nothing is said."""

    call_id: str | None = None
    query: str
    results: JsonValue = None


class AttachmentBlock(Block, tag="attachment", frozen=True, kw_only=True, gc=False):
    """An image or document: base64 `data`, or a `uri` (a URL, or a data: URL that is no base64)."""

    media_type: str | None = None
    uri: str | None = None
    data: str | None = None


class UnknownBlock(Block, tag="unknown", frozen=True, kw_only=True, gc=False):
    """What sesh has no name for, kept whole."""

    source_type: str
    raw: JsonValue


AnyBlock: TypeAlias = (
    TextBlock
    | ReasoningBlock
    | ToolCallBlock
    | ToolResultBlock
    | FileChangeBlock
    | WebSearchBlock
    | AttachmentBlock
    | UnknownBlock
)
Part: TypeAlias = TextBlock | AttachmentBlock | UnknownBlock

_PART_TYPES = {"text": TextBlock, "attachment": AttachmentBlock, "unknown": UnknownBlock}


def part(block: Part) -> JsonObject:
    """A content part of a tool's output, as the plain JSON object that `ToolResultBlock.output` holds."""
    value: JsonObject = msgspec.to_builtins(block)
    return value


def output_parts(output: JsonValue) -> list[Part] | None:
    """A tool's output as blocks, where it is a list of parts (text, attachment, unknown); else None.

    A string is one text part. A list with anything else in it is plain JSON of the tool's own, hence None.
    """
    if isinstance(output, str):
        return [TextBlock(text=output)]
    if not isinstance(output, list):
        return None
    parts: list[Part] = []
    for item in output:
        tag = item.get("type") if isinstance(item, dict) else None
        kind = _PART_TYPES.get(tag) if isinstance(tag, str) else None
        if kind is None:
            return None
        try:
            parts.append(jsontext.convert(item, kind))
        except msgspec.ValidationError:
            return None
    return parts
