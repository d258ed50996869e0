"""Pages and files that are made from code, so that they cannot lie.

    python -m tests.generate --check     say which are out of date, exit 1 if any is
    python -m tests.generate --write     write them

A page is a function that gives its whole text. Whoever adds a generated file adds a line to PAGES.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from difflib import unified_diff
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from sesh.cli.app import SECTIONS

ROOT: Final = Path(__file__).parents[1]

PAGES: Final[dict[str, str]] = {
    "schema/sesh.v1.schema.json": "tests.format.wire_pages:schema_text",
    "schema/sesh.v1.d.ts": "tests.format.wire_pages:typescript_text",
    "docs/reference/format.md": "tests.format.wire_pages:format_page",
    "docs/what-survives.md": "tests.matrix.page:page",
    "docs/reference/report-codes.md": "tests.report.page:page",
    "schema/sesh-cli.v1.schema.json": "tests.cli.documents_page:text",
    "docs/reference/commands.md": "tests.cli.reference_pages:commands_page",
    **{
        f"man/{page}.1": f"tests.cli.reference_pages:man_pages#man/{page}.1"
        for page in ("sesh", *(f"sesh-{name}" for section in SECTIONS.values() for name in section))
    },
    "docs/how-to/add-a-provider.md": "tests.docs.pages:add_a_provider",
}
"""Path in the repository -> the function that makes its text, or with `#KEY` one that makes several, by key."""

_SHOWN_LINES: Final = 20


def text_of(maker: str) -> str:
    """The text that a page should have."""
    function, _, key = maker.partition("#")
    module, name = function.split(":")
    make: Callable[[], Any] = getattr(import_module(module), name)
    text: str = make()[key] if key else make()
    return text


def stale(path: str, text: str) -> list[str]:
    """The first lines of the difference between a page and what it should be; empty when it is right."""
    file = ROOT / path
    there = file.read_text(encoding="utf-8") if file.is_file() else ""
    diff = unified_diff(there.splitlines(), text.splitlines(), path, "from code", lineterm="", n=0)
    return list(diff)[:_SHOWN_LINES]


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="change nothing; exit 1 where a page is out of date")
    mode.add_argument("--write", action="store_true", help="write every page")
    options = parser.parse_args()
    bad = 0
    for path, maker in PAGES.items():
        text = text_of(maker)
        difference = stale(path, text)
        if not difference:
            continue
        if options.write:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote {path}\n")
        else:
            bad += 1
            sys.stdout.write("\n".join([*difference, f"{path} is out of date: python -m tests.generate --write", ""]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
