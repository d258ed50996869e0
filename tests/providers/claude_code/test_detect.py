"""Whose file is this? Every recorded session is known by its first bytes; other vendors' and other files are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sesh.errors import NotASession
from sesh.providers.claude_code.detect import detect
from sesh.providers.claude_code.reader import parse_claude_session
from tests.corpus_files import CASES, CLAUDE, CORPUS, claude_name, claude_sessions
from tests.providers.claude_code.made import PIXEL, Made

HEAD = 1 << 16


@pytest.mark.parametrize("path", claude_sessions(), ids=claude_name)
def test_recorded_sessions(path: Path) -> None:
    data = path.read_bytes()
    assert detect(data[:HEAD], path.name) is bool(data)


def test_recorded_agents_and_cases() -> None:
    for path in [*CLAUDE.rglob("agent-*.jsonl"), *CASES.glob("*.claude.jsonl")]:
        assert detect(path.read_bytes()[:HEAD], path.name), path


def test_the_other_vendors_files() -> None:
    for path in [*CORPUS.glob("codex/**/*.jsonl"), *CASES.glob("*.codex.jsonl")]:
        assert not detect(path.read_bytes()[:HEAD], path.name), path


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"words",
        b"[]",
        b'{"type":"user"}',
        b'{"type":"user","message":{"role":"user","content":"x"}}',
        b'{"type":"system","subtype":"init","session_id":"s","tools":[]}'.replace(b'"subtype"', b'"kind"'),
        b'{"type":"message","message":{"role":"user"}}',
        b'{"v":1,"id":"x","threadId":"y"}',
        b'{"type":"summary","payload":{},"summary":"x"}',
    ],
)
def test_what_is_none(data: bytes) -> None:
    assert not detect(data)


def test_a_first_line_longer_than_the_head() -> None:
    s = Made(start=False)
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL * 2000}}
    s.user("u1", None, [picture])
    assert detect(s.data()[:HEAD])


def test_broken_lines_before_the_first_good_one() -> None:
    s = Made()
    assert detect(b'\xef\xbb\xbf{"torn\n\0\0\n17\n' + s.data())
    assert detect(
        b"".join(json.dumps({"type": "mode", "mode": "normal"}).encode() + b"\n" for _ in range(60)) + s.data()
    )


def test_a_session_that_only_sesh_has_touched() -> None:
    assert detect(b'{"type":"sesh-link","sesh":{"emittedLines":1}}\n')


@pytest.mark.parametrize(
    "first",
    [
        {"type": "system", "subtype": "init", "session_id": "s", "tools": [], "cwd": "/x"},
        {"type": "user", "message": {"role": "user", "content": "hi"}, "session_id": "s", "uuid": "u"},
        {"type": "assistant", "message": {"role": "assistant", "content": []}, "session_id": "s"},
    ],
)
def test_the_output_stream_is_refused_by_name(first: dict[str, object]) -> None:
    data = json.dumps(first).encode() + b'\n{"type":"result","subtype":"success","session_id":"s"}\n'
    for ask in (detect, parse_claude_session):
        with pytest.raises(NotASession, match="stream-json"):
            ask(data)


def test_a_session_that_names_itself_in_both_ways_is_one() -> None:
    line = {"type": "user", "message": {"role": "user", "content": "hi"}, "session_id": "s", "sessionId": "s"}
    assert detect(json.dumps({**line, "uuid": "u"}).encode() + b"\n")
