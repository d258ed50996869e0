"""What every message store has to do, as a pytest class: a third party proves its store with it.

    class TestMine(StoreSuite):
        @pytest.fixture
        def url(self, tmp_path):
            return f"mine:{tmp_path}/store"

`url` names a store that is empty at the beginning of each test; the entry point that opens it is installed. `shared =
False` for one that lives in a process; `files = False` for one that writes no files of its own. Needs the packages
`pytest` and `hypothesis`. The semantics are those of `sesh.stores.api` and docs/reference/stores.md.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count
from typing import Any, ClassVar

import msgspec
import pytest
from hypothesis import given, settings

from sesh.errors import Conflict, SeshError, StoreFailed, UnknownCursor
from sesh.format import wire
from sesh.format.blocks import TextBlock, ToolCallBlock, UnknownBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores import MessageStore, Store, append_all, open_store
from sesh.testing.conversations import Conversation, wild_conversations
from sesh.testing.store_worker import made
from sesh.testing.unhurried import unhurried

HOSTILE_IDS = (
    "../../outside",
    "/etc/passwd",
    "con",
    "a/b",
    "a\\b",
    "A-thread-of-this-name",
    "a-thread-of-this-name",
    "sha256-0000",
    "Zürich 🎉 \u2028",
    "x" * 300,
    "".join(sha256(bytes([n])).hexdigest() for n in range(16))[:1000],  # as long as one may be, and hard to compress
    "'; DROP TABLE messages; --",
    "%s %(id)s {}",
)


def thread(thread_id: str = "t", **more: Any) -> Thread:
    """A small thread record."""
    return Thread(id=thread_id, created_at="2026-11-30T18:00:00Z", **more)


def said(thread_id: str, number: int, text: str = "hello", **more: Any) -> Message:
    """A small message."""
    return Message(
        id=f"m{number}",
        thread_id=thread_id,
        role="user",
        ts="2026-11-30T18:00:00Z",
        content=[TextBlock(text=text)],
        **more,
    )


def pages(store: MessageStore, thread_id: str, limit: int) -> Iterator[list[Message]]:
    """A thread as a reader pages through it."""
    after: str | None = None
    while page := store.get_messages(thread_id, after_id=after, limit=limit):
        yield page
        after = page[-1].id


class StoreSuite:
    """The semantics of a store, and what must hold when processes meet, die, or run out of disk."""

    shared: ClassVar[bool] = True
    """Whether another process that opens the same URL finds the same records."""
    files: ClassVar[bool] = True
    """Whether the store writes files in the process that appends (a full disk can then be tried on it)."""

    @pytest.fixture(autouse=True)
    def _slow_machines(self) -> Iterator[None]:
        with unhurried():
            yield

    @pytest.fixture
    def store(self, url: str) -> Iterator[MessageStore]:
        """The store of a test."""
        opened = open_store(url)
        yield opened
        if isinstance(opened, Store):
            opened.close()

    # the five methods

    def test_it_is_a_message_store(self, store: MessageStore) -> None:
        assert isinstance(store, MessageStore)

    def test_what_is_not_there(self, store: MessageStore) -> None:
        assert store.get_thread("t") is None
        assert store.get_messages("t") == []
        assert store.list_threads() == []

    def test_a_thread_is_replaced_and_keeps_its_place(self, store: MessageStore) -> None:
        store.put_thread(thread("a"))
        store.put_thread(thread("b"))
        store.put_thread(thread("a", title="Later", metadata={"cwd": "/x"}))
        assert store.get_thread("a") == thread("a", title="Later", metadata={"cwd": "/x"})
        assert [t.id for t in store.list_threads()] == ["a", "b"]

    def test_order_of_appending_is_order_of_reading(self, store: MessageStore) -> None:
        numbers = [5, 3, 9, 1, 7]
        for n in numbers:
            store.append_message(said("t", n))
            store.append_message(said("other", n))
        assert store.get_messages("t") == [said("t", n) for n in numbers]

    def test_appending_again_changes_nothing(self, store: MessageStore) -> None:
        for n in (1, 2, 1, 1, 2):
            store.append_message(said("t", n))
        assert store.get_messages("t") == [said("t", 1), said("t", 2)]

    def test_the_same_id_with_other_content_is_refused(self, store: MessageStore) -> None:
        store.append_message(said("t", 1))
        with pytest.raises(Conflict, match="m1"):
            store.append_message(said("t", 1, "other words"))
        assert store.get_messages("t") == [said("t", 1)]

    def test_content_is_compared_as_json(self, store: MessageStore) -> None:
        ours = said("t", 1, run_id="r")
        theirs = wire.encode(ours).replace(b'"v":1,', b"").replace(b"{", b'{ "v": 1, ', 1)
        store.append_message(ours)
        store.append_message(wire.load_message(theirs))
        as_true = said("t", 2).content[0]
        assert isinstance(as_true, TextBlock)
        one = Message(
            id="n", thread_id="t", role="assistant", ts="", content=[ToolCallBlock(call_id="c", name="f", input=1)]
        )
        store.append_message(one)
        with pytest.raises(Conflict):  # 1 and true are equal to Python, and not the same JSON
            store.append_message(
                msgspec.structs.replace(one, content=[ToolCallBlock(call_id="c", name="f", input=True)])
            )

    def test_an_id_belongs_to_its_thread(self, store: MessageStore) -> None:
        store.append_message(said("a", 1, "in a"))
        store.append_message(said("b", 1, "in b"))
        assert store.get_messages("a") == [said("a", 1, "in a")]
        assert store.get_messages("b") == [said("b", 1, "in b")]

    def test_a_stored_record_is_nobody_elses(self, store: MessageStore) -> None:
        given_input = {"path": "a.txt"}
        message = Message(
            id="m",
            thread_id="t",
            role="assistant",
            ts="",
            content=[ToolCallBlock(call_id="c", name="f", input=given_input)],
        )
        store.append_message(message)
        given_input["path"] = "changed.txt"
        block = store.get_messages("t")[0].content[0]
        assert isinstance(block, ToolCallBlock)
        assert block.input == {"path": "a.txt"}

    def test_a_message_may_come_before_its_thread(self, store: MessageStore) -> None:
        store.append_message(said("t", 1))
        assert store.get_thread("t") is None
        assert store.get_messages("t") == [said("t", 1)]

    # pages

    @pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
    def test_pages_have_no_gaps_and_no_repeats(self, store: MessageStore, limit: int) -> None:
        everything = [said("t", n) for n in range(20)]
        for message in everything:
            store.append_message(message)
            store.append_message(msgspec.structs.replace(message, thread_id="between"))
        assert [m for page in pages(store, "t", limit) for m in page] == everything

    def test_a_page_is_not_longer_than_its_limit(self, store: MessageStore) -> None:
        for n in range(5):
            store.append_message(said("t", n))
        assert store.get_messages("t", limit=0) == []
        assert len(store.get_messages("t", limit=2)) == 2
        assert store.get_messages("t", after_id="m4") == []
        assert len(store.get_messages("t", limit=10**30)) == 5
        with pytest.raises(ValueError, match="limit"):
            store.get_messages("t", limit=-1)
        with pytest.raises(ValueError, match="limit"):
            store.list_threads(limit=-1)

    def test_going_on_from_nowhere_is_an_error(self, store: MessageStore) -> None:
        store.append_message(said("t", 1))
        store.append_message(said("other", 2))
        for after in ("m2", "", "\ud800", "\0", "x" * 5000):
            with pytest.raises(UnknownCursor):
                store.get_messages("t", after_id=after)
            with pytest.raises(UnknownCursor):
                store.get_messages("t", after_id=after, run_id="\ud800")
            with pytest.raises(UnknownCursor):
                store.list_threads(after_id=after, agent_id="\0")
        for thread_id in ("none", "\ud800", "\0", "x" * 5000):
            with pytest.raises(UnknownCursor):
                store.get_messages(thread_id, after_id="m1")
        with pytest.raises(UnknownCursor):
            store.list_threads(after_id="t")

    def test_threads_in_pages(self, store: MessageStore) -> None:
        for n in range(7):
            store.put_thread(thread(f"t{n}", agent_id="even" if n % 2 == 0 else "odd"))
        store.put_thread(thread("t0", title="put again", agent_id="even"))
        seen: list[str] = []
        while page := store.list_threads(agent_id="even", after_id=seen[-1] if seen else None, limit=1):
            seen += [t.id for t in page]
        assert seen == ["t0", "t2", "t4", "t6"]
        assert [t.id for t in store.list_threads(agent_id="odd", after_id="t2")] == ["t3", "t5"]

    def test_threads_by_what_they_are(self, store: MessageStore) -> None:
        store.put_thread(thread("main", agent_id="a"))
        store.put_thread(thread("child", agent_id="a", parent_thread_id="main"))
        store.put_thread(thread("grandchild", parent_thread_id="child"))
        store.append_message(said("main", 1, run_id="r1"))
        store.append_message(said("main", 2, run_id="r2"))
        store.append_message(said("child", 3, run_id="r2"))

        def found(**filters: Any) -> list[str]:
            return [t.id for t in store.list_threads(**filters)]

        assert found(agent_id="a") == ["main", "child"]
        assert found(parent_thread_id="main") == ["child"]
        assert found(agent_id="a", parent_thread_id="child") == []
        assert found(run_id="r2") == ["main", "child"]
        assert found(run_id="r2", parent_thread_id="main") == ["child"]
        assert found(run_id="r3") == found(agent_id="\ud800") == []
        store.put_thread(thread("main", agent_id="b"))
        assert found(agent_id="a") == ["child"]

    def test_the_messages_of_a_run(self, store: MessageStore) -> None:
        for n in range(6):
            store.append_message(said("t", n, run_id="r1" if n % 2 else None))
        assert [m.id for m in store.get_messages("t", run_id="r1")] == ["m1", "m3", "m5"]
        assert [m.id for m in store.get_messages("t", run_id="r1", after_id="m2", limit=1)] == ["m3"]

    # batches

    def test_a_batch_is_its_messages_one_by_one(self, store: MessageStore) -> None:
        everything = [said(f"t{n % 3}", n, "x" * n) for n in range(2500)]
        append_all(store, iter(everything))
        append_all(store, iter(everything[:1500]))
        for name in ("t0", "t1", "t2"):
            assert store.get_messages(name) == [m for m in everything if m.thread_id == name]

    def test_a_conflict_in_a_batch(self, store: MessageStore) -> None:
        store.append_message(said("b", 1))
        batch = [said("a", 0), said("b", 0), said("b", 1, "other"), said("a", 2), said("b", 2)]
        with pytest.raises(Conflict, match="m1"):
            append_all(store, batch)
        assert store.get_messages("a") == [said("a", 0)]
        assert store.get_messages("b") == [said("b", 1), said("b", 0)]

    def test_a_conflict_within_a_batch(self, store: MessageStore) -> None:
        with pytest.raises(Conflict):
            append_all(store, [said("t", 1), said("t", 1), said("t", 2), said("t", 1, "other"), said("t", 3)])
        assert store.get_messages("t") == [said("t", 1), said("t", 2)]

    # what a record may hold

    def test_records_of_a_newer_schema_keep_their_text(self, store: MessageStore) -> None:
        message = b'{"threadId": "t", "id":"new", "v":2,  "said":[1.0,1e2,"\\u00e9"]}'
        record = b'{"v":2,"id":"t","createdAt":7,"kept":{"a":[ ]}}'
        store.append_message(wire.load_message(message))
        store.append_message(wire.load_message(message))
        store.put_thread(wire.load_thread(record))
        [found] = store.get_messages("t")
        listed = store.get_thread("t")
        assert wire.encode(found) == message
        assert listed is not None
        assert wire.encode(listed) == record
        assert isinstance(found.content[0], UnknownBlock)

    def test_unknown_keys_and_blocks_survive(self, store: MessageStore) -> None:
        message = (
            b'{"v":1,"id":"m","threadId":"t","role":"user","ts":"","mood":"calm","usage":{"inputTokens":1,"cost":2},'
            b'"content":[{"type":"hologram","depth":3},{"type":"text","text":"x","tone":"dry"}]}'
        )
        record = b'{"v":1,"id":"t","createdAt":"","pinned":true}'
        store.append_message(wire.load_message(message))
        store.put_thread(wire.load_thread(record))
        [found] = store.get_messages("t")
        listed = store.get_thread("t")
        assert wire.encode(found) == message
        assert listed is not None
        assert wire.encode(listed) == record
        assert found.content == [
            UnknownBlock(source_type="hologram", raw={"type": "hologram", "depth": 3}),
            TextBlock(text="x"),
        ]

    @pytest.mark.parametrize("name", HOSTILE_IDS)
    def test_any_id_will_do(self, store: MessageStore, name: str) -> None:
        message = msgspec.structs.replace(said(name, 1, run_id=name), id=name)
        store.put_thread(thread(name, agent_id=name))
        store.append_message(message)
        store.append_message(said(name, 2))
        assert store.get_thread(name) == thread(name, agent_id=name)
        assert store.get_messages(name, limit=1) == [message]
        assert store.get_messages(name, after_id=name) == [said(name, 2)]
        assert [t.id for t in store.list_threads(agent_id=name, run_id=name)] == [name]

    @pytest.mark.parametrize("name", ["", "nul \0 in it", "\ud800", "x" * 1001, "ü" * 501], ids=ascii)
    def test_but_these(self, store: MessageStore, name: str) -> None:
        with pytest.raises(SeshError, match="id"):
            store.append_message(msgspec.structs.replace(said("t", 1), id=name))
        with pytest.raises(SeshError, match="id"):
            store.append_message(said(name, 1))
        with pytest.raises(SeshError, match="id"):
            store.put_thread(thread(name))
        if name:  # an agent or a run may be called by the empty text
            with pytest.raises(SeshError, match="id"):
                store.append_message(said("t", 1, run_id=name))
            with pytest.raises(SeshError, match="id"):
                store.put_thread(thread(agent_id=name))
        assert store.get_thread(name) is None
        assert store.get_messages(name) == store.get_messages("t", run_id=name) == []
        assert store.list_threads(agent_id=name) == store.list_threads(run_id=name) == []

    def test_any_conversation_comes_back(self, store: MessageStore) -> None:
        numbers = count()

        @settings(max_examples=25)
        @given(told=wild_conversations())
        def holds(told: Conversation) -> None:
            own = f"conversation-{next(numbers)}"
            messages = [
                msgspec.structs.replace(m, thread_id=own, id=f"{own}-{n}")
                for n, m in enumerate([*told.messages, *(m for c in told.children for m in c.messages)])
            ]
            record = msgspec.structs.replace(told.thread, id=own)
            append_all(store, messages)
            store.put_thread(record)
            assert store.get_messages(own) == messages
            assert store.get_thread(own) == record

        holds()

    def test_large_messages(self, store: MessageStore) -> None:
        everything = [said("t", n, "x" * 3_000_000 + str(n)) for n in range(4)]
        append_all(store, everything)
        assert [m for page in pages(store, "t", 2) for m in page] == everything

    # several processes

    def test_it_is_there_for_the_next_process(self, url: str, store: MessageStore) -> None:
        self._needs_sharing()
        store.put_thread(thread("t"))
        store.append_message(said("t", 1))
        again = open_store(url)
        assert again.get_messages("t") == [said("t", 1)]
        assert again.get_thread("t") == thread("t")
        store.append_message(said("t", 2))
        store.put_thread(thread("u"))
        assert again.get_messages("t", after_id="m1") == [said("t", 2)]
        assert [t.id for t in again.list_threads()] == ["t", "u"]
        if isinstance(again, Store):
            again.close()

    @pytest.mark.parametrize("batch", [1, 40])
    def test_two_append_and_one_pages(self, url: str, store: MessageStore, batch: int) -> None:
        self._needs_sharing()
        each = 200
        writers = [worker(url, "t", name, each, "--batch", str(batch)) for name in ("left", "right")]
        seen: list[str] = []
        while len(seen) < 2 * each:
            done = all(w.poll() is not None for w in writers)
            page = store.get_messages("t", after_id=seen[-1] if seen else None, limit=7)
            seen += [m.id for m in page]
            if done and not page:
                break
        outputs = [w.communicate()[0].split() for w in writers]
        assert outputs == [[f"{name}-{n}" for n in range(each)] for name in ("left", "right")]
        assert len(seen) == len(set(seen)) == 2 * each
        for name in ("left", "right"):
            assert [i for i in seen if i.startswith(name)] == [f"{name}-{n}" for n in range(each)]
        assert [m.id for m in store.get_messages("t")] == seen

    @pytest.mark.parametrize(("batch", "size"), [(1, 200), (1, 300_000), (25, 20_000)])
    def test_killed_in_the_middle_of_appending(self, url: str, store: MessageStore, batch: int, size: int) -> None:
        self._needs_sharing()
        writer = worker(url, "t", "w", 0, "--batch", str(batch), "--size", str(size))
        assert writer.stdout is not None
        for _ in range(50):
            assert writer.stdout.readline()
        writer.kill()
        acknowledged = 50 + len(writer.communicate()[0].split())
        found = store.get_messages("t")
        assert len(found) >= acknowledged
        assert found == [made("t", "w", n, size) for n in range(len(found))]
        more = [made("t", "w", n, size) for n in range(len(found) + 3)]
        append_all(store, more)
        assert store.get_messages("t") == more

    def test_a_full_disk(self, url: str, store: MessageStore) -> None:
        self._needs_sharing()
        if not self.files:
            pytest.skip("this store writes no files in the process that appends")
        pytest.importorskip("resource", reason="no RLIMIT_FSIZE on this system")
        store.append_message(said("t", 1))
        writer = worker(url, "t", "w", 0, "--batch", "3", "--size", "20000", "--largest-file", "600000")
        *acknowledged, failure = writer.communicate()[0].splitlines()
        assert writer.returncode == 3, failure
        assert failure.startswith("failed: StoreFailed: ")
        found = store.get_messages("t")[1:]
        assert [m.id for m in found][: len(acknowledged)] == acknowledged
        assert found == [made("t", "w", n, 20_000) for n in range(len(found))]
        more = [made("t", "w", n, 20_000) for n in range(len(found) + 3)]
        append_all(store, more)
        assert store.get_messages("t")[1:] == more

    def test_a_lost_connection(self, url: str, store: MessageStore) -> None:
        store.append_message(said("t", 1))
        reason = self.lose_connection(url)
        if reason is not None:
            pytest.skip(reason)
        store.append_message(said("t", 2))
        self.lose_connection(url)
        assert store.get_messages("t") == [said("t", 1), said("t", 2)]
        self.lose_connection(url)
        append_all(store, [said("t", 2), said("t", 3)])
        assert store.get_messages("t", after_id="m2") == [said("t", 3)]

    def test_a_place_where_no_store_can_be(self) -> None:
        bad = self.impossible_url()
        if bad is None:
            pytest.skip("this store can be anywhere")
        with pytest.raises(StoreFailed):
            open_store(bad)

    # what a back end fills in

    def lose_connection(self, url: str) -> str | None:
        """Break every connection that the store has now, without stopping the server; or why there is none."""
        return "this store has no connection to lose"

    def impossible_url(self) -> str | None:
        """A URL of this kind under which nothing can be opened; None where there is none."""
        return None

    def _needs_sharing(self) -> None:
        if not self.shared:
            pytest.skip("this store lives in one process")


def worker(url: str, thread_id: str, prefix: str, count_: int, *more: str) -> subprocess.Popen[str]:
    """Another process that appends (store_worker)."""
    command: Sequence[str] = [sys.executable, "-m", "sesh.testing.store_worker", url, thread_id, prefix, str(count_)]
    return subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True)
