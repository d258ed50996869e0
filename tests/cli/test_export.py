"""`sesh export`: which format is written where."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import CLAUDE, Sesh


@pytest.mark.parametrize(
    ("output", "begins"),
    [("a.html", "<!"), ("b.HTM", "<!"), ("c.md", "# "), ("d.markdown", "# "), ("e.jsonl", "{"), ("page", "<!")],
)
def test_the_name_says_the_format(sesh: Sesh, tmp_path: Path, output: str, begins: str) -> None:
    assert sesh("export", CLAUDE, "-o", tmp_path / output).code == 0
    assert (tmp_path / output).read_text(encoding="utf-8").startswith(begins)


def test_a_folder_may_have_any_name(sesh: Sesh, tmp_path: Path) -> None:
    assert sesh("export", CLAUDE, "-o", f"{tmp_path}/pages.d/").code == 0
    assert [p.suffix for p in (tmp_path / "pages.d").iterdir()] == [".html"]


def test_a_name_of_another_format_is_no_html(sesh: Sesh, tmp_path: Path) -> None:
    ran = sesh("export", CLAUDE, "-o", tmp_path / "x.pdf")
    assert ran.code == 2 and ".pdf is none of .html, .md, .jsonl" in ran.err
    assert not list(tmp_path.iterdir())
    assert sesh("export", CLAUDE, "-o", tmp_path / "x.txt", "--format", "md").code == 0


def test_what_is_there_already_is_said(sesh: Sesh, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert sesh("export", CLAUDE, "-o", target).err.startswith(f"Wrote {target} (")
    assert sesh("export", CLAUDE, "-o", target).err.startswith(f"{target} is there already, just the same (")
    assert sesh("export", CLAUDE, "-o", target, "--json").json["written"] is False
