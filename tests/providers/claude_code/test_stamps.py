"""What our writer left on a line (`format/stamp.py`) comes back as it was."""

from __future__ import annotations

from typing import Any

from sesh.format import ids, stamp, walk
from sesh.format.blocks import TextBlock, ToolCallBlock, ToolResultBlock, WebSearchBlock
from tests.providers.claude_code.made import SESSION, Made, short, shortly


def stamped(**keys: Any) -> dict[str, Any]:
    return {"sesh": keys}


def test_blocks_kind_role_model_turn_and_time() -> None:
    s = Made()
    search = {"type": "web_search", "callId": "c1", "query": "q"}
    call = [{"type": "tool_use", "id": "c1", "name": "mcp__codex__web_search", "input": {"query": "q"}}]
    keys = stamped(blocks=[search], kind=stamp.SAID, model="gpt-6", turnId="turn", ts="2026-01-01T00:00:00.000Z")
    s.said("x1", "a1", call, "step", model="<synthetic>", **keys)
    message = s.read().messages[-1]
    assert message.content == [WebSearchBlock(call_id="c1", query="q")]
    assert (message.kind, message.model, message.turn_id) == (None, "gpt-6", "turn")
    assert message.ts == "2026-01-01T00:00:00.000Z"
    assert message.role == "assistant"


def test_said_is_conversation_whatever_the_text_looks_like() -> None:
    s = Made()
    s.user("u2", "a1", "[Request interrupted by user]", **stamped(kind=stamp.SAID))
    s.user("u3", "u2", "plain", isMeta=True, **stamped(kind="context", role="system"))
    s.user("u4", "u3", "<bash-input>ls</bash-input>", **stamped(turnId="t"))
    messages = s.read().messages[2:]
    assert [(m.role, m.kind) for m in messages] == [("user", None), ("system", "context"), ("user", "notice")]


def test_lone_surrogates_come_back_from_escaped_blocks() -> None:
    s = Made()
    escaped = stamp.escape([{"type": "text", "text": "cut \ud83d"}])
    s.user("u2", "a1", "cut \ufffd", **stamped(escaped=escaped))
    assert short(s.read())[-1] == "cut \ud83d"


def test_an_error_that_the_line_cannot_say() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    s.result("r1", "x1", "c1", **stamped(kind=stamp.SAID, error=True))
    block = s.read().messages[-1].content[0]
    assert isinstance(block, ToolResultBlock)
    assert block.is_error is True


def test_what_was_made_up_is_passed_over() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    s.result("r1", "x1", "c1", "No result was recorded.", **stamped(stub=True))
    s.user("u2", "r1", "second")
    result = s.read()
    assert short(result) == ["first", "one", "+c1", "second"]
    assert result.report.skipped == {"sesh-stub": 1}
    assert result.messages[-1].parent_id == result.messages[-2].id


def test_a_line_that_goes_on_with_the_message_before() -> None:
    s = Made()
    s.user("u2", "a1", "second")
    s.user("u3", "u2", "goes on", **stamped(more=True))
    message = s.read().messages[-1]
    assert message.content == [TextBlock(text="second"), TextBlock(text="goes on")]


def test_retained_messages_are_the_summarys_window() -> None:
    """Repeated lines before and after the summary: the window names the first saying of each, in this order."""
    s = Made()
    s.user("u2", "a1", "second")
    s.boundary("bd", "u2")
    s.user("k1", "bd", "first", **stamped(retained="u1"))
    s.summary("sm", "k1")
    s.user("k2", "sm", "second", **stamped(retained="u2"))
    s.user("u3", "k2", "third")
    result = s.read()
    assert short(result) == ["first", "one", "second", "summary: SUMMARY", "third"]
    assert shortly(walk.window(result.messages)) == ["first", "summary: SUMMARY", "second", "third"]
    assert result.report.skipped == {"sesh-retained": 2}


def test_retained_by_its_canonical_id() -> None:
    s = Made()
    s.boundary("bd", "a1")
    s.summary("sm", "bd")
    s.user("k1", "sm", "first", **stamped(retained=ids.message_id("claude-code", SESSION, "u1")))
    assert shortly(walk.window(s.read().messages)) == ["summary: SUMMARY", "first"]


def test_a_repeated_message_whose_first_saying_is_not_here_is_a_message() -> None:
    s = Made()
    s.boundary("bd", "a1")
    s.user("k1", "bd", "from elsewhere", **stamped(retained="gone"))
    s.summary("sm", "k1")
    s.user("u2", "sm", "second")
    window = walk.window(s.read().messages)
    assert shortly(window) == ["from elsewhere", "summary: SUMMARY", "second"]


def test_texts_that_were_cut_for_the_window() -> None:
    s = Made()
    s.boundary("bd", "a1")
    s.summary("s1", "bd", "cut text")
    s.summary("s2", "s1", "SUMMARY")
    s.user("u2", "s2", "second")
    window = walk.window(s.read().messages)
    assert shortly(window) == ["summary: cut text", "summary: SUMMARY", "second"]


def test_the_link_is_the_threads() -> None:
    s = Made()
    s.lines.insert(0, {"type": "sesh-link", "sesh": {"emittedLines": 3}, "sessionId": SESSION})
    result = s.read()
    assert (result.thread.metadata or {})["link"] == {"emittedLines": 3}
    assert result.report.used == 3


def test_a_stamp_that_somebody_edited_is_no_stamp() -> None:
    s = Made()
    s.user("u2", "a1", "words", sesh={"blocks": "no list"})
    s.user("u3", "u2", "more words", sesh=[1])
    s.user("u4", "u3", "still more", sesh={"blocks": [{"type": "nonsense"}]})
    result = s.read()
    assert short(result)[2:] == ["words", "more words", "still more"]
    assert not any(isinstance(b, ToolCallBlock) for m in result.messages for b in m.content)


LONG = "".join(f"{n}: words of a long output\n" for n in range(20))
FRAMED = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n" + LONG


def test_a_line_that_says_the_output_is_all_that_is_kept_of_it() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    same = [
        {
            "at": [0, "output"],
            "of": [0, "content"],
            "sum": stamp.checksum("Exit code 3\n" + LONG),
            "put": FRAMED.removesuffix(LONG),
            "cut": "Exit code 3\n",
        }
    ]
    rest = [{"type": "tool_result", "callId": "c 1", "output": "", "isError": True}]
    line = s.result("r1", "x1", "c1", "Exit code 3\n" + LONG, **stamped(rest=rest, same=same))
    assert s.read().messages[-1].content == [ToolResultBlock(call_id="c 1", output=FRAMED, is_error=True)]
    line["message"]["content"][0]["content"] = "[redacted]"
    assert s.read().messages[-1].content == [ToolResultBlock(call_id="c1", output="[redacted]")]
    line["message"]["content"] = "edited"
    assert s.read().messages[-1].content == [TextBlock(text="edited")]


def test_a_line_of_sesh_before_it_kept_the_whole_block() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    blocks = [{"type": "tool_result", "callId": "c 1", "output": FRAMED, "isError": True}]
    s.result("r1", "x1", "c1", "Exit code 3\n" + LONG, **stamped(blocks=blocks))
    assert s.read().messages[-1].content == [ToolResultBlock(call_id="c 1", output=FRAMED, is_error=True)]
