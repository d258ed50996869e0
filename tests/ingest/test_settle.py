"""What may be stored of a session that is still being written."""

from __future__ import annotations

import pytest

from sesh.format.message import Message
from sesh.ingest.settle import QUIET_SECONDS, is_at_rest, settled


def told(roles: str) -> list[Message]:
    """Messages by the first letters of their roles."""
    names = {"u": "user", "a": "assistant", "t": "tool", "s": "system"}
    return [Message(id=str(n), thread_id="t", role=names[r], ts="", content=[]) for n, r in enumerate(roles)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("", 0),
        ("u", 0),  # nothing has been answered yet: usage may still come to stand on it
        ("su", 0),
        ("ua", 1),
        ("uaaa", 1),  # thinking, words and a call of one API message
        ("uaat", 1),
        ("uaatat", 4),  # the second step has begun: the first is over
        ("uaatatu", 4),
        ("uaatatua", 7),
        ("uasa", 3),
    ],
)
def test_all_but_the_last_step(roles: str, expected: int) -> None:
    assert settled(told(roles)) == expected


def test_rest() -> None:
    assert not is_at_rest(1_000, 1_000)
    assert not is_at_rest(5_000, 1_000), "a clock that was set back"
    assert is_at_rest(0, QUIET_SECONDS * 10**9)
