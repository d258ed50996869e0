"""handoff/state.py: what `sesh links` says of each."""

from __future__ import annotations

from pathlib import Path

from sesh.handoff import state
from sesh.handoff.state import State
from tests.handoff.desk import Desk


def states(desk: Desk) -> list[State]:
    return state.states(desk.book.links(), desk.homes)


def test_the_life_of_a_link(desk: Desk) -> None:
    origin = desk.claude()
    target = desk.handoff(origin, "codex")
    (untouched,) = states(desk)
    assert (untouched.state, untouched.path, untouched.origin_path) == ("untouched", str(target), str(origin))
    desk.say(target, "One")
    desk.say(target, "Two")
    (continued,) = states(desk)
    assert (continued.state, continued.turns) == ("continued", 2)
    first = desk.merge(target)
    merged, copy = states(desk)
    assert (merged.state, merged.turns, merged.merged_into) == ("merged", 0, f"claude-code:{first.session_id}")
    assert (copy.kind, copy.state, copy.onto) == ("merge", "untouched", f"claude-code:{origin.stem}")
    desk.say(target, "Three")
    assert [(s.state, s.turns) for s in states(desk)] == [("continued", 1), ("untouched", 0)]
    second = desk.merge(target)
    assert states(desk)[1].superseded_by == f"claude-code:{second.session_id}"
    desk.say(second.path, "On in the copy")
    assert [(s.state, s.turns) for s in states(desk)] == [("merged", 0), ("untouched", 0), ("continued", 1)]


def test_both_sides_went_on(desk: Desk) -> None:
    origin = desk.codex()
    target = desk.handoff(origin, "claude-code")
    desk.say(origin, "Here")
    assert [s.state for s in states(desk)] == ["untouched"], "only the origin went on"
    desk.say(target, "There")
    (diverged,) = states(desk)
    assert (diverged.state, diverged.turns, diverged.origin_turns) == ("diverged", 1, 1)


def test_one_of_them_is_gone_or_broken(desk: Desk) -> None:
    origin = desk.claude()
    target = desk.handoff(origin, "codex")
    origin.unlink()
    assert [s.state for s in states(desk)] == ["origin-gone"]
    target.write_bytes(b"")
    assert [s.state for s in states(desk)] == ["unreadable"]
    target.unlink()
    assert [s.state for s in states(desk)] == ["target-gone"]


def test_a_client_that_only_opened_the_session_has_not_gone_on(desk: Desk) -> None:
    target = desk.handoff(desk.claude(), "codex")
    with Path(target).open("ab") as f:
        f.write(
            b'{"timestamp":"2026-12-01T12:00:00.000Z","type":"event_msg","payload":{"type":"thread_settings_applied"}}\n'
        )
    assert [s.state for s in states(desk)] == ["untouched"]


def test_a_newer_handoff_takes_the_place_of_the_older(desk: Desk) -> None:
    origin = desk.claude()
    desk.handoff(origin, "codex")
    desk.say(origin, "More")
    desk.handoff(origin, "codex")
    older, newer = states(desk)
    assert older.superseded_by == newer.target and newer.superseded_by is None
