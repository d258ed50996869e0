"""The heading says what is known, and of the client that the session is in."""

from __future__ import annotations

from typing import Any

import pytest

from sesh.format.thread import Thread
from sesh.present.facts import facts
from sesh.present.outline import outline


@pytest.mark.parametrize(
    ("link", "client"),
    [
        ({}, "Codex 2.1.328"),
        ({"kind": "handoff", "provider": "claude-code"}, "Codex"),  # the version is that of the other client
        ({"kind": "merge", "provider": "claude-code"}, "Codex 2.1.328"),  # the copy's own, off its first lines
        ("odd", "Codex 2.1.328"),
    ],
)
def test_a_version_is_not_said_of_another_client(link: Any, client: str) -> None:
    about = {"provider": "codex", "version": "2.1.328", "link": link}
    view = outline(Thread(id="t", created_at="", metadata=about), [])
    assert dict(facts(view, "Codex"))["client"] == client
