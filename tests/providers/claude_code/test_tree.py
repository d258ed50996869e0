"""Which lines are the main thread. Each shape was given to the real Claude Code 2.1.328; `sends` is what it sent.

Where we deliberately keep more than the client, `KEPT_MORE` has the shape with both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesh.format import walk
from sesh.format.blocks import TextBlock, ToolResultBlock
from sesh.providers.claude_code.tree import Tree
from tests.providers.claude_code.made import Made, codes, short, shortly

Shape = Callable[[Made], None]
SHAPES: list[tuple[str, Shape, list[str]]] = []
START = ["first", "one"]
BOTH = [*START, "go", "+c1", "+c2"]


def shape(*sends: str) -> Callable[[Shape], Shape]:
    def add(make: Shape) -> Shape:
        SHAPES.append((make.__name__, make, list(sends)))
        return make

    return add


# ---- parallel calls: results on side branches, linear, interleaved


def two_calls(s: Made) -> None:
    s.user("u2", "a1", "go")
    s.call("x1", "u2", "c1", "step")
    s.call("x2", "x1", "c2", "step")


@shape(*BOTH, "-c2", "-c1", "both")
def results_under_their_calls_the_first_last(s: Made) -> None:
    two_calls(s)
    s.result("r2", "x2", "c2")
    s.result("r1", "x1", "c1")
    s.said("a3", "r1", "both")


@shape(*BOTH, "-c1", "-c2", "both")
def second_call_off_the_path(s: Made) -> None:
    two_calls(s)
    s.result("r1", "x1", "c1")
    s.result("r2", "x2", "c2")
    s.said("a3", "r1", "both")


@shape(*START, "go", "+c1", "-c1", "+c2", "-c2", "both")
def interleaved_on_side_branches(s: Made) -> None:
    s.user("u2", "a1", "go")
    s.call("x1", "u2", "c1", "step")
    s.result("r1", "x1", "c1")
    s.call("x2", "x1", "c2", "step")
    s.result("r2", "x2", "c2")
    s.said("a3", "r1", "both")


@shape(*START, "go", "+c1", "-c1", "+c2", "-c2", "both")
def interleaved_in_line(s: Made) -> None:
    s.user("u2", "a1", "go")
    s.call("x1", "u2", "c1", "step")
    s.result("r1", "x1", "c1")
    s.call("x2", "r1", "c2", "step")
    s.result("r2", "x2", "c2")
    s.said("a3", "r2", "both")


@shape(*BOTH, "+c3", "-c3", "-c1", "-c2", "all")
def three_calls(s: Made) -> None:
    two_calls(s)
    s.call("x3", "x2", "c3", "step")
    s.result("r3", "x3", "c3")
    s.result("r1", "x1", "c1")
    s.result("r2", "x2", "c2")
    s.said("a3", "r2", "all")


@shape(*BOTH, "-c2", "-c1")
def a_side_result_is_the_last_line(s: Made) -> None:
    two_calls(s)
    s.result("r2", "x2", "c2")
    s.result("r1", "x1", "c1")


@shape(*START, "+c1", "-c1", "rewound to the call", "three")
def rewound_to_a_call_keeps_its_result(s: Made) -> None:
    s.call("x1", "a1", "c1", "step")
    s.result("r1", "x1", "c1")
    s.said("a2", "r1", "two")
    s.user("u3", "x1", "rewound to the call")
    s.said("a3", "u3", "three")


@shape(*BOTH, "-c1", "also this", "-c2", "end")
def queued_prompt_under_a_side_result(s: Made) -> None:
    two_calls(s)
    s.result("r1", "x1", "c1")
    s.line("attachment", "q1", "r1", attachment={"type": "queued_command", "prompt": "also this"})
    s.result("r2", "x2", "c2")
    s.said("a3", "r2", "end")


# ---- parents


@shape(*START, "second", "two")
def missing_parent(s: Made) -> None:
    s.user("u2", "gone", "second")
    s.said("a2", "u2", "two")


@shape(*START, "other", "three", "fourth", "four")
def missing_parent_is_the_line_before_in_time_on_any_branch(s: Made) -> None:
    s.user("u2", "a1", "second")
    s.said("a2", "u2", "two")
    s.user("u3", "a1", "other")
    s.said("a3", "u3", "three")
    s.user("u4", "gone", "fourth")
    s.said("a4", "u4", "four")


@shape(*START, "second", "other", "three")
def missing_parent_and_time_goes_before_file_order(s: Made) -> None:
    s.user("u2", "a1", "second", at=100)
    s.said("a2", "u2", "two", at=110)
    s.user("u3", "gone", "other", at=105)
    s.said("a3", "u3", "three", at=120)


@shape("second", "two")
def null_parent_is_a_new_root(s: Made) -> None:
    s.user("u2", None, "second")
    s.said("a2", "u2", "two")


@shape(*START, "second", "two", "third", "three")
def parent_stands_later(s: Made) -> None:
    s.said("a2", "u2", "two")
    s.user("u2", "a1", "second")
    s.user("u3", "a2", "third")
    s.said("a3", "u3", "three")


@shape(*START, "second", "two")
def cycle(s: Made) -> None:
    s.user("u2", "a2", "second")
    s.said("a2", "u2", "two")


@shape(*START, "second", "two")
def same_line_twice(s: Made) -> None:
    s.lines.append(dict(s.user("u2", "a1", "second")))
    s.said("a2", "u2", "two")


@shape(*START, "context: unknown", "second", "two")
def unknown_type_in_the_chain(s: Made) -> None:
    s.line("weird", "w1", "a1", x=1)
    s.user("u2", "w1", "second")
    s.said("a2", "u2", "two")


@shape(*START, "second", "two")
def line_without_an_id(s: Made) -> None:
    del s.user("u2", "a1", "second")["uuid"]
    s.said("a2", "u2", "two")


@shape(*START, "second", "two")
def side_chain_last(s: Made) -> None:
    s.user("u2", "a1", "second")
    s.said("a2", "u2", "two")
    s.user("k1", None, "side", isSidechain=True)
    s.said("k2", "k1", "side answer", isSidechain=True)


# ---- the leaf


def forked(s: Made, *, leaf: str | None = None, **more: bool) -> None:
    s.user("u2", "a1", "second")
    s.said("a2", "u2", "two")
    if leaf is not None:
        s.leaf(leaf, **more)
    s.user("u3", "a1", "other")
    s.said("a3", "u3", "three")


@shape(*START, "other", "three")
def rewind(s: Made) -> None:
    forked(s)


@shape(*START, "second", "two")
def rewind_and_a_last_prompt_on_the_old_branch(s: Made) -> None:
    forked(s, leaf="a2")


@shape(*START, "second", "two")
def rewind_and_an_explicit_one(s: Made) -> None:
    forked(s, leaf="a2", explicit=True)


@shape(*START, "other", "three")
def rewind_in_the_terminal_names_no_line(s: Made) -> None:
    forked(s, leaf="a2")
    s.lines.insert(-1, {"type": "last-prompt", "leafUuid": "00000000-0000-0000-0000-000000000000", "explicit": True})


@shape(*START, "other", "three")
def only_the_last_one_counts_even_where_it_names_no_line(s: Made) -> None:
    forked(s, leaf="a2")
    s.leaf("not-there")


@shape(*START, "second", "two")
def one_without_a_leaf_is_passed_over(s: Made) -> None:
    forked(s, leaf="a2")
    s.state("last-prompt", lastPrompt="other")


@shape(*START, "second", "two")
def named_ancestor_does_not_cut(s: Made) -> None:
    s.leaf("u1")
    s.user("u2", "a1", "second")
    s.said("a2", "u2", "two")


@shape(*START)
def explicit_cuts(s: Made) -> None:
    s.user("u2", "a1", "second")
    s.said("a2", "u2", "two")
    s.leaf("a1", explicit=True)


@shape(*START, "second")
def explicit_at_a_prompt(s: Made) -> None:
    s.user("u2", "a1", "second")
    s.said("a2", "u2", "two")
    s.leaf("u2", explicit=True)


@shape(*START, "third", "three")
def explicit_and_more_was_said_under_it(s: Made) -> None:
    s.user("u2", "a1", "second")
    s.said("a2", "u2", "two")
    s.leaf("a1", explicit=True)
    s.user("u3", "a1", "third")
    s.said("a3", "u3", "three")


@shape(*START, "second")
def named_prompt_whose_answer_is_on_the_old_branch(s: Made) -> None:
    forked(s, leaf="u2")


@shape(*START)
def named_system_line(s: Made) -> None:
    s.line("system", "s1", "a1", subtype="turn_duration")
    s.user("u2", "s1", "second")
    s.said("a2", "u2", "two")
    s.leaf("s1")
    s.user("u3", "a1", "other")
    s.said("a3", "u3", "three")


# ---- compactions: what is sent after one (the window)


@shape("summary: SUMMARY", "second", "two")
def boundary(s: Made) -> None:
    s.boundary("bd", "a1")
    s.summary("sm", "bd")
    s.user("u2", "sm", "second")
    s.said("a2", "u2", "two")


@shape("summary: SUMMARY", "second", "two")
def boundary_with_a_parent(s: Made) -> None:
    s.boundary("bd", "a1", parent="a1")
    s.summary("sm", "bd")
    s.user("u2", "sm", "second")
    s.said("a2", "u2", "two")


@shape("second", "two")
def boundary_without_a_summary(s: Made) -> None:
    s.boundary("bd", "a1")
    s.user("u2", "bd", "second")
    s.said("a2", "u2", "two")


@shape(*START, "summary: SUMMARY", "second", "two")
def summary_without_a_boundary_cuts_nothing(s: Made) -> None:
    s.summary("sm", "a1")
    s.user("u2", "sm", "second")
    s.said("a2", "u2", "two")


@shape("summary: SECOND", "third", "three")
def two_boundaries(s: Made) -> None:
    boundary(s)
    s.boundary("b2", "a2")
    s.summary("s2", "b2", "SECOND")
    s.user("u3", "s2", "third")
    s.said("a3", "u3", "three")


@shape(*START)
def boundary_is_the_last_line(s: Made) -> None:
    s.boundary("bd", "a1")


def preserving(s: Made, **metadata: object) -> None:
    s.user("u2", "a1", "keep q")
    s.said("a2", "u2", "keep a")
    s.boundary("bd", "a2", **metadata)
    s.summary("sm", "bd")
    s.user("u3", "sm", "third")
    s.said("a3", "u3", "three")


KEPT = ("summary: SUMMARY", "keep q", "keep a", "third", "three")


@shape(*KEPT)
def preserved_by_name(s: Made) -> None:
    preserving(s, preservedMessages={"anchorUuid": "sm", "uuids": ["u2", "a2"], "allUuids": ["u2", "a2"]})


@shape(*KEPT)
def preserved_as_a_segment(s: Made) -> None:
    preserving(s, preservedSegment={"headUuid": "u2", "anchorUuid": "sm", "tailUuid": "a2"})


@shape("summary: SUMMARY", "keep a", "third", "three")
def uuids_go_before_all_uuids(s: Made) -> None:
    preserving(s, preservedMessages={"anchorUuid": "sm", "uuids": ["a2"], "allUuids": ["u2", "a2"]})


@shape("summary: SUMMARY", "third", "three")
def all_uuids_alone_preserve_nothing(s: Made) -> None:
    preserving(s, preservedMessages={"anchorUuid": "sm", "allUuids": ["u2", "a2"]})


@shape("keep q", "keep a", "summary: SUMMARY", "third", "three")
def anchored_at_the_boundary(s: Made) -> None:
    preserving(s, preservedSegment={"headUuid": "u2", "anchorUuid": "bd", "tailUuid": "a2"})


@shape("summary: SUMMARY", "keep q", "keep a", "on the tail", "three")
def said_under_the_last_preserved_message(s: Made) -> None:
    s.user("u2", "a1", "keep q")
    s.said("a2", "u2", "keep a")
    s.boundary("bd", "a2", preservedMessages={"anchorUuid": "sm", "uuids": ["u2", "a2"]})
    s.summary("sm", "bd")
    s.user("u3", "a2", "on the tail")
    s.said("a3", "u3", "three")


@shape("summary: SUMMARY", "keep q", "keep a", "other", "four")
def after_preserving_a_system_line_cannot_be_named(s: Made) -> None:
    preserving(s, preservedMessages={"anchorUuid": "sm", "uuids": ["u2", "a2"]})
    s.line("system", "s3", "a3", subtype="turn_duration")
    s.leaf("s3")
    s.user("u4", "sm", "other")
    s.said("a4", "u4", "four")


@pytest.mark.parametrize(("make", "sends"), [pytest.param(m, w, id=n) for n, m, w in SHAPES])
def test_what_the_client_sends(make: Shape, sends: list[str]) -> None:
    s = Made()
    make(s)
    window = walk.window(s.read().messages)
    assert shortly(window) == sends


def absent_parent(s: Made) -> None:
    del s.user("u2", "a1", "second")["parentUuid"]
    s.said("a2", "u2", "two")


def other_line_of_the_same_id(s: Made) -> None:
    s.user("u2", "a1", "second")
    s.said("a2", "u2", "two")
    s.user("u2", "a2", "third")
    s.said("a3", "u2", "three")


def missing_parent_long_ago(s: Made) -> None:
    s.user("u2", "gone", "second", at=3000)
    s.said("a2", "u2", "two")


KEPT_MORE: list[tuple[Shape, list[str], str]] = [
    (absent_parent, ["second", "two"], "missing-parent"),
    (other_line_of_the_same_id, [*START, "two", "third", "three"], "duplicate-id"),
    (missing_parent_long_ago, ["second", "two"], "missing-parent"),
]
"""Shapes in which the client loses lines: what it sent, and the code under which we say that we kept them."""


@pytest.mark.parametrize(("make", "theirs", "code"), KEPT_MORE, ids=lambda x: getattr(x, "__name__", ""))
def test_no_line_is_lost_where_the_client_loses_it(make: Shape, theirs: list[str], code: str) -> None:
    s = Made()
    make(s)
    result = s.read()
    assert short(result)[:2] == START
    assert set(theirs) < set(short(result))
    assert code in codes(result)


def test_a_rewound_branch_is_a_child_of_where_it_left() -> None:
    s = Made()
    forked(s)
    s.user("u4", "u2", "deeper")
    s.leaf("a3", explicit=True)
    result = s.read()
    assert short(result) == [*START, "other", "three"]
    outer, inner = result.children
    assert (outer.thread.metadata or {})["relation"] == "branch"
    assert shortly(outer.messages) == ["second", "deeper"]
    assert outer.thread.origin_message_id == result.messages[1].id
    assert shortly(inner.messages) == ["two"]
    assert inner.thread.parent_thread_id == outer.thread.id
    assert inner.thread.origin_message_id == outer.messages[0].id
    assert "branch" in codes(result)


def test_parents_lead_over_skipped_lines_and_compactions() -> None:
    s = Made()
    s.line("progress", "p1", "a1", data={"type": "hook_progress"})
    s.line("attachment", "t1", "p1", attachment={"type": "date"})
    s.boundary("bd", "t1")
    s.summary("sm", "bd")
    result = s.read()
    assert short(result) == [*START, "summary: SUMMARY"]
    assert result.messages[2].parent_id == result.messages[1].id
    assert result.report.skipped == {"attachment": 1, "progress": 1}
    assert "compaction" in codes(result)


def test_many_forks_are_read_in_no_time_worth_naming() -> None:
    """No step is quadratic: 4,000 rewinds of the same prompt, each with an answer."""
    s = Made()
    for n in range(4000):
        s.user(f"u{n}-", "a1", f"try {n}")
        s.said(f"a{n}-", f"u{n}-", f"answer {n}")
    result = s.read()
    assert len(result.children) == 3999
    assert short(result)[-2:] == ["try 3999", "answer 3999"]


def test_a_long_chain_is_no_recursion() -> None:
    s = Made()
    parent = "a1"
    for n in range(5000):
        s.user(f"n{n}", parent, f"word {n}")
        parent = f"n{n}"
    s.said("k1", "n10", "a branch")
    s.leaf(parent, explicit=True)
    result = s.read()
    assert len(result.messages) == 5002
    assert [shortly(c.messages) for c in result.children] == [["a branch"]]


def test_a_segment_over_lines_in_a_circle_ends() -> None:
    s = Made()
    s.user("u2", "a2", "second")
    s.said("a2", "u2", "two")
    s.boundary("bd", "a2", preservedSegment={"headUuid": "gone", "anchorUuid": "sm", "tailUuid": "a2"})
    s.summary("sm", "bd")
    assert short(s.read()) == ["first", "one", "second", "two", "summary: SUMMARY"]


NAMES = ["u1", "a1", "n0", "n1", "n2", "n3", "n4", "n5", "gone", None]


@st.composite
def odd_trees(draw: st.DrawFn) -> Made:
    """Lines of all chained kinds that name each other as parents in any way, with compactions and leaves anywhere."""
    s = Made()
    name = st.sampled_from(NAMES)
    for n in range(draw(st.integers(1, 10))):
        uuid = draw(st.sampled_from(NAMES[:8])) or f"n{n}"
        parent = draw(name)
        more: dict[str, Any] = {"isSidechain": draw(st.sampled_from([False, False, False, True]))}
        more["at"] = draw(st.integers(0, 20))
        match draw(st.sampled_from(("user", "said", "call", "result", "boundary", "summary", "leaf", "attachment"))):
            case "user":
                s.user(uuid, parent, f"word {n}", **more)
            case "said":
                s.said(uuid, parent, f"word {n}", draw(st.sampled_from([None, "step"])), **more)
            case "call":
                block = {"type": "tool_use", "id": draw(st.sampled_from("cd")), "name": "Bash", "input": {}}
                s.said(uuid, parent, [block], "step", **more)
            case "result":
                s.result(uuid, parent, draw(st.sampled_from("cde")), f"word {n}", **more)
            case "boundary":
                named = {"anchorUuid": draw(name), "uuids": draw(st.lists(name, max_size=3))}
                ends = {"anchorUuid": draw(name), "headUuid": draw(name), "tailUuid": draw(name)}
                kept: dict[str, Any] = draw(st.sampled_from([{}, {"preservedMessages": named}]))
                kept |= draw(st.sampled_from([{}, {"preservedSegment": ends}]))
                s.boundary(uuid, draw(name), draw(st.none() | name), **kept)
            case "summary":
                s.summary(uuid, parent, f"word {n}")
            case "leaf":
                s.leaf(draw(st.sampled_from(NAMES[:8])) or "", explicit=draw(st.booleans()))
            case "attachment":
                queued = {"type": "queued_command", "prompt": f"word {n}", "commandMode": "prompt"}
                s.line("attachment", uuid, parent, attachment=queued, **more)
    return s


@settings(max_examples=400)
@given(odd_trees())
def test_every_word_is_in_one_thread_whatever_the_tree(s: Made) -> None:
    result = s.read()
    threads = [result.messages, *(c.messages for c in result.children)]
    words = [b.text for t in threads for m in t for b in m.content if isinstance(b, TextBlock) and "word" in b.text]
    words += [str(b.output) for t in threads for m in t for b in m.content if isinstance(b, ToolResultBlock)]
    written = [w for line in s.lines if isinstance(line, dict) for w in words_on(line)]
    assert sorted(w for w in words if w.startswith("word")) == sorted(written)
    for messages in threads:
        at = {m.id: i for i, m in enumerate(messages)}
        assert len(at) == len(messages)
        walk.window(messages)


def words_on(line: dict[str, Any]) -> list[str]:
    content = (line.get("message") or {}).get("content") or (line.get("attachment") or {}).get("prompt") or []
    if isinstance(content, str):
        return [content] if content.startswith("word") else []
    return [w for b in content if str(w := b.get("text") or b.get("content")).startswith("word")]


# ---- cost: how often a line is looked at, whatever the shape


def backwards(s: Made, n: int) -> None:
    lines = [("user", f"k{i}", f"k{i - 1}" if i else "a1") for i in range(n)]
    for _, uuid, parent in reversed(lines):
        s.user(uuid, parent, uuid)


def circle(s: Made, n: int) -> None:
    for i in range(n):
        s.user(f"k{i}", f"k{(i + 1) % n}", f"k{i}")


def forks_on_forks(s: Made, n: int) -> None:
    for i in range(0, n, 2):
        s.user(f"k{i}", f"k{i - 2}" if i else "a1", f"k{i}")
        s.user(f"k{i + 1}", f"k{i - 2}" if i else "a1", f"k{i + 1}")


@pytest.mark.parametrize("make", [backwards, circle, forks_on_forks])
def test_no_shape_costs_more_than_a_few_looks_a_line(
    make: Callable[[Made, int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    belongs = Tree._belongs

    def counted(*args: Any) -> bool:
        nonlocal looks
        looks += 1
        return belongs(*args)

    monkeypatch.setattr(Tree, "_belongs", counted)
    s = Made()
    make(s, 300)
    result = s.read()
    everything = [*short(result), *(text for c in result.children for text in shortly(c.messages))]
    assert sorted(everything) == sorted(["first", "one", *(f"k{i}" for i in range(300))])
    assert looks <= 2 * 302
