"""Which compactions count. What the real client makes of some of them: measured/ (test_resumed.py)."""

from __future__ import annotations

from typing import Any

import pytest

from sesh.format import walk
from sesh.format.blocks import UnknownBlock
from sesh.providers.codex import readable
from tests.providers.codex.rollouts import agent, codes, read, user

SAID = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}
CALL = {"type": "function_call", "name": "x", "arguments": "{}", "call_id": "c"}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "o"}


@pytest.mark.parametrize(
    "odd",
    [
        *("x", 5, None, [], {}, {"type": None}),
        *({**SAID, "content": "q"}, {**SAID, "content": [{"type": "hologram"}]}, {**SAID, "id": 5}),
        *({"type": "message", "role": "user"}, {"type": "message", "content": []}),
        *({**CALL, "arguments": {}}, {"type": "function_call", "name": "x", "arguments": "{}"}),
        *({**OUTPUT, "output": {}}, {**OUTPUT, "output": None}, {**OUTPUT, "output": [{"type": "hologram"}]}),
        *({"type": "reasoning"}, {"type": "reasoning", "summary": [], "content": "x"}),
        *({"type": "compaction"}, {"type": "web_search_call", "action": "q"}),
    ],
    ids=str,
)
def test_items_with_which_a_line_is_lost(odd: Any) -> None:
    assert readable.odd({"message": "S", "replacement_history": [SAID, odd]}) is not None


@pytest.mark.parametrize(
    "fine",
    [
        *({"type": "brand_new_kind"}, {"type": "ghost_snapshot"}, {"type": "reasoning", "summary": []}),
        *({**SAID, "mood": 1}, {**SAID, "id": None}, {**SAID, "role": "wizard"}, {"type": "web_search_call"}),
        *(CALL, OUTPUT, {"type": "function_call_output", "output": "o"}, {"type": "context_compaction"}),
    ],
    ids=str,
)
def test_items_that_do_no_harm(fine: Any) -> None:
    assert readable.odd({"message": "S", "replacement_history": [SAID, fine]}) is None


@pytest.mark.parametrize(
    "payload", [{}, {"message": None}, {"message": 5}, {"message": "S", "replacement_history": "x"}]
)
def test_lines_that_are_lost(payload: Any) -> None:
    assert readable.odd(payload) is not None


def test_what_codex_passes_over_is_kept_and_hides_nothing() -> None:
    payload = {"message": "S", "replacement_history": [5]}
    line = {"type": "compacted", "payload": payload}
    result = read(user("one"), agent("1"), line, user("two"))
    assert [walk.text_of(m) for m in walk.window(result.messages) if m.kind is None] == ["one", "1", "two"]
    assert {"odd-field", "unknown-record"} <= set(codes(result))
    [kept] = [m for m in result.messages if isinstance(m.content[0], UnknownBlock)]
    assert isinstance(kept.content[0], UnknownBlock)
    assert kept.content[0].raw["payload"] == payload
