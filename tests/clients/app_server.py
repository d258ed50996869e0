"""`codex app-server` over its JSON-RPC on stdin and stdout: the client's own list and transcript of a session."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class AppServer:
    """`with AppServer(program, cwd, env) as server: server.call("thread/list", {})`."""

    def __init__(self, program: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [*program, "app-server"],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self._count = 0
        self._answers: dict[int, Any] = {}
        self._notes: list[str] = []
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        about = {"name": "sesh_tests", "title": "sesh tests", "version": "0"}
        self.call("initialize", {"clientInfo": about, "capabilities": {"experimentalApi": True}})
        self._send({"method": "initialized"})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def call(self, method: str, params: Mapping[str, Any], *, until: str | None = None, timeout: float = 60) -> Any:
        """The result, or {"error": ...}. `until`: also wait for a notification of this method, e.g. turn/completed."""
        self._count += 1
        n = self._count
        seen = len(self._notes)
        self._send({"id": n, "method": method, "params": params})
        with self._news:
            if not self._news.wait_for(lambda: n in self._answers, timeout):
                return {"error": f"no answer to {method} in {timeout} s"}
            answer = self._answers.pop(n)
            if (
                until
                and "error" not in answer
                and not self._news.wait_for(lambda: until in self._notes[seen:], timeout)
            ):
                return {"error": f"no {until} after {method} in {timeout} s"}
        return answer["result"] if "result" in answer else {"error": answer["error"]}

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            with self._news:
                if "id" in message and ("result" in message or "error" in message):
                    self._answers[message["id"]] = message
                else:
                    self._notes.append(message.get("method", ""))
                self._news.notify_all()
