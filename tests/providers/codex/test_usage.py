"""Steps counted once, whatever repeats them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sesh.format.message import Usage
from sesh.providers.codex.usage import AnyCounts, AnyInfo, Meter, Tokens, tokens
from tests.providers.codex.rollouts import Line, agent, ended, event, read, started, turn_id, user


def raw(n: int, cached: int = 0, out: int = 0, reasoning: int = 0) -> dict[str, int]:
    used = {
        "input_tokens": n,
        "cached_input_tokens": cached,
        "output_tokens": out,
        "reasoning_output_tokens": reasoning,
    }
    return {**used, "total_tokens": n + out}


def info(total: dict[str, int], last: dict[str, int]) -> dict[str, Any]:
    return {"total_token_usage": total, "last_token_usage": last, "model_context_window": 1000}


def counted(total: dict[str, int], last: dict[str, int]) -> Line:
    return event("token_count", info=info(total, last))


def record(usage: dict[str, int]) -> Line:
    return {"type": "token_usage_record", "payload": {"turn_id": turn_id(2), "response_id": "r", "usage": usage}}


def test_cached_tokens_are_no_input_tokens() -> None:
    step = Tokens(input=100, cached=30, cache_write=20, output=40, reasoning=10)
    assert step.canonical() == Usage(
        input_tokens=50, output_tokens=40, cache_read_tokens=30, cache_write_tokens=20, reasoning_tokens=10
    )


@pytest.mark.parametrize(
    "value", [None, [], "x", {}, {"input_tokens": None}, {"input_tokens": True}, {"total_tokens": 9}]
)
def test_no_usage(value: object) -> None:
    assert tokens(msgspec.convert(value, AnyCounts)) is None


def steps(*infos: Any) -> list[int]:
    meter = Meter()
    return [step.total for i in infos if (step := meter.count(msgspec.convert(i, AnyInfo))) is not None]


def test_a_step_counts_when_the_total_moved() -> None:
    one, two = info(raw(100), raw(100)), info(raw(250), raw(150))
    assert steps(None, one, one, two, two) == [100, 150]


def test_estimates_and_empty_infos_do_not_count() -> None:
    estimate = info(raw(100), {"total_tokens": 6755})
    assert steps(info(raw(100), raw(100)), estimate, {}, {"total_token_usage": None}) == [100]


def test_a_restart_from_zero_is_a_step() -> None:
    assert steps(info(raw(500), raw(100)), info(raw(120), raw(120))) == [100, 120]


def test_the_first_count_of_a_fork_is_its_last_step() -> None:
    assert steps(info(raw(900), raw(100))) == [100]


def test_records_and_counts_tell_the_same_step_once() -> None:
    lines = [started(), user("a"), agent("b"), record(raw(50, out=5)), counted(raw(50, out=5), raw(50, out=5)), ended()]
    result = read(*lines)
    assert [m.usage for m in result.messages if m.usage] == [
        Usage(input_tokens=50, output_tokens=5, cache_read_tokens=0)
    ]
    assert result.report.skipped["event_msg:token_count"] == 1


def test_a_record_whose_count_never_came_is_no_credit_for_the_next_turn() -> None:
    first = [started(turn_id(2)), user("a"), agent("b"), record(raw(100))]  # killed here
    second = [started(turn_id(3)), user("c"), agent("d"), counted(raw(100), raw(100))]
    assert [m.usage.input_tokens for m in read(*first, *second).messages if m.usage] == [100, 100]


def test_usage_goes_to_the_turns_latest_answer() -> None:
    lines = [started(), user("a"), agent("b"), record(raw(10)), agent("c"), record(raw(20)), record(raw(30)), ended()]
    assert [m.usage.input_tokens if m.usage else None for m in read(*lines).messages] == [None, 10, 50]


def test_usage_before_the_first_answer_waits_for_it() -> None:
    lines = [user("a"), counted(raw(10), raw(10)), agent("b")]
    assert [m.usage.input_tokens if m.usage else None for m in read(*lines).messages] == [None, 10]


def test_usage_without_any_answer_is_the_last_messages() -> None:
    result = read(started(), user("a"), record(raw(10)), ended())
    assert result.messages[-1].usage == Usage(input_tokens=10, output_tokens=0, cache_read_tokens=0)


@pytest.mark.parametrize(
    "odd", ["x", 3, 1.5, True, [1], {"total_token_usage": "x"}, {"total_token_usage": {"input_tokens": []}}]
)
def test_an_odd_count_costs_neither_its_line_nor_a_token(odd: object) -> None:
    result = read(started(), user("a"), agent("b"), event("token_count", info=odd), ended())
    assert result.report.skipped["event_msg:token_count"] == 1
    assert not any(m.usage for m in result.messages)


@pytest.mark.parametrize("where", ["line", "payload", "info", "counts"])
def test_a_key_that_is_no_text_costs_neither_the_line_nor_its_tokens(where: str) -> None:
    line = counted(raw(10, out=5), raw(10, out=5))
    inner = {"line": line, "payload": line["payload"], "info": line["payload"]["info"]}
    inner["counts"] = inner["info"]["total_token_usage"]
    inner[where]["\ud800"] = 1
    result = read(user("hi"), agent("yo"), line)
    assert [m.role for m in result.messages] == ["user", "assistant"]
    assert result.messages[-1].usage == Usage(input_tokens=10, output_tokens=5, cache_read_tokens=0)


def test_a_key_that_is_no_text_stays_in_an_item() -> None:
    result = read(user("hi"), agent("yo", **{"\ud800": 1}))
    assert (result.messages[-1].provider_data or {})["payload"]["\ud800"] == 1
