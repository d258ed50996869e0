"""Whose words a user text is."""

from __future__ import annotations

import pytest

from sesh.format import walk
from sesh.format.blocks import TextBlock
from sesh.providers.claude_code.kinds import TAGS, Voice, command_of, voice_of
from tests.providers.claude_code.made import Made, short

COMMAND = (
    "<command-name>/hello</command-name>\n"
    "    <command-message>hello</command-message>\n"
    "    <command-args>x y</command-args>"
)


@pytest.mark.parametrize("tag", TAGS)
def test_a_text_that_is_a_piece_of_the_clients(tag: str) -> None:
    assert voice_of(f"\n<{tag}>some\nwords</{tag}>  ") is TAGS[tag].voice


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize(
    "text",
    [
        "what does <{0}>x</{0}> mean?",
        "<{0}>x</{0}> what is this?",
        "look: <{0}>x</{0}>",
        "<{0}>never closed",
        "<{0}>a</{0}> and <{0}>b</{0}>",
        "`<{0}>`",
        "<{0}/>",
    ],
)
def test_a_human_who_quotes_a_tag_stays_human(tag: str, text: str) -> None:
    assert voice_of(text.format(tag)) == "human"


@pytest.mark.parametrize(
    ("text", "voice"),
    [
        (COMMAND, "command"),
        ("<bash-stdout></bash-stdout><bash-stderr>no such file</bash-stderr>", "output"),
        ("<local-command-stdout>prints </local-command-stdout> itself</local-command-stdout>", "output"),
        ("<task-notification>a</task-notification>\nRead the output file to retrieve the result: /x", "event"),
        ("<task-notification>a</task-notification>\nFull transcript available at: /x", "event"),
        ("<task-notification>a</task-notification>\nWhat now?", "human"),
        ("[Request interrupted by user]", "interrupt"),
        ("[Request interrupted by user for tool use]", "interrupt"),
        ("[Request interrupted by user] why?", "human"),
        ("<div>html</div>", "human"),
        ('<pasted_content id="52f6">\nx\n</pasted_content id="52f6">', "human"),
        ("", "human"),
        ("<", "human"),
    ],
)
def test_voices(text: str, voice: Voice) -> None:
    assert voice_of(text) is voice


def test_the_client_says_who_typed() -> None:
    """2.1.328: a typed prompt is human even where it is nothing but a tag; a notification is not."""
    s = Made()
    s.user("u2", "a1", "<bash-input>ls</bash-input>", promptSource="typed")
    s.user("u3", "u2", "<bash-input>ls</bash-input>", origin={"kind": "human"})
    s.user("u4", "u3", "plain", origin={"kind": "task-notification"})
    s.user("u5", "u4", "meta", isMeta=True)
    assert [m.kind for m in s.read().messages[2:]] == [None, None, "notice", "context"]


def test_a_commands_own_prompt_is_what_the_human_asked_for() -> None:
    s = Made()
    s.user("u2", "a1", COMMAND)
    s.user("u3", "u2", [{"type": "text", "text": "Say hello to x y."}], isMeta=True)
    s.user("u4", "u3", "Caveat", isMeta=True)
    assert [m.kind for m in s.read().messages[2:]] == ["notice", "notice", "context"]


def test_context_and_words_on_one_line_are_two_messages() -> None:
    s = Made()
    texts = ["<ide_opened_file>The user opened x</ide_opened_file>", "real words"]
    s.user("u2", "a1", [{"type": "text", "text": t} for t in texts])
    context, words = s.read().messages[2:]
    assert (context.kind, words.kind) == ("context", None)
    assert words.content == [TextBlock(text="real words")]
    assert words.parent_id == context.id


def test_results_and_words_on_one_line_are_two_messages() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "ok"}
    s.user("r1", "x1", [result, {"type": "text", "text": "and words"}])
    tool, words = s.read().messages[3:]
    assert (tool.role, words.role) == ("tool", "user")
    assert len({m.id for m in (tool, words)}) == 2


def test_the_first_prompt_and_the_turns_are_the_humans() -> None:
    s = Made(start=False)
    s.user("m1", None, "Caveat", isMeta=True)
    s.user("c1", "m1", COMMAND)
    s.user("o1", "c1", "<local-command-stdout>out</local-command-stdout>")
    s.user("u1", "o1", "real words")
    s.said("a1", "u1", "answer")
    result = s.read()
    assert walk.first_prompt(result.messages) == "real words"
    assert result.thread.title == "real words"
    ids = {text: m.id for text, m in zip(short(result), result.messages, strict=True)}
    assert [m.turn_id for m in result.messages] == [
        None,
        ids[f"notice: {COMMAND}"],
        ids[f"notice: {COMMAND}"],
        ids["real words"],
        ids["real words"],
    ]


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        (COMMAND, "/hello x y"),
        ("<command-name>/clear</command-name>", "/clear"),
        ("<bash-input>ls -l</bash-input>", "! ls -l"),
        ("<user-memory-input>remember</user-memory-input>", "# remember"),
        ("<command-name>/x</command-name><command-args>a </command-args> b</command-args>", "/x a </command-args> b"),
        ("<bash-input>echo '</bash-input>'</bash-input>", "! echo '</bash-input>'"),
        ("/hello", None),
        ("say <command-name>/x</command-name>", None),
    ],
)
def test_command_of(text: str, typed: str | None) -> None:
    assert command_of(text) == typed


def test_an_api_error_is_not_sent_and_an_answer_of_the_clients_is() -> None:
    s = Made()
    s.said("e1", "a1", "API Error: 500", model="<synthetic>", isApiErrorMessage=True)
    s.said("e2", "e1", "No response requested.", model="<synthetic>")
    s.said("e3", "e2", "A refusal in the model's own words.", isApiErrorMessage=True)
    messages = s.read().messages[2:]
    assert [m.kind for m in messages] == ["context", "notice", None]
    assert [m.model for m in messages] == [None, None, "claude-opus-5-5"]
