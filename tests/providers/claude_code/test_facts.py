"""Title, metadata, ids, times, provenance: what is said of a thread and of each message beside its words."""

from __future__ import annotations

import json

import pytest

from sesh.errors import NotASession
from sesh.format import ids
from sesh.format.blocks import ReasoningBlock, ToolResultBlock
from sesh.providers.api import SessionSource
from sesh.providers.claude_code.reader import parse_claude_session
from tests.corpus_files import claude_sessions, claude_source
from tests.providers.claude_code.made import SESSION, Made, codes, short


def titled(s: Made) -> str | None:
    return s.read().thread.title


def test_titles_in_their_order() -> None:
    s = Made()
    assert titled(s) == "first"
    s.lines.insert(0, {"type": "summary", "summary": "Of this file", "leafUuid": "a1"})
    assert titled(s) == "Of this file"
    s.state("ai-title", aiTitle="The model's")
    s.state("ai-title", aiTitle="")
    assert titled(s) == "The model's"
    s.companions[f"{SESSION}/custom-title.json"] = b'{"customTitle": "From the file beside"}'
    assert titled(s) == "From the file beside"
    s.state("custom-title", customTitle="Old")
    s.state("custom-title", customTitle="Mine")
    s.state("custom-title", customTitle="")
    assert titled(s) == "Mine"
    assert s.read().report.skipped == {}


def test_a_summary_of_another_session_is_no_title() -> None:
    """1.0.120 writes other sessions' titles to the head of the next file."""
    s = Made()
    s.lines.insert(0, {"type": "summary", "summary": "Another session", "leafUuid": "not-here"})
    assert titled(s) == "first"


def test_a_long_prompt_is_cut_and_put_on_one_line() -> None:
    s = Made(start=False)
    s.user("u1", None, "many\n\n  words " * 100)
    title = titled(s) or ""
    assert title.startswith("many words many")
    assert len(title) == 200


def test_a_session_of_commands_alone_is_called_by_its_first() -> None:
    s = Made(start=False)
    s.user("u1", None, "<command-name>/hello</command-name><command-args>you</command-args>")
    assert titled(s) == "/hello you"


def test_metadata() -> None:
    s = Made()
    s.user("u2", "a1", "second", cwd="/work/demo/sub", gitBranch="feature", entrypoint="cli")
    s.said("a2", "u2", "two", model="claude-sonnet-5")
    s.said("a3", "a2", "No response requested.", model="<synthetic>")
    s.state("pr-link", prNumber=7, prUrl="https://example.com/7", prRepository="a/b", timestamp="t")
    s.state("pr-link", prNumber=7, prUrl="https://example.com/7", prRepository="a/b", timestamp="later")
    s.state("permission-mode", permissionMode="auto")
    metadata = s.read().thread.metadata
    assert metadata == {
        "provider": "claude-code",
        "sessionId": SESSION,
        "cwd": "/work/demo",
        "gitBranch": "main",
        "entrypoint": "cli",
        "version": "2.1.328",
        "model": "claude-sonnet-5",
        "providerData": {
            "permissionMode": "auto",
            "pullRequests": [{"number": 7, "url": "https://example.com/7", "repository": "a/b"}],
        },
    }


def test_a_session_that_moved_to_a_worktree() -> None:
    path = next(p for p in claude_sessions() if p.parent.name.endswith("worktrees-feat-x"))
    metadata = parse_claude_session(claude_source(path)).thread.metadata or {}
    assert metadata["cwd"].endswith("/.claude/worktrees/feat-x")
    assert metadata["providerData"]["worktree"]["worktreeName"] == "feat-x"


def test_the_file_names_the_session_and_copied_lines_keep_their_origin() -> None:
    s = Made()
    for line in s.lines:
        assert isinstance(line, dict)
        line["sessionId"] = "the-old-one"
    s.user("u2", "a1", "second", forkedFrom={"sessionId": "branched-from", "messageUuid": "z"})
    s.user("u3", "u2", "third", session_id="first-written-in")
    result = s.read()
    assert result.thread.id == ids.thread_id("claude-code", SESSION)
    origins = [m.provenance.session_id for m in result.messages if m.provenance is not None]
    assert origins == ["the-old-one", "the-old-one", "branched-from", SESSION]
    assert (result.thread.metadata or {})["forkedFrom"] == "branched-from"
    assert [m.id for m in result.messages] == [
        ids.message_id("claude-code", SESSION, u) for u in ("u1", "a1", "u2", "u3")
    ]


def test_recorded_forks_are_one_thread() -> None:
    forks = [p for p in claude_sessions() if p.name.startswith(("52cc3136", "49ecbe53", "9007588b"))]
    assert len(forks) == 3
    for path in forks:
        result = parse_claude_session(claude_source(path))
        origins = {m.provenance.session_id for m in result.messages if m.provenance is not None}
        assert len(origins) > 1
        assert path.stem in origins
        assert (result.thread.metadata or {})["forkedFrom"] in origins - {path.stem}


@pytest.mark.parametrize(
    ("name", "option", "session"),
    [
        (f"{SESSION}.jsonl", None, SESSION),
        (None, None, SESSION),
        ("notes.jsonl", "asked", SESSION),
    ],
)
def test_session_id(name: str | None, option: str | None, session: str) -> None:
    result = parse_claude_session(SessionSource(main=Made().data(), name=name), session_id=option)
    assert (result.thread.metadata or {})["sessionId"] == session


def test_session_id_that_nobody_wrote() -> None:
    s = Made()
    for line in s.lines:
        assert isinstance(line, dict)
        del line["sessionId"]
    assert (parse_claude_session(s.data(), session_id="asked").thread.metadata or {})["sessionId"] == "asked"
    made_up = parse_claude_session(s.data()).thread.id
    del s.said("a2", "a1", "more")["sessionId"]
    assert parse_claude_session(s.data()).thread.id == made_up


def test_times_are_the_sources_or_a_neighbours() -> None:
    s = Made()
    u2 = s.user("u2", "a1", "second")
    del u2["timestamp"]
    first = s.lines[0]
    assert isinstance(first, dict)
    del first["timestamp"]
    result = s.read()
    times = [m.ts for m in result.messages]
    assert times == ["2026-03-01T10:00:02.000Z"] * 3
    assert result.thread.created_at == times[0]


def test_keep_raw_holds_the_line_once() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    block = {"type": "tool_result", "tool_use_id": "c1", "content": "ok"}
    s.user("r1", "x1", [block, {"type": "text", "text": "words"}], toolUseResult={"stdout": "ok", "huge": [1, 2]})
    messages = s.read(keep_raw=True).messages
    assert [m.raw for m in messages] == [*s.lines, None]
    assert all(m.raw is None for m in s.read().messages)


def test_agent_and_run_are_stamped() -> None:
    result = Made().read(agent_id="agent", run_id="run")
    assert result.thread.agent_id == "agent"
    assert {m.run_id for m in result.messages} == {"run"}


def test_what_the_tool_knows_more() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step", "Edit", file_path="/a")
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}]
    facts = {"filePath": "/a", "originalFile": "a" * 1000, "structuredPatch": patch, "userModified": False}
    s.result("r1", "x1", "c1", toolUseResult=facts)
    s.call("x2", "r1", "c2", "step2")
    s.result("r2", "x2", "c2", toolUseResult="Error: no")
    known = [b.provider_data for m in s.read().messages for b in m.content if isinstance(b, ToolResultBlock)]
    assert known == [{"toolUseResult": {"filePath": "/a", "structuredPatch": patch}}, {"toolUseError": True}]


def test_redacted_thinking_has_no_words() -> None:
    s = Made()
    blocks = [
        {"type": "thinking", "thinking": "", "signature": "sig"},
        {"type": "redacted_thinking", "data": "d"},
        {"type": "thinking", "thinking": "words", "signature": "sig"},
    ]
    s.said("a2", "a1", blocks)
    assert s.read().messages[-1].content == [
        ReasoningBlock(redacted=True, provider_data={"signature": "sig"}),
        ReasoningBlock(redacted=True, provider_data={"type": "redacted_thinking", "data": "d"}),
        ReasoningBlock(text="words", provider_data={"signature": "sig"}),
    ]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"hello", b'{"a":1}', b"[]\n", b'{"type":"session_meta","payload":{}}'])
def test_what_is_no_session(data: bytes) -> None:
    with pytest.raises(NotASession):
        parse_claude_session(data)


def test_an_empty_file_of_a_sessions_name_is_a_session_without_words() -> None:
    """2.0.76 leaves such files."""
    result = parse_claude_session(SessionSource(main=b"", name=f"{SESSION}.jsonl"))
    assert result.messages == []
    assert codes(result) == {"no-conversation"}
    assert result.report.files[f"{SESSION}.jsonl"].lines == 0


def test_text_is_read_as_bytes_are() -> None:
    s = Made()
    s.user("u2", "a1", "lone \ud83d")
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in s.lines)
    assert short(parse_claude_session(text))[-1] == "lone \ud83d"
