"""The fixtures `codex_client` and `claude_client`, and what happens where a client is not installed.

A test that uses one is marked `client`. Without the client it skips and says so; SESH_REQUIRE_CLIENTS=1 (CI) makes it
fail instead, so that no run is green because the proof was left out.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

from tests.clients import Claude, Codex, installed
from tests.clients.installed import Installed, NotInstalled


def absent(reason: str, required: str) -> NoReturn:
    """Skip with the reason, or fail where the environment variable `required` is 1."""
    if os.environ.get(required) == "1":
        pytest.fail(f"{required}=1, and {reason}", pytrace=False)
    pytest.skip(reason)


def _client(name: str) -> Installed:
    try:
        return installed.find(name)
    except NotInstalled as e:
        absent(str(e), "SESH_REQUIRE_CLIENTS")


@pytest.fixture
def codex_client(tmp_path: Path) -> Codex:
    """The pinned real Codex; its homes lie in this test's folder."""
    return Codex(installed=_client("codex"), scratch=tmp_path)


@pytest.fixture
def claude_client(tmp_path: Path) -> Claude:
    """The pinned real Claude Code; its homes lie in this test's folder."""
    return Claude(installed=_client("claude"), scratch=tmp_path)
