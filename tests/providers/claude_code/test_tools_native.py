"""Other clients' tools as Claude Code's own: names, arguments, results, and what the screen draws of them."""

from __future__ import annotations

from typing import Any

import pytest

from sesh.format.blocks import FileChangeBlock, TextBlock, ToolCallBlock
from sesh.providers.api import EmitResult
from sesh.providers.claude_code import PROVIDER
from sesh.providers.claude_code.tools_native import Place, native
from sesh.testing.provider_suite import read_back
from tests.providers.claude_code.telling import FOLDER, Telling, chained

HERE = Place(FOLDER, "codex")


@pytest.mark.parametrize(
    ("name", "given", "written", "arguments"),
    [
        ("exec_command", {"cmd": "ls"}, "Bash", {"command": "ls"}),
        ("exec_command", {"cmd": "ls", "workdir": FOLDER + "/"}, "Bash", {"command": "ls"}),
        ("exec_command", {"cmd": "ls", "workdir": "/a b"}, "Bash", {"command": "cd '/a b' && ls"}),
        ("shell", {"command": ["bash", "-lc", "ls | wc"]}, "Bash", {"command": "ls | wc"}),
        ("shell", {"command": ["/bin/zsh", "-c", "ls"]}, "Bash", {"command": "ls"}),
        ("shell", {"command": ["git", "log", "a b"]}, "Bash", {"command": "git log 'a b'"}),
        ("shell_command", {"command": "ls", "timeout_ms": 500}, "Bash", {"command": "ls", "timeout": 500}),
        ("local_shell", {"type": "exec", "command": ["ls"]}, "Bash", {"command": "ls"}),
        ("local_shell", {"action": {"command": ["ls"]}}, "Bash", {"command": "ls"}),
        ("view_image", {"path": "a.png"}, "Read", {"file_path": f"{FOLDER}/a.png"}),
        ("view_image", {"path": "/x/a.png"}, "Read", {"file_path": "/x/a.png"}),
        (
            "update_plan",
            {"plan": [{"step": "look", "status": "pending"}]},
            "TodoWrite",
            {"todos": [{"content": "look", "status": "pending", "activeForm": "look"}]},
        ),
        (
            "spawn_agent",
            {"message": "do it", "agent_type": "worker"},
            "Agent",
            {"description": "do it", "prompt": "do it", "subagent_type": "worker"},
        ),
        # What has no equal keeps its arguments, under a name that the screen draws.
        ("exec_command", "no object", "mcp__codex__exec_command", {"input": "no object"}),
        ("exec_command", {"cmd": " "}, "mcp__codex__exec_command", {"cmd": " "}),
        ("update_plan", {"plan": [{"step": 1}]}, "mcp__codex__update_plan", {"plan": [{"step": 1}]}),
        ("write_stdin", {"chars": "y"}, "mcp__codex__write_stdin", {"chars": "y"}),
        ("a tool", {}, "mcp__codex__a_tool", {}),
        # Its own names stay.
        ("Bash", {"command": "ls"}, "Bash", {"command": "ls"}),
        ("mcp__demo__add", {"a": 1}, "mcp__demo__add", {"a": 1}),
    ],
)
def test_a_call(name: str, given: Any, written: str, arguments: dict[str, Any]) -> None:
    (use,) = native(ToolCallBlock(call_id="c", name=name, input=given), HERE)
    assert (use.name, use.input) == (written, arguments)
    assert (use.code is None) == (name == written)


def test_a_tool_of_a_server_is_named_as_that_servers() -> None:
    block = ToolCallBlock(call_id="c", name="add", input={}, provider_data={"namespace": "mcp__demo"})
    assert native(block, HERE)[0].name == "mcp__demo__add"


PATCH = """*** Begin Patch
*** Add File: new.txt
+one
+two
*** Update File: src/a.py
@@ def f():
 keep
-old
+new
 keep
@@
-x
+y
*** Update File: b.txt
*** Move to: c.txt
*** Delete File: it's gone.txt
*** End Patch"""


def test_a_patch_is_each_of_its_edits() -> None:
    uses = native(FileChangeBlock(call_id="c", patch=PATCH), HERE)
    assert [(u.name, u.input) for u in uses] == [
        ("Write", {"file_path": f"{FOLDER}/new.txt", "content": "one\ntwo\n"}),
        ("Edit", edit("src/a.py", "keep\nold\nkeep", "keep\nnew\nkeep")),
        ("Edit", edit("src/a.py", "x", "y")),
        ("Bash", {"command": "mv b.txt c.txt", "description": "Rename b.txt to c.txt"}),
        ("Bash", {"command": "rm 'it'\"'\"'s gone.txt'", "description": "Delete it's gone.txt"}),
    ]


def edit(path: str, old: str, new: str) -> dict[str, Any]:
    return {"file_path": f"{FOLDER}/{path}", "old_string": old, "new_string": new, "replace_all": False}


@pytest.mark.parametrize(
    "patch", [None, "no patch at all", "*** Begin Patch\nodd line\n*** End Patch", "*** Begin Patch"]
)
def test_a_patch_that_cannot_be_read_stays_a_call(patch: str | None) -> None:
    (use,) = native(FileChangeBlock(call_id="c", patch=patch), HERE)
    assert use.name == "mcp__codex__apply_patch"


@pytest.mark.parametrize(
    ("output", "failed", "content", "drawn"),
    [
        (
            "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 3\nOutput:\nhi\n",
            False,
            "hi\n",
            "hi\n",
        ),
        ("Exit code: 0\nWall time: 1 seconds\nTotal output lines: 9\nOutput:\nhi", None, "hi", "hi"),
        ('{"output":"hi\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}', None, "hi\n", "hi\n"),
        ("words without a frame", None, "words without a frame", "words without a frame"),
    ],
)
def test_a_commands_output_loses_its_frame(output: str, failed: bool | None, content: str, drawn: str) -> None:
    line = _result("exec_command", {"cmd": "ls"}, output, failed)
    assert line["message"]["content"][0]["content"] == content
    assert line["toolUseResult"]["stdout"] == drawn
    assert line["toolUseResult"]["interrupted"] is False


def test_a_failed_command_says_its_exit_code_as_bash_does() -> None:
    output = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nno such file\n"
    line = _result("exec_command", {"cmd": "ls"}, output, True)
    assert line["message"]["content"][0] == {
        "tool_use_id": "c",
        "type": "tool_result",
        "content": "Exit code 3\nno such file\n",
        "is_error": True,
    }
    assert line["toolUseResult"] == "Error: Exit code 3\nno such file\n"


def test_a_command_that_still_runs_keeps_what_says_so() -> None:
    output = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess running with session ID 7\nOutput:\n"
    assert _result("exec_command", {"cmd": "ls"}, output, None)["message"]["content"][0]["content"] == output


def test_an_edit_is_drawn_as_a_diff() -> None:
    told = Telling()
    told.say("assistant", FileChangeBlock(call_id="c", patch=PATCH))
    told.result("c", "Success.")
    results = _results(told.emit())
    assert [r["message"]["content"][0]["tool_use_id"] for r in results] == ["c", "c-2", "c-3", "c-4", "c-5"]
    assert results[0]["toolUseResult"]["type"] == "create"
    assert results[1]["toolUseResult"]["structuredPatch"] == [
        {"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 3, "lines": [" keep", "-old", "+new", " keep"]}
    ]
    assert results[0]["message"]["content"][0]["content"] == "Success."
    assert all(r["sesh"] == {"stub": True} for r in results[1:])


def test_a_failed_patch_fails_in_all_its_parts() -> None:
    told = Telling()
    told.say("assistant", FileChangeBlock(call_id="c", patch=PATCH))
    told.result("c", "apply_patch verification failed: no", is_error=True)
    results = _results(told.emit())
    assert {r["toolUseResult"] for r in results} == {"Error: apply_patch verification failed: no"}


def test_a_picture_that_was_read_is_drawn() -> None:
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
    output = [{"type": "attachment", "mediaType": "image/png", "data": png}]
    drawn = _result("view_image", {"path": "a.png"}, output, None)["toolUseResult"]
    assert (drawn["type"], drawn["file"]["type"], drawn["file"]["base64"]) == ("image", "image/png", png)


def test_there_and_back_gives_the_first_call_again() -> None:
    told = Telling()
    told.say("user", "go")
    told.call("a", "exec_command", {"cmd": "ls", "workdir": "/tmp", "tty": True})
    told.result("a", "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nhi\n", False)
    told.say("assistant", FileChangeBlock(call_id="b", path=None, patch=PATCH))
    told.result("b", "Success.")
    told.call("c", "update_plan", {"plan": [{"step": "look", "status": "completed"}], "explanation": "why"})
    told.result("c", "Plan updated")
    back = read_back(PROVIDER, told.emit(tools="native"))
    assert [m.content for m in back.messages] == [m.content for m in told.messages]


FRAME = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {}\nOutput:\n"
WORDS = "".join(f"{n}: words of a long output \u2014\n" for n in range(20))


@pytest.mark.parametrize(
    "output",
    [
        FRAME.format(0) + WORDS,
        FRAME.format(3) + WORDS,
        FRAME.format(0).replace("1", "\ud83d", 1) + WORDS,
        WORDS + "\ud83d",
    ],
)
def test_a_long_output_is_not_kept_beside_its_line(output: str) -> None:
    told = Telling()
    told.call("a", "exec_command", {"cmd": "ls"})
    told.result("a", output, False)
    emitted = told.emit()
    (line,) = _results(emitted)
    kept = ("\ud83d" in output) != ("same" in line["sesh"])  # what no client would take stands in the stamp, whole
    assert kept and ("rest" in line["sesh"]) == ("same" in line["sesh"])
    assert [m.content for m in read_back(PROVIDER, emitted).messages] == [m.content for m in told.messages]


def test_long_words_of_a_message_with_calls_are_said_once() -> None:
    told = Telling()
    call = ToolCallBlock(call_id="a", name="exec_command", input={"cmd": WORDS + "end", "workdir": FOLDER})
    told.say("assistant", TextBlock(text=WORDS), call)
    told.result("a", FRAME.format(0) + WORDS, False)
    told.call("b", "no such tool", {"given": [WORDS]})
    told.result("b", [{"type": "text", "text": WORDS}])
    emitted = told.emit()
    assert (
        b"".join(emitted.lines).count(b"19: words of a long output") == 7
    )  # each once, and twice what the screen draws
    assert [m.content for m in read_back(PROVIDER, emitted).messages] == [m.content for m in told.messages]


def _result(name: str, given: Any, output: Any, failed: bool | None) -> dict[str, Any]:
    told = Telling()
    told.call("c", name, given)
    told.result("c", output, failed)
    return _results(told.emit())[0]


def _results(emitted: EmitResult) -> list[dict[str, Any]]:
    """The lines that hold results. (A thread that begins with a call gets a prompt in front.)"""
    users = [v for v in chained(emitted.lines) if v["type"] == "user"]
    return [v for v in users if not isinstance(v["message"]["content"], str)]
