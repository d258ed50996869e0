"""The judge: what the reader calls the main thread is what the real Claude Code 2.1.328 sends when it resumes the file.

tests/corpus/sent holds the recorded requests. Contexts and thinking are left out on both sides. The client also does
things of its own on resume, which a canonical thread must not: it keeps what happened. Each such act is applied to our
rows by name (`ACTS`), and a test says in which sessions it was seen, so that an act nobody needs any more fails.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sesh.format import walk
from sesh.format.blocks import TextBlock, ToolCallBlock, ToolResultBlock
from sesh.format.message import Message
from sesh.providers.claude_code.reader import parse_claude_session
from tests import rows
from tests.corpus_files import claude_name, claude_sessions, claude_source, sent
from tests.rows import Row

Act = Callable[[list[Message], list[Row]], tuple[list[Message], list[Row]]]


def steps_together(messages: list[Message], theirs: list[Row]) -> tuple[list[Message], list[Row]]:
    """Calls of one API message are sent together, though a result was written between them (call, result, call)."""
    return walk.by_step(messages), theirs


def task_is_agent(messages: list[Message], theirs: list[Row]) -> tuple[list[Message], list[Row]]:
    """The tool `Task` of older versions is called `Agent` now, and the client renames it in old calls."""

    def renamed(block: object) -> object:
        if isinstance(block, ToolCallBlock) and block.name == "Task":
            return msgspec.structs.replace(block, name="Agent")
        return block

    return [_with(m, [renamed(b) for b in m.content]) for m in messages], theirs


def mid_turn_as_system(messages: list[Message], theirs: list[Row]) -> tuple[list[Message], list[Row]]:
    """Prompts taken into a running turn, and a background task's notification (2.1.328), are sent as system text."""

    def as_system(message: Message) -> bool:
        data = message.provider_data or {}
        return data.get("attachment") == "queued_command" or data.get("origin") == {"kind": "task-notification"}

    return [m for m in messages if not as_system(m)], theirs


REFERENCES = (
    "[Tool references removed - tool search not enabled]",
    "[Tool references removed - tools no longer available]",
)


def references_removed(messages: list[Message], theirs: list[Row]) -> tuple[list[Message], list[Row]]:
    """References to tools that the resumed client does not offer are replaced by a remark (and "Tool loaded.")."""

    def only_references(block: object) -> object:
        if isinstance(block, ToolResultBlock) and isinstance(block.output, list) and block.output:
            kinds = {p.get("sourceType") for p in block.output}
            if kinds == {"tool_reference"}:
                return msgspec.structs.replace(block, output="[references]")
        return block

    left = [r for r in theirs if r.get("text") != "Tool loaded."]
    left = [{**r, "text": "[references]"} if r.get("text") in REFERENCES else r for r in left]
    return [_with(m, [only_references(b) for b in m.content]) for m in messages], left


def answer_appended(messages: list[Message], theirs: list[Row]) -> tuple[list[Message], list[Row]]:
    """A session that ends in a user's line gets an answer "No response requested." before the new prompt."""
    last = rows.settled(theirs)[-1:]
    if last and last[0] == {"kind": "assistant", "text": "No response requested.", "images": []}:
        ours = rows.settled(rows.conversation(messages))[-1:]
        if not ours or ours[0].get("text") != "No response requested.":
            return messages, theirs[:-1]
    return messages, theirs


ACTS: dict[Act, int] = {
    steps_together: 1,
    task_is_agent: 9,
    mid_turn_as_system: 2,
    references_removed: 4,
    answer_appended: 2,
}
"""What the client does to a session on resume, and in how many corpus sessions it shows."""


def _with(message: Message, content: list[object]) -> Message:
    return msgspec.structs.replace(message, content=content)  # type: ignore[arg-type]


def both(path: Path, *, without: Act | None = None) -> tuple[list[Row], list[Row]]:
    """Our rows and the client's, settled; `without` leaves one of the client's acts out."""
    messages = walk.window(parse_claude_session(claude_source(path)).messages)
    theirs: list[Row] = sent(path)["sent"]
    contexts = rows.of_messages(m for m in messages if m.kind == "context")
    messages = [m for m in messages if m.kind != "context"]
    for act in ACTS:
        if act is not without:
            messages, theirs = act(messages, theirs)
    return rows.settled(rows.of_messages(messages)), rows.settled(rows.without(theirs, contexts))


@pytest.mark.parametrize("path", claude_sessions(), ids=claude_name)
def test_main_thread_is_what_claude_sends(path: Path) -> None:
    ours, theirs = both(path)
    assert ours == theirs


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_every_act_of_the_client_is_seen_as_often_as_stated(act: Act) -> None:
    needed = [path for path in claude_sessions() if (pair := both(path, without=act))[0] != pair[1]]
    assert len(needed) == ACTS[act], [claude_name(p) for p in needed]


def test_a_session_the_client_refuses_has_no_conversation() -> None:
    refused = [path for path in claude_sessions() if not sent(path)["resumed"]]
    assert len(refused) == 4
    for path in refused:
        result = parse_claude_session(claude_source(path))
        assert not [m for m in result.messages if m.kind is None]
        assert "no-conversation" in {e.code for e in result.report.entries} or result.children


def test_rows_tell_texts_apart() -> None:
    """The comparison itself can fail."""
    message = parse_claude_session(claude_source(claude_sessions()[0])).messages[0]
    other = _with(message, [TextBlock(text="other")])
    assert rows.settled(rows.of_messages([message])) != rows.settled(rows.of_messages([other]))
