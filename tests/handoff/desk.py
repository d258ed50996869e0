"""Two homes on one desk, with sessions that go on by hand: what the clients would append, without the clients."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sesh.catalog.resolve import Homes
from sesh.files.read import open_session
from sesh.format import walk
from sesh.handoff import back, choose, out
from sesh.handoff.back import Merge
from sesh.handoff.book import Book
from sesh.handoff.diverge import Choice
from sesh.handoff.out import Handoff
from sesh.providers import registry
from sesh.providers.api import EmitOptions, IngestResult
from sesh.providers.claude_code.layout import munge
from tests.sessions import session

CLAUDE = "2-1-328-tools/70405639-be60-4298-83ce-8ae759fd065b.jsonl"
CODEX = "codex/0.169.0/rich.jsonl"


@dataclass(kw_only=True)
class Desk:
    """`root` holds everything: a home for each client, sesh's folder, a project."""

    root: Path
    clock: datetime = field(default_factory=lambda: datetime(2026, 12, 1, 12, 0, tzinfo=UTC))

    def __post_init__(self) -> None:
        self._parents: dict[Path, str] = {}
        self.cwd = self.root / "project"
        self.cwd.mkdir(parents=True)
        self.homes: Homes = {
            name: (registry.get(name), self.root / "home" / folder)
            for name, folder in (("claude-code", ".claude"), ("codex", ".codex"))
        }
        self.book = Book(self.root / "sesh")

    def now(self) -> str:
        """A minute later each time it is asked."""
        self.clock += timedelta(minutes=1)
        return self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def claude(self, name: str = CLAUDE) -> Path:
        """A session of the corpus in Claude Code's home, as one of the project."""
        given = session(name).path
        target = self.homes["claude-code"][1] / "projects" / munge(str(self.cwd)) / given.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(given, target)
        if given.with_suffix("").is_dir():
            shutil.copytree(given.with_suffix(""), target.with_suffix(""))
        return target

    def codex(self, name: str = CODEX) -> Path:
        """A session of the corpus in Codex's home."""
        given = session(name).path
        first = json.loads(given.read_bytes().split(b"\n", 1)[0])
        own = first.get("payload", first)["id"]
        target = self.homes["codex"][1] / "sessions/2026/11/30" / f"rollout-2026-11-30T10-00-00-{own}.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(given, target)
        return target

    def plan_handoff(self, path: Path, to: str, **options: Any) -> Handoff:
        cwd = options.pop("cwd", str(self.cwd))
        return out.plan(
            open_session(path),
            registry.get(to),
            self.homes,
            self.book,
            now=self.now(),
            cwd=cwd,
            options=EmitOptions(**options),
        )

    def handoff(self, path: Path, to: str, **options: Any) -> Path:
        """Hand a session off; returns the new file."""
        handoff = self.plan_handoff(path, to, **options)
        out.act(handoff, self.book)
        return handoff.path

    def plan_merge(
        self, path: Path, choice: Choice | None = None, live: bool = False, cwd: str | None = None, **options: Any
    ) -> Merge:
        way = choose.by_session(open_session(path), self.book, self.homes)
        options.setdefault("tools", "keep")
        return back.plan(
            way,
            self.homes,
            now=self.now(),
            choice=choice,
            live=live,
            cwd=cwd,
            options=EmitOptions(**options),
        )

    def merge(self, path: Path, choice: Choice | None = None, **options: Any) -> Merge:
        """Merge and write."""
        merge = self.plan_merge(path, choice, **options)
        back.act(merge, self.book)
        return merge

    # what the clients would add

    def say_in_codex(self, path: Path, prompt: str, answer: str) -> None:
        """A turn, as Codex appends one to a legacy or paginated rollout."""
        records = [json.loads(line) for line in path.read_bytes().splitlines()]
        meta = records[0]["payload"]
        ordinal = max((r["ordinal"] for r in records if "ordinal" in r), default=None)
        turn = f"turn-{len(records)}"
        context = "<environment_context>\n  <cwd>/tmp</cwd>\n</environment_context>"
        added: list[tuple[str, dict[str, Any]]] = [
            ("event_msg", {"type": "task_started", "turn_id": turn, "started_at": 1, "model_context_window": None}),
            ("response_item", _codex_message("user", "input_text", context)),
            ("turn_context", {"turn_id": turn, "cwd": meta["cwd"], "model": "gpt-5.5", "approval_policy": "never"}),
            ("response_item", _codex_message("user", "input_text", prompt)),
            ("event_msg", {"type": "user_message", "message": prompt, "images": []}),
            ("response_item", _codex_message("assistant", "output_text", answer)),
            ("event_msg", {"type": "agent_message", "message": answer}),
            ("event_msg", {"type": "task_complete", "turn_id": turn, "last_agent_message": answer}),
        ]
        with path.open("ab") as f:
            for n, (kind, payload) in enumerate(added, 1):
                record = {"timestamp": self.now(), "type": kind, "payload": payload}
                if ordinal is not None:
                    record["ordinal"] = ordinal + n
                f.write(json.dumps(record).encode() + b"\n")

    def say_in_claude(self, path: Path, prompt: str, answer: str) -> None:
        """A turn, as Claude Code appends one."""
        records = [json.loads(line) for line in path.read_bytes().splitlines()]
        last = [r["uuid"] for r in records if r.get("uuid") and not r.get("isSidechain")][-1]
        parent = self._parents.pop(path, last)
        one, two = f"uuid-{len(records)}-1", f"uuid-{len(records)}-2"
        base = {"isSidechain": False, "userType": "external", "cwd": str(self.cwd), "sessionId": path.stem}
        said = {"role": "user", "content": prompt}
        answered = {
            "id": f"msg_{len(records)}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [{"type": "text", "text": answer}],
            "stop_reason": "end_turn",
        }
        rows = [
            {"parentUuid": parent, "uuid": one, "type": "user", "timestamp": self.now(), "message": said, **base},
            {"parentUuid": one, "uuid": two, "type": "assistant", "timestamp": self.now(), "message": answered, **base},
            {"type": "last-prompt", "lastPrompt": prompt, "leafUuid": two, "sessionId": path.stem},
        ]
        with path.open("ab") as f:
            for row in rows:
                f.write(json.dumps(row).encode() + b"\n")

    def go_back(self, path: Path, turns: int) -> None:
        """Take turns back: Codex says so at once, Claude Code with the next prompt, which hangs where they began."""
        if path.name.startswith("rollout-"):
            event = {"type": "thread_rolled_back", "num_turns": turns}
            record: dict[str, Any] = {"timestamp": self.now(), "type": "event_msg", "payload": event}
            ordinals = [n for line in path.read_bytes().splitlines() if (n := json.loads(line).get("ordinal"))]
            with path.open("ab") as f:
                f.write(json.dumps(record | ({"ordinal": ordinals[-1] + 1} if ordinals else {})).encode() + b"\n")
            return
        said = [m for m in read(path).messages if walk.is_prompt(m)][-turns].provenance
        records = [json.loads(line) for line in path.read_bytes().splitlines()]
        parent = next(r["parentUuid"] for r in records if said is not None and r.get("uuid") == said.source_id)
        self.hang_on(path, parent)

    def hang_on(self, path: Path, uuid: str) -> None:
        """Let the next turn of a Claude session follow another line than the last: as a rewind does."""
        self._parents[path] = uuid

    def say(self, path: Path, prompt: str, answer: str = "An answer.") -> None:
        """A turn in whichever client's session it is."""
        if path.name.startswith("rollout-"):
            self.say_in_codex(path, prompt, answer)
        else:
            self.say_in_claude(path, prompt, answer)


def _codex_message(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def read(path: Path) -> IngestResult:
    """A session as sesh reads it, with what lies beside it."""
    opened = open_session(path)
    return opened.provider.parse(opened.source)


def prompts(path: Path) -> list[str]:
    """What humans said in a session, in order."""
    return [walk.text_of(m) for m in read(path).messages if walk.is_prompt(m)]


def spoken(path: Path) -> list[str]:
    """Every text that was said on the main thread, in order, contexts left out."""
    return [text for m in read(path).messages if m.kind != "context" and (text := walk.text_of(m))]


def bytes_of(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every session file below a folder: its bytes and its mtime."""
    return {
        os.path.relpath(p, root): (p.read_bytes(), p.stat().st_mtime_ns)
        for p in sorted(root.rglob("*"))
        if p.is_file() and "sesh" not in p.relative_to(root).parts
    }
