"""What the model holds after a compaction. What the real client makes of more of them: test_resumed.py, measured/."""

from __future__ import annotations

import json

import pytest

from sesh.format import walk
from sesh.format.blocks import AttachmentBlock, TextBlock
from sesh.format.message import Message
from sesh.providers.codex import compaction
from tests.providers.codex.rollouts import Line, agent, codes, item, read, user
from tests.sessions import CORPUS

RECORDED = CORPUS / "codex/0.104.0/compacted.jsonl"
OWN = next(
    line["payload"]["message"].partition(":\n")[0] + ":\n"
    for line in map(json.loads, RECORDED.read_bytes().splitlines())
    if line["type"] == "compacted"
)
"""How Codex begins a summary."""


def compacted(message: object = "", history: object = ..., **more: object) -> Line:
    payload = {"message": message, **more}
    return {"type": "compacted", "payload": payload if history is ... else {**payload, "replacement_history": history}}


def held(*lines: Line) -> list[tuple[str, str | None, str]]:
    messages = walk.window(read(*lines).messages)
    return [(m.role, m.kind, walk.text_of(m)) for m in messages]


def test_kept_messages_are_the_same_messages() -> None:
    lines = [user("one"), agent("1"), user("two"), agent("2")]
    result = read(*lines, compacted("SUM", [user("one")["payload"], user("two")["payload"], user("SUM")["payload"]]))
    summary = result.messages[-1]
    assert summary.window == [result.messages[0].id, result.messages[2].id, summary.id]
    assert len(result.messages) == 5
    assert "compaction" in codes(result)


def test_of_two_with_the_same_words_the_later_is_kept() -> None:
    result = read(
        user("yes"), agent("1"), user("yes"), compacted("SUM", [user("yes")["payload"], user("SUM")["payload"]])
    )
    assert (result.messages[-1].window or [])[0] == result.messages[2].id


def test_an_item_is_known_by_its_id_before_its_words() -> None:
    lines = [user("yes", id="m1"), agent("1"), user("yes", id="m2")]
    result = read(*lines, compacted("SUM", [user("yes", id="m1")["payload"], user("SUM")["payload"]]))
    assert (result.messages[-1].window or [])[0] == result.messages[0].id


def test_a_text_that_the_client_cut_is_a_summary_of_its_own() -> None:
    result = read(user("a long text"), compacted("SUM", [user("a …")["payload"], user("SUM")["payload"]]))
    cut, summary = result.messages[1:]
    assert (cut.kind, walk.text_of(cut)) == ("summary", "a …")
    assert summary.window == [cut.id, summary.id]


def test_contexts_that_the_client_wrote_anew_are_contexts() -> None:
    fresh = item("message", role="developer", content=[{"type": "input_text", "text": "rules"}])["payload"]
    result = read(user("one"), compacted("SUM", [fresh, user("one")["payload"], user("SUM")["payload"]]))
    assert [(m.role, m.kind) for m in result.messages] == [
        ("user", None),
        ("system", "context"),
        ("user", "summary"),
    ]


def test_chained_compactions() -> None:
    first = compacted("S1", [user("one")["payload"], user("S1")["payload"]])
    second = compacted("S2", [user("one")["payload"], user("two")["payload"], user("S2")["payload"]])
    lines = [user("one"), agent("1"), first, user("two"), agent("2"), second, user("three")]
    assert [t for _, _, t in held(*lines)] == ["one", "two", "S2", "three"]
    assert [t for m in read(*lines).messages if (t := walk.text_of(m))] == ["one", "1", "S1", "two", "2", "S2", "three"]


def test_without_a_list_the_prompts_stay_and_own_summaries_go() -> None:
    lines = [user("one"), agent("1"), compacted(OWN + "S1"), user("two"), compacted(OWN + "S2"), user("three")]
    assert [t for _, _, t in held(*lines)] == ["one", "two", OWN + "S2", "three"]


def test_without_a_list_an_image_goes_and_its_text_stays() -> None:
    parts = [{"type": "input_image", "image_url": "data:image/png;base64,AA"}, {"type": "input_text", "text": "look"}]
    result = read(item("message", role="user", content=parts), compacted("SUM"))
    assert [type(b) for m in walk.window(result.messages) for b in m.content] == [TextBlock, TextBlock]
    assert isinstance(result.messages[0].content[0], AttachmentBlock)


def test_without_a_list_old_prompts_are_cut() -> None:
    lines = [user("first " + "x" * 90_000), user("y" * 40_000), compacted("SUM")]
    first, second, _ = held(*lines)
    assert first[2].startswith("first xxx") and "tokens truncated…" in first[2]
    assert len(first[2]) < 41_000
    assert second[2] == "y" * 40_000


@pytest.mark.parametrize(
    ("text", "tokens", "short"),
    [
        ("x" * 70_004, 12_494, "x" * 24_988 + "\n…5007 tokens truncated…\n" + "x" * 24_988),  # as 0.169 sent it
        ("ääää" * 4, 4, "ääää\n…4 tokens truncated…\nääää"),
        ("aä" * 8, 2, "aäa\n…4 tokens truncated…\naä"),
    ],
)
def test_cut(text: str, tokens: int, short: str) -> None:
    assert compaction.cut(text, tokens) == short


@pytest.mark.parametrize("history", [[], [{"type": "brand_new"}]])
def test_strange_lists(history: object) -> None:
    result = read(user("one"), compacted("SUM", history))
    assert result.messages[-1].kind == "summary"
    assert walk.text_of(result.messages[-1]) == "SUM"


@pytest.mark.parametrize("history", [[None], ["x"], [3], [{}], {"a": 1}, "x"])
def test_odd_lists_are_none_to_codex(history: object) -> None:
    result = read(user("one"), compacted("SUM", history))
    assert [m.kind for m in result.messages] == [None, "context"]
    assert walk.window(result.messages) == result.messages


@pytest.mark.parametrize("message", [None, 3, []])
def test_odd_messages_are_none_to_codex(message: object) -> None:
    assert [kind for _, kind, _ in held(user("one"), compacted(message))] == [None, "context"]


def test_an_empty_message() -> None:
    assert held(user("one"), compacted(""))[-1] == ("user", "summary", compaction.NO_SUMMARY)


def test_the_first_writing_of_a_summary_is_context() -> None:
    draft = {**agent("SUM"), "metadata": {"compaction_output": True}}
    result = read(user("one"), draft, compacted("P:SUM", [user("P:SUM")["payload"]]))
    assert [m.kind for m in result.messages] == [None, "context", "summary"]


def test_the_boundary_has_the_turn_and_the_tokens_of_its_step() -> None:
    usage = {"input_tokens": 10, "output_tokens": 5}
    step: Line = {"type": "token_usage_record", "payload": {"usage": usage}}
    result = read(user("one"), agent("1"), user("/compact"), step, compacted("SUM"))
    summary: Message = result.messages[-1]
    assert summary.usage is not None and summary.usage.input_tokens == 10
