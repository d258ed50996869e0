"""`--tools native`: arguments and results translated, patches that apply, and the way back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesh.format import blocks
from sesh.format.blocks import AttachmentBlock, TextBlock, ToolCallBlock, ToolResultBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.codex import PROVIDER, patch_text
from sesh.providers.codex.writer import emit_codex_rollout
from sesh.testing.provider_suite import read_back

THREAD = Thread(id="t", created_at="2026-11-20T10:00:00.000Z", metadata={"cwd": "/w", "provider": "claude-code"})
PICTURE = [blocks.part(AttachmentBlock(media_type="image/png", data="iVBORw0KGgo="))]
Run = tuple[str, dict[str, Any], Any, bool | None]


def told(*runs: Run) -> list[Message]:
    """A prompt, then each tool run as a call and its result."""
    found = [Message(id="p", thread_id="t", turn_id="u", role="user", ts=ts(0), content=[TextBlock(text="Go")])]
    for n, (name, given, output, error) in enumerate(runs):
        call = ToolCallBlock(call_id=f"c{n}", name=name, input=given)
        result = ToolResultBlock(call_id=f"c{n}", output=output, is_error=error)
        found.append(
            Message(id=f"a{n}", thread_id="t", turn_id="u", role="assistant", ts=ts(2 * n + 1), content=[call])
        )
        found.append(Message(id=f"r{n}", thread_id="t", turn_id="u", role="tool", ts=ts(2 * n + 2), content=[result]))
    return found


def ts(second: int) -> str:
    return f"2026-11-20T10:00:{second:02d}.000Z"


def written(*runs: Run, version: str | None = "0.169.0") -> list[dict[str, Any]]:
    """The response items of the runs, without the prompt."""
    result = emit_codex_rollout(THREAD, told(*runs), tools="native", client_version=version)
    records = [json.loads(line) for line in result.lines]
    return [r["payload"] for r in records if r["type"] == "response_item"][1:]


@pytest.mark.parametrize(
    ("version", "name", "arguments", "output"),
    [
        (None, "exec_command", {"cmd": "ls"}, "Wall time: 1.0000 seconds\nProcess exited with code 0\nOutput:\na.txt"),
        (
            "0.104.0",
            "exec_command",
            {"cmd": "ls"},
            "Wall time: 1.0000 seconds\nProcess exited with code 0\nOutput:\na.txt",
        ),
        ("0.87.0", "shell_command", {"command": "ls"}, "Exit code: 0\nWall time: 1.0 seconds\nOutput:\na.txt"),
        ("0.47.0", "shell", {"command": ["bash", "-lc", "ls"]}, "Exit code: 0\nWall time: 1.0 seconds\nOutput:\na.txt"),
        (
            "0.36.0",
            "shell",
            {"command": ["bash", "-lc", "ls"]},
            '{"output":"a.txt","metadata":{"exit_code":0,"duration_seconds":1.0}}',
        ),
    ],
)
def test_bash_is_the_shell_tool_of_the_version(version: str | None, name: str, arguments: Any, output: str) -> None:
    call, result = written(("Bash", {"command": "ls", "description": "List"}, "a.txt", False), version=version)
    assert (call["name"], json.loads(call["arguments"])) == (name, arguments)
    assert result["output"] == output


@pytest.mark.parametrize(
    ("said", "output"),
    [
        ("Exit code 3\noops", "Wall time: 1.0000 seconds\nProcess exited with code 3\nOutput:\noops"),
        ("Exit code 1", "Wall time: 1.0000 seconds\nProcess exited with code 1\nOutput:\n"),
        ("The user doesn't want to proceed", "The user doesn't want to proceed"),
    ],
)
def test_a_failed_command_keeps_its_exit_code_or_its_words(said: str, output: str) -> None:
    assert written(("Bash", {"command": "x"}, said, True))[1]["output"] == output


def test_an_edit_of_a_part_of_a_line_becomes_a_patch_of_whole_lines_that_applies() -> None:
    before = "".join(f"line {n}\n" for n in range(40))
    shown = "\n".join(f"{n + 1}\t{line}" for n, line in enumerate(before.split("\n")))
    items = written(
        ("Read", {"file_path": "/w/a.txt"}, shown, None),
        ("Edit", {"file_path": "/w/a.txt", "old_string": "ne 20\nli", "new_string": "NE 20\nLI"}, "updated", None),
        (
            "MultiEdit",
            {
                "file_path": "/w/a.txt",
                "edits": [
                    {"old_string": "NE 20", "new_string": "ne twenty"},
                    {"old_string": "line 3", "new_string": "row 3", "replace_all": True},
                ],
            },
            "updated",
            None,
        ),
    )
    patches = [i["input"] for i in items if i["type"] == "custom_tool_call"]
    once = patch_text.apply(patches[0], {"/w/a.txt": before})["/w/a.txt"]
    assert once == before.replace("ne 20\nli", "NE 20\nLI", 1)
    twice = patch_text.apply(patches[1], {"/w/a.txt": once})["/w/a.txt"]
    assert twice == once.replace("NE 20", "ne twenty").replace("line 3", "row 3")


def test_lines_that_stand_several_times_get_context_until_the_patch_hits_the_right_ones() -> None:
    block = "begin\n" + "same\n" * 6 + "end\n"
    before, after = block * 3, block * 2 + block.replace("same\nend", "other\nend")
    patch = patch_text.update_file("a", before, after)
    assert patch is not None
    assert patch_text.apply(patch, {"a": before}) == {"a": after}


def test_a_new_file_and_an_edit_after_a_write() -> None:
    items = written(
        ("Write", {"file_path": "/w/n.txt", "content": "a\nb\n"}, "File created", None),
        ("Edit", {"file_path": "/w/n.txt", "old_string": "b", "new_string": "B"}, "updated", None),
        ("Edit", {"file_path": "/w/e.txt", "old_string": "", "new_string": "x\n"}, "created", None),
    )
    patches = [i["input"] for i in items if i["type"] == "custom_tool_call"]
    made = patch_text.apply(patches[0], {})
    assert made == {"/w/n.txt": "a\nb\n"}
    assert patch_text.apply(patches[1], made) == {"/w/n.txt": "a\nB\n"}
    assert patch_text.apply(patches[2], {}) == {"/w/e.txt": "x\n"}
    outputs = [i["output"] for i in items if i["type"] == "custom_tool_call_output"]
    assert outputs[0].endswith("Success. Updated the following files:\nA /w/n.txt\n")
    assert outputs[1].endswith("M /w/n.txt\n")


def test_a_file_that_a_command_may_have_changed_is_not_taken_as_known() -> None:
    items = written(
        ("Write", {"file_path": "/w/n.txt", "content": "a\nb\n"}, "File created", None),
        ("Bash", {"command": "sort -r -o n.txt n.txt"}, "", None),
        ("Edit", {"file_path": "/w/n.txt", "old_string": "b", "new_string": "B"}, "updated", None),
    )
    assert items[-2]["input"].split("\n")[2:-1] == ["@@", "-b", "+B"]


def test_a_failed_edit_says_so_as_codex_does() -> None:
    said = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    items = written(("Edit", {"file_path": "/w/n.txt", "old_string": "q", "new_string": "Q"}, said, True))
    assert items[1]["output"] == "apply_patch verification failed: String to replace not found in file."


def test_images_plans_and_mcp_tools_have_their_own_tools() -> None:
    todos = [{"content": "Look", "status": "completed", "activeForm": "Looking"}, {"content": "Go", "status": "odd"}]
    items = written(
        ("Read", {"file_path": "/w/p.png"}, PICTURE, None),
        ("TodoWrite", {"todos": todos}, "Todos have been modified", None),
        ("mcp__demo__add", {"a": 1}, "3", None),
        ("Read", {"file_path": "/w/a.txt"}, "1\ta", None),
    )
    calls = [(i["name"], i.get("namespace"), json.loads(i["arguments"])) for i in items if i["type"] == "function_call"]
    assert calls == [
        ("view_image", None, {"path": "/w/p.png"}),
        (
            "update_plan",
            None,
            {"plan": [{"step": "Look", "status": "completed"}, {"step": "Go", "status": "pending"}]},
        ),
        ("add", "mcp__demo", {"a": 1}),
        ("Read", None, {"file_path": "/w/a.txt"}),
    ]
    assert items[1]["output"] == [{"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}]
    assert items[3]["output"] == "Plan updated"


def test_a_search_is_a_search_and_what_it_found_is_told_beside_it() -> None:
    call, found = written(("WebSearch", {"query": "codex"}, "Links: ...", None))
    assert call == {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "codex"}}
    assert (found["role"], found["content"]) == ("developer", [{"type": "input_text", "text": "Links: ..."}])


def test_there_and_back_gives_the_first_calls_and_results_again() -> None:
    given = told(
        ("Bash", {"command": "ls", "description": "List", "timeout": 9}, "a.txt", False),
        ("Write", {"file_path": "/w/n.txt", "content": "a"}, "File created", None),
        ("Read", {"file_path": "/w/p.png"}, PICTURE, None),
        ("WebSearch", {"query": "codex", "allowed_domains": ["example.com"]}, "Links: ...", None),
        ("mcp__demo__add", {"a": 1}, "boom", True),
    )
    result = emit_codex_rollout(THREAD, given, tools="native")
    got = read_back(PROVIDER, result)
    assert [m.content for m in got.messages] == [m.content for m in given]
    assert [m.role for m in got.messages] == [m.role for m in given]
    assert result.report.changed == {"renamed-tool": 10}
