"""Crossings that cannot be what the law asks for, each with its reason. Whoever adds one explains it here.

A test that is listed is expected to fail (strictly: it fails the run when it passes).
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.sessions import Session

EXCEPTIONS: Final[dict[str, str]] = {}
"""The session's name in the corpus -> why its crossing differs."""


def each(sessions: list[Session]) -> list[object]:
    """The sessions as test parameters, the listed ones marked."""
    return [
        pytest.param(
            s,
            id=s.name,
            marks=[pytest.mark.xfail(reason=EXCEPTIONS[s.name], strict=True)] if s.name in EXCEPTIONS else [],
        )
        for s in sessions
    ]
