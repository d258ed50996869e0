"""What a rollback takes out: what the real client made of each is in measured/; here what the client does not show."""

from __future__ import annotations

import pytest

from sesh.format import walk
from sesh.providers.codex import rollback
from tests.providers.codex.rollouts import Line, agent, ended, event, item, read, started, turn_id, user


def compacted(*kept: str) -> Line:
    listed = [user(t)["payload"] for t in (*kept, "SUM")]
    return {"type": "compacted", "payload": {"message": "SUM", "replacement_history": listed}}


def rolled(n: int) -> Line:
    return event("thread_rolled_back", num_turns=n)


def turn(n: int, *lines: Line) -> list[Line]:
    return [started(turn_id(n)), *lines, ended(turn_id(n))]


def test_a_compaction_that_was_undone_is_in_the_child() -> None:
    lines = [
        *turn(2, user("one"), agent("1")),
        *turn(3, compacted("one"), user("two"), agent("2")),
        rolled(1),
        *turn(4, user("three")),
    ]
    result = read(*lines)
    assert [walk.text_of(m) for m in walk.window(result.messages)] == ["one", "1", "three"]
    (child,) = result.children
    assert [(m.kind, walk.text_of(m)) for m in child.messages] == [("summary", "SUM"), (None, "two"), (None, "2")]
    assert child.thread.origin_message_id == result.messages[1].id


def test_what_was_only_shown_does_not_part_a_turn_from_its_settings() -> None:
    rules = item("message", role="developer", content=[{"type": "input_text", "text": "<permissions instructions>x"}])
    shown = event("exec_command_end", call_id="exec-1", command=["ls"], aggregated_output="a", exit_code=0)
    result = read(user("one"), agent("1"), rules, shown, user("two"), agent("2"), rolled(1))
    assert [walk.text_of(m) for m in result.messages] == ["one", "1"]


@pytest.mark.parametrize("count", [0, -1, True, None, "1", 1.0, 2**32])
def test_no_number_of_turns(count: object) -> None:
    result = read(user("one"), agent("1"), event("thread_rolled_back", num_turns=count))
    assert len(result.messages) == 2
    assert result.report.skipped == {"event_msg:thread_rolled_back": 1}


def test_what_goes_is_cut_off_the_list_itself() -> None:
    """So that thousands of rollbacks copy what they take out, and not the thread each time."""
    messages = read(user("one"), agent("1"), user("two"), agent("2")).messages
    kept = messages
    found = rollback.roll_back(messages, 1)
    assert found is not None
    assert found.kept is kept
    assert [walk.text_of(m) for m in found.removed] == ["two", "2"]
