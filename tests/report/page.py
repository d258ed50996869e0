"""The codes of reports as the page `docs/reference/report-codes.md`."""

from __future__ import annotations

import re
from pathlib import Path

from sesh.report import codes

_HEAD = """# Codes in reports

`sesh convert --report FILE` and `--json` give the report as data. Each entry of `entries` bears one of these codes,
and so does each key of `changed`. They are stable: programs may act on them. Keys of `skipped` and `dropped` are kinds
of records and blocks, not codes.
"""


def page() -> str:
    """The whole page as Markdown, in the table's own order and under its own headings."""
    source = Path(codes.__file__).read_text(encoding="utf-8")
    lines = [_HEAD.rstrip("\n")]
    for heading, code in re.findall(r'^    # (.+)$|^    "([a-z-]+)":', source, re.MULTILINE):
        if heading:
            lines += ["", f"## {heading[0].upper()}{heading[1:]}", "", "| code | meaning |", "| --- | --- |"]
        else:
            meaning = codes.CODES[code].replace("|", "\\|")
            lines.append(f"| `{code}` | {meaning} |")
    return "\n".join(lines) + "\n"
