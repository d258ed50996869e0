"""The recorded sessions under tests/corpus, opened as the reader takes them, without the `files` room in between."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from sesh.providers.api import SessionSource

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
CASES = HERE / "cases"
CLAUDE = CORPUS / "claude-code"


@cache
def claude_sessions() -> list[Path]:
    """Every main session file of Claude Code."""
    return sorted(p for p in CLAUDE.glob("*/*/*.jsonl") if not p.name.startswith("agent-"))


def claude_name(path: Path) -> str:
    """A short name for a test's id: version, experiment, beginning of the session's id."""
    version, folder = path.relative_to(CLAUDE).parts[:2]
    return f"{version}/{folder.rsplit('-', 1)[-1]}/{path.name[:8]}"


@cache
def claude_source(path: Path) -> SessionSource:
    """A session and everything that may belong to it, by path relative to its project folder."""
    folder = path.parent
    beside = [*(folder / path.stem).rglob("*"), *folder.glob("agent-*.jsonl")]
    companions = {p.relative_to(folder).as_posix(): p.read_bytes() for p in beside if p.is_file()}
    return SessionSource(main=path.read_bytes(), name=path.name, companions=companions)


def sent(path: Path) -> dict[str, Any]:
    """What the real client did when it resumed a corpus file: `resumed`, the rows it `sent`, what it `said` if not."""
    found: dict[str, Any] = json.loads((CORPUS / "sent" / f"{path.relative_to(CORPUS)}.json").read_text("utf-8"))
    return found


def case(name: str) -> SessionSource:
    """A hand-made case by its number or the beginning of its name."""
    path = next(p for p in sorted(CASES.glob("*.jsonl")) if p.name.startswith(name))
    return SessionSource(main=path.read_bytes(), name=path.name)
