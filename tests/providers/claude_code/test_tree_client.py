"""The shapes of test_tree.py that decide most, given to the real Claude Code again: it sends what they say it sends."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesh.format import walk
from tests import rows
from tests.clients import Claude
from tests.providers.claude_code.made import SESSION, Made
from tests.providers.claude_code.test_resumed import ACTS
from tests.providers.claude_code.test_tree import SHAPES, Shape

pytestmark = pytest.mark.client

DECISIVE = {
    "second_call_off_the_path",
    "interleaved_on_side_branches",
    "missing_parent_and_time_goes_before_file_order",
    "rewind_and_a_last_prompt_on_the_old_branch",
    "only_the_last_one_counts_even_where_it_names_no_line",
    "named_system_line",
    "explicit_and_more_was_said_under_it",
    "preserved_by_name",
    "anchored_at_the_boundary",
    "said_under_the_last_preserved_message",
    "after_preserving_a_system_line_cannot_be_named",
    "summary_without_a_boundary_cuts_nothing",
}


@pytest.mark.parametrize("make", [pytest.param(m, id=n) for n, m, _ in SHAPES if n in DECISIVE])
def test_the_client_sends_what_the_shape_says(make: Shape, claude_client: Claude, tmp_path: Path) -> None:
    s = Made()
    make(s)
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(s.data())
    probe = claude_client.resume(path)
    assert probe.rc == 0, probe.stderr
    messages, theirs = walk.window(s.read().messages), probe.sent
    for act in ACTS:
        messages, theirs = act(messages, theirs)
    assert rows.settled(rows.conversation(messages)) == rows.settled(theirs)


def test_every_decisive_shape_is_there() -> None:
    assert {n for n, _, _ in SHAPES} >= DECISIVE
