"""The picker: typed words filter, keys move, enter shows, ctrl-t hands off, escape leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from sesh.catalog import listing
from sesh.catalog.listing import Session
from sesh.cli import here, picker
from sesh.cli.commands.list import with_links
from tests.cli.conftest import Sesh


@pytest.fixture
def sessions(demo_home: Path) -> list[Session]:
    """The two bundled sessions, as the picker gets them."""
    return sorted(listing.sessions(here.homes()), key=lambda s: s.provider)


@pytest.mark.parametrize(
    ("keys", "chosen"),
    [
        ("\r", ["show", "claude-code"]),
        ("\x1b[B\r", ["show", "codex"]),
        ("\x1b[B\x1b[B\x1b[B\r", ["show", "codex"]),
        ("\x1b[B\x1b[A\r", ["show", "claude-code"]),
        ("export wrongly\r", ["show", "codex"]),
        ("HARVEST\x14", ["handoff", "claude-code", "--to", "codex"]),
        ("codex\x14", ["handoff", "codex", "--to", "claude-code"]),
        ("nothing like it\r\x03", None),
        ("zz\x7f\x7f\r", ["show", "claude-code"]),
        ("\x03", None),
        ("\x1b", None),
    ],
)
def test_keys(sessions: list[Session], keys: str, chosen: list[str] | None) -> None:
    with create_pipe_input() as typed:
        typed.send_text(keys)
        result = picker.choose(sessions, keys=typed, screen=DummyOutput())
    paths = {s.path: s.provider for s in sessions}
    assert (None if result is None else [paths.get(word, word) for word in result]) == chosen


def test_the_screen(sessions: list[Session]) -> None:
    made = picker._Picker(sessions)
    with create_pipe_input() as typed:
        typed.send_text("\x03")
        picker.choose(sessions, keys=typed, screen=DummyOutput())
    rows = "".join(text for _, text, *_ in made._rows())
    assert "Fix the empty last page" in rows
    preview = "".join(text for _, text, *_ in made._preview())
    assert "Yes: `export.py:14` has the same mistake." in " ".join(preview.split())
    assert "hand off to Codex" in "".join(text for _, text, *_ in made._keys())


def test_the_preview_ends_where_the_talk_does_whatever_its_width(
    sessions: list[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = Size(rows=14, columns=72)
    monkeypatch.setattr(DummyOutput, "get_size", lambda self: size)
    made = picker._Picker(sessions)
    rows = "".join(text for _, text, *_ in made._preview()).splitlines()
    assert len(rows) <= size.rows - 3
    assert all(len(row) < 32 for row in rows[2:])
    assert rows[-1].endswith("the same way?")


def test_a_handoff_is_marked(sesh: Sesh, sessions: list[Session]) -> None:
    sesh("handoff", sessions[0].path, "--to", "codex")
    made = picker._Picker(with_links(sessions))
    assert "→codex" in "".join(text for _, text, *_ in made._rows())


def test_a_session_that_cannot_be_read_says_why(sessions: list[Session]) -> None:
    Path(sessions[0].path).write_bytes(b"")
    assert picker._read_preview(sessions[0]) == ["", f"({Path(sessions[0].path).name} is empty.)"]


def test_without_a_terminal_there_is_help_and_no_picker(sesh: Sesh) -> None:
    ran = sesh()
    assert (ran.code, ran.out) == (2, "")
    assert "Usage: sesh" in ran.err
