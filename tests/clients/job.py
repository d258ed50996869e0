"""One visit to a client: steps that run in one place without network, beside a scripted model.

The job goes as JSON to `python -m tests.clients.inside`, which runs in a network namespace of its own, because the
client and its model must share one and the test process must not lose its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from tests.clients import isolation

_PROJECT: Final = Path(__file__).parents[2]
MARGIN_S: Final = 60


@dataclass(frozen=True, kw_only=True)
class Command:
    """Run the client's program. `interrupt_at`: SIGINT once the model has had this many requests (an abort)."""

    args: Sequence[str]
    timeout: float = 120
    interrupt_at: int | None = None


@dataclass(frozen=True, kw_only=True)
class Call:
    """One JSON-RPC call; `until` names a notification to wait for as well."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    until: str | None = None


@dataclass(frozen=True, kw_only=True)
class Rpc:
    """Calls to one app server (Codex only), in order. Its outcome is the list of answers."""

    calls: Sequence[Call]
    timeout: float = 120


@dataclass(frozen=True, kw_only=True)
class Screens:
    """Run the client's program in a terminal of `size` (columns, rows), pressing keys whenever it rests.

    `until`: words to wait for at first; `keys`: pairs of a key and the words to wait for after it. Its outcome is what
    the screen shows each time (terminal.py).
    """

    args: Sequence[str]
    until: str
    keys: Sequence[tuple[str, str]] = ()
    size: tuple[int, int] = (200, 400)
    timeout: float = 60


@dataclass(frozen=True, kw_only=True)
class Job:
    """`env` and `files` may hold `{port}`: the model's port. `files` are written before the first step."""

    client: Literal["codex", "claude"]
    program: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    files: Mapping[str, str]
    script: Any
    steps: Sequence[Command | Rpc | Screens]


def perform(job: Job) -> dict[str, Any]:
    """Do it. {"steps": [outcome of each], "requests": [{kind, path, body}]}. Raises RuntimeError where it broke."""
    limit = sum(s.timeout for s in job.steps) + MARGIN_S
    done = subprocess.run(
        [*isolation.prefix(), sys.executable, "-m", "tests.clients.inside"],
        input=json.dumps(asdict(job)),
        capture_output=True,
        text=True,
        timeout=limit,
        cwd=_PROJECT,
        env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the instrument itself failed:\n{done.stderr[-4000:]}")
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome
