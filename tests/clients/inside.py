"""The inner side of a job: starts the scripted model and runs the client's steps, all in this network namespace.

Reads a job as JSON on stdin, writes its outcome as JSON on stdout. Started by `job.perform`, not by hand.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tests.clients.app_server import AppServer
from tests.clients.http_model import Server
from tests.clients.isolation import raise_loopback
from tests.clients.messages_api import MessagesApi
from tests.clients.responses_api import ResponsesApi

TIMED_OUT: Final = 124
_POLL_S: Final = 0.1
_SETTLE_S: Final = 0.5


def main() -> int:
    """Perform the job on stdin."""
    job = json.load(sys.stdin)
    raise_loopback()
    model: Server = {"codex": ResponsesApi, "claude": MessagesApi}[job["client"]](job["script"])
    with model:
        port = str(model.port)
        for path, text in job["files"].items():
            Path(path).write_text(text.replace("{port}", port))
        env = {k: v.replace("{port}", port) for k, v in job["env"].items()}
        outcomes = [_step(job, env, step, model) for step in job["steps"]]
        json.dump({"steps": outcomes, "requests": [asdict(r) for r in model.requests]}, sys.stdout)
    return 0


def _step(job: dict[str, Any], env: dict[str, str], step: dict[str, Any], model: Server) -> dict[str, Any]:
    if "calls" in step:
        return _rpc(job, env, step)
    if "keys" in step:
        from tests.clients.terminal import screens  # the emulator is loaded only for a screen

        command = [*job["program"], *step["args"]]
        size = (step["size"][0], step["size"][1])
        where = {"cwd": job["cwd"], "env": env, "size": size, "timeout": step["timeout"]}
        shown = screens(command, step["until"], step["keys"], **where)
        return {"screens": shown}
    return _command(job, env, step, model)


def _command(job: dict[str, Any], env: dict[str, str], step: dict[str, Any], model: Server) -> dict[str, Any]:
    first = len(model.requests)
    process = subprocess.Popen(
        [*job["program"], *step["args"]],
        cwd=job["cwd"],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    if step["interrupt_at"] is not None:
        _interrupt(process, model, first + step["interrupt_at"], step["timeout"])
    try:
        out, err = process.communicate(timeout=step["timeout"])
        rc = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        rc, err = TIMED_OUT, f"the client hung for {step['timeout']} s\n{err}"
    return {"rc": rc, "stdout": out, "stderr": err, "first": first, "last": len(model.requests)}


def _interrupt(process: subprocess.Popen[str], model: Server, requests: int, timeout: float) -> None:
    end = time.monotonic() + timeout
    while process.poll() is None and len(model.requests) < requests and time.monotonic() < end:
        time.sleep(_POLL_S)
    time.sleep(_SETTLE_S)  # what the model has said so far must reach the client first
    if process.poll() is None:
        process.send_signal(signal.SIGINT)


def _rpc(job: dict[str, Any], env: dict[str, str], step: dict[str, Any]) -> dict[str, Any]:
    with AppServer(job["program"], Path(job["cwd"]), env) as server:
        answers = [server.call(c["method"], c["params"], until=c["until"]) for c in step["calls"]]
    return {"answers": answers}


if __name__ == "__main__":
    sys.exit(main())
