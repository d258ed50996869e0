"""A scripted stand-in for the Responses API: what the real Codex talks to in the tests.

A script is a list of steps; the first unused one whose `match` and `not` hold answers the next request, and when none
is left the answer is the text "mock: done". A step is a list of items, or

    {"items": [...], "match": "words in the request" | [all of these], "not": "words that must be absent",
     "usage": {...}, "delay": seconds, "hang": True (send nothing more: for aborts), "status": 500, "body": {...},
     "fail": {"code", "message"}, "repeat": True}

An item is a Responses output item, or short for one:

    {"text": "hi", "phase": "commentary"}            {"reasoning": "summary", "encrypted": "...", "content": "raw"}
    {"call": "exec_command", "args": {...}, "id": "c1", "namespace": "..."}
    {"custom": "apply_patch", "input": "...", "id"}  {"shell": ["bash", "-lc", "ls"], "id"}  {"search": "query"}

A step that is matched against a remote compaction sees "@compact" before the body.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from itertools import count
from typing import Any, ClassVar, Final
from uuid import uuid4

from tests.clients.http_model import JsonHandler, Server

_USAGE: Final = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 10},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 120,
}
_LAST: Final[dict[str, Any]] = {"items": [{"text": "mock: done"}]}
_HANG_S: Final = 600


def output_item(item: dict[str, Any], n: str) -> dict[str, Any]:
    """A Responses output item from its short form. `n` makes ids. Raises ValueError for a form that is unknown."""
    if "type" in item:
        return item
    call_id = item.get("id", f"call_{n}")
    done = {"status": "completed"}
    if "text" in item:
        part = {"type": "output_text", "text": item["text"], "annotations": []}
        message = {"type": "message", "id": f"msg_{n}", "role": "assistant", **done, "content": [part]}
        return {**message, "phase": item["phase"]} if "phase" in item else message
    if "reasoning" in item:
        texts = [item["reasoning"]] if isinstance(item["reasoning"], str) else item["reasoning"]
        summary = [{"type": "summary_text", "text": t} for t in texts]
        found = {"type": "reasoning", "id": f"rs_{n}", "summary": summary, "encrypted_content": item.get("encrypted")}
        raw = {"content": [{"type": "reasoning_text", "text": item["content"]}]} if "content" in item else {}
        return {**found, **raw}
    if "call" in item:
        given = item.get("args", {})
        arguments = given if isinstance(given, str) else json.dumps(given)
        call = {"type": "function_call", "id": f"fc_{n}", **done, "name": item["call"], "arguments": arguments}
        space = {"namespace": item["namespace"]} if "namespace" in item else {}
        return {**call, "call_id": call_id, **space}
    if "custom" in item:
        custom = {"type": "custom_tool_call", "id": f"ctc_{n}", **done, "name": item["custom"]}
        return {**custom, "input": item["input"], "call_id": call_id}
    if "shell" in item:
        action = {"type": "exec", "command": item["shell"], "timeout_ms": 10000}
        return {"type": "local_shell_call", "id": f"lsh_{n}", **done, "call_id": call_id, "action": action}
    if "search" in item:
        action = item.get("action") or {"type": "search", "query": item["search"]}
        return {"type": "web_search_call", "id": f"ws_{n}", **done, "action": action}
    raise ValueError(f"no such item in a script: {item!r}")


def _fits(step: dict[str, Any], text: str) -> bool:
    want, shun = step.get("match", []), step.get("not", [])
    return all(w in text for w in ([want] if isinstance(want, str) else want)) and not any(
        w in text for w in ([shun] if isinstance(shun, str) else shun)
    )


class _Handler(JsonHandler):
    model: ClassVar[ResponsesApi]

    def do_GET(self) -> None:
        if "upgrade" in (self.headers.get("Connection") or "").lower():
            self.answer({"error": {"message": "use HTTP"}}, 426)  # no WebSocket: the client falls back
        elif self.path.split("?")[0].endswith("/models"):
            self.answer({"object": "list", "data": [], "models": []})
        else:
            self.answer({"error": {"message": "not found"}}, 404)

    def do_POST(self) -> None:
        body = json.loads(self.body())
        path = self.path.split("?")[0].rstrip("/")
        text = json.dumps(body, ensure_ascii=False)
        if path.endswith("/responses/compact"):
            self.model.record("compact", path, body)
            self.answer({"output": self.model.items(self.model.step("@compact " + text))})
        elif path.endswith("/responses"):
            n = self.model.record("main", path, body)
            step = self.model.step(text)
            time.sleep(step.get("delay", 0))
            if step.get("status", 200) != 200:
                self.answer(step.get("body", {"error": {"message": "scripted error"}}), step["status"])
            else:
                try:
                    self._stream(f"resp_{n}", step)
                except (BrokenPipeError, ConnectionResetError):
                    return  # the client hung up: an abort
        else:
            self.model.record("other", path, body)
            self.answer({"error": {"message": "not found"}}, 404)

    def _stream(self, response: str, step: dict[str, Any]) -> None:
        items = self.model.items(step)
        self.begin_events()
        self.event("response.created", response={"id": response, "status": "in_progress", "output": []})
        for at, item in enumerate(items):
            self._item(at, item)
        if step.get("hang"):
            time.sleep(_HANG_S)
        elif step.get("fail"):
            failed = {"id": response, "status": "failed", "error": step["fail"]}
            self.event("response.failed", response=failed)
        else:
            usage = {**_USAGE, **step.get("usage", {})}
            done = {"id": response, "status": "completed", "output": items, "usage": usage}
            self.event("response.completed", response=done)

    def _item(self, at: int, item: dict[str, Any]) -> None:
        name = {"item_id": item.get("id"), "output_index": at}
        begun = {**item, "content": []} if item["type"] == "message" else item
        self.event("response.output_item.added", output_index=at, item=begun)
        if item["type"] == "message":
            for i, part in enumerate(item["content"]):
                self.event("response.output_text.delta", **name, content_index=i, delta=part.get("text", ""))
        elif item["type"] == "reasoning":
            for i, part in enumerate(item.get("summary") or []):
                empty = {"type": "summary_text", "text": ""}
                self.event("response.reasoning_summary_part.added", **name, summary_index=i, part=empty)
                self.event("response.reasoning_summary_text.delta", **name, summary_index=i, delta=part["text"])
        self.event("response.output_item.done", output_index=at, item=item)


class ResponsesApi(Server):
    """The model, with its script. Requests are of the kinds `main`, `compact` and `other`."""

    handler = _Handler

    def __init__(self, script: Sequence[Any] = ()) -> None:
        super().__init__()
        self._steps = [s if isinstance(s, dict) else {"items": s} for s in script]
        # Ids must differ from those of other runs on the same session.
        self._ids = (f"{uuid4().hex[:12]}{n:08}" for n in count(1))

    def step(self, text: str) -> dict[str, Any]:
        """The step that answers a request with this text; taken from the script unless it repeats."""
        with self.lock:
            for step in self._steps:
                if _fits(step, text):
                    if not step.get("repeat"):
                        self._steps.remove(step)
                    return step
        return _LAST

    def items(self, step: dict[str, Any]) -> list[dict[str, Any]]:
        """The step's output items in full."""
        with self.lock:
            return [output_item(item, next(self._ids)) for item in step.get("items", [])]
