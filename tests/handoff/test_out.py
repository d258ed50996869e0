"""handoff/out.py: the same bytes once, a grown session anew, a live one as far as it is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sesh.errors import Refused, SeshError
from sesh.format import walk
from sesh.handoff import out, placing
from sesh.handoff.link import find_stamp
from tests.handoff.desk import Desk, bytes_of, prompts, read

OTHER = {"claude-code": "codex", "codex": "claude-code"}


def begin(desk: Desk, provider: str) -> Path:
    return desk.claude() if provider == "claude-code" else desk.codex()


@pytest.mark.parametrize("provider", OTHER)
def test_the_same_bytes_make_one_session(desk: Desk, provider: str) -> None:
    path = begin(desk, provider)
    before = bytes_of(desk.root)
    first = desk.plan_handoff(path, OTHER[provider])
    assert bytes_of(desk.root) == before, "a plan writes nothing"
    assert desk.book.links() == []
    assert out.act(first, desk.book)
    after = bytes_of(desk.root)
    assert {k: v for k, v in after.items() if k in before} == before
    assert prompts(first.path) == prompts(path)
    again = desk.plan_handoff(path, OTHER[provider])
    assert again.there == first.path and not out.act(again, desk.book)
    assert bytes_of(desk.root) == after
    assert [link.id for link in desk.book.links()] == [first.link.id]


def test_it_stays_one_session_when_the_other_client_has_gone_on_with_it(desk: Desk) -> None:
    path = desk.claude()
    target = desk.handoff(path, "codex")
    desk.say(target, "Go on")
    grown = target.read_bytes()
    again = desk.plan_handoff(path, "codex")
    assert again.there == target and not out.act(again, desk.book)
    assert target.read_bytes() == grown
    assert "Nothing was written" in again.remarks[0]


def test_a_session_that_has_grown_becomes_a_new_one_that_takes_the_old_ones_place(desk: Desk) -> None:
    path = desk.claude()
    first = desk.handoff(path, "codex")
    desk.say(path, "One more question")
    second = desk.plan_handoff(path, "codex")
    assert second.there is None and second.superseded is not None and Path(second.superseded.to.path) == first
    out.act(second, desk.book)
    assert second.path != first and first.exists()
    assert prompts(second.path) == [*prompts(first), "One more question"]
    assert desk.book.links()[-1].supersedes == desk.book.links()[0].id


def test_turns_of_the_earlier_one_that_are_not_in_it_are_named(desk: Desk) -> None:
    path = desk.claude()
    first = desk.handoff(path, "codex")
    desk.say(first, "Said over there")
    desk.say(path, "Said here")
    remarks = " ".join(desk.plan_handoff(path, "codex").remarks)
    assert "1 turn of its own" in remarks and "sesh merge" in remarks


@pytest.mark.parametrize("options", [{"tools": "native"}, {"keep_context": True}, {"last_turns": 1}])
def test_other_options_make_another_session(desk: Desk, options: dict[str, object]) -> None:
    path = desk.claude()
    assert desk.handoff(path, "codex") != desk.handoff(path, "codex", **options)


def test_a_torn_last_line_is_left_out_and_said(desk: Desk) -> None:
    path = desk.claude()
    whole = desk.plan_handoff(path, "codex")
    with path.open("ab") as f:
        f.write(b'{"type":"user","message":{"content":"half a')
    torn = desk.plan_handoff(path, "codex")
    assert any("not finished" in r for r in torn.remarks)
    assert torn.link.to.session_id == whole.link.to.session_id, "the whole lines are the same"


def test_a_last_line_without_its_line_feed_is_whole(desk: Desk) -> None:
    path = desk.claude()
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    assert not any("not finished" in r for r in desk.plan_handoff(path, "codex").remarks)


def test_the_link_stands_in_the_file_and_in_the_book(desk: Desk) -> None:
    for path, to in ((desk.claude(), "codex"), (desk.codex(), "claude-code")):
        target = desk.handoff(path, to)
        link = desk.book.links()[-1]
        stamp = find_stamp(target.read_bytes())
        assert stamp is not None and stamp.link == link.id
        assert stamp.emitted_lines == link.made.lines == len(target.read_bytes().splitlines())
        assert stamp.sha256 == link.read.sha256
        assert link.source.path == str(path) and link.to.path == str(target)
        assert link.made.prompts == len(prompts(target))


def test_it_can_go_to_another_folder(desk: Desk) -> None:
    elsewhere = desk.root / "checkout"
    elsewhere.mkdir()
    (desk.root / "alias").symlink_to(elsewhere)
    target = desk.handoff(desk.codex(), "claude-code", cwd=str(desk.root / "alias"))
    assert (read(target).thread.metadata or {})["cwd"] == str(elsewhere)
    assert target.parent.name == "".join(c if c.isalnum() else "-" for c in str(elsewhere))


def test_naming_the_sessions_own_folder_makes_no_other_session(desk: Desk) -> None:
    path = desk.codex()
    own = str((read(path).thread.metadata or {})["cwd"])
    one = desk.plan_handoff(path, "claude-code", cwd=None).link.to.session_id
    assert desk.plan_handoff(path, "claude-code", cwd=own).link.to.session_id == one
    assert desk.plan_handoff(path, "claude-code", cwd=str(desk.cwd)).link.to.session_id != one


def test_a_folder_that_is_gone_is_named(desk: Desk) -> None:
    handoff = desk.plan_handoff(desk.codex(), "claude-code", cwd=None)
    assert any("is not on this machine" in r for r in handoff.remarks)


@pytest.mark.parametrize(("name", "refused"), [("codex/0.28.0/basic.jsonl", True), ("codex/0.36.0/basic.jsonl", False)])
def test_an_origin_that_no_turns_can_be_added_to_is_named(desk: Desk, name: str, *, refused: bool) -> None:
    handoff = desk.plan_handoff(desk.codex(name), "claude-code")
    assert any("cannot be merged back" in r and "0.28" in r for r in handoff.remarks) is refused


def test_its_time_is_that_of_the_last_thing_said(desk: Desk) -> None:
    path = desk.claude()
    target = desk.handoff(path, "codex")
    last = max(m.ts for m in read(target).messages)
    assert abs(target.stat().st_mtime_ns - out.placing.nanoseconds(last)) < 1_000_000  # type: ignore[operator]


def test_a_session_of_the_same_client_is_refused(desk: Desk) -> None:
    with pytest.raises(Refused, match="is a Codex session already"):
        desk.plan_handoff(desk.codex(), "codex")


def test_a_session_in_which_nobody_said_anything_is_refused(desk: Desk) -> None:
    path = desk.claude()
    path.write_bytes(b'{"type":"mode","mode":"normal","sessionId":"x"}\n')
    with pytest.raises(SeshError):
        desk.plan_handoff(path, "codex")


def test_the_list_of_names_is_only_added_to(desk: Desk) -> None:
    index = desk.homes["codex"][1] / "session_index.jsonl"
    index.parent.mkdir(parents=True)
    index.write_bytes(b'{"id":"another","thread_name":"Theirs","updated_at":"2026-01-01T00:00:00Z"}\n')
    before = index.read_bytes()
    path = desk.claude()
    handoff = desk.plan_handoff(path, "codex")
    assert index.read_bytes() == before
    out.act(handoff, desk.book)
    assert index.read_bytes().startswith(before)
    assert len(index.read_bytes().splitlines()) == 1 + sum(len(f.lines) for f in handoff.emitted.appends)
    once = index.read_bytes()
    out.act(desk.plan_handoff(path, "codex"), desk.book)
    assert index.read_bytes() == once


def test_a_target_that_was_deleted_is_made_again(desk: Desk) -> None:
    path = desk.claude()
    target = desk.handoff(path, "codex")
    whole = target.read_bytes()
    target.unlink()
    assert desk.handoff(path, "codex") == target and target.read_bytes() == whole
    assert len(desk.book.links()) == 1


def test_a_live_origin_is_said(desk: Desk) -> None:
    path = desk.claude()
    registry = desk.homes["claude-code"][1] / "sessions"
    registry.mkdir()
    (registry / "1.json").write_text(f'{{"pid": {os.getpid()}, "sessionId": "{path.stem}"}}')
    assert any("has the session open" in r for r in desk.plan_handoff(path, "codex").remarks)


@pytest.mark.parametrize("after", ["placed", "names"])
def test_what_fails_after_the_session_is_made_says_that_it_is(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    """The book's confirmation, and the list of names: the session is there without them, and a second run adds them."""
    origin = desk.claude()
    planned = desk.plan_handoff(origin, "codex")
    full = SeshError("There is no room on the disk for it.", hint="Nothing was written.")

    def fails(*_: object) -> None:
        raise full

    with monkeypatch.context() as patched:
        patched.setattr(*((desk.book, "placed") if after == "placed" else (placing, "names")), fails)
        with pytest.raises(SeshError, match="The session was made") as said:
            out.act(planned, desk.book)
    assert str(planned.path) in said.value.message and "no room" in said.value.message
    assert "Nothing was written" not in str(said.value)
    assert planned.path.is_file()
    assert [link.to.session_id for link in desk.book.links()] == [planned.link.to.session_id]
    assert not out.act(desk.plan_handoff(origin, "codex"), desk.book)
    index = desk.homes["codex"][1] / "session_index.jsonl"
    assert planned.link.to.session_id in index.read_text()


def test_it_tells_how_much_the_model_held(desk: Desk) -> None:
    path = desk.claude()
    held = desk.plan_handoff(path, "codex").tokens
    assert held == walk.tokens_held(read(path).messages) and held
    assert desk.plan_handoff(path, "codex", last_turns=1).tokens is None
