"""The corpus as data: every main session with what the real client sent when it resumed it, every file there is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from sesh.files.read import Opened, open_session
from sesh.providers import registry

HERE: Final = Path(__file__).parent
CORPUS: Final = HERE / "corpus"
CASES: Final = HERE / "cases"
_SENT: Final = CORPUS / "sent"
FOLDERS: Final = {"claude-code": CORPUS / "claude-code", "codex": CORPUS / "codex"}


@dataclass(frozen=True)
class Session:
    """A main session of the corpus. `name` is its path there, and the test's id."""

    provider: str
    path: Path

    @property
    def name(self) -> str:
        """The path below tests/corpus."""
        return self.path.relative_to(CORPUS).as_posix()

    @cached_property
    def oracle(self) -> dict[str, Any]:
        """What the real client sent, listed and showed for this very file: client, resumed, sent, ..."""
        found: dict[str, Any] = json.loads((_SENT / f"{self.name}.json").read_bytes())
        return found

    def open(self) -> Opened:
        """The session as `sesh` opens it, companions at hand."""
        return open_session(self.path, registry.get(self.provider))


def main_sessions(provider: str | None = None) -> list[Session]:
    """Those that a person could resume: each has an oracle. Children are not among them."""
    found = []
    for name in FOLDERS if provider is None else [provider]:
        for oracle in sorted((_SENT / name).rglob("*.json")):
            found.append(Session(name, CORPUS / oracle.relative_to(_SENT).with_suffix("")))
    return found


def session(name: str) -> Session:
    """The one main session whose path ends like this, or holds this. Raises LookupError for none or several."""
    found = [s for s in main_sessions() if s.name.endswith(name)] or [s for s in main_sessions() if name in s.name]
    if len(found) != 1:
        raise LookupError(f"{name} names {len(found)} sessions of the corpus: {[s.name for s in found]}")
    return found[0]


def every_file() -> Iterator[tuple[str, Path]]:
    """(provider, path) of every session file of the corpus and the cases, children included."""
    for provider, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*")):
            if path.name.endswith((".jsonl", ".jsonl.zst")) and path.name != "session_index.jsonl":
                yield provider, path
    for path in sorted(CASES.glob("*.jsonl")):
        yield ("claude-code" if ".claude." in path.name else "codex"), path
