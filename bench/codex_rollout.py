"""A made-up Codex rollout of a size, in the shape of 0.104: items, and events beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from bench.words import Words

Line = dict[str, Any]
_COMPACT_AFTER: Final = 9_000_000
"""Characters of tool output between two compactions."""


class CodexRollout:
    """Line after line, without end."""

    def __init__(self, words: Words, cwd: str = "/home/dev/work/proj") -> None:
        self.words: Final = words
        self.id: Final = words.uuid()
        self._cwd: Final = cwd
        self._total = [0, 0, 0]
        self._since_compaction = 0

    def lines(self) -> Iterator[Line]:
        """The rollout, one turn after the other."""
        w = self.words
        git = {"commit_hash": f"{w.dice.getrandbits(160):040x}", "branch": "main"}
        header = {"id": self.id, "timestamp": w.time(), "cwd": self._cwd, "originator": "codex-tui", "source": "cli"}
        header |= {"cli_version": "0.104.0", "model_provider": "openai", "git": git}
        yield self._line("session_meta", {**header, "base_instructions": {"text": w.prose(17_000)}})
        yield self._said("developer", f"<permissions instructions>\n{w.prose(5000)}\n</permissions instructions>")
        environment = f"<environment_context>\n  <cwd>{self._cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"
        yield self._said("user", environment)
        while True:
            yield from self._turn(w.uuid())
            if self._since_compaction > _COMPACT_AFTER:
                self._since_compaction = 0
                kept = [self._message("user", w.prose(2000)) for _ in range(6)]
                yield self._line("compacted", {"message": "", "replacement_history": kept})
                yield self._event("context_compacted")

    def _turn(self, turn: str) -> Iterator[Line]:
        w = self.words
        yield self._event("task_started", turn_id=turn, model_context_window=258_400)
        yield self._line("turn_context", self._context(turn))
        prompt = w.prose(w.size(150, 0.9, 8, 5000))
        yield self._said("user", prompt)
        yield self._event("user_message", message=prompt, images=[], local_images=[], text_elements=[])
        for _ in range(w.dice.choice((1, 2, 3, 4, 6, 8, 12, 16))):
            yield from self._step(turn)
        answer = w.prose(w.size(800, 0.8, 20, 9000))
        yield self._event("agent_message", message=answer, phase="final_answer")
        yield self._said("assistant", answer)
        yield self._tokens()
        yield self._event("task_complete", turn_id=turn, last_agent_message=answer)

    def _step(self, turn: str) -> Iterator[Line]:
        w = self.words
        if w.dice.random() < 0.7:
            heading = f"**{w.name(4, ' ')}**"
            summary = [{"type": "summary_text", "text": heading}] if w.dice.random() < 0.5 else []
            if summary:
                yield self._event("agent_reasoning", text=heading)
            secret = "gAAAAAB" + w.base64(w.size(1800, 0.6, 600, 12_000))
            yield self._item({"type": "reasoning", "summary": summary, "content": None, "encrypted_content": secret})
        if w.dice.random() < 0.25:
            text = w.prose(w.size(200, 0.8, 20, 4000))
            yield self._event("agent_message", message=text, phase="commentary")
            yield self._said("assistant", text)
        tool = w.dice.choices((self._command, self._patch, self._search), weights=(80, 16, 4))[0]
        yield from tool(turn)

    def _command(self, turn: str) -> Iterator[Line]:
        w, call = self.words, "call_" + self.words.letters(24)
        given = {"cmd": f"rg -n {w.name()} src && sed -n '1,200p' src/{w.name()}.py", "workdir": self._cwd}
        arguments = json.dumps({**given, "yield_time_ms": 1000}, separators=(",", ":"))
        yield self._item({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": call})
        yield self._tokens()
        size = w.size(4000, 1.1, 60, 60_000)
        body = "\n".join(w.code(size)) if w.dice.random() < 0.6 else w.log(size)
        self._since_compaction += len(body)
        head = f"Chunk ID: {w.letters(6)}\nWall time: 0.0512 seconds\nProcess exited with code 0\n"
        output = f"{head}Original token count: {size // 4}\nOutput:\n{body}\n"
        yield self._item({"type": "function_call_output", "call_id": call, "output": output})

    def _patch(self, turn: str) -> Iterator[Line]:
        w, call = self.words, "call_" + self.words.letters(24)
        path = f"src/{w.name()}.py"
        hunk = "".join(f"{w.dice.choice('+-  ')}{line}\n" for line in w.code(w.size(1500, 1.0, 80, 40_000)))
        text = f"*** Begin Patch\n*** Update File: {path}\n@@\n{hunk}*** End Patch\n"
        yield self._item(
            {"type": "custom_tool_call", "status": "completed", "call_id": call, "name": "apply_patch", "input": text}
        )
        yield self._tokens()
        said = f"Success. Updated the following files:\nM {path}\n"
        change = {"type": "update", "unified_diff": f"@@ -1,9 +1,9 @@\n{hunk}", "move_path": None}
        changes = {f"{self._cwd}/{path}": change}
        yield self._event("patch_apply_end", call_id=call, turn_id=turn, stdout=said, success=True, changes=changes)
        output = json.dumps({"output": said, "metadata": {"exit_code": 0, "duration_seconds": 0.1}})
        yield self._item({"type": "custom_tool_call_output", "call_id": call, "output": output})

    def _search(self, turn: str) -> Iterator[Line]:
        query = self.words.name(6, " ")
        action = {"type": "search", "query": query, "queries": [query]}
        yield self._event("web_search_end", call_id="ws_" + self.words.letters(30), query=query, action=action)
        yield self._item({"type": "web_search_call", "status": "completed", "action": action})
        yield self._tokens()

    # lines

    def _tokens(self) -> Line:
        dice = self.words.dice
        step = [dice.randint(1000, 150_000), dice.randint(500, 900), dice.randint(1, 3000)]
        self._total = [a + b for a, b in zip(self._total, step, strict=True)]
        info = {"total_token_usage": _usage(*self._total), "last_token_usage": _usage(*step)}
        window = {"used_percent": 12.0, "window_minutes": 300, "resets_at": 1771000000}
        limits = {"limit_id": "codex", "primary": window, "secondary": window, "credits": None, "plan_type": "pro"}
        return self._event("token_count", info={**info, "model_context_window": 258_400}, rate_limits=limits)

    def _context(self, turn: str) -> Line:
        policy = {"type": "workspace-write", "network_access": False, "exclude_slash_tmp": False}
        made: Line = {"turn_id": turn, "cwd": self._cwd, "approval_policy": "on-request", "sandbox_policy": policy}
        return {**made, "model": "gpt-5.3-codex", "effort": "high", "summary": "auto"}

    @staticmethod
    def _message(role: str, text: str) -> Line:
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    def _said(self, role: str, text: str) -> Line:
        return self._item(self._message(role, text))

    def _item(self, payload: Line) -> Line:
        return self._line("response_item", payload)

    def _event(self, kind: str, **payload: Any) -> Line:
        return self._line("event_msg", {"type": kind, **payload})

    def _line(self, kind: str, payload: Line) -> Line:
        return {"timestamp": self.words.time(), "type": kind, "payload": payload}


def _usage(given: int, cached: int, said: int) -> Line:
    counts = {"input_tokens": given, "cached_input_tokens": cached, "output_tokens": said}
    return {**counts, "reasoning_output_tokens": said // 3, "total_tokens": given + said}
