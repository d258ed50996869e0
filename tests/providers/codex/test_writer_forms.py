"""The file's form: history mode, header, names, cuts, links, and what becomes of odd characters."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from sesh.errors import SeshError
from sesh.format.blocks import AttachmentBlock, TextBlock, ToolCallBlock, UnknownBlock
from sesh.format.message import Kind, Message
from sesh.format.thread import Thread
from sesh.providers.api import IngestedThread
from sesh.providers.codex import PROVIDER
from sesh.providers.codex.layout import parse_name
from sesh.providers.codex.write_meta import choose_history
from sesh.providers.codex.writer import emit_codex_rollout
from sesh.testing.provider_suite import read_back

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
THREAD = Thread(
    id="t",
    title="A title",
    created_at="2026-11-20T10:00:00.000Z",
    metadata={
        "cwd": "/w",
        "gitBranch": "main",
        "gitCommit": "abc",
        "model": "claude-opus-5-5",
        "provider": "claude-code",
    },
)


def message(n: int, text: str, *, kind: Kind | None = None, turn: int | None = None, **more: Any) -> Message:
    role = "user" if n % 2 == 0 else "assistant"
    return Message(
        id=f"m{n}",
        thread_id="t",
        turn_id=f"turn {n // 2 if turn is None else turn}",
        role=role,
        kind=kind,
        ts=f"2026-11-20T10:{n:02d}:00.000Z",
        content=[TextBlock(text=text)],
        **more,
    )


TALK = [message(n, f"words {n}") for n in range(8)]


@pytest.mark.parametrize(
    ("wish", "version", "paginated", "exec_events"),
    [
        ("auto", None, False, False),
        ("auto", "0.169.0", True, False),
        ("auto", "codex-cli 0.155.0", True, False),
        ("auto", "0.142.0", False, False),
        ("auto", "0.128.0", False, True),
        ("auto", "no version", False, False),
        ("legacy", "0.169.0", False, False),
        ("paginated", None, True, False),
        ("paginated", "0.142.0", True, False),
    ],
)
def test_the_form_follows_the_wish_and_the_version(
    wish: str, version: str | None, paginated: bool, exec_events: bool
) -> None:
    chosen = choose_history(wish, version)
    assert (chosen.paginated, chosen.exec_events) == (paginated, exec_events)


def test_the_report_says_which_form_and_why() -> None:
    said = {e.code: e.text for e in emit_codex_rollout(THREAD, TALK, client_version="0.142.0").report.entries}
    assert said["history-mode"] == "Legacy history: Codex 0.142.0 is older than 0.155."
    risky = emit_codex_rollout(THREAD, TALK, history="paginated", client_version="0.142.0").report.notes[0]
    assert "would spoil it" in risky


def test_the_header_holds_what_lists_and_resume_need_and_no_trap() -> None:
    result = emit_codex_rollout(THREAD, TALK, link={"from": "x"})
    first = json.loads(result.lines[0])
    meta = first["payload"]
    assert meta["id"] == result.session_id == parse_name(result.path.rpartition("/")[2]).thread_id  # type: ignore[union-attr]
    assert (meta["timestamp"], meta["cwd"], meta["source"]) == ("2026-11-20T10:00:00.000Z", "/w", "cli")
    assert meta["git"] == {"branch": "main", "commit_hash": "abc"}
    assert not {"model_provider", "base_instructions", "history_mode"} & meta.keys()
    assert meta["sesh"] == {"from": "x", "emittedLines": len(result.lines)}
    assert result.path.startswith("sessions/2026/11/20/rollout-2026-11-20T10-00-00-")
    assert result.modified == "2026-11-20T10:07:00.000Z"
    assert not any(json.loads(line)["type"] == "turn_context" for line in result.lines)
    back = read_back(PROVIDER, result).thread
    assert (back.title, back.created_at) == (THREAD.title, THREAD.created_at)
    assert (back.metadata or {})["model"] == "claude-opus-5-5"


def test_the_name_is_a_line_to_append_and_no_file_to_write() -> None:
    result = emit_codex_rollout(THREAD, TALK)
    assert result.files == []
    [names] = result.appends
    assert names.path == "session_index.jsonl"
    assert json.loads(names.lines[0])["thread_name"] == "A title"


def test_the_file_ends_with_an_estimate_and_the_end_of_the_turn() -> None:
    *_, count, end = map(json.loads, emit_codex_rollout(THREAD, TALK).lines)
    assert count["payload"]["info"]["last_token_usage"]["total_tokens"] > 0
    assert (end["payload"]["type"], end["payload"]["last_agent_message"]) == ("task_complete", "words 7")


def test_a_history_beyond_the_window_is_named() -> None:
    long = [*TALK, message(8, "word " * 300_000)]
    entries = {e.code: e.text for e in emit_codex_rollout(THREAD, long).report.entries}
    assert "258,400" in entries["over-window"]
    assert "over-window" not in {e.code for e in emit_codex_rollout(THREAD, TALK).report.entries}


def test_the_last_turns_are_whole_and_the_rest_is_counted() -> None:
    result = emit_codex_rollout(THREAD, TALK, last_turns=2)
    back = read_back(PROVIDER, result)
    assert [m.content[0].text for m in back.messages] == ["words 4", "words 5", "words 6", "words 7"]  # type: ignore[union-attr]
    assert result.report.dropped == {"cut": 4}
    assert "cut" in {e.code for e in result.report.entries}
    assert emit_codex_rollout(THREAD, TALK, last_turns=9).report.lossless
    with pytest.raises(SeshError):
        emit_codex_rollout(THREAD, TALK, last_turns=0)


def test_a_cut_at_the_compaction_keeps_what_it_still_holds() -> None:
    talk = [*TALK, message(8, "In short", kind="summary", window=["m8", "m3"]), message(9, "After")]
    cut, whole = (emit_codex_rollout(THREAD, talk, since_compaction=x) for x in (True, False))
    texts = [m.content[0].text for m in read_back(PROVIDER, cut).messages]  # type: ignore[union-attr]
    assert texts == ["words 3", "In short", "After"]
    assert cut.report.dropped == {"cut": 7}

    def sent(lines: list[bytes]) -> Any:
        return next(r["payload"]["replacement_history"] for r in map(json.loads, lines) if r["type"] == "compacted")

    assert sent(cut.lines) == sent(whole.lines)


def test_children_of_what_was_cut_stay_out_as_well() -> None:
    child = Thread(id="c", parent_thread_id="t", origin_message_id="m1", created_at="2026-11-20T10:00:00.000Z")
    children = [IngestedThread(thread=child, messages=[message(0, "child")])]
    result = emit_codex_rollout(THREAD, TALK, children=children, last_turns=1)
    assert result.files == []
    assert result.report.dropped == {"cut": 7}


def test_lone_surrogates_are_replaced_for_codex_and_kept_for_the_way_back() -> None:
    result = emit_codex_rollout(THREAD, [message(0, "a \ud83d b")])
    assert result.report.changed == {"surrogates": 1}
    for line in result.lines:
        line.decode("utf-8")
        assert "\ud83d" not in json.dumps(json.loads(line), ensure_ascii=False)
    said = next(json.loads(line) for line in result.lines if b'"response_item"' in line)
    assert said["payload"]["content"][0]["text"] == "a � b"
    assert read_back(PROVIDER, result).messages[0].content == [TextBlock(text="a \ud83d b")]


def test_one_lone_surrogate_late_in_a_thread_changes_nothing_else() -> None:
    plain = emit_codex_rollout(THREAD, [*TALK, message(8, "a half: ?")])
    result = emit_codex_rollout(THREAD, [*TALK, message(8, "a half: \ud83d")])
    assert result.report.blocks == len(TALK) + 1
    assert (result.report.written, result.report.changed) == (len(TALK), {"surrogates": 1})
    assert [e.code for e in result.report.entries] == [*(e.code for e in plain.report.entries), "surrogates"]
    differ = [json.loads(a)["payload"]["type"] for a, b in zip(result.lines, plain.lines, strict=True) if a != b]
    assert differ == ["message", "user_message", "token_count"]


def test_a_lone_surrogate_in_what_is_not_written_is_named_all_the_same() -> None:
    block = TextBlock(text="words", provider_data={"other client's": "\ud83d"})
    result = emit_codex_rollout(THREAD, [msgspec.structs.replace(message(0, ""), content=[block])])
    assert result.report.changed == {"surrogates": 1}


def test_words_that_look_like_the_clients_own_come_back_as_a_persons() -> None:
    said = message(0, "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>")
    assert read_back(PROVIDER, emit_codex_rollout(THREAD, [said])).messages[0].kind is None


def test_context_stays_home_unless_it_is_asked_for() -> None:
    talk = [message(0, "hi"), message(2, "put in by a client", kind="context")]
    home = emit_codex_rollout(THREAD, talk)
    assert home.report.dropped == {"context": 1}
    taken = emit_codex_rollout(THREAD, talk, keep_context=True)
    assert taken.report.lossless
    assert read_back(PROVIDER, taken).messages[1].kind == "context"


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (
            AttachmentBlock(media_type="image/png", data=PIXEL),
            {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"},
        ),
        (
            AttachmentBlock(media_type="image/jpg", data=PIXEL),  # not what it is called
            {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"},
        ),
        (
            AttachmentBlock(data=PIXEL[:40] + "\n" + PIXEL[40:].rstrip("=")),
            {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"},
        ),
        (
            AttachmentBlock(media_type="image/png", data="aGVsbG8="),
            {"type": "input_text", "text": "[Attachment of image/png, 6 bytes, not carried over to Codex]"},
        ),
        (
            AttachmentBlock(uri="data:application/pdf;base64,JVBERi0xLjQK"),
            {"type": "input_text", "text": "[Attachment of application/pdf, 9 bytes, not carried over to Codex]"},
        ),
        (
            AttachmentBlock(uri="https://example.com/a.png"),
            {"type": "input_text", "text": "[Attachment of unknown type: https://example.com/a.png]"},
        ),
        (AttachmentBlock(media_type="text/plain", data="aGVsbG8="), {"type": "input_text", "text": "hello"}),
        (
            AttachmentBlock(media_type="application/pdf", data="AAAA"),
            {"type": "input_text", "text": "[Attachment of application/pdf, 3 bytes, not carried over to Codex]"},
        ),
        (UnknownBlock(source_type="odd", raw={"b": 1, "a": 2}), {"type": "input_text", "text": '{"a": 2, "b": 1}'}),
    ],
)
def test_what_codex_cannot_hold_becomes_text_and_comes_back(block: Any, part: dict[str, str]) -> None:
    said = Message(id="m", thread_id="t", turn_id="u", role="user", ts="2026-11-20T10:00:00.000Z", content=[block])
    result = emit_codex_rollout(THREAD, [said])
    payload = next(r["payload"] for r in map(json.loads, result.lines) if r["type"] == "response_item")
    assert payload["content"] == [part]
    assert read_back(PROVIDER, result).messages[0].content == [block]
    assert result.report.lossless == (part["type"] == "input_image")


@pytest.mark.parametrize(("version", "sent"), [("0.142.0", True), ("0.155.0", False), (None, False)])
def test_pictures_by_their_address_go_where_the_client_sends_them(version: str | None, sent: bool) -> None:
    block = AttachmentBlock(uri="https://example.com/a.png")
    said = Message(id="m", thread_id="t", role="user", ts="2026-11-20T10:00:00.000Z", content=[block])
    result = emit_codex_rollout(THREAD, [said], client_version=version)
    assert result.report.changed == ({} if sent else {"as-text": 1})


def test_what_holds_no_words_is_listed_all_the_same() -> None:
    call = ToolCallBlock(call_id="c", name="look", input={})
    for content, shown in ([call], "look"), ([TextBlock(text=" ")], "(no words)"):
        said = Message(id="m", thread_id="t", role="assistant", ts="2026-11-20T10:00:00.000Z", content=list(content))
        lines = emit_codex_rollout(Thread(id="t", created_at=""), [said]).lines
        events = [r["payload"] for r in map(json.loads, lines) if r["type"] == "event_msg"]
        assert [e["message"] for e in events if e["type"] == "user_message"] == [shown]


@pytest.mark.parametrize("ts", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999Z"])
def test_times_at_both_ends_of_the_calendar(ts: str) -> None:
    thread = Thread(id="t", created_at=ts, metadata={})
    said = Message(id="m", thread_id="t", role="user", content=[TextBlock(text="hi")], ts=ts)
    for history in ("legacy", "paginated"):
        assert emit_codex_rollout(thread, [said], history=history).lines
