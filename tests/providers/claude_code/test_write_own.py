"""Claude Code to Claude Code: the same records again, over the whole corpus."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from sesh.format import jsontext, lines
from sesh.providers.api import IngestResult
from sesh.providers.claude_code import PROVIDER
from sesh.providers.claude_code.reader import parse_claude_session
from sesh.providers.claude_code.writer import emit_claude_session
from sesh.testing.difference import difference
from sesh.testing.provider_suite import read_back, told_by
from tests.corpus_files import claude_name, claude_sessions, claude_source
from tests.providers.claude_code.made import Made

NAMED = {"time-moved", "ends-open", "window"}
"""Remarks that are no loss."""


def again(got: IngestResult, **options: bool):  # type: ignore[no-untyped-def]
    return emit_claude_session(got.thread, got.messages, children=got.children, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", claude_sessions(), ids=claude_name)
@pytest.mark.parametrize("keep_raw", [False, True], ids=["made again", "raw"])
def test_nothing_is_lost_or_changed(path: Path, keep_raw: bool) -> None:
    got = parse_claude_session(claude_source(path), keep_raw=keep_raw)
    if not got.messages:
        return
    result = again(got, keep_raw=keep_raw)
    assert result.report.lossless
    assert {e.code for e in result.report.entries} <= NAMED
    assert difference(told_by(got), [result.report], read_back(PROVIDER, result)) == []


@pytest.mark.parametrize("path", claude_sessions(), ids=claude_name)
def test_raw_records_are_the_same_bytes(path: Path) -> None:
    """All but the parent, where the line before it was the client's own state and did not come along."""
    source = claude_source(path)
    got = parse_claude_session(source, keep_raw=True)
    if not got.messages:
        return
    result = again(got, keep_raw=True)
    assert result.session_id == path.stem
    was = {_uuid(line.data): line.data for line in lines.split(source.main)}
    for line in result.lines:
        uuid = _uuid(line)
        if uuid is None or line == was.get(uuid):
            continue
        value, before = jsontext.loads(line), jsontext.loads(was[uuid]) if uuid in was else {}
        for key in ("parentUuid", "sessionId"):
            value.pop(key, None)
            before.pop(key, None)
        if value.get("subtype") != "compact_boundary":
            assert value == before


def _uuid(line: bytes) -> str | None:
    try:
        value = jsontext.loads(line)
    except jsontext.UnreadableJson:
        return None
    return value.get("uuid") if isinstance(value, dict) else None


def test_thinking_keeps_its_signature() -> None:
    line = b"""{"parentUuid":null,"isSidechain":false,"type":"assistant","message":{"id":"m","type":"message",\
"role":"assistant","model":"claude-opus-5-5","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"}]},\
"uuid":"11111111-2222-4333-8444-555555555555","timestamp":"2026-11-20T10:00:00.000Z","sessionId":"s"}"""
    got = parse_claude_session(line)
    written = jsontext.loads(again(got).lines[0])
    assert written["message"]["content"] == [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]
    assert "sesh" not in written


def test_a_message_that_only_says_so_is_written_with_care() -> None:
    """A record nobody read may hold what the API refuses: it goes the way of other vendors' messages."""
    line = b"""{"parentUuid":null,"type":"user","message":{"role":"user","content":"hi"},\
"uuid":"11111111-2222-4333-8444-555555555555","timestamp":"2026-11-20T10:00:00.000Z","sessionId":"s"}"""
    got = parse_claude_session(line)
    made_up = [msgspec.structs.replace(m, id="made up", provider_data=None) for m in got.messages]
    assert "sesh" in jsontext.loads(emit_claude_session(got.thread, made_up).lines[0])


@pytest.mark.parametrize("keep_raw", [False, True], ids=["made again", "raw"])
@pytest.mark.parametrize(
    "odd",
    [
        {"message": {"role": "user", "content": ["words"]}},
        {"message": {"role": "user", "content": [None]}},
        {"message": {"role": "user", "content": [[]]}},
        {"parentUuid": ["u1"]},
        {"parentUuid": {}},
        {"sesh": {"blocks": []}},
    ],
    ids=str,
)
def test_odd_fields_are_written_again_and_not_tripped_over(odd: dict[str, object], keep_raw: bool) -> None:
    made = Made()
    made.user("u2", "a1", "second").update(odd)
    made.said("a2", "u2", "two").update(odd if "sesh" in odd else {})
    got = made.read(keep_raw=keep_raw)
    emitted = again(got, keep_raw=keep_raw, keep_context=True)
    assert emitted.report.adds_up()
    assert read_back(PROVIDER, emitted).messages


def test_a_boundary_at_the_very_beginning_is_written_again() -> None:
    made = Made(start=False)
    made.boundary("b", None)
    made.user("u", "b", "hi")
    got = made.read()
    assert [m.kind for m in got.messages] == ["summary", None]
    back = read_back(PROVIDER, again(got))
    assert [(m.kind, m.content) for m in back.messages] == [(m.kind, m.content) for m in got.messages]
