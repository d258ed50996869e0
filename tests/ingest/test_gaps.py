"""What new lines may say of old ones without naming them: each case is one in which reading on once went wrong."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bench import generate

from sesh.format import wire
from sesh.ingest import onward
from sesh.stores import open_store
from tests.ingest.roads import Roads, Whole, moving
from tests.ingest.test_onward import LATE, begun, compact, goes_short, made, told

__all__ = ["moving"]
pytestmark = pytest.mark.usefixtures("moving")


class Talk:
    """A session of Claude Code that a test goes on with, line by line."""

    def __init__(self, folder: Path) -> None:
        self.roads, _ = begun(folder, "claude", 300_000)
        kept = [line for line in self.roads.path.read_bytes().splitlines(True) if b"-title" not in line]
        self.roads.write(b"".join(kept))
        self.last: dict[str, Any] = next(n for line in reversed(kept) if "uuid" in (n := json.loads(line)))
        self.now = datetime.fromisoformat("2029-01-01T00:00:00+00:00")
        self.count = 0

    @property
    def time(self) -> str:
        """Later each time."""
        self.now += timedelta(seconds=1)
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def line(self, role: str, uuid: str, **message: Any) -> dict[str, Any]:
        """The next line of the trunk."""
        kept = {k: self.last[k] for k in ("sessionId", "cwd", "version", "userType") if k in self.last}
        place = {"uuid": uuid, "parentUuid": self.last["uuid"], "timestamp": self.time, "isSidechain": False}
        self.last = {**kept, "type": role, **place, "message": {"role": role, **message}}
        return self.last

    def says(self, prompt: str, uuid: str = "") -> None:
        """A prompt and its answer."""
        self.count += 1
        said = self.line("user", uuid or f"u{self.count}", content=prompt)
        text = [{"type": "text", "text": f"answer {self.count}"}]
        answer = self.line("assistant", f"a{self.count}", id=f"m{self.count}", model="c", content=text)
        self.roads.add(compact(said) + compact(answer))

    def goes_on(self, turns: int = 3) -> bool:
        """Some turns more; whether they were read from the place."""
        for _ in range(turns):
            self.says(f"prompt {self.count}")
        return self.roads.take()

    def queues(self, *words: str) -> None:
        """Prompts that wait, and then do not."""
        for text in words:
            self.roads.add(
                compact({"type": "queue-operation", "operation": "enqueue", "content": text, "timestamp": self.time})
            )
        for _ in words:
            self.roads.add(compact({"type": "queue-operation", "operation": "dequeue", "timestamp": self.time}))


def command(name: str) -> str:
    """What stands on the line of a slash command."""
    return f"<command-name>/{name}</command-name>\n<command-message>{name}</command-message>"


@pytest.mark.parametrize(
    ("before", "said", "again"),
    [
        (("continue", "and fix it"), "continue\nand fix it", "continue"),
        (("/cost",), command("usage"), command("cost")),
    ],
)
def test_an_old_queued_prompt_would_claim_a_new_line(
    before: tuple[str, ...], said: str, again: str, tmp_path: Path
) -> None:
    talk = Talk(tmp_path)
    talk.queues(*before)
    talk.says(said)
    talk.goes_on()
    assert talk.goes_on()
    talk.queues(before[0])
    talk.says(again)
    assert not talk.roads.take()


def test_another_queued_prompt_is_no_matter(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    talk.queues("continue")
    talk.says("continue")
    talk.goes_on()
    assert talk.goes_on()
    talk.queues("something else")
    talk.says("something else")
    assert talk.roads.take()


@pytest.mark.parametrize(
    "lines",
    [
        b'{"type":"never-seen","uuid":"zz","a":1}\n{"type":"never-seen","uuid":"zz","a":2}\n',
        b'{"type":"never-seen","a":1}{"type":"never-seen","a":2}\n',
    ],
)
def test_two_records_of_one_name(lines: bytes, tmp_path: Path) -> None:
    """The second one's id has its place among the records of the file in it."""
    talk = Talk(tmp_path)
    talk.goes_on()
    assert talk.goes_on()
    talk.roads.add(lines)
    assert not talk.roads.take(final=True)
    talk.goes_on()
    assert talk.goes_on()


def test_a_summary_in_the_middle_of_the_file(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    talk.roads.add(compact({"type": "summary", "summary": "What it will be about", "leafUuid": "to-come"}))
    talk.goes_on()
    assert talk.goes_on()
    talk.says("hello", uuid="to-come")
    assert not talk.roads.take()
    assert {t.title for t in talk.roads.short.list_threads()} == {"What it will be about"}


def test_a_child_that_the_store_has_lost(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    talk.goes_on()
    side = {**talk.line("user", "s1", content="aside"), "isSidechain": True, "parentUuid": None}
    talk.last = {**talk.last, "uuid": f"a{talk.count}"}
    talk.roads.add(compact(side))
    talk.goes_on()
    talk.roads.take(rests=True)
    assert talk.goes_on()
    [child] = [t for t in talk.roads.short.list_threads() if t.parent_thread_id is not None]
    rest = open_store("memory:")
    for thread in talk.roads.short.list_threads():
        if thread.id != child.id:
            rest.put_thread(thread)
            for message in talk.roads.short.get_messages(thread.id):
                rest.append_message(message)
    talk.roads.short = rest
    talk.says("Where is it?")
    run = Whole(rest, talk.roads.book, {}, points=talk.roads.points, final=True)
    run.take(talk.roads.path, 0)
    assert run.read_whole
    assert rest.get_messages(child.id)


def test_a_title_that_the_file_of_names_gives_no_longer(tmp_path: Path) -> None:
    session = generate.session_id("codex")
    roads = Roads(tmp_path / ".codex", f"2026/01/01/rollout-2026-01-01T00-00-00-{session}.jsonl")
    index = tmp_path / ".codex/session_index.jsonl"
    lines = iter(made("codex", 500_000))
    for _ in range(200):
        roads.add(next(lines))
    roads.take()
    assert goes_short(roads, lines)
    index.write_bytes(compact({"id": session, "thread_name": "Named", "updated_at": "2026-01-01T00:00:00Z"}))
    assert goes_short(roads, lines)
    roads.add(compact(told(LATE, "event_msg", type="thread_name_updated", thread_id=session, thread_name="Its own")))
    assert roads.take()
    assert {t.title for t in roads.short.list_threads()} == {"Named"}
    index.unlink()
    assert not goes_short(roads, lines)
    assert {t.title for t in roads.short.list_threads()} == {"Its own"}


def test_a_point_whose_thread_is_no_record(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    talk.goes_on()
    assert talk.goes_on()
    point = talk.roads.points.load(talk.roads.path)
    assert point is not None
    for damaged in (b"{}", b"nothing", wire.encode(talk.roads.short.list_threads()[0])[:-3]):
        talk.roads.points.save(talk.roads.path, msgspec.structs.replace(point, thread=damaged))
        assert onward.grown(talk.roads.points, talk.roads.short, talk.roads.path, {}) is None
    assert not talk.goes_on()
