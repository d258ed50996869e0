"""The judge of the main thread: what was read, made into items again, is what the real Codex sends when it resumes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from sesh.format import walk
from sesh.providers.api import SessionSource
from sesh.providers.codex.items import PASSTHROUGH
from sesh.providers.codex.reader import parse_codex_rollout
from tests import rows
from tests.clients.sent import codex_rows
from tests.providers.codex import resending
from tests.sessions import Session, main_sessions

_OWN_MODEL: Final = Path(__file__).parent / "own_model"
_MEASURED: Final = Path(__file__).parent / "measured"

NOT_RESUMED: Final = {
    "0.28.0/basic.jsonl": "bare lines: no later Codex resumes them",
    "0.28.0/basic-resumed.jsonl": "bare lines: no later Codex resumes them",
    "hand/dual.jsonl": "an older Codex continued a paginated file without ordinals; 0.169 refuses it for ever",
    "0.169.0/app-2.jsonl": "a fork alone: its base is not at hand, and Codex refuses it",
    "0.169.0/fork-3.jsonl": "a fork alone: its base is not at hand, and Codex refuses it",
    "0.169.0/reverted-2.jsonl": "a segment alone, and Codex refuses it",
    "0.169.0/reverted-twice-2.jsonl": "a segment alone, and Codex refuses it",
    "0.169.0/reverted-twice-3.jsonl": "a segment alone, and Codex refuses it",
    "0.169.0/reverted-twice-4.jsonl": "a fork of a segment alone, and Codex refuses it",
    "0.169.0/subagents-v2-2.jsonl": "a v2 sub-agent is resumed through its parent only",
    "0.169.0/subagents-v2-forked-2.jsonl": "a v2 sub-agent is resumed through its parent only",
    "82f9.jsonl": "a v2 sub-agent is resumed through its parent only",
    "bb27.jsonl": "a v2 sub-agent is resumed through its parent only",
    "4c27.jsonl": "a v2 sub-agent is resumed through its parent only",
}
"""Files that Codex 0.169.0 does not resume, by the end of their name, and why: there is nothing to compare."""


def _asked(session: Session) -> list[dict[str, Any]] | None:
    """What the client sent for a session, under the session's own model where that makes a difference."""
    for own in _OWN_MODEL.glob("*.json"):
        if own.stem in session.name or _twin(session.name) == own.stem:
            found: list[dict[str, Any]] = json.loads(own.read_bytes())["sent"]
            return found
    return session.oracle["sent"] or None


def _twin(name: str) -> str | None:
    """The flat copies of sessions that also lie in a tree, by the name of the tree's file."""
    return {
        "codex/0.169.0/subagents-v1.jsonl": "01a22d41-a300-79e3-bbdf-135e04ddd084",
        "codex/0.169.0/subagents-v1-2.jsonl": "01a22d41-a426-7753-9f85-c60dab232048",
        "codex/0.169.0/subagents-v2.jsonl": "01a22d41-d630-7ad3-a9c9-f8afe546555d",
        "codex/0.169.0/subagents-v2-forked.jsonl": "01a22d4e-77c2-71c1-8827-aa4e869c4b87",
    }.get(name)


@pytest.mark.parametrize("session", main_sessions("codex"), ids=lambda s: s.name)
def test_main_thread_is_what_codex_sends(session: Session) -> None:
    asked = _asked(session)
    result = parse_codex_rollout(session.open().source)
    if asked is None:
        assert not session.oracle["resumed"]
        assert any(session.name.endswith(end) for end in NOT_RESUMED), session.oracle
        return
    made, _ = codex_rows(resending.sent(result.messages))
    assert made == [{k: v for k, v in row.items() if k != PASSTHROUGH} for row in asked]


@pytest.mark.parametrize("path", sorted(_MEASURED.glob("*.jsonl")), ids=lambda p: p.stem)
def test_what_codex_makes_of_rollbacks_and_compactions(path: Path) -> None:
    asked = json.loads(path.with_suffix(".sent.json").read_bytes())["sent"]
    result = parse_codex_rollout(SessionSource(main=path.read_bytes(), name=path.name))
    made, _ = codex_rows(resending.sent(result.messages))
    assert made == asked


@pytest.mark.parametrize("session", main_sessions("codex"), ids=lambda s: s.name)
def test_conversation_by_canonical_blocks_alone(session: Session) -> None:
    """The same without `provider_data`, as another vendor's writer sees it; what has another form there is named."""
    asked = _asked(session)
    if asked is None:
        assert not session.oracle["resumed"]
        return
    messages = walk.window(parse_codex_rollout(session.open().source).messages)
    apart = [
        *rows.of_messages(m for m in messages if m.kind == "context"),
        {"kind": "result", "id": None, "text": "finish the demo"},  # the goal packet, a context that has no call
    ]
    made = rows.settled(rows.conversation(messages))
    wanted = rows.settled(_canonical(row) for row in rows.without(asked, apart))
    answered = {row["id"] for row in made if row["kind"] == "result"}
    # Codex answers an open call itself; canonical messages leave it open.
    wanted = [r for r in wanted if not (r["kind"] == "result" and r["text"] == "aborted" and r["id"] not in answered)]
    assert made == wanted


def _canonical(row: rows.Row) -> rows.Row:
    """Rows of items that the canonical form keeps as another block (MAPPING.md)."""
    kind = row["kind"]
    if kind == "call" and row["name"] == "shell" and row["input"]["command"][0] == "apply_patch":
        return {**row, "name": "apply_patch", "input": {"input": row["input"]["command"][1]}}
    if kind == "local_shell_call":
        return {"kind": "call", "id": row["call_id"], "name": "local_shell", "input": row["action"]}
    if kind == "tool_search_call":
        return {"kind": "call", "id": row["call_id"], "name": "tool_search", "input": row["arguments"]}
    if kind == "tool_search_output":
        return {"kind": "result", "id": row["call_id"], "text": json.dumps(row["tools"], sort_keys=True)}
    if kind == "image_generation_call":
        return {"kind": "image", "images": [rows.digest_of(row["result"])]}
    if kind == "agent_message":
        return {"kind": "user", "text": "\n".join(part["text"] for part in row["content"])}
    if kind == "compaction":
        return {"kind": "compaction", "raw": {"id": "cmp_1", "encrypted_content": "ENCSUMMARY"}}
    return row
