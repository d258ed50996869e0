"""Other programs that convert sessions, where they are installed. None is needed, and nothing of them is part of sesh.

    python -m venv FOLDER/harness-convert && FOLDER/harness-convert/bin/pip install harness-convert
    python -m venv FOLDER/unisessions && FOLDER/unisessions/bin/pip install unisessions
    python -m venv FOLDER/claude-session-teleporter && ...

and then `python -m bench --peers FOLDER`. Each gets a home of its own, with the session where its client keeps it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bench import generate
from sesh.providers.claude_code.layout import session_path


class Peer(NamedTuple):
    """A program, its command for one session, and the client's folder that it writes to."""

    name: str
    command: list[str]
    environment: dict[str, str]
    target: Path

    def fresh(self) -> None:
        """Take away what an earlier run wrote, so that it writes again."""
        shutil.rmtree(self.target)
        self.target.mkdir()


def peers(folder: Path, session: Path, kind: str, homes: Path, environment: Mapping[str, str]) -> Iterator[Peer]:
    """The peers in `folder` that are installed, set up to convert `session` (`claude` or `codex`) to the other form."""
    kept = {k: v for k, v in environment.items() if k not in ("CODEX_HOME", "CLAUDE_CONFIG_DIR")}
    session_id = generate.session_id(kind)
    other = "codex" if kind == "claude" else "claude"
    for name in ("harness-convert", "unisessions", "claude-session-teleporter"):
        programs = folder / name / "bin"
        if not programs.is_dir():
            continue
        home = homes / f"{name}-{kind}"
        at = _at_home(home, session, kind, session_id)
        target = home / f".{other}"
        if name == "harness-convert":
            command = [str(programs / "hc"), "convert", session_id, "--from", kind, "--to", other, "-y"]
        elif name == "unisessions":
            command = [str(programs / "python"), "-m", "unisessions", "--codex-home", str(home / ".codex")]
            command += ["--claude-home", str(home / ".claude"), f"{kind}-to-{other}", session_id, "--write"]
        else:
            command = [str(programs / "claude-sessions"), "--ascii", "teleport", str(at), "--to", other, "--apply"]
            command += ["--target-home", str(target), "--cwd", str(home)]
            command += ["--codex-project", "none"] if other == "codex" else []
        yield Peer(name, command, {**kept, "HOME": str(home), "HC_NO_INTERACTIVE": "1"}, target)


def _at_home(home: Path, session: Path, kind: str, session_id: str) -> Path:
    """Put a session where its client would have it, as one of the working folder; the folders of both are there."""
    for client in (".claude", ".codex"):
        (home / client).mkdir(parents=True)
    if kind == "claude":
        at = home / ".claude" / session_path(session_id, str(Path.cwd()))
    else:
        at = home / ".codex/sessions/2026/03/01" / f"rollout-2026-03-01T09-00-00-{session_id}.jsonl"
    at.parent.mkdir(parents=True)
    shutil.copyfile(session, at)
    return at
