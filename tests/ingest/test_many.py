"""Every session of a machine: which are due, and that one bad file does not stop the others."""

from __future__ import annotations

import os

from sesh.ingest.many import Failed, Sessions
from sesh.ingest.session import Taken
from tests.ingest.conftest import LONG_AGO, Machine, codex_goes_on

NOW = 2_000_000_000 * 10**9


def test_only_what_has_something_new_is_read(machine: Machine) -> None:
    sessions = Sessions(machine.store, machine.ingest(), machine.homes)
    due = sessions.due(NOW)
    assert {f.provider for f in due} == {"claude-code", "codex"}
    assert all(isinstance(sessions.take(f, NOW), Taken) for f in due)
    assert sessions.due(NOW) == []
    another_run = Sessions(machine.store, machine.ingest(), machine.homes)
    assert another_run.due(NOW) == []
    assert another_run.current == 2
    codex_goes_on(machine.codex(), "More")
    assert [f.path for f in another_run.due(NOW)] == [machine.codex()]


def test_what_was_held_back_is_due_when_the_session_rests(machine: Machine) -> None:
    for path in (machine.claude(), machine.codex()):
        os.utime(path, ns=(NOW, NOW))
    sessions = Sessions(machine.store, machine.ingest(), machine.homes)
    assert [sessions.take(f, NOW).held for f in sessions.due(NOW)] == [2, 1]  # type: ignore[union-attr]
    assert sessions.due(NOW + 1) == []
    assert Sessions(machine.store, machine.ingest(), machine.homes).due(NOW + 1) == []
    assert len(Sessions(machine.store, machine.ingest(final=True), machine.homes).due(NOW + 1)) == 2
    later = NOW + LONG_AGO
    assert len(Sessions(machine.store, machine.ingest(), machine.homes).due(later)) == 2
    assert [sessions.take(f, later).held for f in sessions.due(later)] == [0, 0]  # type: ignore[union-attr]
    assert sessions.due(later) == []


def test_a_bad_file_stops_nobody(machine: Machine) -> None:
    for name, text in (("0", ""), ("1", '{"type":"summary"}\n'), ("2", "\0\0\0"), ("3", "not json\n")):
        (machine.claude().parent / f"0000000{name}-0000-4000-8000-000000000000.jsonl").write_text(text)
    results = machine.take_all()
    assert sum(isinstance(r, Taken) and r.messages > 0 for r in results) == 2
    assert all(r.empty for r in results if isinstance(r, Failed))


def test_sub_agents_with_files_of_their_own_come_with_their_session(machine: Machine) -> None:
    import shutil

    from tests.sessions import CORPUS

    shutil.rmtree(machine.root / ".codex/sessions")
    shutil.copytree(CORPUS / "codex/trees/subagents-v2/sessions", machine.root / ".codex/sessions")
    files = len(list((machine.root / ".codex/sessions").rglob("rollout-*")))
    codex = [r for r in machine.take_all() if isinstance(r, Taken) and r.provider == "codex"]
    assert 1 <= len(codex) < files
    main = [t for t in machine.store.list_threads() if t.parent_thread_id is None]
    assert len(main) == len(codex) + 1
    assert machine.take_all() == []
