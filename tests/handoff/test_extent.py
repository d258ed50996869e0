"""handoff/extent.py: what of a session came after an earlier moment, by bytes and by what was said."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesh.errors import NotASession
from sesh.files.read import open_session
from sesh.format import walk
from sesh.format.blocks import TextBlock, ToolCallBlock, ToolResultBlock
from sesh.format.message import Message
from sesh.handoff import extent
from sesh.handoff.choose import side
from sesh.providers.api import SessionSource
from tests.handoff.desk import Desk, read
from tests.sessions import main_sessions, session


def marks(text: str) -> list[bytes]:
    """A letter a message; capitals begin a turn."""
    return [c.encode() for c in text]


def aligned(then: str, now: str) -> tuple[int, int]:
    return extent.align(marks(then), marks(now), {n for n, c in enumerate(then) if c.isupper()})


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        ("AbCd", "AbCd", (4, 4)),
        ("AbCd", "AbCdEf", (4, 4)),  # it went on
        ("AbCd", "AbCde", (4, 4)),  # in the middle of a turn
        ("AbCd", "AbEf", (2, 2)),  # reverted before C, and on
        ("AbCd", "Ab", (2, 2)),  # reverted, nothing new
        ("AbCd", "Ef", (0, 0)),  # another conversation
        ("AbCd", "AbCx", (2, 2)),  # the same question asked again, with another answer
        ("AbCdef", "AbCdx", (2, 2)),  # likewise, and the answer begins alike
        ("AbCd", "AbxCdEf", (5, 4)),  # one message more than there was
        ("AbcCd", "AbCdEf", (4, 5)),  # one fewer
        ("AbcCd", "AbxCdEf", (5, 5)),  # one reads differently
        ("AbCd", "AbCdCd", (4, 4)),  # the same said again is new
        ("AbCdEf", "AbXyEf", (6, 6)),  # in the middle: a rewriting, no revert
        ("AbCdEf", "AbXyEz", (2, 2)),  # the same prompt later is no sign
        ("", "Ab", (0, 0)),
        ("Ab", "", (0, 0)),
    ],
)
def test_where_the_earlier_part_ends(then: str, now: str, expected: tuple[int, int]) -> None:
    assert aligned(then, now) == expected


letters = st.text("AbCdEfGh", max_size=30)


@given(then=letters, more=letters)
def test_what_went_on_is_never_taken_for_old(then: str, more: str) -> None:
    assert aligned(then, then + more) == (len(then), len(then))


@given(then=letters, now=letters)
def test_it_never_goes_beyond_either_end(then: str, now: str) -> None:
    old, kept = aligned(then, now)
    assert 0 <= old <= len(now)
    assert 0 <= kept <= len(then)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a":1}\n{"b":2}\n', b'{"a":1}\n{"b":2}\n'),
        (b'{"a":1}\n{"b":2}', b'{"a":1}\n{"b":2}'),
        (b'{"a":1}\n{"b":', b'{"a":1}\n'),
        (b'{"a":1}\n{"b":2}{"c"', b'{"a":1}\n'),
        (b'{"a":1}\n\0\0\0', b'{"a":1}\n'),
        (b'{"a":', b""),
        (b"", b""),
    ],
)
def test_a_torn_last_line_is_left_out(data: bytes, expected: bytes) -> None:
    assert extent.whole(data) == expected


def said(*blocks: object, ts: str = "2026-11-20T10:00:00.000Z", **more: object) -> Message:
    base = {"id": "m", "thread_id": "t", "role": "assistant", "ts": ts, "content": list(blocks)}
    return Message(**{**base, **more})  # type: ignore[arg-type]


def test_a_mark_is_of_what_every_rewriting_keeps() -> None:
    call = ToolCallBlock(call_id="c1", name="Bash", input={"command": "ls"})
    one = extent.mark(said(TextBlock(text="Look"), call))
    renamed = ToolCallBlock(call_id="c1", name="exec_command", input={"cmd": "ls"})
    assert extent.mark(said(TextBlock(text="Look"), renamed)) == one
    assert extent.mark(said(TextBlock(text="Look"), call, ts="2027-01-01T00:00:00.000Z", role="user")) == one
    assert extent.mark(said(TextBlock(text="Look."), call)) != one
    assert extent.mark(said(TextBlock(text="Look"), ToolCallBlock(call_id="c2", name="Bash", input={}))) != one
    assert extent.mark(said(ToolResultBlock(call_id="c1", output="x"))) != extent.mark(said(call))
    assert len(one) == extent.MARK_BYTES


def test_what_comes_after_any_beginning_is_new_by_bytes_and_by_content() -> None:
    """Every session of the corpus, cut in the middle: both ways to know the beginning again agree on what is new."""
    tried = 0
    for given_ in main_sessions():
        opened = given_.open()
        data = opened.source.main
        cut = len(b"\n".join(data.split(b"\n")[: data.count(b"\n") // 2])) + 1
        earlier = SessionSource(main=data[:cut], name=opened.source.name, companions=opened.source.companions)
        try:
            then = opened.provider.parse(earlier)
        except NotASession:
            continue  # its first half holds no conversation yet
        if not any(m.kind != "context" for m in then.messages):
            continue
        reached = extent.measure(data[:cut], then)
        by_bytes = extent.since(reached, opened.provider, opened.source)
        other = msgspec.structs.replace(reached, sha256="of a file that was rewritten")
        by_content = extent.since(other, opened.provider, opened.source, by_bytes.result)
        known = {m.id for m in then.messages} | {m.id for c in then.children for m in c.messages}
        assert [m.id for m in by_bytes.messages] == [m.id for m in by_bytes.result.messages if m.id not in known]
        if not by_bytes.lost_prompts:
            assert [m.id for m in by_content.conversation] == [m.id for m in by_bytes.conversation], given_.name
        tried += 1
    assert tried > 60


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_known_by_content_says_the_same_as_by_bytes(desk: Desk, name: str) -> None:
    path = desk.claude() if name == "claude-code" else desk.codex()
    before = path.read_bytes()
    reached = extent.measure(before, read(path))
    desk.say(path, "New one", "New answer.")
    desk.say(path, "New two")
    now = side(open_session(path))
    by_bytes = now.since(reached)
    by_content = now.since(msgspec.structs.replace(reached, sha256="of a file that was rewritten"))
    assert (by_bytes.known, by_content.known) == ("bytes", "content")
    assert [m.id for m in by_content.conversation] == [m.id for m in by_bytes.conversation]
    assert by_content.turns == by_bytes.turns == 2
    assert by_content.lost_prompts == by_bytes.lost_prompts == 0


def log_anew(path: Path) -> None:
    """What Claude Code 2.0.76 does on resuming a session with a line of several blocks.

    All chained lines once more, under new ids, a block a line, without the stamps, with the times they had.
    """
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    chained = [line for line in lines if line.get("uuid") and "message" in line]
    parent = None
    with path.open("ab") as f:
        for n, line in enumerate(chained):
            content = line["message"]["content"]
            for i, block in enumerate(content if isinstance(content, list) else [content]):
                uuid = f"again-{n}-{i}"
                message = {**line["message"], "content": block if isinstance(block, str) else [block]}
                copy = {**line, "uuid": uuid, "parentUuid": parent, "message": message}
                copy.pop("sesh", None)
                f.write(json.dumps(copy).encode() + b"\n")
                parent = uuid


@pytest.mark.parametrize("name", ["codex/0.169.0/rich.jsonl", "codex/0.169.0/rich2.jsonl", "codex/0.142.0/rich.jsonl"])
def test_what_a_client_logs_anew_is_not_new(desk: Desk, name: str) -> None:
    path = desk.handoff(desk.codex(name), "claude-code", tools="keep")
    reached = extent.measure(path.read_bytes(), read(path))
    log_anew(path)
    desk.say(path, "New one", "New answer.")
    news = side(open_session(path)).since(reached)
    assert (news.known, news.turns, news.lost_prompts) == ("content", 1, 0)
    assert [t for m in news.messages if (t := walk.text_of(m))] == ["New one", "New answer."]
    assert not any(isinstance(b, ToolCallBlock) for m in news.messages for b in m.content)


def test_a_rewind_is_one_though_the_rest_is_logged_anew(desk: Desk) -> None:
    path = desk.claude()
    desk.say(path, "Second", "Once.")
    kept = path.read_bytes()
    desk.say(path, "Third", "Gone.")
    reached = extent.measure(path.read_bytes(), read(path))
    whole = path.read_bytes()
    path.write_bytes(kept)
    log_anew(path)
    desk.say(path, "Another third", "Here.")
    path.write_bytes(whole + path.read_bytes()[len(kept) :])
    news = side(open_session(path)).since(reached)
    assert (news.turns, news.lost_prompts) == (1, 1)
    assert [t for m in news.conversation if (t := walk.text_of(m))] == ["Another third", "Here."]


COMPACTED = "2-1-328-basic/99f6a392-4bbd-4f6b-93e1-95b9a2043ae7.jsonl"


@pytest.mark.parametrize("before", ["the compaction", "the fork"])
def test_a_fork_that_begins_with_the_summary(desk: Desk, before: str) -> None:
    """What a file leaves out because a summary stands for it is not gone; nor is what the summary kept new."""
    path = desk.claude(COMPACTED)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if b'"compact_boundary"' in line)
    upto = whole if before == "the fork" else b"".join(lines[:at])
    path.write_bytes(upto)
    reached = extent.measure(upto, read(path))
    path.write_bytes(b"".join(lines[at:]))
    desk.say(path, "In the fork", "An answer there.")
    news = side(open_session(path)).since(reached)
    assert (news.known, news.lost_prompts) == ("content", 0)
    said = [t for m in news.conversation if (t := walk.text_of(m))]
    assert said[-2:] == ["In the fork", "An answer there."]
    assert (len(said) == 2) == (before == "the fork")
    assert (news.conversation[0].kind == "summary") == (before == "the compaction")


def test_an_extent_counts_what_was_said() -> None:
    given_ = session("2-1-328-tools/70405639-be60-4298-83ce-8ae759fd065b.jsonl")
    opened = given_.open()
    result = opened.provider.parse(opened.source)
    reached = extent.measure(opened.source.main, result)
    assert reached.size == len(opened.source.main)
    assert reached.lines == opened.source.main.count(b"\n")
    assert reached.messages == sum(1 for m in result.messages if m.kind != "context") == len(extent.marks_of(reached))
    assert extent.begins_with(opened.source.main + b"more", reached)
    assert not extent.begins_with(opened.source.main[:-1], reached)
