"""The matrix as the page `docs/what-survives.md`."""

from __future__ import annotations

from sesh.providers import registry
from sesh.providers.api import Provider
from sesh.report.codes import CODES
from tests.clients import installed
from tests.matrix.cases import CASES, Case
from tests.matrix.marks import MARKS
from tests.matrix.measure import Cell, measure

_CLIENTS = {"codex": "codex", "claude-code": "claude"}
_KINDS = {"never": "Cannot be:", "notyet": "Not done yet:", "notimpl": "Done otherwise:"}
_HEAD = """# What survives

Measured, not promised: each row is a small conversation that the tests write for each client and read again
(`tests/matrix`). Whether the real client then sends it to its model is measured too, over whole sessions
(`tests/e2e`), with {versions}.

**as it is**: the client's own form holds it. **in another form**: the report names it by the code in brackets; the
canonical form is kept beside it, so that it comes back as it was. **for people only**: the model does not get it and
the report counts it as dropped, yet it stands in the file, is shown where the client can, and comes back. **stays
behind**: not written, and counted in the report. Tools are written as the writer does when it is not told otherwise
(`--tools`). A number points to a note below: what is lost there, and why.

Not in the table: ids. They are the target's own; the source's stand in the link that a handoff keeps.
"""


def page() -> str:
    """The whole page as Markdown."""
    providers = [registry.get(name) for name in registry.names()]
    cells = {(p.name, c.id): measure(p, c) for p in providers for c in CASES}
    versions = " and ".join(f"{p.title} {installed.pinned(_CLIENTS[p.name])}" for p in providers)
    notes: list[str] = []
    lines = [_HEAD.format(versions=versions)]
    lines.append("| | | " + " | ".join(f"in {p.title}" for p in providers) + " |")
    lines.append("| --- | --- |" + " --- |" * len(providers))
    group = ""
    for case in CASES:
        shown = [_shown(p, case, cells[p.name, case.id], notes) for p in providers]
        lines.append(f"| {case.group if case.group != group else ''} | {case.name} | " + " | ".join(shown) + " |")
        group = case.group
    lines += ["", "## Notes", "", *notes, "", "## Forms", ""]
    used = sorted({code for cell in cells.values() for code in cell.changed})
    lines += [f"* **{code}**: {CODES[code]}" for code in used]
    return "\n".join(lines) + "\n"


def _shown(provider: Provider, case: Case, cell: Cell, notes: list[str]) -> str:
    if cell.dropped:
        text = "stays behind" if cell.lost else "for people only"
    elif cell.changed:
        text = f"in another form ({', '.join(cell.changed)})"
    else:
        text = "as it is"
    mark = MARKS.get((provider.name, case.id))
    if mark is None:
        return text
    note = f"{_KINDS[mark.kind]} {mark.reason}"
    known = next((n for n, line in enumerate(notes, 1) if line == f"{n}. {note}"), None)
    if known is None:
        known = len(notes) + 1
        notes.append(f"{known}. {note}")
    return f"{text} ({known})"
