"""A stamp refers to the long texts that its line says already, and all comes back from there (format/stamp.py)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from sesh.format.message import Message, Role
from sesh.format.thread import Thread
from sesh.providers.codex import PROVIDER
from sesh.providers.codex.writer import emit_codex_rollout
from tests.clients import placing
from tests.clients.codex import Codex

LONG = "".join(f"{n}: words of a long output\n" for n in range(20))
THREAD = Thread(id="t", created_at="2026-11-20T10:00:00.000Z", metadata={"cwd": "/p", "provider": "claude-code"})
MARK = "0: words of a long output"


def said(role: Role, *content: AnyBlock) -> Message:
    number = f"{role}-{len(content)}-{hash(str(content)) & 0xFFFF}"
    return Message(id=number, thread_id="t", role=role, ts="2026-11-20T10:00:00.000Z", content=list(content))


def ask(*blocks: AnyBlock) -> list[Message]:
    return [said("user", TextBlock(text="go")), *(said("assistant", b) for b in blocks)]


def run(output: Any, *, name: str = "Bash", **fields: Any) -> list[Message]:
    call = ToolCallBlock(call_id="c d", name=name, input={"command": "ls"})  # an id that the API refuses
    return [*ask(call), said("tool", ToolResultBlock(call_id="c d", output=output, **fields))]


CASES: dict[str, tuple[list[Message], dict[str, Any]]] = {
    "another call id": (run(LONG), {}),
    "parts": (
        run([{"type": "text", "text": LONG}, {"type": "attachment", "mediaType": "image/png", "data": "QUJD" * 99}]),
        {},
    ),
    "Codex's heading": (run(LONG), {"tools": "native"}),
    "Codex's heading, failed": (run("Exit code 1\n" + LONG, is_error=True), {"tools": "native"}),
    "a thought": (ask(ReasoningBlock(text=LONG), TextBlock(text="y")), {}),
    "a thought in a paginated file": (ask(ReasoningBlock(text=LONG), TextBlock(text="y")), {"history": "paginated"}),
    "a text document": (
        [
            said(
                "user",
                TextBlock(text="see"),
                AttachmentBlock(media_type="text/plain", uri=None, data="eA=="),
                TextBlock(text=LONG),
            )
        ],
        {},
    ),
}


def came_back(lines: list[bytes]) -> list[list[AnyBlock]]:
    return [m.content for m in PROVIDER.parse(b"\n".join(lines)).messages]


@pytest.mark.parametrize("case", CASES)
def test_a_long_text_is_not_said_again(case: str) -> None:
    messages, options = CASES[case]
    result = emit_codex_rollout(THREAD, messages, **options)
    stamps = [json.loads(x)["sesh"] for x in result.lines if b'"same"' in x]
    assert len(stamps) == 1
    assert MARK not in json.dumps(stamps)
    assert came_back(result.lines) == [m.content for m in messages]


def test_somebody_changed_the_line() -> None:
    """Then the line is what counts, as for any stamp whose words are gone."""
    messages, options = CASES["Codex's heading"]
    lines = emit_codex_rollout(THREAD, messages, **options).lines
    changed = [x.replace(b"19: words", b"19: other words") if b'"same"' in x else x for x in lines]
    block = came_back(changed)[-1][0]
    assert isinstance(block, ToolResultBlock)
    assert "19: other words" in str(block.output)


def test_whole_stamps_are_read_as_ever() -> None:
    messages, options = CASES["Codex's heading"]
    lines = emit_codex_rollout(THREAD, messages, **options).lines
    at = next(n for n, x in enumerate(lines) if b'"same"' in x)
    line = json.loads(lines[at])
    block = {"type": "tool_result", "callId": "c d", "output": LONG}
    line["sesh"] = {"blocks": [block], **{k: v for k, v in line["sesh"].items() if k not in ("rest", "same")}}
    lines[at] = json.dumps(line).encode()
    assert came_back(lines) == [m.content for m in messages]


@pytest.mark.parametrize("broken", ["\ud83d" + LONG, LONG + "\ud83d", LONG[:150] + "\udc00" + LONG[150:]])
@pytest.mark.parametrize("tools", ["keep", "native"])
def test_lone_surrogates_come_back(broken: str, tools: Any) -> None:
    messages = run(broken)
    result = emit_codex_rollout(THREAD, messages, tools=tools)
    assert came_back(result.lines) == [m.content for m in messages]


def test_a_witness_comes_back_from_its_own_event() -> None:
    """Codex's own: a command that only an event tells of; its output stands on the line once."""
    item = {
        "type": "CommandExecution",
        "id": "exec-1",
        "command": ["bash", "-lc", "ls"],
        "aggregated_output": LONG,
        "exit_code": 0,
    }
    given = [
        {"type": "session_meta", "payload": {"id": THREAD_ID, "timestamp": "2026-11-20T10:00:00.000Z", "cwd": "/p"}},
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]},
        },
        {
            "type": "event_msg",
            "payload": {"type": "item_completed", "thread_id": THREAD_ID, "turn_id": "t", "item": item},
        },
        {"type": "event_msg", "payload": {"type": "task_complete", "turn_id": "t"}},
    ]
    read = PROVIDER.parse(
        b"\n".join(json.dumps({"timestamp": "2026-11-20T10:00:01.000Z", **x}).encode() for x in given)
    )
    result = emit_codex_rollout(read.thread, read.messages)
    assert came_back(result.lines) == [m.content for m in read.messages]


THREAD_ID = "019c0000-0000-7000-8000-000000000001"


def test_the_client_resumes_it_and_keeps_it(codex_client: Codex) -> None:
    """What is sent is what a file without stamps would send, and the stamps are still there afterwards."""
    messages = [*run(LONG), said("assistant", ReasoningBlock(text=LONG)), said("assistant", TextBlock(text="done"))]
    result = emit_codex_rollout(THREAD, messages, tools="native")
    home = codex_client.home()
    placing.place(result, home)
    probe = codex_client.go_on(result.session_id, home=home, cwd=codex_client.folder())
    assert probe.resumed
    assert probe.prefix_kept
    assert [row["kind"] for row in probe.sent] == ["user", "call", "result", "assistant"]
    assert LONG in probe.sent[2]["text"]
    after = PROVIDER.parse(codex_client.file_of(result.session_id, home).read_bytes()).messages
    assert [m.content for m in after][: len(messages)] == [m.content for m in messages]
