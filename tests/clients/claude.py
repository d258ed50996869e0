"""The real Claude Code: resume and start sessions in a private home, with a scripted model."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.clients import placing
from tests.clients.installed import Installed
from tests.clients.job import Command, Job, Screens, perform
from tests.clients.probe import PROMPT, Probe, Ran
from tests.clients.sent import claude_rows, without_prompt

UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NAMELESS: Final = "11111111-2222-4333-8444-555555555555"
_KEY: Final = "sk-ant-fake-0000000000000000fake"
_PRINT: Final = ("-p", "--permission-mode", "bypassPermissions")
Script = Sequence[Any] | Mapping[str, Any]


def project_folder(cwd: Path) -> str:
    """The name of a project's folder under `projects`: measured on the client (formats/claude-code.md §1).

    Written here a second time, apart from the code under test, so that the two can be compared.
    """
    encoded = str(cwd).encode("utf-16-le")
    units = [int.from_bytes(encoded[i : i + 2], "little") for i in range(0, len(encoded), 2)]
    name = "".join(chr(u) if u < 128 and chr(u).isalnum() else "-" for u in units)
    assert len(name) <= 200, "the tests use short folders"
    return name


@dataclass(frozen=True, kw_only=True)
class Claude:
    """Claude Code as installed. `scratch`: the folder in which homes are made that no caller named."""

    installed: Installed
    scratch: Path

    def home(self) -> Path:
        """A new, empty configuration folder (CLAUDE_CONFIG_DIR)."""
        return Path(tempfile.mkdtemp(prefix="claude-home-", dir=self.scratch))

    def folder(self) -> Path:
        """A new, empty project folder."""
        return Path(tempfile.mkdtemp(prefix="proj-", dir=self.scratch)).resolve()

    def resume(self, path: Path, *, script: Script = (), prompt: str = PROMPT) -> Probe:
        """Resume a session file in a home of its own, with the folder of its name beside it, if there is one."""
        home, cwd = self.home(), self.folder()
        found = UUID.search(path.name)
        sid = found.group(0) if found else _NAMELESS
        target = home / "projects" / project_folder(cwd) / f"{sid}.jsonl"
        placing.copy(path, target)
        if path.with_suffix("").is_dir():
            shutil.copytree(path.with_suffix(""), target.with_suffix(""))
        return self.go_on(sid, home=home, cwd=cwd, script=script, prompt=prompt)

    def go_on(
        self, session_id: str, *, home: Path, cwd: Path, script: Script = (), prompt: str = PROMPT, timeout: float = 120
    ) -> Probe:
        """Resume a session of `cwd` that lies in `home`, with one prompt. `script`: see messages_api.py."""
        target = home / "projects" / project_folder(cwd) / f"{session_id}.jsonl"
        before = target.read_bytes()
        command = Command(args=[*_PRINT, "--resume", session_id, prompt], timeout=timeout)
        ran = self._run(command, home=home, cwd=cwd, script=script)
        last = ran.bodies[-1] if ran.bodies else {}
        sent, context = claude_rows(last.get("messages") or [])
        after = target.read_bytes()
        return Probe(
            id=session_id,
            path=target,
            rc=ran.rc,
            stderr=(ran.stderr + ran.stdout)[-2000:],
            resumed=bool(ran.bodies),
            model=last.get("model"),
            sent=without_prompt(sent, prompt),
            context=context,
            prefix_kept=after.startswith(before),
            appended=after[len(before) :].count(b"\n"),
            bodies=ran.bodies,
        )

    def start(self, prompt: str, *, home: Path, cwd: Path, script: Script = ()) -> str:
        """Begin a session, one prompt long; returns its id."""
        folder = home / "projects" / project_folder(cwd)
        known = set(folder.glob("*.jsonl"))
        ran = self.run(*_PRINT, prompt, home=home, cwd=cwd, script=script)
        new = [p for p in folder.glob("*.jsonl") if p not in known and UUID.fullmatch(p.stem)]
        assert ran.rc == 0 and len(new) == 1, ran.said
        return new[0].stem

    def run(self, *args: str, home: Path, cwd: Path, script: Script = (), interrupt_at: int | None = None) -> Ran:
        """Run the program with these arguments. `interrupt_at`: SIGINT after this many model requests."""
        return self._run(Command(args=args, interrupt_at=interrupt_at), home=home, cwd=cwd, script=script)

    def screens(self, *args: str, until: str, keys: Sequence[tuple[str, str]] = (), home: Path, cwd: Path) -> list[str]:
        """What the program's screen shows, at first and after each key, once the words named with it are there."""
        done = self._perform(Screens(args=args, until=until, keys=keys), home=home, cwd=cwd, script=())
        shown: list[str] = done["steps"][0]["screens"]
        return shown

    def _run(self, command: Command, *, home: Path, cwd: Path, script: Script) -> Ran:
        done = self._perform(command, home=home, cwd=cwd, script=script)
        outcome = done["steps"][0]
        bodies = [r["body"] for r in done["requests"] if r["kind"] == "main"]
        return Ran(rc=outcome["rc"], stdout=outcome["stdout"], stderr=outcome["stderr"], bodies=bodies)

    def _perform(self, step: Command | Screens, *, home: Path, cwd: Path, script: Script) -> dict[str, Any]:
        home.mkdir(parents=True, exist_ok=True)
        return perform(
            Job(
                client="claude",
                program=self.installed.command,
                cwd=str(cwd),
                env=environment(home, "http://127.0.0.1:{port}"),
                files={str(home / ".claude.json"): json.dumps(settings(cwd))},
                script=script if isinstance(script, Mapping) else list(script),
                steps=[step],
            )
        )


def environment(home: Path, model: str) -> dict[str, str]:
    """The whole environment of the client: its home, and the address of its model."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home.parent),
        "CLAUDE_CONFIG_DIR": str(home),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "USER": "tests",
        "SHELL": "/bin/bash",
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": _KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "IS_SANDBOX": "1",  # lets the client run as root
    }


def settings(cwd: Path) -> dict[str, Any]:
    """A user who has been through the first start, and trusts this folder."""
    return {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "autoUpdates": False,
        "numStartups": 5,
        "lastOnboardingVersion": "9.9.9",
        "customApiKeyResponses": {"approved": [_KEY[-20:]], "rejected": []},
        "projects": {
            str(cwd): {
                "hasTrustDialogAccepted": True,
                "hasCompletedProjectOnboarding": True,
                "allowedTools": [],  # 1.0.120 does not start without it
            }
        },
    }
