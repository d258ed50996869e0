"""A scripted stand-in for the Messages API: what the real Claude Code talks to in the tests.

Requests are of four kinds: `main` (the conversation), `subagent`, `search` (the one-tool request that WebSearch makes)
and `side` (titles, summaries, checks). A script is a list of answers for `main`, or

    {"main": [...], "subagent": [...], "side": [...], "search": [...],
     "rules": [{"contains": "words of the last message", "kind": "main", "once": True, "respond": ANSWER}]}

An answer is a text, a list of blocks, or

    {"content": [...], "stop_reason", "usage", "model", "id", "delay": seconds,
     "hang_after": n events after which the stream stalls (for aborts)}
    {"error": {"status": 529, "type": "overloaded_error", "message": "..."}}

A block is a Messages API block, or short for one: {"text"}, {"think", "signature"}, {"redacted"},
{"tool": "Bash", "input": {...}, "id"}. With nothing scripted, `main` gets "OK (mock default).".
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, ClassVar, Final
from uuid import uuid4

from tests.clients.http_model import JsonHandler, Server

KINDS: Final = ("main", "subagent", "search", "side")
_USAGE: Final = {
    "input_tokens": 12,
    "cache_creation_input_tokens": 340,
    "cache_read_input_tokens": 5600,
    "cache_creation": {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 40},
    "output_tokens": 42,
    "service_tier": "standard",
}
_HANG_S: Final = 600
_SUBAGENTS: Final = (
    "You are an agent for Claude Code",
    "file search specialist",
    "software architect and planning specialist",
)


def kind_of(body: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    """Which of the four kinds a request is."""
    tools = body.get("tools") or []
    if len(tools) == 1 and str(tools[0].get("type", "")).startswith("web_search"):
        return "search"
    if any(h.lower() == "x-claude-code-agent-id" for h in headers):
        return "subagent"
    if not tools:
        return "side"
    system = _text(body.get("system"))
    return "subagent" if any(words in system for words in _SUBAGENTS) else "main"


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts = []
    for block in content or []:
        if isinstance(block, dict) and block.get("type") == "text":
            texts.append(block.get("text") or "")
        elif isinstance(block, dict) and block.get("type") == "tool_result":
            texts.append(_text(block.get("content")))
    return "\n".join(texts)


class _Handler(JsonHandler):
    model: ClassVar[MessagesApi]

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        if self.path.split("?")[0] == "/v1/models":
            self.answer({"data": [], "has_more": False, "first_id": None, "last_id": None})
        else:
            missing = {"type": "not_found_error", "message": "mock: no such thing"}
            self.answer({"type": "error", "error": missing}, 404)

    def do_POST(self) -> None:
        raw = self.body()
        path = self.path.split("?")[0]
        if path == "/v1/messages/count_tokens":
            self.answer({"input_tokens": max(1, len(raw) // 4)})
        elif path != "/v1/messages":
            self.answer({})
        else:
            body = json.loads(raw)
            kind = kind_of(body, self.headers)
            self.model.record(kind, path, body)
            self._respond(body, self.model.choose(kind, body))

    def _respond(self, body: dict[str, Any], chosen: dict[str, Any]) -> None:
        time.sleep(chosen.get("delay", 0))
        if "error" in chosen:
            error = {"type": "api_error", "message": "mock error", **chosen["error"]}
            status = error.pop("status", 500)
            self.answer({"type": "error", "error": error}, status)
            return
        message = {
            "id": chosen["id"],
            "type": "message",
            "role": "assistant",
            "model": chosen.get("model") or body.get("model"),
            "content": chosen["content"],
            "stop_reason": chosen["stop_reason"],
            "stop_sequence": None,
            "usage": {**_USAGE, **chosen.get("usage", {})},
        }
        if not body.get("stream"):
            self.answer(message)
            return
        try:
            self._stream(message, chosen.get("hang_after"))
        except (BrokenPipeError, ConnectionResetError):
            return  # the client hung up: an abort

    def _stream(self, message: dict[str, Any], hang_after: int | None) -> None:
        self.begin_events()
        for n, (kind, fields) in enumerate(_events(message), 1):
            self.event(kind, **fields)
            if n == hang_after:
                time.sleep(_HANG_S)


def _events(message: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    usage = message["usage"]
    begun = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    events: list[tuple[str, dict[str, Any]]] = [("message_start", {"message": begun})]
    for i, block in enumerate(message["content"]):
        match block["type"]:
            case "text":
                start, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]
            case "thinking":
                start = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [
                    {"type": "thinking_delta", "thinking": block["thinking"]},
                    {"type": "signature_delta", "signature": block.get("signature", "")},
                ]
            case "tool_use" | "server_tool_use":
                start = {**block, "input": {}}
                deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
            case _:
                start, deltas = block, []
        events.append(("content_block_start", {"index": i, "content_block": start}))
        events += [("content_block_delta", {"index": i, "delta": d}) for d in deltas]
        events.append(("content_block_stop", {"index": i}))
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return [*events, ("message_delta", {"delta": stop, "usage": usage}), ("message_stop", {})]


class MessagesApi(Server):
    """The model, with its script."""

    handler = _Handler

    def __init__(self, script: Sequence[Any] | Mapping[str, Any] = ()) -> None:
        super().__init__()
        given: Mapping[str, Any] = script if isinstance(script, Mapping) else {"main": script}
        self._queues = {kind: list(given.get(kind, [])) for kind in KINDS}
        self._rules = list(given.get("rules", []))
        # Ids must differ from those of other runs on the same session: the client merges messages of one id.
        self._ids = (f"{uuid4().hex[:12]}{n:08}" for n in count(1))

    def choose(self, kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request: a rule that fits, else the next of its kind, else a plain one."""
        messages = body.get("messages") or []
        last = _text(messages[-1].get("content")) if messages else ""
        with self.lock:
            for rule in self._rules:
                if rule.get("kind", kind) == kind and rule["contains"] in last:
                    if rule.get("once", True):
                        self._rules.remove(rule)
                    return self._whole(rule["respond"])
            if self._queues[kind]:
                return self._whole(self._queues[kind].pop(0))
            return self._whole(self._plain(kind, _text(body.get("system")), last))

    def _plain(self, kind: str, system: str, last: str) -> Any:
        if kind == "search":
            use = f"srvtoolu_{next(self._ids)}"
            hit = {"type": "web_search_result", "url": "https://example.com/a", "title": "Example A"}
            result = [{**hit, "encrypted_content": "ZW5j", "page_age": None}]
            return [
                {"type": "server_tool_use", "id": use, "name": "web_search", "input": {"query": "mock query"}},
                {"type": "web_search_tool_result", "tool_use_id": use, "content": result},
                {"text": "Search says: example A."},
            ]
        if kind == "side" and "summar" in last.lower() and len(last) > 400:
            return "<analysis>mock analysis</analysis>\n<summary>\nMOCK-SUMMARY of the conversation.\n</summary>"
        if kind == "side" and "title" in (system + last).lower():
            return '{"title": "Mock generated title", "isNewTopic": true, "branch": "claude/mock-title"}'
        return "mock side answer" if kind == "side" else "OK (mock default)."

    def _whole(self, answer: Any) -> dict[str, Any]:
        if isinstance(answer, str):
            answer = {"content": [{"text": answer}]}
        elif isinstance(answer, list):
            answer = {"content": answer}
        if "error" in answer:
            return dict(answer)
        content = [self._block(b) for b in answer.get("content", [])]
        calls = any(b["type"] == "tool_use" for b in content)
        made = {"stop_reason": "tool_use" if calls else "end_turn", "id": f"msg_{next(self._ids)}"}
        return {**made, **answer, "content": content}

    def _block(self, block: dict[str, Any]) -> dict[str, Any]:
        if "tool" in block:
            made = {"type": "tool_use", "name": block["tool"], "input": block.get("input", {})}
            return {**made, "id": block.get("id") or f"toolu_{next(self._ids)}"}
        if "think" in block:
            signature = block.get("signature", "c2lnbmF0dXJlLW1vY2s=")
            return {"type": "thinking", "thinking": block["think"], "signature": signature}
        if "redacted" in block:
            return {"type": "redacted_thinking", "data": block["redacted"]}
        return block if "type" in block else {"type": "text", **block}
