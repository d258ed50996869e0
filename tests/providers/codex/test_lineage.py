"""Where a history lies: segments, bases, copies, and the threads it started."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sesh.files.read import open_session
from sesh.format import walk
from sesh.providers.api import IngestedThread, IngestResult, SessionSource
from sesh.providers.codex import PROVIDER
from sesh.providers.codex.reader import parse_codex_rollout
from tests.providers.codex.rollouts import (
    Line,
    agent,
    call,
    codes,
    data,
    ended,
    event,
    meta,
    output,
    said,
    started,
    thread,
    turn_id,
    user,
)
from tests.sessions import CORPUS

TREES = CORPUS / "codex/trees"


def tree(name: str, end: str) -> IngestResult:
    path = next(p for p in (TREES / name).rglob("rollout-*") if p.name.endswith(f"{end}.jsonl"))
    return parse_codex_rollout(open_session(path, PROVIDER).source)


def texts(result: IngestResult) -> list[str]:
    return [t for _, t in said(result.messages)]


def texts_of(child: IngestedThread) -> str:
    """A child's first words."""
    return said(child.messages)[0][1]


SEGMENTS = ["c0fb", "c29e-7322-b423-c7bed47f76e2", "c54d-7d52-ad68-3ddd13adfbc9"]


@pytest.mark.parametrize("end", SEGMENTS)
def test_any_segment_gives_the_thread_as_the_newest_has_it(end: str) -> None:
    result = tree("reverted-twice", end)
    assert texts(result)[::2] == ["one", "four", "six", "seven", "eight"]
    assert [texts_of(c) for c in result.children] == ["two", "five"]
    origins = [c.thread.origin_message_id for c in result.children]
    assert origins == [result.messages[3].id, result.messages[5].id]
    assert {(c.thread.metadata or {})["relation"] for c in result.children} == {"rollback"}
    assert codes(result).count("superseded") == 2


def test_ids_do_not_depend_on_which_segment_was_named() -> None:
    read = [tree("reverted-twice", end) for end in SEGMENTS]
    assert len({json.dumps([m.id for m in r.messages]) for r in read}) == 1
    assert len({r.thread.id for r in read}) == 1
    assert len({json.dumps(sorted(c.thread.id for c in r.children)) for r in read}) == 1


def test_a_fork_of_a_segment_joins_through_it() -> None:
    result = tree("reverted-twice", "f598")
    assert texts(result)[::2] == ["one", "four", "six", "in fork"]
    assert result.children == []


def test_a_fork_of_an_archived_thread_joins_it() -> None:
    result = tree("fork-archived", "1c2d")
    assert texts(result) == [
        "kill me hard",
        "starting2",
        "go on",
        "after kill",
        "in fork",
        "forked",
        "which one",
        "last",
    ]


def test_a_fork_of_the_time_when_forks_were_copies() -> None:
    result = tree("legacy-fork-rollback-0.142", "a9fc")
    parent, own = "01a22d56-15f7-7460-83af-017823fbf621", "01a22d56-1771-7110-a077-07e6901ca9fc"
    assert {m.provenance.session_id for m in result.messages if m.provenance} == {parent}
    assert all(m.usage is None for m in result.messages)
    (rolled,) = result.children
    assert {m.provenance.session_id for m in rolled.messages if m.provenance} == {own}
    assert said(rolled.messages) == [("user", "in fork"), ("assistant", "mock: done")]
    assert (result.thread.metadata or {})["forkedFrom"] == parent


def test_a_sub_agent_of_the_first_kind() -> None:
    result = tree("subagents-v1", "d084")
    (child,) = result.children
    assert said(child.messages) == [("user", "CHILD TASK do it"), ("assistant", "child finished")]
    spawn = next(m for m in result.messages if m.id == child.thread.origin_message_id)
    assert spawn.content[0].name == "spawn_agent"  # type: ignore[union-attr]
    assert child.thread.parent_thread_id == result.thread.id
    metadata = child.thread.metadata or {}
    assert (metadata["relation"], metadata["agentType"], metadata["agentNickname"]) == ("subagent", "worker", "Aquinas")


@pytest.mark.parametrize("name", ["subagents-v2", "subagents-v2-forked"])
def test_a_sub_agent_of_the_second_kind(name: str) -> None:
    result = tree(name, "555d" if name == "subagents-v2" else "4b87")
    (child,) = result.children
    prompts = [m for m in child.messages if walk.is_prompt(m)]
    assert walk.text_of(prompts[-1]).startswith("Message Type: NEW_TASK")
    notices = [m for m in result.messages if m.kind == "notice"]
    assert [walk.text_of(n).splitlines()[0] for n in notices] == ["Message Type: FINAL_ANSWER"]
    inherited = [
        m
        for m in child.messages
        if m.provenance and m.provenance.session_id != (child.thread.metadata or {})["sessionId"]
    ]
    assert bool(inherited) == (name == "subagents-v2-forked")
    assert all(m.usage is None for m in inherited)


def test_a_review_is_a_child_though_no_call_names_it() -> None:
    result = tree("app-fork-review-archive", "95c8")
    (child,) = result.children
    assert said(child.messages) == [("user", "review this"), ("assistant", "mock: done")]
    assert child.thread.origin_message_id is None
    assert "unlinked-child" in codes(result)
    assert result.thread.title == "My nice name"


def test_a_child_read_for_itself_has_its_parent_and_other_ids() -> None:
    parent, alone = tree("subagents-v1", "d084"), tree("subagents-v1", "2048")
    assert alone.thread.parent_thread_id == parent.thread.id
    assert alone.thread.id != parent.children[0].thread.id
    assert said(alone.messages) == said(parent.children[0].messages)
    assert not {m.id for m in alone.messages} & {m.id for m in parent.children[0].messages}


def test_a_child_that_is_not_at_hand_is_named() -> None:
    path = next((TREES / "subagents-v1").rglob("*d084.jsonl"))
    result = parse_codex_rollout(SessionSource(main=path.read_bytes(), name=path.name))
    assert "missing-companion" in codes(result)
    assert "01a22d41-a426-7753-9f85-c60dab232048" in next(
        e.text for e in result.report.entries if e.code == "missing-companion"
    )


# made by hand


def _name(session: str, segment: str | None = None) -> str:
    return f"sessions/2026/03/01/rollout-2026-03-01T11-00-00-{session}{'_' + segment if segment else ''}.jsonl"


def _spawn(child: str) -> list[Line]:
    return [call("c", "spawn_agent", "{}", namespace="multi_agent_v1"), output("c", f'{{"agent_id":"{child}"}}')]


def test_children_of_children() -> None:
    top, kid, grandkid = thread(1), thread(2), thread(3)
    companions = {
        _name(kid): data(meta(kid, parent_thread_id=top), user("kid"), *_spawn(grandkid), agent("kid done")),
        _name(grandkid): data(meta(grandkid, parent_thread_id=kid), user("grandkid"), agent("grandkid done")),
    }
    result = parse_codex_rollout(SessionSource(main=data(meta(top), user("top"), *_spawn(kid)), companions=companions))
    first, second = result.children
    assert (texts_of(first), texts_of(second)) == ("kid", "grandkid")
    assert second.thread.parent_thread_id == first.thread.id
    assert first.thread.parent_thread_id == result.thread.id


def test_threads_that_name_each_other_end() -> None:
    top, kid = thread(1), thread(2)
    companions = {_name(kid): data(meta(kid), user("kid"), *_spawn(top)), _name(top): data(meta(top), user("never"))}
    main = data(meta(top), user("top"), *_spawn(kid))
    result = parse_codex_rollout(SessionSource(main=main, name=Path(_name(top)).name, companions=companions))
    assert len(result.children) == 1


class Looked(Mapping[str, bytes]):
    """Companions that say which of them were read."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.read: list[str] = []

    def __getitem__(self, key: str) -> bytes:
        self.read.append(key)
        return self.files[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


def test_only_what_the_session_names_is_read() -> None:
    kid = thread(2)
    files = {_name(thread(n)): data(meta(thread(n)), user("x")) for n in range(2, 500)}
    companions = Looked(files)
    parse_codex_rollout(SessionSource(main=data(meta(thread(1)), user("top"), *_spawn(kid)), companions=companions))
    assert companions.read == [_name(kid), "session_index.jsonl"]
    companions = Looked(files)
    parse_codex_rollout(SessionSource(main=data(meta(thread(1)), user("top")), companions=companions))
    assert companions.read == ["session_index.jsonl"]


def test_a_revert_whose_segment_lies_alone() -> None:
    session, segment = thread(1), thread(2)
    base = {"thread_id": session, "end_ordinal_exclusive": 4}
    main = data(meta(session, history_base=base), started(turn_id(3)), user("after"), agent("ok"), ordinal=4)
    for name in (f"rollout-2026-03-01T11-00-00-{session}_{segment}.jsonl", "renamed.jsonl", None):
        result = parse_codex_rollout(SessionSource(main=main, name=name))
        assert texts(result) == ["after", "ok"]
        assert "missing-history" in codes(result)


def test_a_revert_of_a_thread_with_an_id_of_version_4() -> None:
    session, segment = "f4000000-0000-4000-8000-000000000001", thread(2)
    first = data(meta(session), started(), user("one"), agent("1"), user("two"), ordinal=0)
    base = {"thread_id": session, "end_ordinal_exclusive": 4}
    second = data(meta(session, history_base=base), user("instead"), ordinal=4)
    name = f"rollout-2026-03-01T11-00-00-{session}.jsonl"
    companions = {_name(session, segment): second}
    result = parse_codex_rollout(SessionSource(main=first, name=name, companions=companions))
    assert texts(result) == ["one", "1", "instead"]
    assert said(result.children[0].messages) == [("user", "two")]


def test_a_segment_that_a_later_revert_left_aside() -> None:
    """Two reverts from the first segment: the second file is in no base of the third."""
    session, left, head = thread(1), thread(2), thread(3)
    base = {"thread_id": session, "end_ordinal_exclusive": 4}
    first = data(meta(session), started(), user("one"), agent("1"), ordinal=0)
    companions = {
        _name(session, left): data(meta(session, history_base=base), user("left aside"), agent("x"), ordinal=4),
        _name(session, head): data(meta(session, history_base=base), user("kept"), agent("y"), ordinal=4),
    }
    name = f"rollout-2026-03-01T11-00-00-{session}.jsonl"
    result = parse_codex_rollout(SessionSource(main=first, name=name, companions=companions))
    assert texts(result) == ["one", "1", "kept", "y"]
    assert [said(c.messages)[0][1] for c in result.children] == ["left aside"]


def test_a_fork_that_copies_its_parent_before_turns_had_ids() -> None:
    """Without version-7 ids nothing tells where the copy ends: nothing is marked, nothing is lost."""
    parent, own = "f4000000-0000-4000-8000-000000000001", "f4000000-0000-4000-8000-000000000002"
    main = data(meta(own, forked_from_id=parent), meta(parent), user("old"), agent("1"), user("new"), agent("2"))
    result = parse_codex_rollout(main)
    assert texts(result) == ["old", "1", "new", "2"]
    assert {m.provenance.session_id for m in result.messages if m.provenance} == {own}


def test_an_item_of_another_thread_told_in_passing_is_not_said_here() -> None:
    other = thread(7)
    line = event(
        "item_completed",
        thread_id=other,
        turn_id=turn_id(7),
        item={"type": "UserMessage", "id": "u", "content": [{"type": "text", "text": "there"}]},
    )
    result = parse_codex_rollout(data(meta(thread(1)), started(), user("here"), line, ended()))
    assert [walk.text_of(m) for m in result.messages] == ["here"]
    assert result.report.skipped["item_completed of another thread"] == 1


def test_the_base_of_two_children_is_read_for_each() -> None:
    top, base, kids = thread(1), thread(2), [thread(3), thread(4)]
    lineage = {"thread_id": base, "end_ordinal_exclusive": 2}
    companions = {_name(base): data(meta(base), user("early"), user("not in the forks"), ordinal=0)}
    for kid in kids:
        companions[_name(kid)] = data(meta(kid, history_base=lineage), user(f"late {kid}"), ordinal=2)
    spawns = [
        line
        for n, kid in enumerate(kids)
        for line in (call(f"c{n}", "spawn_agent"), output(f"c{n}", f'{{"agent_id":"{kid}"}}'))
    ]
    result = parse_codex_rollout(SessionSource(main=data(meta(top), user("top"), *spawns), companions=companions))
    assert [[t for _, t in said(c.messages)] for c in result.children] == [["early", f"late {kid}"] for kid in kids]
    assert result.report.files[_name(base)] == result.report.files[f"{_name(base)} (2)"]


def test_a_child_of_a_rolled_back_call_hangs_on_what_was_rolled_back() -> None:
    top, kid = thread(1), thread(2)
    companions = {_name(kid): data(meta(kid), user("kid"), agent("done"))}
    lines = [user("stay"), agent("1"), user("go"), *_spawn(kid), event("thread_rolled_back", num_turns=1)]
    result = parse_codex_rollout(SessionSource(main=data(meta(top), *lines), companions=companions))
    rolled, child = result.children
    assert child.thread.parent_thread_id == rolled.thread.id
    assert child.thread.origin_message_id in {m.id for m in rolled.messages}


def test_a_fork_whose_own_header_is_torn_is_not_its_parent() -> None:
    parent, own = thread(1), thread(2)
    main = b'{"timestamp":"x","type":"session_meta","payload":{"id\n' + data(meta(parent), user("old"), agent("1"))
    result = parse_codex_rollout(SessionSource(main=main, name=f"rollout-2026-03-01T11-00-00-{own}.jsonl"))
    assert (result.thread.metadata or {})["sessionId"] == own
    assert "id-from-file-name" in codes(result)
