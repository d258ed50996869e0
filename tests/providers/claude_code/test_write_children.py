"""Child threads: the client's own sub-agent files, under the call that began them."""

from __future__ import annotations

from typing import Any

import msgspec

from sesh.format.blocks import ToolCallBlock
from sesh.format.thread import Thread
from sesh.providers.api import IngestedThread
from sesh.providers.claude_code import PROVIDER
from sesh.testing.provider_suite import read_back
from tests.providers.claude_code.telling import FOLDER, Telling, chained, values


def child(parent: Telling, key: str, relation: str, origin: str | None, **metadata: Any) -> IngestedThread:
    told = Telling(key)
    told.say("user", "do it")
    told.say("assistant", ToolCallBlock(call_id="x", name="exec_command", input={"cmd": "ls"}))
    told.result("x")
    told.say("assistant", "did it")
    thread: Thread = msgspec.structs.replace(
        told.thread,
        parent_thread_id=parent.thread.id,
        origin_message_id=origin,
        metadata={"relation": relation, "cwd": FOLDER, **metadata},
    )
    return IngestedThread(thread=thread, messages=told.messages)


def family() -> Telling:
    told = Telling()
    told.say("user", "go")
    call = told.call("spawn", "spawn_agent", {"message": "do it", "agent_type": "worker"})
    told.result("spawn", '{"agent_id": "k"}')
    told.say("assistant", "done")
    told.children = [
        child(told, "kid", "subagent", call.id, agentId="kid-1", agentType="worker", description="Does it"),
        child(told, "old", "rollback", told.messages[0].id),
    ]
    return told


def test_a_sub_agent_lies_beside_the_session_and_names_its_call() -> None:
    result = family().emit()
    folder = result.path.removesuffix(".jsonl") + "/subagents"
    transcript, about, *_ = result.files
    assert transcript.path == f"{folder}/agent-kid-1.jsonl"
    assert about.path == f"{folder}/agent-kid-1.meta.json"
    (said,) = values(about.lines)
    assert said.pop("sesh")["metadata"]["relation"] == "subagent"
    assert said == {"agentType": "worker", "description": "Does it", "toolUseId": "spawn", "spawnDepth": 1}
    lines = chained(transcript.lines)
    assert {(v["isSidechain"], v["agentId"], v["sessionId"]) for v in lines} == {(True, "kid-1", result.session_id)}
    assert lines[0]["parentUuid"] is None


def test_the_call_is_drawn_as_an_agent_of_the_clients_own() -> None:
    lines = chained(family().emit().lines)
    assert lines[1]["message"]["content"][0]["name"] == "Agent"
    drawn = lines[2]["toolUseResult"]
    assert (drawn["status"], drawn["agentId"], drawn["totalToolUseCount"]) == ("completed", "kid-1", 1)
    assert drawn["content"] == [{"type": "text", "text": "did it"}]
    assert {"server_tool_use", "service_tier", "cache_creation"} <= drawn["usage"].keys()


def test_children_come_back_under_their_parents() -> None:
    told = family()
    result = told.emit()
    back = read_back(PROVIDER, result)
    kid, old = sorted(back.children, key=lambda c: (c.thread.metadata or {})["relation"], reverse=True)
    assert (kid.thread.metadata or {})["relation"] == "subagent"
    assert kid.thread.origin_message_id == back.messages[1].id
    assert [m.content for m in kid.messages] == [m.content for m in told.children[0].messages]
    assert (old.thread.metadata or {})["relation"] == "rollback"
    assert old.thread.origin_message_id == back.messages[0].id
    assert [m.content for m in old.messages] == [m.content for m in told.children[1].messages]


def test_odd_and_double_agent_ids_become_names_that_can_be_files() -> None:
    told = family()
    told.children = [child(told, str(n), "subagent", None, agentId=a) for n, a in enumerate(("../x", "a", "a"))]
    names = [f.path.rpartition("/")[2] for f in told.emit().files if f.path.endswith(".jsonl")]
    assert len(set(names)) == 3
    assert names[1] == "agent-a.jsonl"
    assert all("/" not in n and ".." not in n for n in names)


def test_a_childs_child_is_one_deeper() -> None:
    told = family()
    inner = child(told, "inner", "subagent", None)
    thread = msgspec.structs.replace(inner.thread, parent_thread_id=told.children[0].thread.id)
    told.children.append(IngestedThread(thread=thread, messages=inner.messages))
    about = [v for f in told.emit().files if f.path.endswith(".json") for v in values(f.lines)]
    assert [a["spawnDepth"] for a in about] == [1, 1, 2]
