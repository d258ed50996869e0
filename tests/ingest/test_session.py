"""One session into a store: only what is new, whatever happened in between, and nothing of a gateway's is lost."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec
import pytest

from sesh.errors import StoreFailed
from sesh.files.read import open_session
from sesh.format import wire
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.ingest.thread import MARKS
from sesh.stores.memory import MemoryMessageStore
from tests.ingest.conftest import Machine, claude_goes_on, codex_goes_on


def reading(machine: Machine) -> tuple[list[Message], str]:
    opened = open_session(machine.claude())
    read = opened.provider.parse(opened.source)
    return read.messages, read.thread.id


def test_a_session_and_its_children(machine: Machine) -> None:
    taken = machine.take(machine.claude())
    messages, thread_id = reading(machine)
    assert (taken.state, taken.messages, taken.held, taken.continues) == ("new", len(messages), 0, False)
    assert taken.thread_id == thread_id
    assert machine.store.get_messages(thread_id) == messages
    [child] = machine.store.list_threads(parent_thread_id=thread_id)
    assert (child.metadata or {})["relation"] == "subagent"
    assert taken.child_messages == len(machine.store.get_messages(child.id)) > 0
    assert [t.id for t in machine.store.list_threads()] == [thread_id, child.id], "a parent stands before its children"


def test_again_adds_nothing_and_writes_nothing(machine: Machine) -> None:
    machine.take(machine.claude())
    before = [wire.encode(t) for t in machine.store.list_threads()]
    again = machine.take(machine.claude())
    assert (again.state, again.messages, again.child_messages, again.differing) == ("unchanged", 0, 0, 0)
    assert [wire.encode(t) for t in machine.store.list_threads()] == before


def test_only_what_is_new(machine: Machine) -> None:
    path = machine.codex()
    first = machine.take(path)
    codex_goes_on(path, "One more thing")
    second = machine.take(path)
    assert (second.state, second.messages) == ("grown", 2)
    assert machine.said(first.thread_id)[-2:] == ["One more thing", "Answer to One more thing"]


def test_the_last_step_of_a_live_session_waits(machine: Machine) -> None:
    path = machine.codex()
    written = path.stat().st_mtime_ns
    live = machine.ingest().take(path, written)
    assert live.held == 1
    later = machine.ingest().take(path, written + 61 * 10**9)
    assert (later.messages, later.held) == (1, 0)
    codex_goes_on(path, "And on")
    assert machine.ingest(final=True).take(path, path.stat().st_mtime_ns).messages == 2


def test_a_run_that_was_stopped_goes_on(machine: Machine) -> None:
    class Breaking(MemoryMessageStore):
        left = 7

        def append_messages(self, messages: Iterable[Message], /) -> None:
            for message in messages:
                if not self.left:
                    raise StoreFailed("The power went.")
                self.left -= 1
                self.append_message(message)

    machine.store = store = Breaking()
    for _ in range(2):
        with pytest.raises(StoreFailed):
            machine.take(machine.claude())
        store.left = 5
    store.left = 1000
    machine.take(machine.claude())
    messages, thread_id = reading(machine)
    assert store.get_messages(thread_id) == messages
    assert machine.take(machine.claude()).messages == 0


def test_agents_and_runs(machine: Machine) -> None:
    path = machine.codex()
    taken = machine.take(path, agent_id="agent-7", run_id="run-1")
    codex_goes_on(path, "In another run")
    machine.take(path, agent_id="agent-7", run_id="run-2")
    machine.take(path, run_id="run-3")
    assert [t.id for t in machine.store.list_threads(agent_id="agent-7")] == [taken.thread_id]
    assert [t.id for t in machine.store.list_threads(run_id="run-2")] == [taken.thread_id]
    assert len(machine.store.get_messages(taken.thread_id, run_id="run-1")) == taken.messages
    assert len(machine.store.get_messages(taken.thread_id, run_id="run-2")) == 2
    assert machine.store.get_messages(taken.thread_id, run_id="run-3") == []


def test_runs_are_no_difference(machine: Machine) -> None:
    """Without the mark everything is compared, and what another run stamped is the same message all the same."""
    taken = machine.take(machine.codex(), run_id="run-1")
    thread = machine.store.get_thread(taken.thread_id)
    assert thread is not None
    machine.store.put_thread(msgspec.structs.replace(thread, metadata=None))
    again = machine.take(machine.codex(), run_id="run-2")
    assert (again.messages, again.differing) == (0, 0)


def test_what_a_gateway_wrote_on_a_thread_stays(machine: Machine) -> None:
    path = machine.claude()
    taken = machine.take(path)
    thread = machine.store.get_thread(taken.thread_id)
    assert thread is not None
    record = {**json.loads(wire.encode(thread)), "agentId": "mine", "pinned": True}
    record["metadata"]["colour"] = "green"
    machine.store.put_thread(wire.load_thread(json.dumps(record).encode()))
    claude_goes_on(path, "Still there?")
    assert machine.take(path).messages == 2
    found = machine.store.get_thread(taken.thread_id)
    assert found is not None
    said = json.loads(wire.encode(found))
    assert (said["agentId"], said["pinned"], said["metadata"]["colour"]) == ("mine", True, "green")
    assert said["metadata"][MARKS][f"claude-code:{taken.session_id}"]["messages"] == taken.messages + 2


def test_a_record_of_a_newer_sesh_is_not_rewritten(machine: Machine) -> None:
    taken = machine.take(machine.claude())
    newer = b'{"v":2,"id":"%s","createdAt":{"new":1}}' % taken.thread_id.encode()
    machine.store.put_thread(wire.load_thread(newer))
    claude_goes_on(machine.claude(), "Go on")
    assert machine.take(machine.claude()).messages == 2
    found = machine.store.get_thread(taken.thread_id)
    assert found is not None
    assert wire.encode(found) == newer


def test_what_is_stored_is_never_contradicted(machine: Machine) -> None:
    """As when a later sesh reads the same line better: the stored message stays, and the difference is counted."""
    messages, thread_id = reading(machine)
    machine.store.append_message(msgspec.structs.replace(messages[0], model="somebody-else"))
    taken = machine.take(machine.claude())
    assert (taken.differing, taken.messages) == (1, len(messages) - 1)
    assert machine.store.get_messages(thread_id)[0].model == "somebody-else"


def test_a_rewind_names_what_was_left(machine: Machine) -> None:
    path = machine.claude()
    claude_goes_on(path, "A wrong turn")
    machine.take(path)
    lines = path.read_bytes().splitlines(keepends=True)
    wrong = [json.loads(line) for line in lines[-2:]]
    other = {
        **wrong[0],
        "uuid": "11111111-0000-4000-8000-000000000001",
        "message": {"role": "user", "content": "Better"},
    }
    with path.open("ab") as f:
        f.write(json.dumps(other | {"timestamp": "2026-12-03T00:00:00.000Z"}).encode() + b"\n")
    taken = machine.take(path)
    assert taken.differing == 0
    found = machine.store.get_thread(taken.thread_id)
    assert isinstance(found, Thread)
    left = (found.metadata or {})["left"]
    stored = machine.store.get_messages(taken.thread_id)
    assert machine.said(taken.thread_id)[-3:] == ["A wrong turn", "Answer to A wrong turn", "Better"]
    assert [m.id in left for m in stored[-3:]] == [True, True, False]
    branch = [
        t
        for t in machine.store.list_threads(parent_thread_id=taken.thread_id)
        if (t.metadata or {}).get("relation") == "branch"
    ]
    assert [m.id for m in machine.store.get_messages(branch[0].id)] == left
