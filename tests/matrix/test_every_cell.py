"""Every block type under every role and kind has a rule in every writer: it is accounted for, and law 2 holds."""

from __future__ import annotations

from itertools import product

import pytest

from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    WebSearchBlock,
)
from sesh.providers import registry
from tests.matrix.cases import Case
from tests.matrix.measure import measure

BLOCKS: dict[str, AnyBlock] = {
    "text": TextBlock(text="words"),
    "reasoning": ReasoningBlock(text="thought"),
    "tool_call": ToolCallBlock(call_id="c1", name="demo", input={"a": 1}),
    "tool_result": ToolResultBlock(call_id="c1", output="words"),
    "file_change": FileChangeBlock(call_id="c1", patch="*** Begin Patch\n*** Add File: a\n+b\n*** End Patch\n"),
    "web_search": WebSearchBlock(query="words"),
    "attachment": AttachmentBlock(media_type="image/png", data="aGk="),
    "unknown": UnknownBlock(source_type="new", raw={"a": 1}),
}
ROLES = ("user", "assistant", "system", "tool")
KINDS = (None, "context", "summary", "notice")


@pytest.mark.parametrize("provider", registry.names())
@pytest.mark.parametrize(("block", "role", "kind"), list(product(BLOCKS, ROLES, KINDS)))
def test_every_cell_has_a_rule(provider: str, block: str, role: str, kind: str | None) -> None:
    case = Case(role, block, lambda story: story.say(role, BLOCKS[block], kind=kind))
    assert measure(registry.get(provider), case).unnamed == ()
