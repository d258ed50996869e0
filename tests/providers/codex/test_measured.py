"""The hand-made files under measured/ still say what the real Codex does. Needs the client (`make clients`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clients.codex import Codex

FOLDER = Path(__file__).parent / "measured"
TELLING = (
    "rollback-of-a-steered-turn",
    "rollback-beyond-a-compaction",
    "rollback-beyond-a-compaction-without-a-list",
    "compactions-chained-without-lists",
    "compaction-to-calls-and-answers",
    "compaction-without-a-list-goes-by-words",
    "compaction-with-an-item-that-is-none",
    "rollback-counts-by-words",
    "rollback-counts-mail",
    "rollback-of-a-turn-that-began-with-a-compaction",
)
"""A run takes seconds; these ten ask what no other file of the corpus does."""


@pytest.mark.parametrize("name", TELLING)
def test_the_client_still_does_so(codex_client: Codex, name: str) -> None:
    """`resume` places the file under its own id, resumes it and gives what reached the model."""
    asked = json.loads((FOLDER / f"{name}.sent.json").read_bytes())["sent"]
    probe = codex_client.resume(FOLDER / f"{name}.jsonl")
    assert probe.resumed
    assert probe.sent == asked
