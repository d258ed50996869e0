"""Every session of the corpus goes over, gets one turn there, and comes back: nothing else of it changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sesh.errors import NotASession, SeshError
from sesh.providers.claude_code.layout import munge
from tests.handoff.desk import Desk, spoken
from tests.sessions import Session, main_sessions

OTHER = {"claude-code": "codex", "codex": "claude-code"}
REFUSED = {"codex/0.28.0/basic.jsonl", "codex/0.28.0/basic-resumed.jsonl"}
"""Rollouts that no later Codex resumes: a copy of them would be of no use."""


def settle(desk: Desk, given: Session) -> Path:
    """The session in its client's home, with all that lies beside it."""
    home = desk.homes[given.provider][1]
    if given.provider == "claude-code":
        folder = home / "projects" / munge(str(desk.cwd))
        shutil.copytree(given.path.parent, folder)
        return folder / given.path.name
    parts = given.path.parts
    tree = next((n for n, part in enumerate(parts) if part in ("sessions", "archived_sessions")), None)
    if tree is None:
        return desk.codex(given.name)
    shutil.copytree(Path(*parts[:tree]), home)
    return home.joinpath(*parts[tree:])


@pytest.mark.parametrize("given", main_sessions(), ids=lambda s: s.name)
def test_there_and_back(desk: Desk, given: Session) -> None:
    path = settle(desk, given)
    before = path.read_bytes()
    try:
        target = desk.handoff(path, OTHER[given.provider])
    except NotASession:
        assert not before.strip(), "only an empty file holds nothing to hand off"
        return
    desk.say(target, "A new prompt", "A new answer.")
    if given.name in REFUSED:
        with pytest.raises(SeshError, match="form of Codex"):
            desk.merge(target)
        return
    merged = desk.merge(target)
    assert path.read_bytes() == before
    assert merged.grafted is not None
    assert merged.news.turns == 1
    assert spoken(merged.path) == [*spoken(path), "A new prompt", "A new answer."]
    copied = merged.trunk.opened.path.read_bytes()  # where a revert made segments, the newest is copied
    own, now = copied.removesuffix(b"\n").split(b"\n"), merged.path.read_bytes().split(b"\n")
    assert merged.grafted.kept == len(own)
    differing = sum(a != b for a, b in zip(own, now, strict=False))
    assert differing <= sum(merged.grafted.replaced.values())
