"""Links within the repository lead somewhere, and every page of docs/ can be reached from the README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
_CODE = re.compile(r"^(`{3,}).*?^\1$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    """Where a page's relative links lead, without what stands in code."""
    text = _CODE.sub("", page.read_text(encoding="utf-8"))
    found = re.findall(r"\]\(([^)\s]+)\)", text)
    return [t for t in found if not re.match(r"[a-z]+:", t)]


def anchors(page: Path) -> set[str]:
    """The headings of a page, as GitHub names them."""
    heads = re.findall(r"^#+ (.*)$", _CODE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{link}: no such heading"


def test_every_page_can_be_reached() -> None:
    reached: set[Path] = set()
    pending = [ROOT / "README.md"]
    while pending:
        page = pending.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        pending += [(page.parent / link.partition("#")[0]).resolve() for link in links(page)]
    assert sorted(p for p in PAGES if p.is_relative_to(ROOT / "docs") and p not in reached) == []
