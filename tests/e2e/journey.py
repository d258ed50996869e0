"""A journey there and back with the real clients: homes for both, one project folder, and `sesh` as a user runs it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sesh.files.read import open_session
from sesh.providers.api import IngestResult
from tests import rows
from tests.clients import PROMPT, Claude, Codex, Probe, Ran
from tests.clients.claude import project_folder

TOOLS: Final[list[Any]] = [
    [{"text": "I look first."}, {"tool": "Bash", "input": {"command": "echo first", "description": "say first"}}],
    [
        {"tool": "Bash", "input": {"command": "echo left", "description": "left"}},
        {"tool": "Bash", "input": {"command": "echo right", "description": "right"}},
    ],
    "That is how it stands.",
]
"""Claude Code's script of one turn: a call, two calls at once, a last word."""

COMMAND: Final[list[Any]] = [
    [{"text": "Running it."}, {"call": "exec_command", "args": {"cmd": "echo over there"}, "id": "call_run"}],
    [{"text": "It says over there."}],
]
"""Codex's script of one turn with a command."""

PATCH_AND_PARALLEL: Final[list[Any]] = [
    [
        {
            "custom": "apply_patch",
            "input": "*** Begin Patch\n*** Add File: made.txt\n+by codex\n*** End Patch",
            "id": "call_patch",
        }
    ],
    [
        {"call": "exec_command", "args": {"cmd": "echo one"}, "id": "call_one"},
        {"call": "exec_command", "args": {"cmd": "echo two"}, "id": "call_two"},
    ],
    [{"text": "All done over there."}],
]
"""Codex's script of one turn with a patch and two calls at once."""


@dataclass(kw_only=True)
class Journey:
    """Two clients, one project. `seen`: each file of a client that must not change, as it was: digest and mtime."""

    claude: Claude
    codex: Codex
    root: Path
    seen: dict[Path, tuple[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cwd = (self.root / "project").resolve()
        self.claude_home = self.root / "home" / ".claude"
        self.codex_home = self.root / "home" / ".codex"
        for folder in (self.cwd, self.claude_home, self.codex_home):
            folder.mkdir(parents=True)

    # sesh

    def environment(self) -> dict[str, str]:
        """What a user's shell would hold."""
        ours = {k: os.environ[k] for k in ("PATH", "PYTHONPATH") if k in os.environ}
        return {
            **ours,
            "HOME": str(self.root / "home"),
            "SESH_HOME": str(self.root / "sesh"),
            "LANG": "C.UTF-8",
        }

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """One command line of sesh, in the project's folder."""
        command = [sys.executable, "-m", "sesh", *args]
        return subprocess.run(
            command, cwd=self.cwd, env=self.environment(), capture_output=True, text=True, check=False
        )

    def sesh(self, *args: str, rc: int = 0) -> dict[str, Any]:
        """The same with --json; its document."""
        ran = self.run(*args, "--json")
        assert ran.returncode == rc, f"sesh {' '.join(args)}: {ran.returncode}\n{ran.stderr}\n{ran.stdout[-2000:]}"
        document: dict[str, Any] = json.loads(ran.stdout)
        return document

    def handoff(self, session: str, to: str, *args: str) -> str:
        """Hand a session off; returns the new session's id."""
        return str(self.sesh("handoff", session, "--to", to, *args)["sessionId"])

    def merge(self, *args: str) -> dict[str, Any]:
        """Merge with tool names as they are, so that what is sent can be compared."""
        return self.sesh("merge", *args, "--tools", "keep")

    # the clients

    def in_claude(self, session: str, script: Any = (), prompt: str = PROMPT) -> None:
        """Go on in Claude Code, one prompt long."""
        self.goes_on(
            self.claude,
            self.claude_file(session),
            "-p",
            "--resume",
            session,
            prompt,
            home=self.claude_home,
            script=script,
        )

    def in_codex(self, session: str, script: Sequence[Any] = (), prompt: str = PROMPT, **more: Any) -> None:
        """Go on in Codex, one prompt long."""
        path = self.codex.file_of(session, self.codex_home)
        resume = ("exec", "--skip-git-repo-check", *more.pop("flags", ()), "resume", session, prompt)
        self.goes_on(self.codex, path, *resume, home=self.codex_home, script=script, **more)

    def goes_on(self, client: Claude | Codex, path: Path, *args: str, home: Path, script: Any, **more: Any) -> Ran:
        """Run a client on a session: it must say yes, ask its model, and only add to the file."""
        before = path.read_bytes()
        ran = client.run(*args, home=home, cwd=self.cwd, script=script, **more)
        assert ran.bodies, ran.said
        assert "interrupt_at" in more or ran.rc == 0, ran.said
        after = path.read_bytes()
        assert after.startswith(before)
        assert len(after) > len(before)
        return ran

    def peek_in_claude(self, session: str) -> Probe:
        """What Claude Code would send, asked of a copy in another home: the session itself stays as it is."""
        probe = self.claude.resume(self.claude_file(session))
        assert probe.resumed and probe.rc == 0, probe.stderr
        return probe

    def peek_in_codex(self, session: str) -> Probe:
        """What Codex would send, asked of a copy of the whole home."""
        probe = self.codex.resume(self.codex.file_of(session, self.codex_home))
        assert probe.resumed and probe.rc == 0, probe.stderr
        return probe

    def begin_in_claude(self, prompt: str = "Begin in Claude", script: Any = TOOLS) -> str:
        """A session with tools, made by Claude Code; its file is watched from now on."""
        session = self.claude.start(prompt, home=self.claude_home, cwd=self.cwd, script=script)
        self.watch(self.claude_file(session))
        return session

    def begin_in_codex(self, prompt: str = "Begin in Codex", script: Sequence[Any] = COMMAND) -> str:
        """A session with a command, made by Codex; its file is watched from now on."""
        session = self.codex.start(prompt, home=self.codex_home, cwd=self.cwd, script=script)
        self.watch(self.codex.file_of(session, self.codex_home))
        return session

    def claude_file(self, session: str) -> Path:
        """Where Claude Code keeps a session of the project."""
        return self.claude_home / "projects" / project_folder(self.cwd) / f"{session}.jsonl"

    # what must hold

    def watch(self, path: Path) -> None:
        """Note a file as it is."""
        self.seen[path] = (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)

    def assert_untouched(self) -> None:
        """Every watched file is what it was, to the byte and the nanosecond."""
        for path, before in self.seen.items():
            assert (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) == before, path


def said(probe: Probe) -> list[rows.Row]:
    """What a client sent its model, in the form in which conversations are compared: without contexts of its own."""
    read = session_at(probe.path)
    contexts = rows.of_messages(m for m in read.messages if m.kind == "context")
    return by_run(rows.settled(rows.without(probe.sent, contexts)))


def by_run(sent: list[rows.Row]) -> list[rows.Row]:
    """Between two texts, all calls before all results.

    Claude Code sends the calls of one step together, whenever each came back; Codex in the order of its file.
    """
    found: list[rows.Row] = []
    results: list[rows.Row] = []
    for row in sent:
        if row["kind"] == "result":
            results.append(row)
            continue
        if row["kind"] != "call":
            found += results
            results = []
        found.append(row)
    return [*found, *results]


def session_at(path: Path) -> IngestResult:
    """A session file as sesh reads it."""
    opened = open_session(path)
    return opened.provider.parse(opened.source)


def texts(probe: Probe) -> str:
    """All that was sent, as one text, to look for words in."""
    return json.dumps(probe.sent, ensure_ascii=False)
