"""Reading a thread for its meaning: the window, prompts, turns."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given

from sesh.format import walk
from sesh.format.blocks import TextBlock, ToolResultBlock
from sesh.format.message import Message, Usage
from sesh.testing.conversations import Conversation, conversations, wild_conversations


def said(name: str, role: str = "user", **more: Any) -> Message:
    given: dict[str, Any] = {"thread_id": "t", "ts": "", "content": [TextBlock(text=f"words of {name}")]}
    return Message(id=name, role=role, **{**given, **more})  # type: ignore[arg-type]


def ids_of(messages: list[Message]) -> list[str]:
    return [m.id for m in messages]


def test_without_a_compaction_the_model_holds_all() -> None:
    assert ids_of(walk.window([said("a"), said("b")])) == ["a", "b"]


def test_a_summary_alone_stands_for_all_before_it() -> None:
    thread = [said("a"), said("s", kind="summary"), said("b")]
    assert ids_of(walk.window(thread)) == ["s", "b"]


def test_a_window_says_what_stays_and_in_which_order() -> None:
    thread = [said("a"), said("b"), said("s", kind="summary", window=["s", "b"]), said("c")]
    assert ids_of(walk.window(thread)) == ["s", "b", "c"]
    thread = [said("a"), said("b"), said("s", kind="summary", window=["a", "s"]), said("c")]
    assert ids_of(walk.window(thread)) == ["a", "s", "c"]


def test_only_the_last_compaction_counts() -> None:
    thread = [
        said("a"),
        said("s", kind="summary", window=["a", "s"]),
        said("b"),
        said("z", kind="summary", window=["z", "b"]),
    ]
    assert ids_of(walk.window(thread)) == ["z", "b"]


def test_ids_that_are_not_in_the_thread_are_passed_over() -> None:
    assert ids_of(walk.window([said("s", kind="summary", window=["gone", "s"])])) == ["s"]


def test_a_prompt_is_what_a_human_said() -> None:
    assert walk.is_prompt(said("a"))
    assert not walk.is_prompt(said("a", kind="context"))
    assert not walk.is_prompt(said("a", role="assistant"))
    assert not walk.is_prompt(said("a", content=[]))


def test_the_first_prompt_has_words() -> None:
    blank = said("a", content=[TextBlock(text=" \n")])
    assert walk.first_prompt([said("c", kind="context"), blank, said("b")]) == "words of b"
    assert walk.first_prompt([blank]) is None


def test_turns_are_runs_of_one_id() -> None:
    result = ToolResultBlock(call_id="c", output="")
    thread = [
        said("a"),
        said("b", turn_id="1"),
        said("c", role="tool", content=[result]),
        said("d", turn_id="2"),
        said("e", turn_id="2"),
    ]
    assert [ids_of(run) for run in walk.turns(thread)] == [["a", "b", "c"], ["d", "e"]]


@given(told=conversations())
def test_turns_are_all_messages_in_order(told: Conversation) -> None:
    assert [m for run in walk.turns(told.messages) for m in run] == told.messages


@given(told=wild_conversations())
def test_any_thread_can_be_walked(told: Conversation) -> None:
    walk.window(told.messages)
    walk.first_prompt(told.messages)
    assert sum(len(run) for run in walk.turns(told.messages)) == len(told.messages)


def _in_step(step: str | None, role: str = "assistant", **more: object) -> Message:
    return Message(id=str(next(_NUMBERS)), thread_id="t", role=role, ts="t", step_id=step, content=[], **more)  # type: ignore[arg-type]


_NUMBERS = itertools.count()


def test_a_step_is_sent_on_end_whatever_came_back_between() -> None:
    one, result, two, other = _in_step("a"), _in_step(None, "tool"), _in_step("a"), _in_step(None, "tool")
    assert walk.by_step([one, result, two, other]) == [one, two, result, other]


def test_a_context_between_the_calls_of_a_step_does_not_end_it() -> None:
    one, hook, two = _in_step("a"), _in_step(None, "system", kind="context"), _in_step("a")
    assert walk.by_step([one, hook, two]) == [one, two, hook]


def test_what_somebody_said_ends_a_step() -> None:
    one, prompt, two = _in_step("a"), _in_step(None, "user"), _in_step("a")
    assert walk.by_step([one, prompt, two]) == [one, prompt, two]
    one, other, two = _in_step("a"), _in_step("b"), _in_step("a")
    assert walk.by_step([one, other, two]) == [one, other, two]


def test_messages_without_a_step_stay_where_they_are() -> None:
    messages = [_in_step(None), _in_step(None, "tool"), _in_step(None)]
    assert walk.by_step(messages) == messages


def test_what_the_model_held_is_what_its_last_answer_counts() -> None:
    counted = Usage(input_tokens=7, cache_read_tokens=1000, cache_write_tokens=200, output_tokens=50)
    thread = [said("a"), said("b", "assistant", usage=Usage(input_tokens=1)), said("c", "assistant", usage=counted)]
    assert walk.tokens_held([*thread, said("d"), said("e", "assistant")]) == 1257
    assert walk.tokens_held([said("a"), said("b", "assistant", usage=Usage())]) is None


def test_nothing_tells_what_the_model_holds_after_a_compaction() -> None:
    thread = [said("a"), said("b", "assistant", usage=Usage(input_tokens=90)), said("s", kind="summary")]
    assert walk.tokens_held(thread) is None
    assert walk.tokens_held([*thread, said("c", "assistant", usage=Usage(input_tokens=5))]) == 5
