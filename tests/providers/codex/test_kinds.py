"""Which user messages are the client's: by what it says, else by the words."""

from __future__ import annotations

import pytest

from sesh.providers.codex import kinds


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["<environment_context>\n<cwd>/w</cwd>\n</environment_context>"], "context"),
        (["  <environment_context>x</environment_context>\n"], "context"),
        (["# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe nice\n</INSTRUCTIONS>"], "context"),
        (
            [
                "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>a</INSTRUCTIONS>",
                "<environment_context>b</environment_context>",
            ],
            "context",
        ),
        (['<codex_internal_context source="goal">\nfinish\n</codex_internal_context>'], "context"),
        (["<permissions instructions>\nx\n</permissions instructions>"], "context"),
        (["<turn_aborted>\nx\n</turn_aborted>"], "notice"),
        (["<user_shell_command>\n<command>ls</command>\n</user_shell_command>"], "notice"),
        (["<subagent_notification>\n{}\n</subagent_notification>"], "notice"),
        (['<hook_prompt hook_run_id="stop:1">\ngo on\n</hook_prompt>'], "notice"),
        (["<agent_message_board_notification>x</agent_message_board_notification>"], "notice"),
        (["Warning: The maximum number of unified exec processes you can keep open is 60 and you have 61."], "notice"),
        (
            ["Warning: apply_patch was requested via exec_command. Use the apply_patch tool instead of exec_command."],
            "notice",
        ),
        (["Warning: Your account was flagged for potentially high-risk cyber activity and so on"], "notice"),
        (["# AGENTS.md instructions\n\n<INSTRUCTIONS>\nbe nice\n</INSTRUCTIONS>"], "context"),
        (["<user_action>\n  <action>review</action>\n  </user_action>\n"], "notice"),
        # a human's
        (["hello"], None),
        ([""], None),
        ([], None),
        (["why does it say <environment_context>x</environment_context>?"], None),
        (["<environment_context>x</environment_context> what is this?"], None),
        (["<environment_context>x</environment_context>", "what is this?"], None),
        (["<environment_context>never closed"], None),
        (["<environment_context>a</environment_context> and <environment_context>b</environment_context>"], None),
        (["<div>markup</div>"], None),
        (["Warning: this is what I see in my log"], None),
        (["Warning: apply_patch was requested via exec_command. Why is that?"], None),
        (["<environment_context>x</turn_aborted>"], None),
        (["# AGENTS.md instructions for /w\nshould I write these?"], None),
        (["# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>a</INSTRUCTIONS>\n\nis that right?"], None),
        (["<image name=[Image #1]>"], None),
    ],
)
def test_by_the_words(texts: list[str], kind: str | None) -> None:
    assert kinds.of_texts(texts) == kind


@pytest.mark.parametrize(
    ("names", "stated"),
    [
        (["user.text"], (True, None)),
        (["user.text", "user.image", "user.text"], (True, None)),
        (["environments.environment_context"], (True, "context")),
        (["generic.turn_aborted"], (True, "notice")),
        (["multi_agent.subagent_notification"], (True, "notice")),
        (["shell.user_command"], (True, "notice")),
        (["compaction.summary"], (True, "summary")),
        (["host_skills.instructions", "permissions.instructions"], (True, "context")),
        (["something.new"], (True, "context")),
        (["unknown"], (False, None)),
        ([], (False, None)),
        (None, (False, None)),
        ("user.text", (False, None)),
        ([1], (False, None)),
    ],
)
def test_by_what_the_client_says(names: object, stated: tuple[bool, str | None]) -> None:
    assert kinds.stated(names) == stated
