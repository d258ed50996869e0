"""A made-up Claude Code session of a size, in the shape of 2.1: a tree of lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bench.words import Words

Line = dict[str, Any]
_MODEL: Final = "claude-opus-4-6"


class ClaudeSession:
    """Line after line, without end. Turns with calls, now and then a rewind or a sub-agent beside the talk."""

    def __init__(self, words: Words, cwd: str = "/home/dev/work/proj") -> None:
        self.words: Final = words
        self.id: Final = words.uuid()
        self._cwd: Final = cwd
        self._slug: Final = words.name(3)
        self._parent: str | None = None
        self._answers: list[str] = []

    def lines(self) -> Iterator[Line]:
        """The session, one turn after the other."""
        yield {"type": "mode", "mode": "normal", "sessionId": self.id}
        yield {"type": "permission-mode", "permissionMode": "default", "sessionId": self.id}
        turn = 0
        while True:
            turn += 1
            yield from self._turn(turn)

    def _turn(self, turn: int) -> Iterator[Line]:
        w = self.words
        if turn > 5 and w.dice.random() < 0.02:
            self._parent = w.dice.choice(self._answers[-40:])  # rewound: a fork in the tree
        yield self._snapshot()
        prompt = w.prose(w.size(150, 0.9, 8, 5000))
        content = prompt if w.dice.random() < 0.8 else [{"type": "text", "text": prompt}]
        yield self._user(content, permissionMode="default", promptId=w.uuid())
        if w.dice.random() < 0.3:
            attachment = {"type": "todo_reminder", "content": [], "itemCount": 0}
            yield self._chained({"type": "attachment", "attachment": attachment}, advance=False)
        for _ in range(w.dice.choice((0, 1, 2, 3, 4, 6, 8, 12))):
            if w.dice.random() < 0.012:
                yield from self._sub_agent()
            yield from self._step()
        yield self._assistant({"type": "text", "text": w.prose(w.size(700, 0.8, 20, 9000))}, self._api(), "end_turn")
        self._answers.append(str(self._parent))
        took: Line = {"type": "system", "subtype": "turn_duration", "durationMs": w.dice.randrange(900_000)}
        yield self._chained({**took, "isMeta": False}, advance=False)
        if turn % 4 == 1:
            yield {"type": "ai-title", "aiTitle": self._slug, "sessionId": self.id}
        yield {"type": "last-prompt", "lastPrompt": prompt[:200], "sessionId": self.id}

    def _sub_agent(self) -> Iterator[Line]:
        main, self._parent = self._parent, None
        yield self._user(self.words.prose(600), side=True)
        for _ in range(self.words.dice.randint(2, 8)):
            yield from self._step(side=True)
        yield self._assistant({"type": "text", "text": self.words.prose(900)}, self._api(), "end_turn", side=True)
        self._parent = main

    def _step(self, *, side: bool = False) -> Iterator[Line]:
        """One API message with a call, a line a block, and the result."""
        w, api = self.words, self._api()
        if w.dice.random() < 0.55:
            signature = w.base64(w.size(600, 0.7, 200, 6000))
            thought = {"type": "thinking", "thinking": w.prose(w.size(350, 0.9, 40, 8000)), "signature": signature}
            yield self._assistant(thought, api, None, side=side)
        if w.dice.random() < 0.3:
            yield self._assistant({"type": "text", "text": w.prose(w.size(180, 0.8, 20, 4000))}, api, None, side=side)
        name, given, content, seen, failed = self._tool()
        call = "toolu_01" + w.letters(22)
        asked: Line = {"type": "tool_use", "id": call, "name": name, "input": given, "caller": {"type": "direct"}}
        yield self._assistant(asked, api, "tool_use", side=side)
        result: Line = {"tool_use_id": call, "type": "tool_result", "content": content}
        if failed or w.dice.random() < 0.4:
            result["is_error"] = failed
        yield self._user([result], side=side, toolUseResult=seen, sourceToolAssistantUUID=self._parent)

    def _tool(self) -> tuple[str, Line, Any, Any, bool]:
        """A tool run: name, input, what the model reads, what the screen draws, whether it failed."""
        w = self.words
        kind = w.dice.choices(_TOOLS, weights=_SHARES)[0]
        path = f"{self._cwd}/src/{w.name(2, '/')}.py"
        size = w.size(3200, 1.25, 60, 100_000)
        match kind:
            case "Read":
                lines = w.code(size)
                body = "\n".join(lines)
                file = {"filePath": path, "content": body, "numLines": len(lines), "startLine": 1}
                numbered = "\n".join(f"{i:6d}→{line}" for i, line in enumerate(lines, 1))
                return kind, {"file_path": path}, numbered, {"type": "text", "file": file}, False
            case "Bash":
                text, failed = w.log(min(size, 30_000)), w.dice.random() < 0.06
                given: Line = {"command": f"pytest -q tests/{w.name()} | tail -50", "description": w.name(5, " ")}
                shown: Any = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
                return kind, given, text, f"Error: Exit code 1\n{text}" if failed else shown, failed
            case "Edit":
                old, new = (w.code(w.size(median, 0.9, 30, 12_000)) for median in (400, 500))
                given = {"file_path": path, "old_string": "\n".join(old), "new_string": "\n".join(new)}
                hunk = {"oldStart": 1, "oldLines": len(old), "newStart": 1, "newLines": len(new)}
                drawn = [*("-" + line for line in old), *("+" + line for line in new)]
                whole = "\n".join(w.code(w.size(9000, 1.0, 500, 100_000)))
                patch: Line = {"filePath": path, "oldString": given["old_string"], "newString": given["new_string"]}
                patch |= {"originalFile": whole, "structuredPatch": [{**hunk, "lines": drawn}]}
                return kind, given, f"The file {path} has been updated.", patch, False
            case "Write":
                body = "\n".join(w.code(w.size(3500, 0.9, 100, 60_000)))
                made: Line = {"type": "create", "filePath": path, "content": body, "structuredPatch": []}
                given = {"file_path": path, "content": body}
                return kind, given, f"File created successfully at: {path}", made, False
            case "Grep":
                text = w.log(min(size, 20_000))
                given = {"pattern": w.name(), "path": self._cwd, "output_mode": "content"}
                return kind, given, text, {"mode": "content", "filenames": [], "content": text}, False
            case "Read an image":
                data = w.base64(w.size(120_000, 0.6, 30_000, 600_000))
                source = {"type": "base64", "data": data, "media_type": "image/png"}
                picture = {"type": "image", "file": {"base64": data, "type": "image/png"}}
                return "Read", {"file_path": f"{path}.png"}, [{"type": "image", "source": source}], picture, False
            case _:
                count = w.dice.randint(2, 8)
                todos = [{"content": w.prose(40), "status": "pending", "activeForm": w.prose(40)} for _ in range(count)]
                return kind, {"todos": todos}, "Todos have been modified.", {"oldTodos": [], "newTodos": todos}, False

    # lines

    def _api(self) -> Line:
        w = self.words
        usage = {
            "input_tokens": w.dice.randint(1, 20),
            "cache_creation_input_tokens": w.dice.randint(100, 9000),
            "cache_read_input_tokens": w.dice.randint(10_000, 150_000),
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 100},
            "output_tokens": w.dice.randint(1, 2500),
            "service_tier": "standard",
        }
        return {"id": "msg_01" + w.letters(22), "requestId": "req_011" + w.letters(21), "usage": usage}

    def _assistant(self, block: Line, api: Line, stop: str | None, *, side: bool = False) -> Line:
        message = {"model": _MODEL, "id": api["id"], "type": "message", "role": "assistant", "content": [block]}
        message |= {"stop_reason": stop, "stop_sequence": None, "usage": api["usage"]}
        line: Line = {"type": "assistant", "message": message, "requestId": api["requestId"]}
        return self._chained(line, side=side)

    def _user(self, content: Any, *, side: bool = False, **more: Any) -> Line:
        return self._chained({"type": "user", "message": {"role": "user", "content": content}, **more}, side=side)

    def _chained(self, line: Line, *, side: bool = False, advance: bool = True) -> Line:
        uuid = self.words.uuid()
        made: Line = {"parentUuid": self._parent, "isSidechain": side, "userType": "external", "cwd": self._cwd}
        made |= {"sessionId": self.id, "version": "2.1.37", "gitBranch": "main", "slug": self._slug, **line}
        made |= {"uuid": uuid, "timestamp": self.words.time()}
        if advance:
            self._parent = uuid
        return made

    def _snapshot(self) -> Line:
        w = self.words
        files = {
            f"src/{w.name()}.py": {"backupFileName": w.letters(16), "version": 1} for _ in range(w.dice.randrange(12))
        }
        inner = {"messageId": w.uuid(), "trackedFileBackups": files, "timestamp": w.time()}
        return {"type": "file-history-snapshot", "messageId": w.uuid(), "snapshot": inner, "isSnapshotUpdate": False}


_TOOLS: Final = ("Read", "Bash", "Edit", "Write", "Grep", "Read an image", "TodoWrite")
_SHARES: Final = (34, 36, 16, 5, 6, 0.4, 2.6)
