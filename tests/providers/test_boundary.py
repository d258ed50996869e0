"""What holds at the edge of every reader and writer: no id becomes a way out of a folder, and nothing but SeshError."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import pytest
from msgspec.structs import replace

from sesh.errors import SeshError
from sesh.format.blocks import TextBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import IngestedThread
from sesh.providers.boundary import guarded
from sesh.providers.canonical.writer import emit_canonical
from sesh.providers.claude_code.writer import emit_claude_session
from sesh.providers.codex.writer import emit_codex_rollout


@pytest.mark.parametrize("asked", ["../../x", "a/b", "a\\b", "..", "a\0b", "C:", "a\n", "x" * 300])
@pytest.mark.parametrize("emit", [emit_codex_rollout, emit_claude_session])
def test_an_id_that_leads_out_of_the_folder_is_refused(emit: Any, asked: str) -> None:
    thread = Thread(id="t", created_at="2026-03-01T10:00:00Z", metadata={"cwd": "/x"})
    with pytest.raises(SeshError, match="can be no session's id"):
        emit(thread, [], session_id=asked)


@pytest.mark.parametrize("found", ["../../x", "..", "a\0b", "a/b"])
def test_an_id_found_in_a_file_does_not_become_a_path(found: str) -> None:
    own = Thread(id=found, created_at="2026-03-01T10:00:00Z", metadata={"provider": "claude-code", "sessionId": found})
    said = Message(id="m", thread_id=found, role="user", content=[TextBlock(text="hi")], ts="2026-03-01T10:00:00Z")
    child = IngestedThread(thread=replace(own, id=found + "!", parent_thread_id=found), messages=[said])
    for emit in (emit_codex_rollout, emit_claude_session, emit_canonical):
        result = emit(own, [said], children=[child], keep_raw=True)
        for path in (result.path, *(f.path for f in result.files)):
            assert ".." not in PurePosixPath(path).parts
            assert "\0" not in path
            assert len(PurePosixPath(path).name) > len(".jsonl")


def test_what_is_nested_too_deeply_is_said_in_one_sentence() -> None:
    @guarded
    def below(n: int) -> int:
        return below(n + 1)

    with pytest.raises(SeshError, match="nested too deeply"):
        below(0)
