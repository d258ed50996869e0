"""`emit_claude_session`: order, pairs, titles, links, stamps and what the report says, on small threads."""

from __future__ import annotations

from typing import Any

import pytest

from sesh.format.blocks import (
    AttachmentBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    UnknownBlock,
    WebSearchBlock,
)
from sesh.format.message import Usage
from sesh.providers.claude_code import PROVIDER
from sesh.testing.provider_suite import read_back
from tests.providers.claude_code.telling import FOLDER, Telling, chained, rows, time_of, values


def codes(result: Any) -> list[str]:
    return [e.code for e in result.report.entries]


def test_a_plain_talk() -> None:
    told = Telling(gitBranch="main")
    told.say("user", "hi")
    told.say("assistant", "hello", model="gpt-6", usage=Usage(input_tokens=5, output_tokens=7))
    result = told.emit()
    user, assistant = chained(result.lines)
    assert result.path == f"projects/-home-dev-project/{result.session_id}.jsonl"
    assert result.modified == time_of(1)
    assert user["message"] == {"role": "user", "content": "hi"}
    assert (user["cwd"], user["gitBranch"], user["sessionId"]) == (FOLDER, "main", result.session_id)
    assert user["parentUuid"] is None
    assert assistant["parentUuid"] == user["uuid"]
    assert assistant["message"]["model"] == "<synthetic>"
    assert assistant["message"]["content"] == [{"type": "text", "text": "hello"}]
    assert assistant["message"]["usage"]["output_tokens"] == 7
    assert assistant["sesh"]["model"] == "gpt-6"
    assert result.report.lossless
    assert codes(result) == ["model-left-out"]


def test_the_same_thread_gives_the_same_bytes() -> None:
    told = Telling()
    told.say("user", "hi")
    assert told.emit() == told.emit()


def test_usage_comes_back_on_the_message_it_was_on() -> None:
    told = Telling()
    told.say("user", "hi")
    told.say(
        "assistant", ToolCallBlock(call_id="a", name="x", input={}), usage=Usage(input_tokens=1, reasoning_tokens=2)
    )
    told.say("assistant", ToolCallBlock(call_id="b", name="x", input={}))
    told.result("a")
    told.result("b")
    back = read_back(PROVIDER, told.emit()).messages
    assert [m.usage for m in back] == [m.usage for m in told.messages]


def test_a_model_of_the_clients_own_keeps_its_name() -> None:
    told = Telling()
    told.say("user", "hi")
    told.say("assistant", "hello", model="claude-opus-5-5")
    assert chained(told.emit().lines)[1]["message"]["model"] == "claude-opus-5-5"


# ---- order and pairs -------------------------------------------------------------------------------------


def test_parallel_calls_are_one_message_and_their_results_follow() -> None:
    told = Telling()
    told.say("user", "go")
    told.say("assistant", "Looking.")
    told.call("a")
    told.call("b")
    told.result("b")
    told.result("a")
    told.say("assistant", "Done.")
    result = told.emit()
    assert rows(result.lines) == [
        "user:go",
        "assistant:Looking.",
        "call:a",
        "call:b",
        "result:b",
        "result:a",
        "assistant:Done.",
    ]
    ids = [v["message"].get("id") for v in chained(result.lines) if v["type"] == "assistant"]
    assert ids[0] == ids[1] == ids[2] != ids[3]
    assert "reordered" not in codes(result)


def test_text_between_a_call_and_its_result_stays_before_the_result() -> None:
    told = Telling()
    told.say("user", "go")
    told.call("a")
    told.say("assistant", "while it runs")
    told.result("a")
    result = told.emit()
    assert rows(result.lines) == ["user:go", "call:a", "assistant:while it runs", "result:a"]
    assert "reordered" not in codes(result)


def test_interleaved_results_are_moved_to_their_calls() -> None:
    told = Telling()
    told.say("user", "go")
    told.call("a")
    told.call("b")
    told.result("a")
    told.call("c")
    told.result("b")
    told.result("c")
    result = told.emit()
    assert rows(result.lines) == ["user:go", "call:a", "call:b", "result:a", "result:b", "call:c", "result:c"]
    assert codes(result).count("reordered") == 1


def test_a_prompt_before_a_result_comes_after_it() -> None:
    told = Telling()
    told.say("user", "go")
    told.call("a")
    told.say("user", "and hurry")
    told.result("a", "late")
    result = told.emit()
    assert rows(result.lines) == ["user:go", "call:a", "result:a", "user:and hurry"]
    assert codes(result).count("reordered") == 1


def test_a_result_before_its_call_comes_after_it() -> None:
    told = Telling()
    told.say("user", "go")
    told.result("a")
    told.call("a")
    assert rows(told.emit().lines) == ["user:go", "call:a", "result:a"]


def test_a_call_without_a_result_gets_one() -> None:
    told = Telling()
    told.say("user", "go")
    told.call("a")
    told.say("user", "stop that")
    result = told.emit()
    assert rows(result.lines) == ["user:go", "call:a", "result:a", "user:stop that"]
    stub = chained(result.lines)[2]
    assert stub["message"]["content"][0]["content"] == "aborted"
    assert stub["message"]["content"][0]["is_error"] is True
    assert stub["sesh"] == {"stub": True}
    assert codes(result).count("stub-result") == 1


def test_a_result_without_a_call_stays_behind_and_is_named() -> None:
    told = Telling()
    told.say("user", "go")
    told.result("nowhere")
    result = told.emit()
    assert rows(result.lines) == ["user:go"]
    assert result.report.dropped == {"orphan-result": 1}
    assert "orphan-dropped" in codes(result)


def test_an_id_used_again_pairs_each_result_with_its_own_call() -> None:
    told = Telling()
    told.say("user", "one")
    told.call("a", given={"cmd": "first"})
    told.say("user", "two")
    told.call("a", given={"cmd": "second"})
    told.result("a", "of the second")
    result = told.emit()
    assert rows(result.lines) == ["user:one", "call:a", "result:a", "user:two", "call:a-2", "result:a-2"]
    last = chained(result.lines)[-1]
    assert last["message"]["content"][0]["content"] == "of the second"


def test_ids_that_the_client_takes_for_repeats_are_told_apart() -> None:
    """2.1.328 loses the result of `a_2` beside a call `a` (measured)."""
    told = Telling()
    told.say("user", "go")
    told.call("a")
    told.call("a_2")
    told.result("a")
    told.result("a_2")
    assert rows(told.emit().lines)[1:3] == ["call:a", "call:a_2-2"]


def test_odd_ids_names_and_inputs_become_what_the_api_takes() -> None:
    told = Telling()
    told.say("user", "go")
    told.call("id with spaces/é", "name x.y/é", "just text")
    told.result("id with spaces/é")
    result = told.emit(tools="keep")
    use = chained(result.lines)[1]["message"]["content"][0]
    assert use == {"type": "tool_use", "id": "id_with_spaces__", "name": "name_x_y__", "input": {"input": "just text"}}
    assert set(result.report.changed) <= {"tool-name", "call-id", "input-wrapped"}
    assert chained(result.lines)[1]["sesh"]["blocks"][0]["callId"] == "id with spaces/é"


# ---- blocks ----------------------------------------------------------------------------------------------


def test_a_search_becomes_a_call_with_a_result() -> None:
    told = Telling()
    told.say("user", "go")
    told.say("assistant", WebSearchBlock(query="sesh"))
    told.say("assistant", "Found.")
    result = told.emit()
    use, answer = chained(result.lines)[1:3]
    assert use["message"]["content"][0]["name"] == "WebSearch"
    assert use["message"]["content"][0]["input"] == {"query": "sesh"}
    assert answer["sesh"] == {"stub": True}
    assert rows(result.lines)[-1] == "assistant:Found."
    assert result.report.changed == {"as-call": 1}


def test_thinking_of_another_vendor_is_not_written() -> None:
    told = Telling()
    told.say("user", "go")
    told.say("assistant", ReasoningBlock(text="hm"), "So.")
    told.say("assistant", ReasoningBlock(redacted=True))
    result = told.emit()
    assert rows(result.lines) == ["user:go", "assistant:So."]
    assert result.report.dropped == {"reasoning": 1, "reasoning-redacted": 1}


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


@pytest.mark.parametrize(
    ("block", "written"),
    [
        (
            AttachmentBlock(media_type="image/png", data=PNG),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ),
        (
            AttachmentBlock(data=PNG),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ),
        (
            AttachmentBlock(uri=f"data:image/png;base64,{PNG}"),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ),
        (
            AttachmentBlock(uri="https://example.com/a.png"),
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        ),
        (
            AttachmentBlock(media_type="application/pdf", data="JVBERi0xLjQK"),
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"}},
        ),
        (
            AttachmentBlock(media_type="text/plain", data="aGVsbG8="),
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hello"}},
        ),
        (
            AttachmentBlock(media_type="image/bmp", data="Qk0="),
            {"type": "text", "text": "[attachment: image/bmp, 3 bytes]"},
        ),
        (
            AttachmentBlock(media_type="image/png", data="no base64!"),
            {"type": "text", "text": "[attachment: image/png, 7 bytes]"},
        ),
        (
            AttachmentBlock(media_type="image/png", data="aGVsbG8="),  # not what it is called
            {"type": "text", "text": "[attachment: image/png, 6 bytes]"},
        ),
        (
            AttachmentBlock(media_type="audio/wav", data="UklGRv////9XQVZFZm10IA=="),  # begins like WebP
            {"type": "text", "text": "[attachment: audio/wav, 18 bytes]"},
        ),
        (
            AttachmentBlock(media_type="image/png", data=PNG[:40] + "\n" + PNG[40:].rstrip("=")),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ),
        (
            AttachmentBlock(media_type="text/markdown", data="aGVsbG8="),
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hello"}},
        ),
        (
            AttachmentBlock(media_type="text/html", uri="https://example.com/a.html"),
            {"type": "text", "text": "[attachment: text/html, https://example.com/a.html]"},
        ),
        (
            AttachmentBlock(uri="file:///x/a.png"),
            {"type": "text", "text": "[attachment: unknown type, file:///x/a.png]"},
        ),
        (
            UnknownBlock(source_type="quantum", raw={"a": 1}),
            {"type": "text", "text": '[quantum]\n{"a":1}'},
        ),
    ],
)
def test_attachments_and_strangers_in_a_prompt(block: Any, written: dict[str, Any]) -> None:
    told = Telling()
    told.say("user", "see", block)
    line = chained(told.emit().lines)[0]
    assert line["message"]["content"][1] == written


def test_an_assistant_shows_no_pictures() -> None:
    told = Telling()
    told.say("user", "go")
    told.say("assistant", AttachmentBlock(media_type="image/png", data=PNG))
    result = told.emit()
    assert rows(result.lines)[1].startswith("assistant:[attachment: image/png")
    assert result.report.changed == {"as-text": 1}


def test_tool_output_keeps_its_parts() -> None:
    told = Telling()
    told.say("user", "go")
    told.call("a")
    told.result("a", [{"type": "text", "text": "one"}, {"type": "attachment", "mediaType": "image/png", "data": PNG}])
    told.call("b")
    told.result("b", {"any": ["json"]})
    result = told.emit(tools="keep")
    contents = [v["message"]["content"][0]["content"] for v in chained(result.lines) if "tool_result" in str(v)]
    assert [p["type"] for p in contents[0]] == ["text", "image"]
    assert contents[1] == '{"any":["json"]}'
    assert result.report.changed == {"output-flattened": 1}


def test_lone_surrogates_never_reach_the_api_and_come_back() -> None:
    told = Telling()
    told.say("user", "cut \ud83d here")
    result = told.emit()
    line = chained(result.lines)[0]
    assert line["message"]["content"] == "cut � here"
    assert "\\ud83d" in line["sesh"]["escaped"]
    assert result.report.changed == {"surrogates": 1}


def test_context_stays_home_unless_asked_for() -> None:
    told = Telling()
    told.say("user", "<environment_context/>", kind="context")
    told.say("user", "hi")
    assert told.emit().report.dropped == {"context": 1}
    kept = chained(told.emit(keep_context=True).lines)
    assert kept[0]["isMeta"] is True
    assert kept[0]["sesh"]["kind"] == "context"


def test_a_notice_is_told_to_the_model() -> None:
    told = Telling()
    told.say("user", "hi")
    told.say("user", "<turn_aborted>", kind="notice")
    result = told.emit()
    assert rows(result.lines)[-1] == "user:<turn_aborted>"
    assert chained(result.lines)[1]["sesh"]["kind"] == "notice"


# ---- the file --------------------------------------------------------------------------------------------


def test_a_title_for_every_version() -> None:
    told = Telling(title="My work")
    told.say("user", "hi")
    first, *_, last = values(told.emit().lines)
    assert first == {"type": "summary", "summary": "My work", "leafUuid": chained(told.emit().lines)[-1]["uuid"]}
    assert (last["type"], last["customTitle"]) == ("custom-title", "My work")


def test_the_link_counts_all_lines() -> None:
    told = Telling(title="t")
    told.say("user", "hi")
    result = told.emit(link={"from": {"provider": "codex"}})
    line = values(result.lines)[0]
    assert line["type"] == "sesh-link"
    assert line["sesh"] == {"from": {"provider": "codex"}, "emittedLines": len(result.lines)}
    assert "uuid" not in line


def test_times_rise_and_the_true_ones_are_kept() -> None:
    told = Telling()
    for ts in (time_of(9), time_of(9), time_of(3), "no time", time_of(20)):
        told.say("user", "hi", ts=ts)
    result = told.emit()
    lines = chained(result.lines)
    assert [v["timestamp"][17:23] for v in lines] == ["09.000", "09.001", "09.002", "09.003", "20.000"]
    assert [v["sesh"].get("ts") for v in lines] == [None, time_of(9), time_of(3), "no time", None]
    assert "time-moved" in codes(result)


def test_a_thread_without_a_folder_says_so() -> None:
    told = Telling(cwd=None)
    told.say("user", "hi")
    result = told.emit()
    assert result.path.startswith("projects/-/")
    assert "no-folder" in codes(result)


def test_a_talk_that_ends_with_the_user_says_what_the_client_adds() -> None:
    told = Telling()
    told.say("user", "hi")
    assert "ends-open" in codes(told.emit())
    told.say("assistant", "hello")
    assert "ends-open" not in codes(told.emit())


def test_the_last_turns_are_whole_turns() -> None:
    told = Telling()
    for n in range(3):
        told.say("user", f"prompt {n}", turn_id=f"t{n}")
        told.call(f"c{n}")
        told.result(f"c{n}")
        told.say("user", f"steering {n}", turn_id=f"t{n}")
    result = told.emit(last_turns=1, tools="keep")
    assert rows(result.lines) == ["user:prompt 2", "call:c2", "result:c2", "user:steering 2"]
    assert result.report.dropped == {"cut": 8}
    assert "cut" in codes(result)
    assert "cut" not in codes(told.emit(last_turns=3))


def test_a_history_over_the_window_is_named() -> None:
    told = Telling()
    told.say("user", "x" * 1_000_000)
    told.say("assistant", "ok")
    assert "over-window" in codes(told.emit())


def test_a_picture_does_not_count_as_its_bytes() -> None:
    told = Telling()
    told.say("user", AttachmentBlock(media_type="image/png", data="iVBORw0KGgoA" + "AAAA" * 500_000))
    told.say("assistant", "ok")
    assert "over-window" not in codes(told.emit())


def test_a_message_of_calls_and_results_is_split_and_comes_back_whole() -> None:
    told = Telling()
    told.say(
        "assistant",
        TextBlock(text="a"),
        ToolCallBlock(call_id="c", name="Bash", input={"command": "ls"}),
        AttachmentBlock(media_type="image/png", data=PNG),
    )
    told.result("c")
    lines = chained(told.emit().lines)
    assert [v["type"] for v in lines] == ["user", "assistant", "user"]  # the first is a made-up prompt
    assert [b["type"] for b in lines[1]["message"]["content"]] == ["text", "tool_use", "text"]
    assert len(lines[1]["sesh"]["blocks"]) == 3


def test_a_picture_too_large_for_the_client_is_named_and_comes_back() -> None:
    told = Telling()
    picture = AttachmentBlock(media_type="image/png", data="iVBORw0KGgoA" + "AAAA" * (5 * 1024 * 256))
    told.say("user", "see", picture)
    result = told.emit()
    assert chained(result.lines)[0]["message"]["content"][1]["type"] == "text"
    assert result.report.changed == {"as-text": 1}
    assert read_back(PROVIDER, result).messages[0].content[1] == picture


def test_the_models_first_words_have_a_prompt_before_them() -> None:
    told = Telling()
    told.say("assistant", "I begin.")
    told.say("user", "hi")
    result = told.emit()
    assert rows(result.lines) == ["user:(no content)", "assistant:I begin.", "user:hi"]
    assert [e.code for e in result.report.entries] == ["stub-prompt", "ends-open"]  # no time was moved for it
    assert [m.content for m in read_back(PROVIDER, result).messages] == [m.content for m in told.messages]


def test_words_after_a_call_of_their_step_are_named() -> None:
    told = Telling()
    told.say("user", "go")
    told.say("assistant", "one", ToolCallBlock(call_id="a", name="Bash", input={}))
    told.result("a")
    assert "words-first" not in [e.code for e in told.emit().report.entries]
    told.say("assistant", ToolCallBlock(call_id="b", name="Bash", input={}), "two")
    told.result("b")
    assert [e.code for e in told.emit().report.entries].count("words-first") == 1


def test_a_patch_without_an_id_was_not_aborted_and_what_follows_stays_after_it() -> None:
    told = Telling()
    told.say("user", "go")
    told.say("assistant", FileChangeBlock(patch="*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"))
    told.say("assistant", "Done.")
    result = told.emit(tools="keep")
    assert [row.partition(":")[0] for row in rows(result.lines)] == ["user", "call", "result", "assistant"]
    assert b"aborted" not in b"".join(result.lines)
    assert "A patch went over as apply_patch." in [e.text for e in result.report.entries]
