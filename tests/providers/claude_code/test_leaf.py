"""Where the talk goes on. Each shape was given to the real Claude Code 2.1.328, and what it sent is stated.

`test_tree_client.py` gives the decisive ones to it again.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sesh.format import walk
from tests.providers.claude_code.made import Made, codes, short, shortly

Shape = Callable[[Made], None]
SHAPES: list[tuple[str, Shape, list[str]]] = []
START = ["first", "one"]


def shape(*sends: str) -> Callable[[Shape], Shape]:
    def add(make: Shape) -> Shape:
        SHAPES.append((make.__name__, make, list(sends)))
        return make

    return add


def turn(s: Made, n: int, parent: str, words: str = "") -> None:
    """A prompt `u<n>` and its answer `a<n>`."""
    s.user(f"u{n}", parent, words or f"q{n}")
    s.said(f"a{n}", f"u{n}", f"w{n}")


# ---- the last line of the tree, whatever it is


@shape(*START, "q2", "w2")
def attachment_on_the_old_branch_is_the_last_line(s: Made) -> None:
    turn(s, 2, "a1")
    turn(s, 3, "a1")
    s.line("attachment", "t1", "a2", attachment={"type": "date", "date": "x"})


@shape(*START, "q2", "w2")
def system_line_on_the_old_branch_is_the_last_line(s: Made) -> None:
    turn(s, 2, "a1")
    turn(s, 3, "a1")
    s.line("system", "t1", "a2", subtype="turn_duration", durationMs=4)


@shape(*START, "q3", "w3")
def progress_is_no_line_of_the_tree(s: Made) -> None:
    turn(s, 2, "a1")
    turn(s, 3, "a1")
    s.line("progress", "p1", "a2", data={"type": "hook_progress"})


@shape(*START, "q3", "w3")
def a_system_line_at_a_root_of_its_own_leads_nowhere(s: Made) -> None:
    turn(s, 2, "a1")
    turn(s, 3, "a1")
    s.line("system", "t1", None, subtype="informational", content="hey")


@shape(*START, "q2", "w2")
def the_child_stands_before_its_parent(s: Made) -> None:
    s.said("a2", "u2", "w2", at=5)
    s.user("u2", "a1", "q2", at=4)


# ---- last-prompt


@shape("q2", "w2")
def rewound_to_nothing_and_begun_anew(s: Made) -> None:
    s.leaf("a1")
    s.state("last-prompt", leafUuid=None, explicit=True)
    turn(s, 2, "")
    s.lines[-2]["parentUuid"] = None  # type: ignore[index]


@shape()
def rewound_to_nothing(s: Made) -> None:
    s.leaf("a1")
    s.state("last-prompt", leafUuid=None, explicit=True)


@shape("summary: SUMMARY", "q4", "w4")
def a_boundary_makes_it_void(s: Made) -> None:
    turn(s, 2, "a1")
    s.leaf("a2")
    turn(s, 3, "a1")
    s.boundary("bd", "a3")
    s.summary("sm", "bd")
    turn(s, 4, "sm")


@shape(*START)
def explicit_once_is_explicit_again(s: Made) -> None:
    turn(s, 2, "a1")
    s.leaf("a1", explicit=True)
    s.leaf("a1")


@shape(*START, "q2", "w2")
def explicit_until_any_line_is_written(s: Made) -> None:
    turn(s, 2, "a1")
    s.leaf("a1", explicit=True)
    s.line("system", "y1", "a2", subtype="turn_duration", durationMs=5)


# ---- a checkpoint in a step of the model


def step(s: Made) -> None:
    s.call("x1", "a1", "c1", "step")
    s.call("x2", "x1", "c2", "step")


@shape(*START, "+c1", "+c2", "-c1", "-c2", "both")
def named_result_of_the_first_call(s: Made) -> None:
    step(s)
    s.result("r1", "x1", "c1")
    s.leaf("r1")
    s.result("r2", "x2", "c2")
    s.said("a3", "r2", "both")


@shape(*START, "+c1", "+c2", "-c2", "-c1", "both")
def named_result_of_the_second_call(s: Made) -> None:
    step(s)
    s.result("r2", "x2", "c2")
    s.leaf("r2")
    s.result("r1", "x1", "c1")
    s.said("a3", "r1", "both")


@shape(*START, "+c1", "+c2", "-c2", "-c1", "both")
def named_hook_under_a_result(s: Made) -> None:
    step(s)
    s.result("r2", "x2", "c2")
    s.line("attachment", "t1", "r2", attachment={"type": "hook_success", "hookEvent": "PostToolUse", "toolUseID": "c2"})
    s.leaf("t1")
    s.result("r1", "x1", "c1")
    s.said("a3", "r1", "both")


@shape(*START, "+c1", "+c2", "-c1", "-c2", "both")
def named_hook_under_a_call(s: Made) -> None:
    step(s)
    s.line("attachment", "t1", "x1", attachment={"type": "hook_success", "hookEvent": "PreToolUse", "toolUseID": "c1"})
    s.leaf("t1")
    s.result("r1", "x1", "c1")
    s.result("r2", "x2", "c2")
    s.said("a3", "r2", "both")


@shape(*START, "+c1", "+c2", "-c1", "-c2", "both")
def named_call(s: Made) -> None:
    step(s)
    s.leaf("x2")
    s.result("r1", "x1", "c1")
    s.result("r2", "x2", "c2")
    s.said("a3", "r1", "both")


@shape(*START, "+c1", "+c2", "-c2", "-c1")
def rewound_to_a_result(s: Made) -> None:
    step(s)
    s.result("r2", "x2", "c2")
    s.leaf("r2", explicit=True)
    s.result("r1", "x1", "c1")
    s.said("a3", "r1", "both")


@shape(*START, "+c1", "-c1")
def a_prompt_under_the_call_is_another_branch(s: Made) -> None:
    s.call("x1", "a1", "c1", "step")
    s.result("r1", "x1", "c1")
    s.leaf("r1")
    turn(s, 3, "x1")


@shape(*START, "q2", "part one", "part two", "q3", "w3")
def said_beside_the_second_part_of_a_reply(s: Made) -> None:
    s.user("u2", "a1", "q2")
    s.said("p1", "u2", "part one", "m")
    s.line("attachment", "t1", "p1", attachment={"type": "date", "date": "x"})
    s.said("p2", "t1", "part two", "m")
    s.leaf("p2")
    turn(s, 3, "t1")


# ---- after a compaction that preserved messages


def preserving(s: Made) -> None:
    s.user("u2", "a1", "keep q")
    s.said("a2", "u2", "keep a")
    s.boundary("bd", "a2", preservedMessages={"anchorUuid": "sm", "uuids": ["u2", "a2"]})
    s.summary("sm", "bd")


KEPT = ("summary: SUMMARY", "keep q", "keep a")


@shape(*KEPT, "q4", "w4")
def named_line_is_no_end(s: Made) -> None:
    preserving(s)
    turn(s, 3, "sm")
    s.leaf("u3")
    turn(s, 4, "sm")


@shape(*KEPT, "q3", "w3")
def named_line_is_an_end(s: Made) -> None:
    preserving(s)
    turn(s, 3, "sm")
    s.leaf("a3")
    turn(s, 4, "sm")


@shape("summary: SUMMARY", "keep q", "q3", "w3")
def said_under_the_first_preserved_message(s: Made) -> None:
    preserving(s)
    turn(s, 3, "u2")


@shape("summary: SUMMARY", "keep q")
def rewound_to_a_preserved_message(s: Made) -> None:
    preserving(s)
    turn(s, 3, "sm")
    s.leaf("u2", explicit=True)


@shape("summary: SUMMARY")
def rewound_to_the_summary(s: Made) -> None:
    preserving(s)
    turn(s, 3, "sm")
    s.leaf("sm", explicit=True)


@shape(*KEPT, "back before", "w4")
def said_under_a_message_that_is_gone(s: Made) -> None:
    preserving(s)
    turn(s, 3, "sm")
    turn(s, 4, "a1", "back before")


@shape("summary: SUMMARY", "q3", "w3")
def one_that_was_preserved_is_not_in_the_file(s: Made) -> None:
    s.boundary("bd", "a1", preservedMessages={"anchorUuid": "sm", "uuids": ["u1", "gone", "a1"]})
    s.summary("sm", "bd")
    turn(s, 3, "sm")


@shape("summary: SUMMARY", "q3", "w3")
def an_empty_list_goes_before_a_segment(s: Made) -> None:
    ends = {"headUuid": "u1", "anchorUuid": "sm", "tailUuid": "a1"}
    s.boundary("bd", "a1", preservedMessages={"anchorUuid": "sm", "uuids": []}, preservedSegment=ends)
    s.summary("sm", "bd")
    turn(s, 3, "sm")


@pytest.mark.parametrize(("make", "sends"), [pytest.param(m, w, id=n) for n, m, w in SHAPES])
def test_what_the_client_sends(make: Shape, sends: list[str]) -> None:
    s = Made()
    make(s)
    result = s.read()
    assert shortly(walk.window(result.messages)) == sends
    threads = [result.messages, *(c.messages for c in result.children)]
    everything = [m.provenance.source_id for t in threads for m in t if m.provenance is not None]
    said = [line["uuid"] for line in s.lines if isinstance(line, dict) and "message" in line]
    assert sorted(u for u in everything if u) == sorted(said)


def test_a_side_chain_cannot_be_named() -> None:
    """The client finds no conversation there; we pass by the line."""
    s = Made()
    s.user("k1", None, "side", isSidechain=True)
    s.leaf("k1")
    turn(s, 2, "a1")
    assert short(s.read()) == [*START, "q2", "w2"]


def test_shown_and_not_sent() -> None:
    """`isVirtual`: calls that a tool made itself. They stand where they were shown, and are context."""
    s = Made()
    s.call("x0", "a1", "c0", "step")
    s.said("x1", "x0", [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {}}], "inner", isVirtual=True)
    s.result("r1", "x1", "c1", isVirtual=True)
    s.result("r0", "x0", "c0")
    s.said("a2", "r0", "end")
    result = s.read()
    assert short(result) == [*START, "+c0", "context: +c1", "context: -c1", "-c0", "end"]
    assert result.children == []
    assert "shown-only" in codes(result)
