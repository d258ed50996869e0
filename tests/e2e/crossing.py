"""One crossing: a corpus session is read, written for the other client, placed, resumed there; and the verdict.

Compared are rows (tests/rows.py): what the source client sends its model for the source file, against what the target
client sends for the converted one. Contexts and thinking stay out on both sides. What the source client sends is known
twice: as recorded (`recorded`), and as read (`said`). That the two are the same, less what the client does to any
session on resume, is proven file by file in tests/providers/*/test_resumed.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from sesh.format import walk
from sesh.providers import registry
from sesh.providers.api import EmitResult, IngestResult
from sesh.report.reports import EmitReport
from tests import rows
from tests.clients import Claude, Codex, Probe
from tests.clients.placing import place
from tests.sessions import Session

_SILENT: Final = ("context", "reasoning", "reasoning-redacted", "cut")
"""Kinds of dropped blocks that are no rows in the comparison."""
_SAME_ROW: Final = ("error-flag",)
"""Kinds of changes that leave the row the same."""
_CUT: Final = re.compile(r"…\d+ (?:chars|tokens) truncated…")
"""What Codex puts for the middle of a long output in its request; the file keeps the whole (formats/codex.md §5)."""


@dataclass(frozen=True, kw_only=True)
class Carried:
    """A session that was read, written for the other client and placed in a home of that client."""

    given: Session
    read: IngestResult
    result: EmitResult
    placed: Path
    home: Path
    cwd: Path


@dataclass(frozen=True, kw_only=True)
class Crossing(Carried):
    """A session that went over and was resumed there."""

    probe: Probe

    def said(self) -> list[rows.Row]:
        """The conversation as read: what the source client's model holds, settled.

        Where that is an encrypted summary, and the report says that it cannot go over: the turns it stands for.
        """
        messages = self.read.messages
        encrypted = any(e.code == "encrypted-summary" for e in self.result.report.entries)
        held = [m for m in messages if m.kind != "summary"] if encrypted else walk.window(messages)
        return rows.settled(rows.conversation(held))

    def recorded(self) -> list[rows.Row]:
        """The conversation as the source client sent it when it resumed its own file, settled."""
        contexts = rows.of_messages(m for m in self.read.messages if m.kind == "context")
        return rows.settled(rows.without(self.given.oracle["sent"], contexts))

    def sent(self) -> list[rows.Row]:
        """What the target client sends, settled, less the answer that Claude Code gives itself.

        It appends "No response requested." to a session that ends in a user's line (formats/claude-code.md §3).
        """
        found = rows.settled(self.probe.sent)
        own = {"kind": "assistant", "text": "No response requested.", "images": []}
        return found[:-1] if found[-1:] == [own] and self.said()[-1:] != [own] else found


def holds_nothing(given: Session) -> bool:
    """Whether a file has no conversation at all: nothing that a client would list or resume."""
    opened = given.open()
    return not any(m.kind != "context" for m in opened.provider.parse(opened.source).messages)


def carry(given: Session, client: Claude | Codex, **options: Any) -> Carried:
    """Convert a session for a client and place it in a new home. Options: see EmitOptions."""
    to = registry.get("codex" if isinstance(client, Codex) else "claude-code")
    opened = given.open()
    read = opened.provider.parse(opened.source)
    home, cwd = client.home(), client.folder()
    asked: dict[str, Any] = {"client_version": client.installed.version, **options}
    result = to.emit(read.thread, read.messages, children=read.children, cwd=str(cwd), **asked)
    return Carried(given=given, read=read, result=result, placed=place(result, home), home=home, cwd=cwd)


def cross(given: Session, client: Claude | Codex, *, provider: str | None = None, **options: Any) -> Crossing:
    """Carry a session over with its tool names kept, unless `tools` says otherwise, and resume it there.

    `provider`: the model provider that a user of Codex has configured, if not the client's own.
    """
    carried = carry(given, client, **{"tools": "keep", **options})
    where: dict[str, Any] = {"home": carried.home, "cwd": carried.cwd}
    if provider is not None:
        where["provider"] = provider
    probe = client.go_on(carried.result.session_id, **where)
    return Crossing(probe=probe, **{f.name: getattr(carried, f.name) for f in fields(carried)})


def unexplained(want: Sequence[rows.Row], have: Sequence[rows.Row], report: EmitReport) -> list[str]:
    """Differences between two conversations that the report does not name; empty when they are the same.

    With nothing named, the rows must be equal. Each block named as dropped may be missing. Each named as changed may
    be another row, or a call and its result, or words that join those beside it. Each named stub may stand between.
    """
    dropped = sum(n for kind, n in report.dropped.items() if kind not in _SILENT)
    changed = sum(n for kind, n in report.changed.items() if kind not in _SAME_ROW)
    stubs = sum(e.code in ("stub-result", "stub-prompt") for e in report.entries)
    missing, extra = _differences(want, _whole(want, have))
    found = []
    if len(missing) > dropped + 2 * changed:
        found.append(f"{len(missing)} rows are missing, {dropped + 2 * changed} are named: {_some(missing)}")
    if len(extra) > 2 * changed + stubs:
        found.append(f"{len(extra)} rows are new, {2 * changed + stubs} are named: {_some(extra)}")
    if found:
        found.append(f"named: changed {report.changed}, dropped {report.dropped}, notes {report.notes}")
    return found


def _whole(want: Sequence[rows.Row], have: Sequence[rows.Row]) -> list[rows.Row]:
    """`have` with the outputs whole again of which the client sends its model only the beginning and the end."""
    texts = {row["id"]: row["text"] for row in want if row["kind"] == "result"}
    found = []
    for row in have:
        ends = _CUT.split(row["text"]) if row["kind"] == "result" else []
        text = texts.get(row.get("id"), "")
        is_cut = len(ends) == 2 and text.startswith(ends[0]) and text.endswith(ends[1])
        found.append({**row, "text": text} if is_cut else row)
    return found


def _differences(want: Sequence[rows.Row], have: Sequence[rows.Row]) -> tuple[list[str], list[str]]:
    a, b = ([json.dumps(r, sort_keys=True, ensure_ascii=False) for r in side] for side in (want, have))
    missing: list[str] = []
    extra: list[str] = []
    for op, i, j, k, n in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if op != "equal":
            missing += a[i:j]
            extra += b[k:n]
    return missing, extra


def _some(texts: Sequence[str]) -> str:
    return " | ".join(t[:300] for t in texts[:3])
