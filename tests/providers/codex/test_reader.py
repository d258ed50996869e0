"""parse_codex_rollout as a caller sees it: the cases of tests/cases/EXPECTED.tsv, each with others of its kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sesh.errors import NotASession
from sesh.files.read import open_session
from sesh.format import ids, walk
from sesh.format.blocks import ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock, UnknownBlock
from sesh.providers.api import IngestResult, SessionSource
from sesh.providers.codex import PROVIDER
from sesh.providers.codex.reader import parse_codex_rollout
from tests.providers.codex.rollouts import (
    THREAD,
    Line,
    agent,
    call,
    codes,
    data,
    ended,
    event,
    item,
    meta,
    output,
    read,
    said,
    started,
    thread,
    told,
    turn_id,
    user,
)
from tests.sessions import CASES, CORPUS


def case(name: str) -> IngestResult:
    path = next(CASES.glob(f"{name}*.codex.jsonl"))
    return parse_codex_rollout(open_session(path, PROVIDER).source)


# 12: events and items that say the same


def test_case_12_three_prompts_three_answers() -> None:
    result = case("12")
    prompts = [m for m in result.messages if walk.is_prompt(m)]
    assert [walk.text_of(m) for m in prompts] == ["yes", "yes", "yes"]
    answers = [walk.text_of(m) for m in result.messages if m.role == "assistant"]
    assert answers == ["First ok.", "Second ok.", "Third, only in response_item."]
    assert [(m.role, m.kind) for m in result.messages[:2]] == [("system", "context"), ("user", "context")]
    assert walk.first_prompt(result.messages) == "yes"
    assert result.thread.title is None
    assert result.report.skipped == {"event_msg:agent_message": 2, "event_msg:user_message": 2}
    # The third prompt was typed while the second turn was open: no marker began another one.
    assert prompts[0].turn_id == "019c0000-0001-7000-8000-00000000aaaa"
    assert prompts[1].turn_id == prompts[2].turn_id == "019c0000-0002-7000-8000-00000000aaaa"


def test_both_families_of_events_are_echoes_of_one_item() -> None:
    both = [
        user("hi"),
        event("user_message", message="hi"),
        told("UserMessage", id="u", content=[{"type": "text", "text": "hi"}]),
        event("agent_message", message="ho"),
        told("AgentMessage", id="m", content=[{"type": "Text", "text": "ho"}]),
        agent("ho", id="m"),
    ]
    result = read(started(), *both, ended())
    assert said(result.messages) == [("user", "hi"), ("assistant", "ho")]
    assert sum(n for kind, n in result.report.skipped.items() if "essage" in kind) == 4


def test_one_event_answers_for_one_item_only() -> None:
    result = read(started(), user("yes"), user("yes"), event("user_message", message="yes"), agent("ok"), agent("ok"))
    assert said(result.messages) == [("user", "yes"), ("user", "yes"), ("assistant", "ok"), ("assistant", "ok")]


def test_an_event_more_than_there_are_items_is_a_witness() -> None:
    lines = [user("a"), agent("ok"), event("agent_message", message="ok"), event("agent_message", message="ok")]
    result = read(started(), *lines, ended())
    assert said(result.messages) == [("user", "a"), ("assistant", "ok")]
    assert [(m.kind, walk.text_of(m)) for m in result.messages][-1] == ("context", "ok")
    assert "shown-only" in codes(result)


def test_the_words_before_an_image_are_the_prompt_that_the_event_tells() -> None:
    parts = [
        {"type": "input_text", "text": '<image name=[Image #1] path="/a b.png">'},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "look"},
    ]
    prompt = item("message", role="user", content=parts)
    result = read(started(), prompt, event("user_message", message="look", images=[]), ended())
    assert len(result.messages) == 1


def test_an_event_holds_less_than_the_item_says() -> None:
    """An editor's context stands before the prompt in the item, not in the event."""
    prompt = user("# Context from my IDE setup:\nfile.py\n\n## My request for Codex:\nfix it")
    result = read(started(), prompt, event("user_message", message="fix it"), ended())
    assert len(result.messages) == 1


# 13: paginated items


def test_case_13_paginated() -> None:
    result = case("13")
    assert said(result.messages) == [("user", "Say hi"), ("assistant", "Hi.")]
    plan = result.messages[-1]
    assert (plan.role, plan.kind, walk.text_of(plan)) == ("assistant", "context", "1. greet\n2. stop")
    assert "shown-only" in codes(result)
    usage = [m.usage for m in result.messages if m.usage]
    assert [(u.input_tokens, u.output_tokens) for u in usage] == [(50, 5)]
    assert result.report.skipped["world_state"] == 1


@pytest.mark.parametrize("kind", ["Text", "text"])
def test_an_item_is_known_by_its_id_whatever_its_parts_are_called(kind: str) -> None:
    result = read(
        started(), user("hi"), told("AgentMessage", id="m2", content=[{"type": kind, "text": "x"}]), agent("x", id="m2")
    )
    assert said(result.messages) == [("user", "hi"), ("assistant", "x")]


def test_a_plan_that_the_answer_holds_is_no_witness() -> None:
    answer = agent("<proposed_plan>\n# Plan\n1. do it\n</proposed_plan>")
    result = read(started(), user("plan"), told("Plan", id="p", text="# Plan\n1. do it\n"), answer, ended())
    assert len(result.messages) == 2


def test_an_answer_that_only_an_item_tells_is_kept_apart() -> None:
    told_only = told("AgentMessage", id="m", content=[{"type": "Text", "text": "only here"}])
    result = read(started(), user("hi"), agent("sent"), told_only, ended())
    assert said(result.messages) == [("user", "hi"), ("assistant", "sent")]
    assert [walk.text_of(m) for m in result.messages if m.kind == "context"] == ["only here"]


def test_an_event_at_the_very_end_waits_for_its_item() -> None:
    lines = [started(), user("hi"), told("AgentMessage", id="m", content=[{"type": "Text", "text": "so"}])]
    result = read(*lines)
    assert said(result.messages) == [("user", "hi")]
    assert "pending-echo" in codes(result)
    assert said(read(*lines, agent("so", id="m")).messages) == [("user", "hi"), ("assistant", "so")]


def test_a_file_of_events_alone_is_read_by_its_events() -> None:
    lines = [
        event("user_message", message="one", images=["data:image/png;base64,AAAA"]),
        event("agent_reasoning", text="hm"),
        event("exec_command_end", call_id="c", command=["bash", "-lc", "ls"], aggregated_output="x", exit_code=1),
        event("agent_message", message="answer"),
        event("user_message", message="two"),
        event("agent_message", message="again"),
    ]
    result = read(*lines)
    spoken = [("user", "one"), ("assistant", "answer"), ("user", "two"), ("assistant", "again")]
    assert said(result.messages) == spoken
    assert "events-alone" in codes(result)
    order = [type(b).__name__ for m in result.messages for b in m.content]
    assert order[:6] == [
        "AttachmentBlock",
        "TextBlock",
        "ReasoningBlock",
        "ToolCallBlock",
        "ToolResultBlock",
        "TextBlock",
    ]
    turns = [m.turn_id for m in result.messages if m.role == "user"]
    assert len(set(turns)) == 2


def test_a_paginated_file_of_events_alone_tells_each_thing_once() -> None:
    lines = [
        started(),
        told("UserMessage", id="u", content=[{"type": "text", "text": "one"}]),
        event("user_message", message="one"),
        told("AgentMessage", id="a", content=[{"type": "Text", "text": "answer"}]),
        event("agent_message", message="answer"),
        ended(),
    ]
    assert said(read(*lines).messages) == [("user", "one"), ("assistant", "answer")]


# 15: forks that hold the tail

FORK = thread(16)
BASE = thread(13)


def _base(*more: dict[str, object]) -> bytes:
    lines = [meta(BASE, history_mode="paginated"), started(turn_id(13)), user("early"), agent("early answer"), *more]
    return data(*lines, ordinal=0)


def _fork(end: int = 4, base: str = BASE, session: str = FORK) -> bytes:
    lineage = {"thread_id": base, "end_ordinal_exclusive": end, "end_byte_offset": 1}
    header = meta(session, history_mode="paginated", forked_from_id=BASE, history_base=lineage)
    return data(header, started(turn_id(17)), user("late"), agent("late answer"), ordinal=end)


def _rollout(session: str, segment: str | None = None, folder: str = "sessions/2026/03/01/") -> str:
    return f"{folder}rollout-2026-03-01T11-00-00-{session}{'_' + segment if segment else ''}.jsonl"


def test_case_15_names_what_is_missing() -> None:
    result = case("15")
    assert said(result.messages) == [("user", "Only in the fork"), ("assistant", "Fork only.")]
    note = next(e for e in result.report.entries if e.code == "missing-history")
    assert "019c0000-0000-7000-8000-000000000013" in note.text and "ordinal 9" in note.text
    assert (result.thread.metadata or {})["forkedFrom"] == "019c0000-0000-7000-8000-000000000013"


@pytest.mark.parametrize("folder", ["sessions/2026/03/01/", "archived_sessions/", ""])
def test_a_base_at_hand_is_joined(folder: str) -> None:
    companions = {_rollout(BASE, folder=folder): _base(user("after the fork"))}
    result = parse_codex_rollout(SessionSource(main=_fork(), companions=companions))
    assert said(result.messages) == [
        ("user", "early"),
        ("assistant", "early answer"),
        ("user", "late"),
        ("assistant", "late answer"),
    ]
    assert "missing-history" not in codes(result)
    assert [m.provenance.session_id for m in result.messages if m.provenance] == [BASE, BASE, FORK, FORK]
    assert result.report.skipped["after the fork"] == 1
    assert {m.thread_id for m in result.messages} == {result.thread.id}


def test_a_base_of_a_base_is_joined_too() -> None:
    middle = thread(14)
    companions = {_rollout(BASE): _base(), _rollout(middle): _fork(4, BASE, middle)}
    result = parse_codex_rollout(SessionSource(main=_fork(8, middle), companions=companions))
    assert [t for _, t in said(result.messages)] == [
        "early",
        "early answer",
        "late",
        "late answer",
        "late",
        "late answer",
    ]
    del companions[_rollout(BASE)]
    part = parse_codex_rollout(SessionSource(main=_fork(8, middle), companions=companions))
    assert [t for _, t in said(part.messages)] == ["late", "late answer", "late", "late answer"]
    assert "missing-history" in codes(part)


def test_a_base_is_joined_up_to_its_ordinal() -> None:
    result = parse_codex_rollout(SessionSource(main=_fork(3), companions={_rollout(BASE): _base()}))
    assert [t for _, t in said(result.messages)] == ["early", "late", "late answer"]


def test_bases_in_a_circle_end() -> None:
    other = thread(14)
    companions = {_rollout(other): _fork(8, FORK, other)}
    result = parse_codex_rollout(
        SessionSource(main=_fork(4, other), name=_rollout(FORK, folder=""), companions=companions)
    )
    assert "cycle" in codes(result)
    assert said(result.messages)[-1] == ("assistant", "late answer")


def test_inherited_tokens_are_not_counted_again() -> None:
    count = event(
        "token_count",
        info={
            "total_token_usage": {"input_tokens": 100, "output_tokens": 20},
            "last_token_usage": {"input_tokens": 100, "output_tokens": 20},
        },
    )
    companions = {_rollout(BASE): _base(count)}
    result = parse_codex_rollout(SessionSource(main=_fork(5), companions=companions))
    assert all(m.usage is None for m in result.messages)


# 16: rollbacks


def test_case_16_rolled_back_turns_are_a_child() -> None:
    result = case("16")
    assert [t for _, t in said(result.messages)] == ["Keep me", "Kept.", "Next", "Next ok."]
    (child,) = result.children
    assert said(child.messages) == [("user", "Remove me"), ("assistant", "Removed.")]
    assert [type(m.content[0]) for m in child.messages] == [TextBlock, ToolCallBlock, ToolResultBlock, TextBlock]
    assert child.thread.parent_thread_id == result.thread.id
    assert child.thread.origin_message_id == result.messages[1].id
    assert (child.thread.metadata or {})["relation"] == "rollback"
    assert "rollback" in codes(result)
    assert not any("Remove" in str(m.content) for m in result.messages)


@pytest.mark.parametrize("count", [0, -1, None, "1", True, 1.0])
def test_a_rollback_of_nothing_changes_nothing(count: object) -> None:
    result = read(started(), user("one"), agent("1"), ended(), event("thread_rolled_back", num_turns=count))
    assert len(result.messages) == 2
    assert result.children == []


def test_two_rollbacks_are_two_children() -> None:
    lines = [user("one"), agent("1"), event("thread_rolled_back", num_turns=1)]
    result = read(user("zero"), *lines, *lines)
    assert said(result.messages) == [("user", "zero")]
    assert [said(c.messages) for c in result.children] == [[("user", "one"), ("assistant", "1")]] * 2
    assert len({c.thread.id for c in result.children}) == 2


def test_everything_rolled_back_is_still_a_session() -> None:
    result = read(user("one"), agent("1"), event("thread_rolled_back", num_turns=3))
    assert result.messages == []
    assert len(result.children) == 1


# 18: compactions (test_compaction.py has more)


def test_case_18_encrypted_compaction() -> None:
    result = case("18")
    assert [t for _, t in said(result.messages)] == ["Early", "Early answer.", "Late", "Late answer."]
    assert {"compaction", "encrypted-summary"} <= set(codes(result))
    summary = next(m for m in result.messages if m.kind == "summary")
    assert summary.role == "system"
    assert isinstance(summary.content[0], UnknownBlock)
    held = walk.window(result.messages)
    assert [walk.text_of(m) for m in held] == ["Early", "old rules", "", "Late", "Late answer."]
    assert held[0].id == result.messages[0].id  # the same message, not a copy


# 20: bare lines of 0.28


def test_case_20_bare_lines() -> None:
    result = case("20")
    assert (result.thread.metadata or {})["sessionId"] == "019a0000-0000-4000-8000-000000000021"
    assert result.thread.id == ids.thread_id("codex", "019a0000-0000-4000-8000-000000000021")
    assert result.thread.created_at == "2025-07-01T08:00:00.000Z"
    assert (result.thread.metadata or {})["cwd"] == "/work/old"
    assert (result.thread.metadata or {})["gitBranch"] == "main"
    assert {m.ts for m in result.messages} == {"2025-07-01T08:00:00.000Z"}
    assert result.report.skipped == {"record_type:state": 2}
    kinds = [(m.role, m.kind, type(m.content[0])) for m in result.messages]
    assert kinds == [
        ("user", "context", TextBlock),
        ("user", None, TextBlock),
        ("assistant", None, ReasoningBlock),
        ("assistant", None, ToolCallBlock),
        ("tool", None, ToolResultBlock),
        ("assistant", None, TextBlock),
    ]


def _bare(*lines: object) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_bare_lines_without_a_header_take_the_file_name() -> None:
    name = f"rollout-2025-07-01T08-00-05-{THREAD}.jsonl"
    main = _bare({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]})
    result = parse_codex_rollout(SessionSource(main=main, name=name))
    assert (result.thread.metadata or {})["sessionId"] == THREAD
    assert result.thread.created_at == "2025-07-01T08:00:05.000Z"
    assert "id-from-file-name" in codes(result)


def test_bare_lines_that_resumed_have_two_headers_and_one_id() -> None:
    header = {"id": THREAD, "timestamp": "2025-07-01T08:00:00.000Z", "instructions": None}
    prompt = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    later = {**header, "id": thread(9), "timestamp": "2025-07-02T08:00:00.000Z"}
    result = parse_codex_rollout(_bare(header, prompt, {"record_type": "state"}, later, prompt))
    assert (result.thread.metadata or {})["sessionId"] == THREAD
    assert [t for _, t in said(result.messages)] == ["hi", "hi"]
    assert len({m.id for m in result.messages}) == 2


# what is no session


@pytest.mark.parametrize(
    ("main", "says"),
    [
        (b"", "is empty"),
        (b" \n\n\0\0\n", "is empty"),
        (b"hello\nworld\n", "no rollout"),
        (b'{"a":1}\n', "no rollout"),
        (b"[1,2]\nnull\n3\n", "no rollout"),
        (b'{"type":"thread.started","thread_id":"x"}\n{"type":"turn.started"}\n', "codex exec --json"),
        (b"\x28\xb5\x2f\xfd\x00\x00", "compressed"),
        (data(meta()), "holds no conversation"),
        (data(meta(), started(), ended()), "holds no conversation"),
    ],
)
def test_no_session_says_what_it_is(main: bytes, says: str) -> None:
    with pytest.raises(NotASession, match=says):
        parse_codex_rollout(main)


def test_a_fork_without_words_of_its_own_says_where_they_are() -> None:
    lineage = {"thread_id": BASE, "end_ordinal_exclusive": 4}
    with pytest.raises(NotASession, match=f"holds no conversation.*{BASE}"):
        parse_codex_rollout(data(meta(FORK, history_base=lineage), started()))


# the thread's own fields


def test_thread_fields() -> None:
    git = {"commit_hash": "abc", "branch": "main", "repository_url": "https://example.com/x.git"}
    header = meta(git=git, model_provider="openai", sesh={"from": "x"}, base_instructions={"text": "be good"})
    context = {"type": "turn_context", "payload": {"turn_id": turn_id(2), "model": "gpt-6", "cwd": "/work"}}
    lines = [header, started(), context, user("hi"), agent("ho"), ended()]
    result = parse_codex_rollout(data(*lines), agent_id="agent", run_id="run")
    assert result.thread.metadata == {
        "provider": "codex",
        "sessionId": THREAD,
        "cwd": "/work",
        "version": "0.169.0",
        "originator": "codex-tui",
        "source": "cli",
        "gitBranch": "main",
        "gitCommit": "abc",
        "gitUrl": "https://example.com/x.git",
        "model": "gpt-6",
        "contextWindow": 1000,
        "link": {"from": "x"},
        "providerData": {"model_provider": "openai", "base_instructions": {"text": "be good"}},
    }
    assert result.thread.agent_id == "agent"
    assert result.thread.created_at == "2026-03-01T11:00:00.000Z"
    assert {m.run_id for m in result.messages} == {"run"}
    assert [m.model for m in result.messages] == [None, "gpt-6"]


def test_the_last_name_in_the_index_is_the_title() -> None:
    index = "".join(
        json.dumps({"id": i, "thread_name": n, "updated_at": "x"}) + "\n"
        for i, n in [(THREAD, "first"), (thread(9), "other"), (THREAD, "last")]
    )
    result = read(user("hi"), companions={"session_index.jsonl": index.encode()})
    assert result.thread.title == "last"
    account = result.report.files["session_index.jsonl"]
    assert (account.lines, account.used, account.skipped) == (3, 2, {"name of another thread": 1})


def test_a_name_event_is_the_title_where_the_index_has_none() -> None:
    result = read(user("hi"), event("thread_name_updated", thread_id=THREAD, thread_name="named"))
    assert result.thread.title == "named"


def test_a_corrupt_first_line_leaves_the_file_name() -> None:
    main = b'{"timestamp":"2026-03-01T11:00:00.000Z","type":"session_meta","payload":{"id":\n' + data(user("hi"))
    result = parse_codex_rollout(SessionSource(main=main, name=f"rollout-2026-03-01T12-00-00-{THREAD}.jsonl"))
    assert (result.thread.metadata or {})["sessionId"] == THREAD
    assert {"unreadable-line", "id-from-file-name"} <= set(codes(result))
    assert isinstance(result.messages[0].content[0], UnknownBlock)
    assert result.report.unknown == 1


def test_no_id_anywhere_is_the_same_id_each_time_and_as_the_file_grows() -> None:
    lines = data(user("hi"), agent("ho"))
    one, two = parse_codex_rollout(lines), parse_codex_rollout(lines + data(user("more")))
    assert one.thread.id == two.thread.id
    assert parse_codex_rollout(lines, session_id="mine").thread.id == ids.thread_id("codex", "mine")


def test_a_compressed_rollout_is_the_same_session() -> None:
    plain = CORPUS / "codex/0.169.0"
    for packed in plain.glob("*.zst"):
        result = parse_codex_rollout(open_session(packed, PROVIDER).source)
        assert result.messages
        assert result.report.files[packed.name].lines


def test_keep_raw_keeps_the_record() -> None:
    main = data(meta(), user("hi"), event("agent_message", message="x"), agent("x"))
    result = parse_codex_rollout(main, keep_raw=True)
    assert [m.raw for m in result.messages] == [
        json.loads(line) for i, line in enumerate(main.splitlines()) if i in (1, 3)
    ]


def test_text_and_bytes_are_read_alike(tmp_path: Path) -> None:
    main = data(meta(), user("grüße \ud83d"), agent("ok"))
    assert parse_codex_rollout(main) == parse_codex_rollout(main.decode())


# tools


def test_an_argument_that_is_no_json_stays_as_it_is() -> None:
    result = read(user("x"), call("c", arguments="{bad json"), output("c"))
    block = result.messages[1].content[0]
    assert isinstance(block, ToolCallBlock)
    assert block.input == "{bad json"


def test_a_namespace_is_kept_beside_the_name() -> None:
    result = read(user("x"), call("c", "add", '{"a":1}', namespace="mcp__demo"), output("c"))
    block = result.messages[1].content[0]
    assert isinstance(block, ToolCallBlock)
    assert (block.name, block.provider_data) == ("add", {"namespace": "mcp__demo"})


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("text", "text"),
        ("", ""),
        (None, None),
        ({"a": 1}, {"a": 1}),
        ([], []),
        ([1, 2], [1, 2]),
        ([{"type": "input_text", "text": "t"}], [{"type": "text", "text": "t"}]),
        (
            [{"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "high"}],
            [{"type": "attachment", "mediaType": "image/png", "data": "AAAA", "providerData": {"detail": "high"}}],
        ),
        (
            [{"type": "input_audio", "x": 1}],
            [{"type": "unknown", "sourceType": "input_audio", "raw": {"type": "input_audio", "x": 1}}],
        ),
    ],
)
def test_outputs(value: object, kept: object) -> None:
    block = read(user("x"), call("c"), output("c", value)).messages[-1].content[0]
    assert isinstance(block, ToolResultBlock)
    assert block.output == kept


def test_an_output_of_ten_megabytes() -> None:
    block = read(user("x"), call("c"), output("c", "y" * 10_000_000)).messages[-1].content[0]
    assert isinstance(block, ToolResultBlock)
    assert len(block.output) == 10_000_000


def test_open_calls_and_orphan_outputs_are_kept_and_named() -> None:
    result = read(user("x"), call("open"), output("orphan"))
    assert {"open-call", "orphan-result"} <= set(codes(result))
    assert len(result.messages) == 3


def test_a_failure_that_an_event_tells() -> None:
    failed = told("McpToolCall", id="c", server="s", tool="t", status="failed", result={"isError": True})
    block = read(started(), user("x"), call("c"), failed, output("c", "words")).messages[-1].content[0]
    assert isinstance(block, ToolResultBlock)
    assert block.is_error is True


def test_code_mode_keeps_its_nested_calls_apart() -> None:
    script = item("custom_tool_call", name="exec", input="await tools.exec_command({cmd:'ls'})", call_id="c")
    nested = told(
        "CommandExecution",
        id="exec-1",
        command=["/bin/bash", "-lc", "ls"],
        cwd="file:///w",
        aggregated_output="a\n",
        exit_code=0,
    )
    done = item("custom_tool_call_output", call_id="c", output=[{"type": "input_text", "text": "Script completed\n"}])
    result = read(started(), user("x"), script, nested, done, ended())
    shape = [(m.role, m.kind, type(m.content[0]).__name__) for m in result.messages]
    assert shape == [
        ("user", None, "TextBlock"),
        ("assistant", None, "ToolCallBlock"),
        ("assistant", "context", "ToolCallBlock"),
        ("tool", "context", "ToolResultBlock"),
        ("tool", None, "ToolResultBlock"),
    ]
    inner = result.messages[2].content[0]
    assert isinstance(inner, ToolCallBlock)
    assert (inner.name, inner.input) == ("exec_command", {"cmd": "ls", "workdir": "/w"})


def test_an_unknown_record_is_kept_in_its_place() -> None:
    strange = [{"type": "brand_new", "payload": {"a": 1}}, item("brand_new_item", x=1), event("brand_new_event", y=2)]
    result = read(user("x"), *strange, agent("y"))
    kept = [m.content[0] for m in result.messages[1:4]]
    assert all(isinstance(b, UnknownBlock) for b in kept)
    names = ["brand_new", "response_item/brand_new_item", "event_msg/brand_new_event"]
    assert [b.source_type for b in kept if isinstance(b, UnknownBlock)] == names
    assert result.report.unknown == 3
    assert {m.kind for m in result.messages[1:4]} == {"context"}


@pytest.mark.parametrize("ids_", [("ws_1", "ws_1"), ("ws_1", None)])
def test_a_search_is_told_once(ids_: tuple[str, str | None]) -> None:
    action = {"type": "search", "query": "q", "queries": ["q"]}
    item_id = {} if ids_[1] is None else {"id": ids_[1]}
    lines = [
        event("web_search_end", call_id=ids_[0], query="q", action=action),
        item("web_search_call", action=action, **item_id),
    ]
    assert len(read(started(), user("x"), *lines, ended()).messages) == 2


@pytest.mark.parametrize("turn", [[started()], []])
@pytest.mark.parametrize(
    "first",
    [
        user("<skill>\n<name>x</name>\n</skill>"),
        item("function_call_output", name="goal_objective", namespace="agent", output="finish the demo"),
    ],
)
def test_an_answer_to_contexts_alone_waits_for_its_item(turn: list[Line], first: Line) -> None:
    """Nothing but contexts has been said, but the client writes items: this one's is likely the next line."""
    shown = event("agent_message", message="on it")
    with pytest.raises(NotASession):
        read(*turn, first, shown)
    grown = read(*turn, first, shown, agent("on it"), event("agent_message", message="and more"))
    assert said(grown.messages) == [("assistant", "on it")]
    assert "pending-echo" in codes(grown)


def test_events_alone_beside_contexts_are_the_conversation() -> None:
    """The prompt was shown, and an answer to it: its item would have come before that."""
    context = user("<environment_context>x</environment_context>")
    lines = [context, event("user_message", message="hi"), event("agent_message", message="hello")]
    assert said(read(*lines).messages) == [("user", "hi"), ("assistant", "hello")]
