"""handoff/state.py: what `sesh links` says of each."""

from __future__ import annotations

from pathlib import Path

from sesh.handoff import choose, state
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


def test_links_that_only_the_sessions_know(desk: Desk) -> None:
    """The book is lost, or another machine's: the stamps in the files tell the same."""
    origin = desk.claude()
    target = desk.handoff(origin, "codex")
    desk.say(target, "One")
    desk.merge(target)
    desk.say(target, "Two")
    second = desk.merge(target)
    desk.say(second.path, "In the copy")
    told = states(desk)
    desk.book.path.unlink()
    stamped = choose.stamped_links([], desk.homes)
    found = state.states([], desk.homes, stamped)
    assert all(s.by_stamp for s in found) and not any(s.by_stamp for s in told)
    same = ("link", "kind", "source", "target", "state", "turns", "path", "origin_path", "onto", "superseded_by")
    assert [[getattr(s, name) for name in same] for s in found] == [[getattr(s, name) for name in same] for s in told]
    fork = target.with_name(target.name.replace(target.stem[-12:], "123456789abc"))
    fork.write_bytes(target.read_bytes().replace(target.stem[-36:].encode(), fork.stem[-36:].encode()))
    assert [s.to for s in choose.stamped_links([], desk.homes)] == [s.to for s in stamped], (
        "a fork was not made by sesh"
    )
