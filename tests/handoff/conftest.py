"""A desk for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.handoff.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Two homes, no session yet."""
    return Desk(root=tmp_path / "desk")
