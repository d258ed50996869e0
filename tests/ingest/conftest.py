"""A machine with both clients' homes, sesh's own folder and a store, all in the test's own folder."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from sesh.catalog.resolve import Homes
from sesh.files.read import open_session
from sesh.format.message import Message
from sesh.format.walk import text_of
from sesh.handoff import back, choose, out
from sesh.handoff.book import Book
from sesh.ingest.many import Failed, Sessions
from sesh.ingest.session import Ingest, Taken
from sesh.providers import registry
from sesh.stores import MessageStore, open_store

DEMO = Path(str(files("sesh") / "demo"))
LONG_AGO = 1_000_000_000 * 60
"""How much later than a file's mtime a session is at rest, in nanoseconds."""


@dataclass
class Machine:
    """Homes with the two bundled sessions, a book of links, a store. Time stands still unless a test moves it."""

    root: Path
    store: MessageStore
    homes: Homes
    book: Book

    def claude(self) -> Path:
        """The bundled session of Claude Code."""
        return next((self.root / ".claude/projects").glob("*/7c9e6a54*.jsonl"))

    def codex(self) -> Path:
        """The bundled rollout of Codex."""
        return next((self.root / ".codex/sessions").rglob("*01a1fd2e*.jsonl"))

    def ingest(self, **options: Any) -> Ingest:
        """A run of `sesh ingest`."""
        return Ingest(self.store, self.book, self.homes, **options)

    def take(self, path: Path, **options: Any) -> Taken:
        """Take a session that is at rest."""
        return self.ingest(**options).take(path, path.stat().st_mtime_ns + LONG_AGO)

    def take_all(self) -> list[Taken | Failed]:
        """`sesh ingest --all` a good while after everything was written."""
        sessions = Sessions(self.store, self.ingest(), self.homes)
        newest = max(p.stat().st_mtime_ns for p in self.root.rglob("*.jsonl"))
        now = newest + LONG_AGO
        return [sessions.take(found, now) for found in sessions.due(now)]

    def handoff(self, path: Path, to: str) -> Path:
        """Hand a session off; the file that was made."""
        plan = out.plan(
            open_session(path),
            registry.get(to),
            self.homes,
            self.book,
            now="2026-11-30T18:00:00Z",
            options={"cwd": str(self.root)},
        )
        out.act(plan, self.book)
        return plan.path

    def merge(self, path: Path) -> Path:
        """Merge what was said in a session back; the copy that was made."""
        way = choose.by_session(open_session(path), self.book, self.homes)
        plan = back.plan(way, self.homes, now="2026-11-30T19:00:00Z", options={})
        assert back.act(plan, self.book)
        return plan.path

    def said(self, thread_id: str) -> list[str]:
        """The words of a thread's conversation, first lines only."""
        found: list[str] = []
        for message in self.store.get_messages(thread_id):
            if message.kind is None and (text := text_of(message).strip()):
                found.append(text.splitlines()[0])
        return found

    def threads(self) -> list[str]:
        """The main threads of the store."""
        return [t.id for t in self.store.list_threads() if t.parent_thread_id is None]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    root = tmp_path / "home"
    shutil.copytree(DEMO / "claude-code", root / ".claude")
    shutil.copytree(DEMO / "codex", root / ".codex")
    homes = {
        name: (registry.get(name), root / folder) for name, folder in (("claude-code", ".claude"), ("codex", ".codex"))
    }
    return Machine(root, open_store(f"sqlite:{tmp_path}/store.db"), homes, Book(tmp_path / "sesh"))


def codex_goes_on(path: Path, *words: str) -> None:
    """Two lines of a rollout for each prompt: the prompt and its answer."""
    with path.open("a", encoding="utf-8") as f:
        for n, text in enumerate(words):
            for role, kind, said in (("user", "input_text", text), ("assistant", "output_text", f"Answer to {text}")):
                payload = {"type": "message", "role": role, "content": [{"type": kind, "text": said}]}
                stamp = f"2026-12-01T10:{n:02d}:{'00' if role == 'user' else '30'}.000Z"
                f.write(json.dumps({"timestamp": stamp, "type": "response_item", "payload": payload}) + "\n")


def claude_goes_on(path: Path, *words: str) -> None:
    """Two lines of a Claude Code session for each prompt, chained to the last line that has a uuid."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    last = next(line for line in reversed(lines) if line.get("uuid") and line.get("type") in ("user", "assistant"))
    envelope = {
        k: last[k] for k in ("sessionId", "cwd", "version", "userType", "isSidechain", "gitBranch") if k in last
    }
    parent = last["uuid"]
    with path.open("a", encoding="utf-8") as f:
        for n, text in enumerate(words):
            for role, said in (("user", text), ("assistant", f"Answer to {text}")):
                uuid = f"{abs(hash((str(path), text, role))) % 16**8:08x}-0000-4000-8000-0000000000{n:02x}"
                message: dict[str, Any] = {"role": role, "content": [{"type": "text", "text": said}]}
                if role == "assistant":
                    message |= {
                        "id": f"msg_{uuid}",
                        "type": "message",
                        "model": "claude-opus-5-5",
                        "stop_reason": "end_turn",
                    }
                line = {
                    **envelope,
                    "parentUuid": parent,
                    "type": role,
                    "uuid": uuid,
                    "timestamp": f"2026-12-02T10:{n:02d}:{'00' if role == 'user' else '30'}.000Z",
                    "message": message,
                }
                f.write(json.dumps(line) + "\n")
                parent = uuid


def ids(messages: list[Message]) -> list[str]:
    """The ids of messages."""
    return [m.id for m in messages]
