"""The journey that the tests of handoff and merge go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import Claude, Codex
from tests.e2e.journey import Journey


@pytest.fixture
def journey(claude_client: Claude, codex_client: Codex, tmp_path: Path) -> Journey:
    """Both real clients, with a home and a project of this test's own."""
    return Journey(claude=claude_client, codex=codex_client, root=tmp_path / "j")
