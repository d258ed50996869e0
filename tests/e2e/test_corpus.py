"""Every main session of the corpus crosses over and is resumed in the other client: one probe each.

A file without a conversation (of state alone) has nothing to take over; the real client does not resume it either.
"""

from __future__ import annotations

import pytest

from tests.clients import Claude, Codex
from tests.e2e.crossing import Crossing, cross, holds_nothing, unexplained
from tests.e2e.exceptions import each
from tests.sessions import Session, main_sessions


@pytest.mark.parametrize("given", each(main_sessions("claude-code")))
def test_claude_to_codex(given: Session, codex_client: Codex) -> None:
    if holds_nothing(given):
        assert not given.oracle["resumed"], "the real client resumes it"
        return
    done = cross(given, codex_client)
    assert done.probe.listed, "not in the client's list"
    assert done.probe.turns, "no turn in the client's transcript"
    _resumed_alike(done)


@pytest.mark.parametrize("given", each(main_sessions("codex")))
def test_codex_to_claude(given: Session, claude_client: Claude) -> None:
    _resumed_alike(cross(given, claude_client))


def _resumed_alike(done: Crossing) -> None:
    assert done.probe.resumed, done.probe.stderr
    assert done.probe.rc == 0, done.probe.stderr
    assert done.probe.prefix_kept, "the client changed the file"
    assert unexplained(done.said(), done.sent(), done.result.report) == []
