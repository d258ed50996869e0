"""What Codex's own app server lists and draws of a written rollout, and what it sends on resume.

The conversation is told by hand, one of everything that a transcript draws. Screens of the terminal client say the same
(they were looked at; the app server's items are what they are drawn from).
"""

from __future__ import annotations

from typing import Any

import pytest

from sesh.format import blocks
from sesh.format.blocks import AnyBlock, AttachmentBlock, FileChangeBlock, TextBlock, ToolCallBlock, ToolResultBlock
from sesh.format.message import Message, Role
from sesh.format.thread import Thread
from sesh.providers.api import EmitResult, IngestedThread
from sesh.providers.codex.writer import emit_codex_rollout
from tests.clients import Codex, Probe
from tests.clients.job import Call
from tests.clients.placing import place

pytestmark = pytest.mark.client

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
THREAD = Thread(
    id="thread",
    title="A title",
    created_at="2026-11-20T10:00:00.000Z",
    metadata={"cwd": "/w", "gitBranch": "main", "provider": "claude-code"},
)


class Told:
    """Messages in order, a second apart."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def say(self, role: Role, *content: AnyBlock, turn: str = "one", **more: Any) -> Message:
        n = len(self.messages)
        made = Message(
            id=f"m{n}",
            thread_id="thread",
            turn_id=turn,
            role=role,
            ts=f"2026-11-20T10:00:{n:02d}.000Z",
            content=list(content),
            **more,
        )
        self.messages.append(made)
        return made

    def tool(self, name: str, given: dict[str, Any], output: Any, error: bool | None = None) -> Message:
        call_id = f"toolu_{len(self.messages)}"
        asked = self.say("assistant", ToolCallBlock(call_id=call_id, name=name, input=given))
        self.say("tool", ToolResultBlock(call_id=call_id, output=output, is_error=error))
        return asked


@pytest.fixture
def everything() -> Told:
    told = Told()
    told.say("user", TextBlock(text="Use the tools"))
    told.say("assistant", TextBlock(text="Starting."))
    told.tool("Bash", {"command": "echo hi"}, "hi")
    told.tool("Bash", {"command": "echo oops; exit 3"}, "Exit code 3\noops", True)
    told.tool("Write", {"file_path": "/w/new.txt", "content": "a\nb\n"}, "File created")
    told.tool("Edit", {"file_path": "/w/new.txt", "old_string": "a", "new_string": "A"}, "File updated")
    picture = blocks.part(AttachmentBlock(media_type="image/png", data=PIXEL))
    told.tool("Read", {"file_path": "/w/pic.png"}, [picture])
    told.tool("mcp__demo__add", {"a": 1, "b": 2}, "3")
    told.tool("Glob", {"pattern": "*.md"}, "README.md")
    told.tool("WebSearch", {"query": "codex"}, "found")
    todos = [{"content": "Look", "status": "completed"}, {"content": "Go", "status": "pending"}]
    told.tool("TodoWrite", {"todos": todos}, "ok")
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch"
    told.say("assistant", FileChangeBlock(call_id="p", path="a.txt", patch=patch))
    told.say("tool", ToolResultBlock(call_id="p", output="Success"))
    told.say("assistant", TextBlock(text="All done."))
    told.say("user", TextBlock(text="And now?"), turn="two")
    told.say("assistant", TextBlock(text="Nothing."), turn="two")
    return told


def resumed(client: Codex, result: EmitResult) -> Probe:
    home = client.home()
    place(result, home)
    done = client.go_on(result.session_id, home=home, cwd=client.folder())
    assert done.resumed, done.stderr
    assert done.prefix_kept
    return done


def drawn(probe: Probe, kind: str) -> list[dict[str, Any]]:
    return [i for turn in probe.transcript or [] for i in turn["items"] if i["type"] == kind]


def test_a_paginated_file_draws_every_tool_as_what_it_is(codex_client: Codex, everything: Told) -> None:
    done = resumed(codex_client, emit_codex_rollout(THREAD, everything.messages, client_version="0.169.0"))
    assert done.listed
    assert done.preview == "Use the tools"
    assert done.shown == [
        "userMessage",
        "agentMessage",
        "commandExecution",
        "commandExecution",
        "fileChange",
        "fileChange",
        "imageView",
        "mcpToolCall",
        "dynamicToolCall",
        "webSearch",
        "plan",
        "fileChange",
        "agentMessage",
        "userMessage",
        "agentMessage",
    ]
    assert [t["status"] for t in done.transcript or []] == ["completed", "completed"]
    fine, bad = drawn(done, "commandExecution")
    assert (fine["aggregatedOutput"], fine["exitCode"], fine["status"]) == ("hi", 0, "completed")
    assert (bad["aggregatedOutput"], bad["exitCode"], bad["status"]) == ("oops", 3, "failed")
    assert fine["durationMs"] == 1000
    added, edited, patched = (c["changes"][0] for c in drawn(done, "fileChange"))
    assert (added["path"], added["kind"]["type"], added["diff"]) == ("/w/new.txt", "add", "a\nb\n")
    assert (edited["kind"]["type"], edited["diff"]) == ("update", "@@ -1 +1 @@\n-a\n+A\n")
    assert (patched["path"], patched["diff"]) == ("/w/a.txt", "@@ -1,1 +1,1 @@\n-x\n+y\n")
    assert drawn(done, "mcpToolCall")[0]["result"]["content"] == [{"type": "text", "text": "3"}]
    assert drawn(done, "dynamicToolCall")[0]["contentItems"] == [{"type": "inputText", "text": "README.md"}]
    assert drawn(done, "plan")[0]["text"] == "- [x] Look\n- [ ] Go"


def test_a_legacy_file_draws_what_that_form_can_hold(codex_client: Codex, everything: Told) -> None:
    done = resumed(codex_client, emit_codex_rollout(THREAD, everything.messages))
    assert done.listed
    assert done.name == "A title"
    assert done.shown == [
        "userMessage",
        "agentMessage",
        "mcpToolCall",
        "mcpToolCall",
        "fileChange",
        "fileChange",
        "mcpToolCall",
        "mcpToolCall",
        "mcpToolCall",
        "webSearch",
        "plan",
        "fileChange",
        "agentMessage",
        "userMessage",
        "agentMessage",
    ]
    command = drawn(done, "mcpToolCall")[0]
    assert (command["server"], command["tool"], command["arguments"]) == ("claude", "Bash", {"command": "echo hi"})


@pytest.mark.parametrize("version", [None, "0.169.0"])
def test_children_hang_under_their_parent_and_are_not_listed(codex_client: Codex, version: str | None) -> None:
    told = Told()
    told.say("user", TextBlock(text="Ask somebody"))
    asked = told.tool("Task", {"description": "Look around", "prompt": "Look!"}, "all quiet")
    children = []
    for relation, origin in (("subagent", asked.id), ("branch", "m0")):
        thread = Thread(
            id=relation,
            parent_thread_id="thread",
            origin_message_id=origin,
            created_at="2026-11-20T10:00:01.000Z",
            metadata={"relation": relation, "cwd": "/w", "description": f"the {relation}"},
        )
        of_child = Told()
        of_child.say("user", TextBlock(text="Look!"))
        of_child.say("assistant", TextBlock(text="all quiet"))
        children.append(IngestedThread(thread=thread, messages=of_child.messages))
    result = emit_codex_rollout(THREAD, told.messages, children=children, client_version=version)
    home, cwd = codex_client.home(), codex_client.folder()
    place(result, home)
    listed, under, _, read = codex_client.rpc(
        Call(method="thread/list", params={"limit": 10}),
        Call(method="thread/list", params={"limit": 10, "parentThreadId": result.session_id}),
        Call(method="thread/resume", params={"threadId": result.session_id}),
        Call(method="thread/read", params={"threadId": result.session_id, "includeTurns": True}),
        home=home,
        cwd=cwd,
    )
    assert [t["id"] for t in listed["data"]] == [result.session_id]
    assert sorted(t["agentNickname"] for t in under["data"]) == ["the branch", "the subagent"]
    if version is not None:
        items = [i for t in read["thread"]["turns"] for i in t["items"]]
        spawned = next(i for i in items if i["type"] == "collabAgentToolCall")
        child = next(t["id"] for t in under["data"] if t["agentNickname"] == "the subagent")
        assert spawned["receiverThreadIds"] == [child]
        assert spawned["prompt"] == "Look!"


@pytest.mark.parametrize("version", [None, "0.169.0"])
def test_a_compaction_replaces_what_is_sent_and_not_what_is_shown(codex_client: Codex, version: str | None) -> None:
    told = Told()
    told.say("user", TextBlock(text="First"))
    told.say("assistant", TextBlock(text="Gone from the model"))
    call = told.tool("Bash", {"command": "ls"}, "a.txt")
    window = [f"m{len(told.messages)}", call.id, told.messages[-1].id]
    told.say("user", TextBlock(text="In short: nothing"), kind="summary", window=window)
    told.say("user", TextBlock(text="Go on"), turn="two")
    done = resumed(codex_client, emit_codex_rollout(THREAD, told.messages, client_version=version))
    assert [row.get("text") or row["kind"] for row in done.sent] == ["In short: nothing", "call", "a.txt", "Go on"]
    assert "contextCompaction" in (done.shown or [])
    assert "Gone from the model" in [i.get("text") for i in drawn(done, "agentMessage")]


def test_a_thread_without_an_early_prompt_is_listed_all_the_same(codex_client: Codex) -> None:
    told = Told()
    for n in range(130):
        told.say("assistant", TextBlock(text=f"Answer {n}"))
    told.say("user", TextBlock(text="A late prompt"))
    done = resumed(codex_client, emit_codex_rollout(THREAD, told.messages))
    assert done.listed
    assert done.preview == "A late prompt"
    assert len(done.sent) == len(told.messages)
