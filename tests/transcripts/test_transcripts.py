"""Every command that a page shows is run, and prints what the page says.

The transcripts here hold each command with its output and exit code; the pages under docs/, and the README, hold what
people are told to type. SESH_GOLDEN=write brings them up to date: look at the diff.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sesh.cli.app import SECTIONS
from sesh.testing.golden import matches
from tests.transcripts.console import Machine, rendered

ROOT = Path(__file__).parents[2]
TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.md"))
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGES = {"console", "sh", "text", "python", "ts", "json", "toml", "sql", ""}
INSTALLING = re.compile(
    r"(pip install|pipx install|uv tool install|make|npm|python -m|psql|curl|export|sesh completion|#|\$EDITOR"
    r"|(eval \"\$\()?sesh demo --play) ?"
)
"""What a ```sh block may hold: what cannot be run here, because it installs or belongs to the user's own shell.

`sesh demo --play` makes a home as the pages here have one already; tests/cli/test_demo.py goes that way.
"""


@pytest.mark.parametrize("page", [*TRANSCRIPTS, *DOCS], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_page_shows_what_its_commands_print(
    page: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page.read_text(encoding="utf-8")
    if "```console" in text:  # other pages show no command
        matches(page, rendered(text, Machine(tmp_path_factory.mktemp("m"), monkeypatch)))


@pytest.mark.parametrize("page", DOCS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_page_shows_no_command_that_is_not_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for _, language, body in re.findall(r"^(`{3,})(\w*)\n(.*?)^\1$", text, re.MULTILINE | re.DOTALL):
        assert language in LANGUAGES
        commands = [line for line in body.splitlines() if line.strip()]
        if language == "sh":
            assert [c for c in commands if not INSTALLING.match(c)] == []
        elif language == "":
            assert [c for c in commands if c.startswith(("$ ", "sesh "))] == []


@pytest.mark.parametrize("page", [*TRANSCRIPTS, *DOCS], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_client_is_given_a_whole_id(page: Path) -> None:
    """Codex 0.169 and `claude -p` 2.1.328 take no beginning of one: `No saved session found with ID 01a22d3a`."""
    given = re.findall(r"^\$ (?:codex resume|claude --resume) (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [i for i in given if not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", i)] == []


def test_every_command_has_a_transcript() -> None:
    shown = "\n".join(p.read_text(encoding="utf-8") for p in TRANSCRIPTS)
    assert [n for s in SECTIONS.values() for n in s if f"$ sesh {n}" not in shown] == []
