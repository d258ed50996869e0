"""A human's queued words are never state: said once, at their time, wherever the client wrote them."""

from __future__ import annotations

from typing import Any

from tests.providers.claude_code.made import PIXEL, Made, codes, short


def enqueue(s: Made, content: Any) -> None:
    s.state("queue-operation", operation="enqueue", timestamp="2026-03-01T10:30:00.000Z", content=content)


def take(s: Made, operation: str, **more: Any) -> None:
    s.state("queue-operation", operation=operation, timestamp="2026-03-01T10:30:01.000Z", **more)


def test_a_dequeued_prompt_is_its_user_line() -> None:
    s = Made()
    enqueue(s, "second")
    take(s, "dequeue")
    s.user("u2", "a1", "second")
    result = s.read()
    assert short(result) == ["first", "one", "second"]
    assert result.report.skipped == {"queue-operation": 2}
    assert not codes(result)


def test_a_prompt_that_still_waits_is_said_at_the_end() -> None:
    s = Made()
    enqueue(s, "still waiting")
    s.said("a2", "a1", "working")
    result = s.read()
    assert short(result) == ["first", "one", "working", "still waiting"]
    assert result.messages[-1].ts == "2026-03-01T10:30:00.000Z"
    entry = next(e for e in result.report.entries if e.code == "queued-prompt")
    assert entry.message_id == result.messages[-1].id


def test_a_prompt_taken_into_the_turn_without_an_attachment() -> None:
    """2.0.30 to 2.1.50 write no attachment: the operation's words are all there is."""
    s = Made()
    s.call("x1", "a1", "c1", "step")
    enqueue(s, "also this")
    take(s, "remove")
    s.result("r1", "x1", "c1")
    s.said("a2", "r1", "both done")
    assert short(s.read())[2:] == ["+c1", "-c1", "also this", "both done"]


def test_the_same_words_twice_are_two_prompts() -> None:
    s = Made()
    enqueue(s, "yes")
    enqueue(s, "yes")
    take(s, "dequeue")
    s.user("u2", "a1", "yes")
    s.said("a2", "u2", "ok")
    assert short(s.read()) == ["first", "one", "yes", "ok", "yes"]


def test_a_later_line_answers_only_for_what_was_queued_before() -> None:
    s = Made()
    s.user("u2", "a1", "yes")
    enqueue(s, "yes")
    assert short(s.read()) == ["first", "one", "yes", "yes"]


def test_several_prompts_sent_as_one() -> None:
    s = Made()
    enqueue(s, "this")
    enqueue(s, "and that")
    take(s, "dequeue")
    take(s, "dequeue")
    s.user("u2", "a1", "this\nand that")
    assert short(s.read()) == ["first", "one", "this\nand that"]


def test_words_taken_back_were_not_said() -> None:
    s = Made()
    enqueue(s, "no, wait")
    take(s, "popAll")
    s.user("u2", "a1", "better words")
    result = s.read()
    assert short(result) == ["first", "one", "better words"]
    assert result.report.skipped == {"queue-operation": 2}


def test_the_clients_own_queue_is_state() -> None:
    s = Made()
    enqueue(s, "<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nFull transcript available at: /x")
    enqueue(s, '{"task_id":"b1","tool_use_id":"c1"}')
    enqueue(s, None)
    result = s.read()
    assert short(result) == ["first", "one"]
    assert result.report.skipped == {"queue-operation": 3}


def test_a_slash_command_comes_back_as_its_own_lines() -> None:
    s = Made()
    enqueue(s, "/cost")
    take(s, "dequeue")
    s.user("u2", "a1", "<command-name>/usage</command-name>\n<command-args></command-args>")
    assert short(s.read())[2:] == ["notice: <command-name>/usage</command-name>\n<command-args></command-args>"]


def test_a_picture_in_the_queue() -> None:
    s = Made()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    enqueue(s, [{"type": "text", "text": "look"}, image])
    result = s.read()
    assert short(result)[2:] == ["look", "attachment"]
    assert len(result.messages) == 3


def test_a_notification_in_an_attachment_is_no_humans() -> None:
    s = Made()
    queued = {"type": "queued_command", "prompt": "<task-notification>x</task-notification>"}
    s.line("attachment", "q1", "a1", attachment={**queued, "commandMode": "task-notification"})
    assert s.read().messages[-1].kind == "notice"


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}


def test_a_picture_without_words_is_a_prompt_too() -> None:
    s = Made()
    enqueue(s, [PICTURE])
    result = s.read()
    assert short(result) == ["first", "one", "attachment"]
    assert "queued-prompt" in codes(result)


def test_a_picture_that_comes_back_is_said_once() -> None:
    s = Made()
    enqueue(s, [PICTURE])
    take(s, "remove")
    queued = {"type": "queued_command", "prompt": [PICTURE], "commandMode": "prompt"}
    s.line("attachment", "q1", "a1", attachment=queued)
    assert short(s.read()) == ["first", "one", "attachment"]
