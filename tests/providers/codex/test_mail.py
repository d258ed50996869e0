"""Mail between agents as a record of its own: the client makes an `agent_message` of it (measured/), and so do we."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from sesh.format import walk
from sesh.format.blocks import TextBlock, UnknownBlock
from sesh.providers.codex import PROVIDER, mail
from sesh.providers.codex.spoken import spoken
from sesh.providers.codex.writer import emit_codex_rollout
from tests.providers.codex.rollouts import Line, agent, codes, item, read, user

GIVEN = {"author": "/root", "recipient": "/root/kid", "content": "look", "trigger_turn": True}


def line(**fields: Any) -> Line:
    return {"type": "inter_agent_communication", "payload": {**GIVEN, **fields}}


def test_a_task_from_above_is_a_prompt() -> None:
    message = read(line(), agent("1")).messages[0]
    assert (message.role, message.kind, message.content) == ("user", None, [TextBlock(text="look")])


def test_an_answer_from_below_is_a_notice() -> None:
    message = read(user("x"), line(author="/root/kid", recipient="/root")).messages[1]
    assert (message.role, message.kind, walk.text_of(message)) == ("user", "notice", "look")


def test_sealed_words_are_kept() -> None:
    content = read(user("x"), line(content="", encrypted_content="E")).messages[1].content
    assert content == [
        UnknownBlock(source_type="encrypted_content", raw={"type": "encrypted_content", "encrypted_content": "E"})
    ]


@pytest.mark.parametrize(
    "odd",
    [
        {"author": "root"},
        {"author": "/root/"},
        {"recipient": "/root/Kid"},
        {"recipient": None},
        {"content": 3},
        {"trigger_turn": None},
    ],
)
def test_what_the_client_would_not_take_is_unknown(odd: dict[str, Any]) -> None:
    assert mail.item({**GIVEN, **odd}) is None
    assert "unknown-record" in codes(read(user("x"), line(**odd)))


@pytest.mark.parametrize("form", ["legacy", "paginated"])
def test_it_is_written_as_the_same_record(form: Any) -> None:
    given = read(user("x"), line(extra=1), agent("y"))
    written = emit_codex_rollout(given.thread, given.messages, history=form)
    found = [json.loads(x) for x in written.lines]
    assert [x["payload"] for x in found if x["type"] == "inter_agent_communication"] == [{**GIVEN, "extra": 1}]
    again = PROVIDER.parse(b"\n".join(written.lines)).messages
    assert [(m.role, m.kind, m.content) for m in again] == [(m.role, m.kind, m.content) for m in given.messages]


def test_what_was_changed_is_written_as_it_is_now() -> None:
    given = read(user("x"), line(), agent("y"))
    given.messages[1] = msgspec.structs.replace(given.messages[1], content=[TextBlock(text="changed")])
    written = emit_codex_rollout(given.thread, given.messages)
    assert not any(b"inter_agent_communication" in x for x in written.lines)
    assert [walk.text_of(m) for m in PROVIDER.parse(b"\n".join(written.lines)).messages] == ["x", "changed", "y"]


def test_mail_is_found_by_its_words() -> None:
    sent = item("agent_message", author="/root", recipient="/root/kid", content=[{"type": "input_text", "text": "w"}])
    assert [s.text for s in spoken(json.dumps(sent).encode())] == ["w"]
    assert [s.text for s in spoken(json.dumps(line()).encode())] == ["look"]
