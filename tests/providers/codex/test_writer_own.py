"""Codex to Codex: the same records again, over the whole corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sesh.files.read import open_session
from sesh.format import jsontext
from sesh.providers.api import IngestResult
from sesh.providers.codex import PROVIDER
from sesh.providers.codex.writer import emit_codex_rollout
from sesh.testing.difference import difference
from sesh.testing.provider_suite import read_back, told_by
from tests.sessions import main_sessions

SESSIONS = [s.path for s in main_sessions("codex")]
FORMS = ("legacy", "paginated")
STRAY = "synthetic-resumed.jsonl"
"""Hand-made files with a note of nobody's in the midst of a turn; it comes back as a part of that turn."""


def read(path: Path, **options: Any) -> IngestResult:
    opened = open_session(path, PROVIDER)
    return PROVIDER.parse(opened.source, **options)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda p: f"{p.parent.name}/{p.name}")
@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_changed_and_all_comes_back(path: Path, form: Any) -> None:
    given = read(path)
    result = emit_codex_rollout(given.thread, given.messages, children=given.children, history=form)
    assert result.report.lossless, result.report
    found = difference(told_by(given), [result.report], read_back(PROVIDER, result))
    assert found == [] or (path.name == STRAY and all("turns" in f for f in found))


@pytest.mark.parametrize("path", SESSIONS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_with_raw_every_message_has_the_very_bytes_of_its_line(path: Path) -> None:
    given = read(path, keep_raw=True)
    result = emit_codex_rollout(given.thread, given.messages, history="legacy", keep_raw=True)
    written = set(result.lines)
    for message in given.messages:
        raw = message.raw
        if not isinstance(raw, dict) or raw.get("type") != "response_item" or "payload" not in raw:
            continue
        assert jsontext.dumps({k: v for k, v in raw.items() if k != "ordinal"}) in written


@pytest.mark.parametrize("path", SESSIONS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_without_raw_every_item_is_equal_in_all_that_the_client_reads(path: Path) -> None:
    given = read(path, keep_raw=True)
    result = emit_codex_rollout(given.thread, given.messages)
    items = [r["payload"] for r in map(json.loads, result.lines) if r["type"] == "response_item"]
    assert items == [m.raw.get("payload", m.raw) for m in given.messages if is_item(m.raw)]


def is_item(raw: Any) -> bool:
    """Whether a message's record was a response item, in its envelope or bare (0.28)."""
    if not isinstance(raw, dict):
        return False
    return raw.get("type") == "response_item" if "payload" in raw else "type" in raw
