"""The laws of reading (design.md §4) over every recorded session and every hand-made case, and over random bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesh.errors import SeshError
from sesh.format import lines
from sesh.format.message import Message
from sesh.providers.api import IngestResult, SessionSource
from sesh.providers.claude_code.reader import parse_claude_session
from tests.corpus_files import CASES, claude_name, claude_sessions, claude_source

ALL = [*claude_sessions(), *sorted(CASES.glob("*.claude.jsonl"))]


def name(path: Path) -> str:
    return path.name[:20] if path.parent == CASES else claude_name(path)


def source_of(path: Path) -> SessionSource:
    return SessionSource(main=path.read_bytes(), name=path.name) if path.parent == CASES else claude_source(path)


def records_in(data: bytes) -> int:
    return sum(1 for _ in lines.split(data))


@pytest.mark.parametrize("path", ALL, ids=name)
def test_conservation(path: Path) -> None:
    """Law 1: every line of every file that was read is used, unknown or skipped."""
    source = source_of(path)
    report = parse_claude_session(source).report
    assert report.adds_up()
    assert report.lines == sum(f.lines for f in report.files.values())
    assert report.files[path.name].lines == records_in(source.main)
    for key, account in report.files.items():
        if key != path.name and key.endswith(".jsonl"):
            assert account.lines == records_in(source.companions[key])


@pytest.mark.parametrize("path", ALL, ids=name)
def test_each_message_is_in_one_thread_once(path: Path) -> None:
    result = parse_claude_session(source_of(path))
    ids = [m.id for m in result.messages] + [m.id for c in result.children for m in c.messages]
    assert len(ids) == len(set(ids))
    threads = {result.thread.id} | {c.thread.id for c in result.children}
    assert len(threads) == 1 + len(result.children)
    for child in result.children:
        assert child.thread.parent_thread_id in threads
        assert {m.thread_id for m in child.messages} <= {child.thread.id}


@pytest.mark.parametrize("path", ALL, ids=name)
def test_every_text_of_the_file_is_in_the_result(path: Path) -> None:
    """Nothing lost, asked of the bytes: each text, call and result that a chained line holds is in some message."""
    source = source_of(path)
    result = parse_claude_session(source)
    whole = " ".join(json.dumps(msgspec.to_builtins(m.content)) for t in [result, *result.children] for m in t.messages)
    for line in lines.split(source.main):
        try:
            value = json.loads(line.data)
        except ValueError:
            continue
        for word in words_of(value):
            assert json.dumps(word)[1:-1] in whole, (line.number, word[:80])


def words_of(value: Any) -> list[str]:
    content = (value.get("message") or {}).get("content") if value.get("type") in ("user", "assistant") else None
    if isinstance(content, str):
        return [content]
    found: list[str] = []
    for block in content or []:
        if block["type"] in ("text", "thinking"):
            found.append(block[block["type"]])
        elif block["type"] == "tool_use":
            found += [block["id"], block["name"]]
        elif block["type"] == "tool_result":
            inner = block["content"]
            found += [inner] if isinstance(inner, str) else [i["text"] for i in inner if i["type"] == "text"]
    return found


@pytest.mark.parametrize("path", ALL, ids=name)
def test_idempotence(path: Path) -> None:
    """Law 3: the same bytes give the same result."""
    assert parse_claude_session(source_of(path)) == parse_claude_session(source_of(path))


@pytest.mark.parametrize("path", ALL, ids=name)
def test_growth(path: Path) -> None:
    """Law 4: read at any line boundary, the messages are a prefix of what the whole file gives.

    What may change: usage (it moves to the last line of an API message), a prompt that so far stands in the queue only
    (the report names it), and the branch that is active (the report names it).
    """
    source = source_of(path)
    final = parse_claude_session(source)
    for end in [line.offset for line in lines.split(source.main)][1:]:
        part = SessionSource(main=source.main[:end], name=source.name, companions=source.companions)
        grown_from(parse_claude_session(part), final, end)


def grown_from(early: IngestResult, final: IngestResult, end: int) -> None:
    assert early.thread.id == final.thread.id
    before = settled(early)
    after = settled(final)
    if before == after[: len(before)]:
        return
    assert "branch" in {e.code for e in final.report.entries}, end
    # The branch that was active then is a child thread now: with what is common, it still begins like this.
    own = {m.id: m for c in final.children for m in c.messages} | {m.id: m for m in final.messages}
    for message in before:
        assert message.id in own, end
        assert bare(own[message.id]).content == message.content


def settled(result: IngestResult) -> list[Message]:
    queued = {e.message_id for e in result.report.entries if e.code == "queued-prompt"}
    return [bare(m) for m in result.messages if m.id not in queued]


def bare(message: Message) -> Message:
    return msgspec.structs.replace(message, usage=None)


def parsed(data: bytes) -> IngestResult | None:
    """Law 6: any bytes give a result or a SeshError. The result can be written as JSON."""
    try:
        result = parse_claude_session(data)
    except SeshError:
        return None
    assert result.report.adds_up()
    return result


@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    parsed(data)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)
SAMPLES = [line.data for path in ALL[::9] for line in lines.split(path.read_bytes())][:400]
KEYS = sorted({key for data in SAMPLES if data.startswith(b"{") for key in json.loads(data)})


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A few lines of real sessions with fields changed, taken out, put in, or bytes torn."""
    out = []
    for _ in range(draw(st.integers(1, 6))):
        data = draw(st.sampled_from(SAMPLES))
        match draw(st.sampled_from(("field", "content", "nested", "tear", "keep", "byte"))):
            case "field":
                value = json.loads(data) if data.startswith(b"{") else {}
                value[draw(st.sampled_from(KEYS))] = draw(VALUES)
                data = json.dumps(value).encode("utf-8", "surrogatepass")
            case "content":
                value = json.loads(data) if data.startswith(b"{") else {}
                if isinstance(value.get("message"), dict):
                    block = {
                        "type": draw(st.sampled_from(("text", "tool_use", "tool_result", "image", "thinking", "x")))
                    }
                    block |= draw(st.dictionaries(st.sampled_from(BLOCK_KEYS), VALUES, max_size=4))
                    value["message"]["content"] = draw(st.just([block]) | VALUES)
                data = json.dumps(value).encode("utf-8", "surrogatepass")
            case "nested":
                value = json.loads(data) if data.startswith(b"{") else {}
                inner = [k for k, v in value.items() if isinstance(v, dict)]
                if inner:
                    holder = value[draw(st.sampled_from(sorted(inner)))]
                    holder[draw(st.sampled_from([*holder, "x"]))] = draw(VALUES)
                data = json.dumps(value).encode("utf-8", "surrogatepass")
            case "tear":
                data = data[: draw(st.integers(0, len(data)))]
            case "byte":
                at = draw(st.integers(0, max(len(data) - 1, 0)))
                data = data[:at] + draw(st.binary(max_size=3)) + data[at + 1 :]
        out.append(data)
    return b"\n".join(out) + draw(st.sampled_from((b"", b"\n")))


BLOCK_KEYS = ["text", "id", "name", "input", "tool_use_id", "content", "source", "thinking", "is_error", "data"]


@settings(max_examples=300)
@given(mutated())
def test_mutated_lines(data: bytes) -> None:
    parsed(data)


def test_a_deep_value_is_no_crash() -> None:
    deep = b'{"type":"user","uuid":"u","parentUuid":null,"message":{"role":"user","content":' + b"[" * 100_000
    result = parsed(b'{"type":"user","uuid":"a","parentUuid":null,"message":{"content":"hi"}}\n' + deep + b"\n")
    assert result is not None
    assert result.report.unknown == 1
