"""A session that sesh made from another one goes on in that one's thread; nothing is stored twice."""

from __future__ import annotations

import shutil

from sesh.format.message import Message
from tests.ingest.conftest import Machine, claude_goes_on, codex_goes_on


def assert_whole(machine: Machine, thread_id: str, ending: list[str]) -> None:
    """One thread for it all, its origin's words first, then `ending`; no id twice, no parent that is elsewhere."""
    messages: list[Message] = machine.store.get_messages(thread_id)
    said = machine.said(thread_id)
    assert said[-len(ending) :] == ending
    assert len(said) == len(set(said)), "nothing is there twice"
    known = {m.id for m in messages}
    assert len(known) == len(messages)
    assert all(m.parent_id in known for m in messages if m.parent_id is not None)
    assert all(m.thread_id == thread_id for m in messages)


def test_a_handed_off_session_continues_its_thread(machine: Machine) -> None:
    origin = machine.take(machine.claude())
    before = machine.said(origin.thread_id)
    target = machine.handoff(machine.claude(), "codex")
    untouched = machine.take(target)
    assert (untouched.continues, untouched.messages, untouched.thread_id) == (True, 0, origin.thread_id)
    codex_goes_on(target, "Over here now", "And again")
    grown = machine.take(target)
    assert (grown.state, grown.messages) == ("grown", 4)
    assert machine.take(target).messages == 0
    ending = ["Over here now", "Answer to Over here now", "And again", "Answer to And again"]
    assert_whole(machine, origin.thread_id, [*before, *ending])
    assert machine.threads() == [origin.thread_id]


def test_the_other_direction(machine: Machine) -> None:
    origin = machine.take(machine.codex())
    target = machine.handoff(machine.codex(), "claude-code")
    claude_goes_on(target, "In Claude now")
    assert machine.take(target).messages == 2
    assert_whole(machine, origin.thread_id, ["In Claude now", "Answer to In Claude now"])
    assert machine.threads() == [origin.thread_id]


def test_the_origin_is_taken_first_where_it_is_not_there_yet(machine: Machine) -> None:
    target = machine.handoff(machine.claude(), "codex")
    codex_goes_on(target, "Over here now")
    taken = machine.take(target)
    assert taken.continues
    assert_whole(machine, taken.thread_id, ["Over here now", "Answer to Over here now"])
    assert machine.take(machine.claude()).messages == 0
    assert machine.threads() == [taken.thread_id]


def test_an_origin_that_was_live_a_moment_ago_comes_whole_and_first(machine: Machine) -> None:
    claude_goes_on(machine.claude(), "Five past three")
    just_now = machine.claude().stat().st_mtime_ns
    target = machine.handoff(machine.claude(), "codex")
    ingest = machine.ingest()
    assert ingest.take(machine.claude(), just_now).held
    codex_goes_on(target, "Six past three")
    taken = ingest.take(target, just_now)
    assert (taken.continues, taken.held) == (True, 1)
    assert machine.said(taken.thread_id)[-3:] == ["Five past three", "Answer to Five past three", "Six past three"]


def test_an_origin_that_is_gone(machine: Machine) -> None:
    """Then the copy is all there is, and has a thread of its own, for good."""
    target = machine.handoff(machine.claude(), "codex")
    codex_goes_on(target, "Over here now")
    origin = machine.claude().read_bytes()
    path = machine.claude()
    path.unlink()
    taken = machine.take(target)
    assert not taken.continues
    assert_whole(machine, taken.thread_id, ["Over here now", "Answer to Over here now"])
    path.write_bytes(origin)
    machine.take(path)
    codex_goes_on(target, "Later")
    assert machine.take(target).thread_id == taken.thread_id
    assert len(machine.threads()) == 2


def test_the_stamp_will_do_where_the_book_is_lost(machine: Machine) -> None:
    origin = machine.take(machine.claude())
    target = machine.handoff(machine.claude(), "codex")
    codex_goes_on(target, "Over here now")
    shutil.rmtree(machine.book.path.parent)
    taken = machine.take(target)
    assert (taken.continues, taken.messages) == (True, 2)
    assert_whole(machine, origin.thread_id, ["Over here now", "Answer to Over here now"])


def test_a_merged_copy_continues_it_too(machine: Machine) -> None:
    origin = machine.take(machine.claude())
    target = machine.handoff(machine.claude(), "codex")
    codex_goes_on(target, "Over there")
    machine.take(target)
    merged = machine.merge(target)
    assert machine.take(merged).messages == 0, "its turns were taken where they were said"
    claude_goes_on(merged, "Home again")
    assert machine.take(merged).messages == 2
    ending = ["Over there", "Answer to Over there", "Home again", "Answer to Home again"]
    assert_whole(machine, origin.thread_id, ending)
    assert machine.threads() == [origin.thread_id]


def test_a_merged_copy_whose_far_side_is_gone(machine: Machine) -> None:
    origin = machine.take(machine.claude())
    target = machine.handoff(machine.claude(), "codex")
    codex_goes_on(target, "Over there")
    merged = machine.merge(target)
    target.unlink()
    claude_goes_on(merged, "Home again")
    taken = machine.take(merged)
    assert (taken.continues, taken.messages) == (True, 4), "the turns are taken from the copy"
    ending = ["Over there", "Answer to Over there", "Home again", "Answer to Home again"]
    assert_whole(machine, origin.thread_id, ending)


def test_a_chain_taken_all_at_once(machine: Machine) -> None:
    first = machine.handoff(machine.claude(), "codex")
    codex_goes_on(first, "Over there")
    merged = machine.merge(first)
    claude_goes_on(merged, "Home again")
    second = machine.handoff(merged, "codex")
    codex_goes_on(second, "Over there once more")
    results = machine.take_all()
    assert len(machine.threads()) == 2, "the chain, and the other client's own session"
    [thread_id] = {r.thread_id for r in results if hasattr(r, "continues") and r.continues}
    words = ["Over there", "Home again", "Over there once more"]
    assert_whole(machine, thread_id, [said for w in words for said in (w, f"Answer to {w}")])
    assert machine.take_all() == []
