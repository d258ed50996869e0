"""The shapes of test_tree.py and test_leaf.py that decide most, given to the real Claude Code again."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesh.format import walk
from tests import rows
from tests.clients import Claude
from tests.providers.claude_code.made import SESSION, Made
from tests.providers.claude_code.test_leaf import SHAPES as LEAVES
from tests.providers.claude_code.test_resumed import ACTS
from tests.providers.claude_code.test_tree import SHAPES as TREES
from tests.providers.claude_code.test_tree import Shape

pytestmark = pytest.mark.client

SHAPES = [*TREES, *LEAVES]

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
    "attachment_on_the_old_branch_is_the_last_line",
    "the_child_stands_before_its_parent",
    "rewound_to_nothing",
    "rewound_to_nothing_and_begun_anew",
    "a_boundary_makes_it_void",
    "explicit_once_is_explicit_again",
    "explicit_until_any_line_is_written",
    "named_result_of_the_first_call",
    "named_hook_under_a_call",
    "a_prompt_under_the_call_is_another_branch",
    "said_beside_the_second_part_of_a_reply",
    "named_line_is_no_end",
    "said_under_the_first_preserved_message",
    "rewound_to_a_preserved_message",
    "said_under_a_message_that_is_gone",
    "one_that_was_preserved_is_not_in_the_file",
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
