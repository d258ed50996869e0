"""The Claude rows of tests/cases/EXPECTED.tsv, and for each at least two more inputs of the same kind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesh.format.blocks import AttachmentBlock, TextBlock, ToolResultBlock
from sesh.format.message import Message
from sesh.providers.api import IngestResult
from sesh.providers.claude_code.reader import parse_claude_session
from tests.corpus_files import case
from tests.providers.claude_code.made import PIXEL, Made, codes, short, shortly


def read(name: str) -> IngestResult:
    return parse_claude_session(case(name))


def kinds_of_blocks(messages: list[Message]) -> list[str]:
    return [type(b).__name__.removesuffix("Block") for m in messages for b in m.content]


def totals(messages: list[Message]) -> tuple[int, int, int]:
    counted = [m.usage for m in messages if m.usage is not None]
    return (
        sum(u.input_tokens or 0 for u in counted),
        sum(u.output_tokens or 0 for u in counted),
        sum(u.cache_read_tokens or 0 for u in counted),
    )


# ---- 01: one API message split over lines


def test_01_usage_counts_once_for_an_api_message() -> None:
    result = read("01")
    assert totals(result.messages) == (10, 92, 1860)
    assert kinds_of_blocks(result.messages[1:]) == ["Reasoning", "Text", "ToolCall", "ToolResult", "Text"]


def usage(n: int) -> dict[str, int]:
    return {"input_tokens": n, "output_tokens": n}


def test_01_a_result_between_two_lines_of_one_message() -> None:
    s = Made()
    s.said("x1", "a1", [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {}}], "step", usage=usage(1))
    s.result("r1", "x1", "c1")
    s.said("x2", "r1", "goes on", "step", usage=usage(5))
    result = s.read()
    assert totals(result.messages) == (5, 5, 0)
    assert result.messages[-1].usage is not None


def test_01_an_id_that_comes_back_in_another_turn_is_another_message() -> None:
    s = Made()
    s.said("x1", "a1", "part", "step", usage=usage(2))
    s.user("u2", "x1", "next")
    s.said("x2", "u2", "again", "step", usage=usage(3))
    assert totals(s.read().messages) == (5, 5, 0)


def test_01_lines_without_a_message_id_count_each() -> None:
    s = Made()
    for uuid, parent in (("x1", "a1"), ("x2", "x1")):
        del s.said(uuid, parent, "word", usage=usage(2))["message"]["id"]
    assert totals(s.read().messages) == (4, 4, 0)


def test_01_usage_that_is_not_on_the_last_line_is_kept() -> None:
    s = Made()
    s.said("x1", "a1", "part", "step", usage=usage(2))
    s.said("x2", "x1", "rest", "step")
    messages = s.read().messages
    assert totals(messages) == (2, 2, 0)
    assert messages[-1].usage is not None


# ---- 02: parallel tools (more shapes: test_tree.py)


def test_02_both_calls_and_both_results() -> None:
    result = read("02")
    assert short(result) == ["Read both files", "+toolu_1", "+toolu_2", "-toolu_1", "-toolu_2", "Both read."]
    assert result.children == []
    assert result.report.skipped == {}


def test_02_a_failed_sibling_is_no_branch() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    s.call("x2", "x1", "c2", "step")
    s.user("r2", "x2", [{"type": "tool_result", "tool_use_id": "c2", "content": "no", "is_error": True}])
    s.result("r1", "x1", "c1")
    s.said("a2", "r2", "end")
    result = s.read()
    assert short(result)[2:] == ["+c1", "+c2", "-c2", "-c1", "end"]
    assert result.children == []


def test_02_one_line_with_two_results() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    s.call("x2", "x1", "c2", "step")
    s.user("r", "x2", [{"type": "tool_result", "tool_use_id": c, "content": c} for c in ("c1", "c2")])
    result = s.read()
    assert short(result)[2:] == ["+c1", "+c2", "-c1", "-c2"]
    assert [m.role for m in result.messages][-1] == "tool"


# ---- 04: skipped lines inside the chain


def test_04_parents_are_the_nearest_kept_lines() -> None:
    result = read("04")
    assert len(result.messages) == 5
    assert [m.parent_id for m in result.messages] == [None, *(m.id for m in result.messages[:-1])]
    assert result.report.skipped == {"progress": 2, "system": 1}
    assert result.children == []


def test_04_a_chain_of_nothing_but_attachments_between() -> None:
    s = Made()
    for n in range(30):
        s.line("attachment", f"t{n}", f"t{n - 1}" if n else "a1", attachment={"type": "date"})
    s.user("u2", "t29", "second")
    result = s.read()
    assert short(result) == ["first", "one", "second"]
    assert result.messages[2].parent_id == result.messages[1].id


def test_04_progress_forks_beside_the_talk_are_no_branches() -> None:
    s = Made()
    for n in range(5):
        s.line("progress", f"p{n}", "a1", data={"type": "bash_progress"}, toolUseID="c")
    s.line("system", "y1", "p2", subtype="api_error")
    s.user("u2", "a1", "second")
    result = s.read()
    assert short(result) == ["first", "one", "second"]
    assert result.children == []
    assert result.report.skipped == {"progress": 5, "system": 1}


# ---- 05: queued prompts (more: test_queued.py)


def test_05_a_queued_prompt_is_said_once_in_its_place() -> None:
    result = read("05")
    assert short(result) == [
        "Start the long job",
        "+toolu_1",
        "-toolu_1",
        "also print the date",
        "Job ended; date follows.",
    ]
    assert result.messages[3].role == "user"
    assert result.messages[3].kind is None


def test_05_without_the_attachment_the_queue_itself_is_asked() -> None:
    source = case("05")
    lines = [line for line in source.main.split(b"\n") if b'"attachment"' not in line]
    result = parse_claude_session(b"\n".join(lines))
    assert short(result)[2:4] == ["-toolu_1", "also print the date"]
    assert "queued-prompt" in codes(result)


def test_05_a_queued_picture() -> None:
    s = Made()
    prompt = [{"type": "text", "text": "and this"}, picture()]
    s.line("attachment", "q1", "a1", attachment={"type": "queued_command", "prompt": prompt, "commandMode": "prompt"})
    message = s.read().messages[-1]
    assert [type(b) for b in message.content] == [TextBlock, AttachmentBlock]
    assert message.kind is None


def picture() -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}


# ---- 07: side chains inside the file (more: test_children.py)


def test_07_side_chains_are_children_of_the_call_with_their_prompt() -> None:
    result = read("07")
    assert len(result.messages) == 4
    helper, warmup = result.children
    assert (len(helper.messages), len(warmup.messages)) == (2, 2)
    assert helper.thread.origin_message_id == result.messages[1].id
    assert warmup.thread.origin_message_id is None
    assert "unlinked-child" in codes(result)
    said_aside = {b.text for c in result.children for m in c.messages for b in m.content if isinstance(b, TextBlock)}
    assert said_aside.isdisjoint(short(result))


def test_07_equal_prompts_are_told_apart_by_their_results() -> None:
    result = twins("answer one", "answer two")
    one, two = result.children
    assert one.thread.origin_message_id == result.messages[2].id
    assert two.thread.origin_message_id == result.messages[3].id


def test_07_what_cannot_be_told_apart_is_not_guessed() -> None:
    result = twins("same", "same")
    assert [c.thread.origin_message_id for c in result.children] == [None, None]
    assert "unlinked-child" in codes(result)


def twins(one: str, two: str) -> IngestResult:
    s = Made()
    s.call("x1", "a1", "c1", "step", "Task", prompt="do it", description="d", subagent_type="t")
    s.call("x2", "x1", "c2", "step", "Task", prompt="do it", description="d", subagent_type="t")
    for n, word in ((1, one), (2, two)):
        s.user(f"k{n}", None, "do it", isSidechain=True)
        s.said(f"l{n}", f"k{n}", word, isSidechain=True)
    s.result("r1", "x2", "c1", one)
    s.result("r2", "r1", "c2", two)
    return s.read()


# ---- 09: line separators


def test_09_lines_end_at_line_feeds_only() -> None:
    assert len(read("09").messages) == 2


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e", "\r"])
def test_09_each_separator_raw_or_escaped(char: str) -> None:
    s = Made()
    line = json.dumps(s.user("u2", "a1", f"a{char}b"), ensure_ascii=char < " ")
    s.lines[-1] = line.encode()
    assert short(s.read())[-1] == f"a{char}b"


# ---- 10: bytes


def test_10_broken_bytes_are_read_and_named() -> None:
    result = read("10")
    assert len(result.messages) == 4
    words = " ".join(short(result))
    assert "\ufeff" not in words
    assert "\r" not in words
    assert "repaired-bytes" in codes(result)


def test_10_two_objects_on_one_line() -> None:
    s = Made()
    one, two = s.user("u2", "a1", "second"), s.said("a2", "u2", "two")
    del s.lines[-2:]
    s.raw(json.dumps(one).encode() + json.dumps(two).encode())
    result = s.read()
    assert short(result) == ["first", "one", "second", "two"]
    assert result.report.lines == 4
    assert "shared-line" in codes(result)


def test_10_a_cut_line_in_the_middle_is_kept_as_text() -> None:
    s = Made()
    s.raw(b'{"type":"user","uuid":"x","message":{"role":"user","content":"torn he')
    s.user("u2", "a1", "second")
    result = s.read()
    assert short(result) == ["first", "one", "context: unknown", "second"]
    assert result.report.unknown == 1
    assert [e.line for e in result.report.entries if e.code == "unreadable-line"] == [3]


def test_10_a_cut_last_line_is_left_out() -> None:
    s = Made()
    data = s.data() + b'{"type":"user","uu'
    result = parse_claude_session(data)
    assert short(result) == ["first", "one"]
    assert result.report.skipped == {"torn-line": 1}
    assert "torn-last-line" in codes(result)


def test_10_a_whole_last_line_needs_no_line_feed() -> None:
    assert short(parse_claude_session(Made().data().rstrip(b"\n"))) == ["first", "one"]


def test_10_nul_runs_blank_lines_and_values_that_are_no_records() -> None:
    s = Made()
    s.raw(b"\0" * 50)
    s.raw(b"  ")
    s.raw(b'"a string"')
    s.raw(b"17")
    s.raw(b"null")
    s.raw(b'[{"type":"user"}]')
    s.user("u2", "a1", "second")
    s.lines[-1] = b"\0\0" + json.dumps(s.lines[-1]).encode()
    result = s.read()
    assert short(result) == ["first", "one", *["context: unknown"] * 4, "second"]
    assert result.report.skipped == {"blank": 2}


# ---- 11: unpaired tools


def test_11_unpaired_calls_and_results_are_kept_and_named() -> None:
    result = read("11")
    assert isinstance(result.messages[0].content[0], ToolResultBlock)
    assert {"orphan-result", "open-call"} <= codes(result)


def test_11_an_open_call_at_the_end() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    result = s.read()
    assert short(result)[-1] == "+c1"
    assert "open-call" in codes(result)


def test_11_a_second_result_for_a_call() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    s.result("r1", "x1", "c1", "once")
    s.result("r2", "r1", "c1", "twice")
    result = s.read()
    assert short(result)[-2:] == ["-c1", "-c1"]
    assert not codes(result)


def test_11_a_result_whose_call_was_said_on_an_abandoned_branch() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    s.user("u2", "a1", "other")
    s.result("r1", "u2", "c1")
    result = s.read()
    assert short(result)[2:] == ["other", "-c1"]
    assert shortly(result.children[0].messages) == ["+c1"]
