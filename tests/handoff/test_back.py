"""handoff/back.py: only what is new, on a copy, each time the next one, and a choice where both sides went on."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

import pytest

from sesh.errors import NoSuchSession, Refused, SeshError
from sesh.files.read import open_session
from sesh.format import walk
from sesh.handoff import back, choose
from sesh.handoff.diverge import Diverged
from sesh.handoff.link import find_stamp
from sesh.providers.claude_code.layout import munge
from tests.handoff.desk import Desk, bytes_of, prompts, read, spoken

OTHER = {"claude-code": "codex", "codex": "claude-code"}
BOTH = pytest.mark.parametrize("provider", OTHER)


def begin(desk: Desk, provider: str) -> tuple[Path, Path]:
    """A session and what it was handed off to."""
    origin = desk.claude() if provider == "claude-code" else desk.codex()
    return origin, desk.handoff(origin, OTHER[provider])


@BOTH
def test_the_new_turns_stand_on_a_copy_and_nothing_else_changes(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    desk.say(target, "New one", "New answer.")
    desk.say(target, "New two", "Another answer.")
    before = bytes_of(desk.root)
    planned = desk.plan_merge(target)
    assert bytes_of(desk.root) == before and len(desk.book.links()) == 1
    assert back.act(planned, desk.book)
    after = bytes_of(desk.root)
    assert {k: v for k, v in after.items() if k in before} == before
    merged = planned.path
    assert planned.news.turns == 2
    assert spoken(merged) == [*spoken(origin), "New one", "New answer.", "New two", "Another answer."]
    assert b"environment_context" not in merged.read_bytes()[len(origin.read_bytes()) :]


@BOTH
def test_the_copied_lines_are_the_same_but_for_the_session_id(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    desk.say(target, "New one")
    planned = desk.merge(target)
    assert planned.grafted is not None
    old = choose.side(planned.trunk.opened).end.session_id
    own = origin.read_bytes().splitlines()
    copied = planned.path.read_bytes().splitlines()[: len(own)]
    assert planned.grafted.kept == len(own)
    changed = 0
    for before, now in zip(own, copied, strict=True):
        if before != now:
            back_again = now.replace(planned.session_id.encode(), old.encode())
            assert back_again == before
            changed += 1
    assert 0 < changed <= sum(planned.grafted.replaced.values())
    id_again = find_stamp(planned.path.read_bytes())
    assert id_again is not None and id_again.link == planned.link.id if planned.link else False


@BOTH
def test_from_either_end_and_from_the_folder(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    desk.say(target, "New one")
    by_target, by_origin = desk.plan_merge(target), desk.plan_merge(origin)
    assert by_target.session_id == by_origin.session_id
    way = choose.in_folder(str(desk.cwd), desk.book, desk.homes)
    assert way.far.opened.path == target


@BOTH
def test_nothing_new_is_said_and_nothing_written(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    before = bytes_of(desk.root)
    idle = desk.merge(target)
    assert (idle.path, idle.emitted) == (origin, None)
    assert bytes_of(desk.root) == before
    desk.say(target, "New one")
    merged = desk.merge(target)
    before = bytes_of(desk.root)
    again = desk.merge(target)
    assert (again.path, again.emitted) == (merged.path, None)
    assert "nothing new" in again.remarks[0]
    assert bytes_of(desk.root) == before


@BOTH
def test_a_second_merge_begins_at_the_origin_where_the_copy_did_not_go_on(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    desk.say(target, "New one")
    first = desk.merge(target)
    held = first.path.read_bytes()
    desk.say(target, "New two")
    second = desk.merge(target)
    assert second.trunk.opened.path == origin
    assert prompts(second.path) == [*prompts(origin), "New one", "New two"]
    assert second.superseded is not None and second.superseded.to.session_id == first.session_id
    assert first.path.read_bytes() == held


@BOTH
def test_a_second_merge_begins_at_the_copy_where_that_went_on(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    desk.say(target, "New one")
    first = desk.merge(target)
    desk.say(first.path, "Said in the copy")
    held = first.path.read_bytes()
    desk.say(target, "New two")
    second = desk.merge(target)
    assert second.trunk.opened.path == first.path
    assert prompts(second.path) == [*prompts(origin), "New one", "Said in the copy", "New two"]
    assert first.path.read_bytes() == held
    desk.say(target, "New three")
    third = desk.merge(target)  # the second copy did not go on: the first one is still what to graft on
    assert third.trunk.opened.path == first.path
    assert prompts(third.path) == [*prompts(origin), "New one", "Said in the copy", "New two", "New three"]


@BOTH
def test_both_sides_went_on(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    common = prompts(origin)
    desk.say(origin, "Said here")
    desk.say(target, "Said there, one")
    desk.say(target, "Said there, two")
    before = bytes_of(desk.root)
    with pytest.raises(Diverged) as refused:
        desk.merge(target)
    assert refused.value.exit_code == 5
    assert refused.value.turns == (1, 2)
    assert f"since turn {len(common)}" in refused.value.message
    assert "has 1 turn more" in refused.value.message and "has 2 turns" in refused.value.message
    assert "--branch" in str(refused.value) and "--append" in str(refused.value)
    assert bytes_of(desk.root) == before

    branch = desk.merge(target, "branch")
    assert prompts(branch.path) == [*common, "Said there, one", "Said there, two"]
    aside = [child for child in read(branch.path).children if any("Said here" in str(m) for m in child.messages)]
    assert len(aside) == 1, "what was said here is in the copy still, aside"
    append = desk.plan_merge(target, "append")
    assert append.emitted is None, "all of it was merged a moment ago"


@BOTH
def test_both_went_back_behind_the_handoff(desk: Desk, provider: str) -> None:
    """--branch is the far side's conversation, with what the origin no longer has; --append is the origin's."""
    origin = desk.claude() if provider == "claude-code" else desk.codex()
    desk.say(origin, "Second", "Second answer.")
    target = desk.handoff(origin, OTHER[provider], tools="keep")
    desk.go_back(origin, 1)
    desk.say(origin, "Another second")
    desk.say(target, "Third")
    with pytest.raises(Diverged) as refused:
        desk.merge(target)
    assert f"{origin_id(desk, origin)} has gone back by 1 turn and has 1 turn more" in refused.value.message
    branch = desk.merge(target, "branch")
    assert spoken(branch.path) == spoken(target)
    assert prompts(branch.path)[-2:] == ["Second", "Third"]
    uuids = [json.loads(line).get("uuid") for line in branch.path.read_bytes().splitlines()]
    assert len(known := [u for u in uuids if u]) == len(set(known))
    desk.book.path.unlink()
    branch.path.unlink()
    append = desk.merge(target, "append")
    assert prompts(append.path) == [*prompts(origin), "Third"]


def origin_id(desk: Desk, path: Path) -> str:
    """A session as messages name it."""
    return str(choose.side(open_session(path)).end)


def test_the_origin_went_back_and_said_nothing_since(desk: Desk) -> None:
    origin = desk.codex()
    desk.say(origin, "Second")
    target = desk.handoff(origin, "claude-code", tools="keep")
    desk.go_back(origin, 1)
    desk.say(target, "Third")
    with pytest.raises(Diverged, match=r"has gone back by 1 turn, claude-code:\S+ has 1 turn more"):
        desk.merge(target)
    assert prompts(desk.merge(target, "branch").path)[-2:] == ["Second", "Third"]


@BOTH
def test_appended_is_after_the_end_though_the_far_side_went_back(desk: Desk, provider: str) -> None:
    origin = desk.claude() if provider == "claude-code" else desk.codex()
    desk.say(origin, "Second")
    target = desk.handoff(origin, OTHER[provider])
    desk.say(origin, "Here")
    desk.go_back(target, 1)
    desk.say(target, "There")
    merged = desk.merge(target, "append")
    assert prompts(merged.path) == [*prompts(origin), "There"]
    assert any("--append was chosen" in remark for remark in merged.remarks)


@BOTH
def test_the_copy_went_on_and_the_far_side_went_back(desk: Desk, provider: str) -> None:
    """What was said in the copy never stands aside without being asked for."""
    origin, target = begin(desk, provider)
    desk.say(target, "One")
    desk.say(target, "Two")
    copy = desk.merge(target).path
    desk.say(copy, "In the copy")
    desk.go_back(target, 1)
    desk.say(target, "Another two")
    with pytest.raises(Diverged, match=r"has 1 turn more, \S+ has gone back by 1 turn and has 1 turn more"):
        desk.merge(target)
    begun = prompts(origin)
    branch = desk.plan_merge(target, "branch")
    assert branch.trunk.opened.path == copy
    assert prompts(desk.merge(target, "branch").path) == [*begun, "One", "Another two"]
    desk.say(target, "Three")
    again = desk.merge(target)
    assert prompts(again.path) == [*begun, "One", "Another two", "Three"], "chosen once for this state of the copy"


@pytest.mark.parametrize("where", ["a later turn", "the first turn"])
def test_gone_back_into_a_turn(desk: Desk, where: str) -> None:
    """As Claude Code's `--resume-session-at` does: a turn loses its end, and something else is said instead."""
    origin = desk.codex()
    if where == "a later turn":
        desk.say(origin, "Second")
    target = desk.handoff(origin, "claude-code", tools="keep")
    said = [m for m in read(target).messages if m.kind is None]
    before = said[-2 if where == "a later turn" else 2].provenance
    assert before is not None and before.source_id
    desk.hang_on(target, before.source_id)
    desk.say(target, "Instead")
    assert len(spoken(target)) < len(spoken(origin)) + 2
    merged = desk.merge(target)
    assert spoken(merged.path) == spoken(target)
    assert merged.news.torn_turn and "gone back by" in " ".join(merged.remarks)


def test_only_gone_back(desk: Desk) -> None:
    origin = desk.claude()
    desk.say(origin, "Second")
    target = desk.handoff(origin, "codex")
    desk.go_back(target, 1)
    merged = desk.merge(target)
    assert merged.emitted is None
    assert "gone back by 1 turn, which is taken over with the next thing said" in " ".join(merged.remarks)


@BOTH
def test_without_the_book_a_second_merge_is_one_too(desk: Desk, provider: str) -> None:
    """The merged copies bear stamps as well: what they have is not merged again, and what was said in them stays."""
    origin, target = begin(desk, provider)
    desk.say(target, "One")
    first = desk.merge(target)
    desk.say(first.path, "In the copy")
    desk.say(target, "Two")
    second = desk.merge(target)
    desk.say(second.path, "In the second")
    desk.say(target, "Three")
    desk.book.path.unlink()
    third = desk.merge(target)
    assert (third.trunk.opened.path, third.news.turns) == (second.path, 1)
    assert prompts(third.path) == [*prompts(origin), "One", "In the copy", "Two", "In the second", "Three"]
    assert desk.plan_merge(target).emitted is None


@BOTH
def test_the_direction_can_be_said(desk: Desk, provider: str) -> None:
    """After a merge of two sides that both went on, either side has something that the other has not."""
    origin, target = begin(desk, provider)
    desk.say(origin, "Said here")
    desk.say(target, "Said there")
    desk.merge(target, "branch")
    opened = open_session(origin)
    for to in (provider, OTHER[provider]):
        assert choose.by_session(opened, desk.book, desk.homes, to).link.source.provider == to
    for link in desk.book.links():
        there = choose.in_folder(str(link.cwd), desk.book, desk.homes, link.source.provider)
        assert there.link.source.provider == link.source.provider


@BOTH
def test_a_direction_that_no_link_leads(desk: Desk, provider: str) -> None:
    origin, _ = begin(desk, provider)
    with pytest.raises(NoSuchSession, match="leads from"):
        choose.by_session(open_session(origin), desk.book, desk.homes, OTHER[provider])
    with pytest.raises(NoSuchSession, match="was handed off from"):
        choose.in_folder(str(desk.cwd), desk.book, desk.homes, OTHER[provider])


@BOTH
def test_both_sides_went_on_and_the_new_turns_come_last(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    common = prompts(origin)
    desk.say(origin, "Said here")
    desk.say(target, "Said there")
    assert prompts(desk.merge(target, "append").path) == [*common, "Said here", "Said there"]
    desk.say(target, "Said there later")  # the same state of the origin: the choice still holds
    assert prompts(desk.merge(target).path) == [*common, "Said here", "Said there", "Said there later"]


@BOTH
def test_a_slash_command_here_is_no_second_side(desk: Desk, provider: str) -> None:
    """Leaving the client after the handoff adds lines to the origin, and nobody has said anything."""
    origin, target = begin(desk, provider)
    desk.say(target, "New one")
    with origin.open("ab") as f:
        if provider == "claude-code":
            last = [json.loads(x) for x in origin.read_bytes().splitlines() if b'"uuid"' in x][-1]
            line = {
                **last,
                "type": "system",
                "subtype": "local_command",
                "content": "<command-name>/exit</command-name>",
            }
            line |= {"parentUuid": last["uuid"], "uuid": "exit-1"}
        else:
            line = {"timestamp": desk.now(), "type": "event_msg", "payload": {"type": "thread_settings_applied"}}
            line["ordinal"] = json.loads(origin.read_bytes().splitlines()[-1])["ordinal"] + 1
        f.write(json.dumps(line).encode() + b"\n")
    assert desk.merge(target).news.turns == 1


@BOTH
def test_back_again_the_other_way(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    desk.say(target, "B one")
    back_home = desk.merge(target).path
    desk.say(back_home, "A two")
    over = desk.merge(back_home)
    assert over.to.name == OTHER[provider]
    assert prompts(over.path) == [*prompts(origin), "B one", "A two"]
    assert over.trunk.opened.path == target


@BOTH
def test_asked_again_the_folder_leads_to_the_newest_copy(desk: Desk, provider: str) -> None:
    """Over, back, and over again: with nothing new, the first copy would be the wrong one to go on in."""
    _, target = begin(desk, provider)
    here = str(desk.cwd)
    desk.say(target, "B one")
    merged = desk.merge(target, cwd=here).path
    assert _again(desk) == merged
    desk.say(merged, "A two")
    over = desk.merge(merged, cwd=here).path
    assert _again(desk) == over
    desk.say(over, "B three")
    back_again = desk.merge(over, cwd=here).path
    assert _again(desk) == back_again


def _again(desk: Desk) -> Path:
    """Where `sesh merge` leads in the folder."""
    way = choose.in_folder(str(desk.cwd), desk.book, desk.homes)
    plan = back.plan(way, desk.homes, now=desk.now(), options={})
    assert plan.emitted is None
    return plan.path


@BOTH
def test_what_stands_in_an_older_copy_is_not_merged_again(desk: Desk, provider: str) -> None:
    """The far side is named, and has nothing new; what was said in the first copy is in the second."""
    _, target = begin(desk, provider)
    desk.say(target, "New one")
    first = desk.merge(target)
    desk.say(first.path, "Said in the copy")
    desk.say(target, "New two")
    second = desk.merge(target)
    again = desk.merge(target)
    assert (again.path, again.emitted) == (second.path, None)
    way = choose.in_folder(str(desk.cwd), desk.book, desk.homes)
    assert way.far.opened.path == target


def test_the_origin_is_gone(desk: Desk) -> None:
    origin, target = begin(desk, "claude-code")
    desk.say(target, "New one")
    origin.unlink()
    with pytest.raises(NoSuchSession, match=f"is gone: claude-code:{origin.stem}, last seen at"):
        desk.merge(target)


def test_the_origin_is_gone_but_a_merged_copy_is_left(desk: Desk) -> None:
    origin, target = begin(desk, "claude-code")
    common = prompts(origin)
    desk.say(target, "New one")
    first = desk.merge(target)
    origin.unlink()
    desk.say(target, "New two")
    second = desk.merge(target)
    assert second.trunk.opened.path == first.path
    assert prompts(second.path) == [*common, "New one", "New two"]


def test_a_session_that_nobody_handed_off(desk: Desk) -> None:
    with pytest.raises(NoSuchSession, match="is on no link"):
        desk.merge(desk.claude())
    with pytest.raises(NoSuchSession, match="No session of this folder"):
        choose.in_folder(str(desk.cwd), desk.book, desk.homes)


@BOTH
def test_without_the_book_the_stamp_shows_the_way(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    desk.say(target, "New one")
    desk.book.path.unlink()
    planned = desk.plan_merge(target)
    assert planned.link is not None and planned.path != origin
    assert desk.plan_merge(origin).session_id == planned.session_id, "the far side is looked for by its stamp"
    assert choose.in_folder(str(desk.cwd), desk.book, desk.homes).far.opened.path == target
    assert prompts(desk.merge(target).path) == [*prompts(origin), "New one"]


@BOTH
def test_without_the_stamp_the_book_does(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    target.write_bytes(target.read_bytes().replace(b'"emittedLines"', b'"e"'))
    desk.say(target, "New one")
    merged = desk.merge(target)
    assert merged.news.known == "content"
    assert prompts(merged.path) == [*prompts(origin), "New one"]


def test_a_copied_home(desk: Desk, tmp_path: Path) -> None:
    """Both homes were copied to another place; the book's paths are those of the old one, which is gone."""
    origin, target = begin(desk, "claude-code")
    desk.say(target, "New one")
    common = prompts(origin)
    (desk.root / "home").rename(desk.root / "elsewhere")
    desk.homes = {name: (p, desk.root / "elsewhere" / home.name) for name, (p, home) in desk.homes.items()}
    merged = desk.merge(desk.root / "elsewhere" / target.relative_to(desk.root / "home"))
    assert prompts(merged.path) == [*common, "New one"]
    assert merged.path.is_relative_to(desk.root / "elsewhere")


def test_a_broken_session_does_not_stand_in_the_way_of_another(desk: Desk) -> None:
    origin, older = begin(desk, "claude-code")
    desk.say(origin, "More")
    newer = desk.handoff(origin, "codex")
    desk.say(older, "Said in the older")
    newer.write_bytes(b"")
    assert choose.in_folder(str(desk.cwd), desk.book, desk.homes).far.opened.path == older
    older.write_bytes(b"")
    with pytest.raises(SeshError, match="is empty"):
        choose.in_folder(str(desk.cwd), desk.book, desk.homes)


def test_the_origin_is_open_in_its_client(desk: Desk) -> None:
    origin, target = begin(desk, "claude-code")
    desk.say(target, "New one")
    registry = desk.homes["claude-code"][1] / "sessions"
    registry.mkdir()
    (registry / "1.json").write_text(json.dumps({"pid": os.getpid(), "sessionId": origin.stem}))
    assert any("is not in the copy" in r for r in desk.merge(target).remarks)


@BOTH
def test_the_project_has_another_folder_now(desk: Desk, provider: str) -> None:
    origin, target = begin(desk, provider)
    desk.say(target, "New one")
    moved = desk.root / "moved"
    moved.mkdir()
    merged = desk.merge(target, cwd=str(moved))
    assert prompts(merged.path) == [*prompts(origin), "New one"]
    assert merged.cwd == str(moved)
    if provider == "claude-code":
        assert merged.path.parent.name == munge(str(moved))
    else:
        assert (read(merged.path).thread.metadata or {})["cwd"] == str(moved)
        assert merged.grafted is not None and merged.grafted.replaced["cwd"] == 1


@BOTH
def test_a_file_that_lies_in_no_clients_folder(desk: Desk, provider: str) -> None:
    """Somebody sent a session as a file: it goes over, and back into the client's folder."""
    origin = desk.claude() if provider == "claude-code" else desk.codex()
    loose = desk.root / "downloads" / origin.name
    loose.parent.mkdir()
    origin.rename(loose)
    target = desk.handoff(loose, OTHER[provider])
    desk.say(target, "New one")
    merged = desk.merge(target)
    assert prompts(merged.path) == [*prompts(loose), "New one"]
    home = desk.homes[provider][1]
    assert merged.to.layout.is_session(merged.path.relative_to(home))


def test_the_client_has_the_far_side_open(desk: Desk) -> None:
    _, target = begin(desk, "claude-code")
    desk.say(target, "New one")
    name = choose.side(choose.locate.open_session(target)).end.session_id
    lock = desk.homes["codex"][1] / "thread-writer-locks" / f"{name}.lock"
    lock.parent.mkdir()
    lock.touch()
    with lock.open() as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        with pytest.raises(Refused, match=r"Codex has .* open"):
            desk.merge(target)
        live = desk.merge(target, live=True)
        assert any("what was written so far" in r for r in live.remarks)
    assert live.path.exists()


def test_rolled_back_into_what_was_handed_off(desk: Desk) -> None:
    """As Codex 0.142 says it, in one line; the other ways are in tests/e2e."""
    origin = desk.claude()
    desk.say(origin, "Not liked", "Nor this.")
    target = desk.handoff(origin, "codex", history="legacy")
    event = {"timestamp": desk.now(), "type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    with target.open("ab") as f:
        f.write(json.dumps(event).encode() + b"\n")
    desk.say(target, "Better", "Much better.")
    merged = desk.merge(target)
    assert merged.news.lost_prompts == 1
    assert spoken(merged.path) == [*spoken(origin)[:-2], "Better", "Much better."]


def test_a_compaction_that_nobody_else_can_read(desk: Desk) -> None:
    """Codex with its own vendor: the summary is encrypted, so that the copy sends all that was said before it."""
    origin, target = begin(desk, "claude-code")
    desk.say(target, "New one", "New answer.")
    kept = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "New one"}]}
    history = [kept, {"type": "compaction", "encrypted_content": "OPAQUE"}]
    record = {
        "timestamp": desk.now(),
        "type": "compacted",
        "payload": {"message": "", "replacement_history": history, "window_number": 1},
    }
    with target.open("ab") as f:
        f.write(json.dumps(record).encode() + b"\n")
    desk.say(target, "New two", "Another answer.")
    merged = desk.merge(target)
    new = ["New one", "New answer.", "New two", "Another answer."]
    assert merged.emitted is not None
    assert "encrypted-summary" in {e.code for e in merged.emitted.report.entries}
    assert b"OPAQUE" not in b"".join(line for line in merged.emitted.lines if b'"isCompactSummary"' in line)
    again = read(merged.path)
    said = [walk.text_of(m) for m in walk.window(again.messages) if m.kind != "context" and walk.text_of(m)]
    assert said[-4:] == new
    assert said[: len(spoken(origin))] == spoken(origin)


def test_what_lies_beside_a_claude_session_goes_along(desk: Desk) -> None:
    origin, target = begin(desk, "claude-code")
    beside = sorted(p.relative_to(origin.with_suffix("")) for p in origin.with_suffix("").rglob("*") if p.is_file())
    assert beside, "the session has a spilled result"
    desk.say(target, "New one")
    merged = desk.merge(target).path
    copied = sorted(p.relative_to(merged.with_suffix("")) for p in merged.with_suffix("").rglob("*") if p.is_file())
    assert copied == beside
    for name in beside:
        assert (merged.with_suffix("") / name).read_bytes() == (origin.with_suffix("") / name).read_bytes()
