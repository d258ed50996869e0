"""Goldens: an expected text that lies in a file beside its input, and is rewritten on request.

SESH_GOLDEN=write makes `matches` write what it was given instead of comparing. Look at the diff before you commit it.
"""

from __future__ import annotations

import os
from difflib import unified_diff
from pathlib import Path
from typing import Final

VARIABLE: Final = "SESH_GOLDEN"


def matches(golden: Path, actual: str) -> None:
    """Compare a text with a golden file. Raises AssertionError with a diff, or where there is no golden yet."""
    if os.environ.get(VARIABLE) == "write":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(actual, encoding="utf-8")
        return
    if not golden.is_file():
        raise AssertionError(f"{golden} is not there yet; write it with {VARIABLE}=write")
    expected = golden.read_text(encoding="utf-8")
    if expected != actual:
        lines = unified_diff(expected.splitlines(), actual.splitlines(), str(golden), "now", lineterm="", n=2)
        raise AssertionError("\n".join(["", *lines, f"If this is right: {VARIABLE}=write"]))
