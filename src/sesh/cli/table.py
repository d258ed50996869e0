"""Sessions as the lines of a table, fitted to the terminal's width."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from sesh.catalog.listing import Session
from sesh.cli.terminal import width
from sesh.present.plain import plain

_AGES = ((60, "s"), (60, "m"), (24, "h"), (7, "d"), (5, "w"))
_CLIENTS = {"claude-code": "claude", "codex": "codex"}
_LEFT_OUT = (4, 3, 5)
"""Columns that a narrow terminal does without, in this order: the size, the turns, the folder."""
_TITLE = 16
_MARKS = 18
"""Cells that a title, and what is marked behind it, get before a column gives way to them."""


def age(then: str, now: datetime) -> str:
    """How long ago, in the largest fitting unit: `5m`, `3h`, `2d`, `6w`, or the date where it is over a month."""
    moment = datetime.fromisoformat(then)
    left = max(0.0, (now - moment).total_seconds())
    for step, unit in _AGES:
        if left < step:
            return f"{int(left)}{unit}"
        left /= step
    return moment.date().isoformat()


def size(count: int) -> str:
    """Bytes for people: `812 B`, `14 KB`, `3.2 MB`."""
    if count < 1000:
        return f"{count} B"
    amount = count / 1000
    for unit in ("KB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if amount >= 10 else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError("unreachable")


def folder(path: str | None) -> str:
    """A folder with the home folder as `~`."""
    if path is None:
        return ""
    home = str(Path.home())
    return "~" + path[len(home) :] if path == home or path.startswith((home + "/", home + "\\")) else path


def session_lines(rows: Sequence[tuple[Session, int]], now: datetime) -> list[str]:
    """A header and one line a session; `rows` are sessions with the number of their folded children."""
    from rich.cells import cell_len  # knows how wide a character is drawn

    ids = _short_ids([s for s, _ in rows])
    behind = [""]
    table = [("AGE", "CLIENT", "ID", "TURNS", "SIZE", "FOLDER", "TITLE")]
    for (s, children), short_id in zip(rows, ids, strict=True):
        where = folder(s.cwd) + (f" ({s.branch})" if s.branch else "")
        title = s.title or "(no title)"
        behind.append(marks(s, children))
        table.append(
            (
                age(s.modified, now),
                _CLIENTS.get(s.provider, s.provider),
                short_id,
                "" if s.turns is None else str(s.turns),
                size(s.size),
                plain(where),
                plain(title),
            )
        )
    room = width()
    widths = [max(cell_len(row[i]) for row in table) for i in range(6)]
    widths[5] = min(widths[5], max(12, room // 4))
    columns = list(range(6))
    wanted = _TITLE + min(_MARKS, max(cell_len(mark) + 2 if mark else 0 for mark in behind))
    for column in _LEFT_OUT:
        if room - _used(columns, widths) < wanted:
            columns.remove(column)
    left = max(8, room - _used(columns, widths))
    lines: list[str] = []
    for number, row in enumerate(table):
        cells = []
        for i in columns:
            cell = row[i] if cell_len(row[i]) <= widths[i] else "…" + _last(row[i], widths[i] - 1)
            pad = " " * (widths[i] - cell_len(cell))
            cells.append(pad + cell if i in (3, 4) else cell + pad)
        title, mark = row[6], behind[number]
        if mark and cell_len(title) + 2 + cell_len(mark) > left:  # the title gives way, down to what is still a title
            title = fitted(title, max(12, left - 2 - cell_len(mark)))
        if mark:
            mark = fitted(mark, left - 2 - cell_len(title)) if left - 2 - cell_len(title) > 0 else ""
        title = fitted(title, left) + (f"  {click.style(mark, dim=True)}" if mark else "")
        lines.append(_styled(cells, columns, title, header=number == 0))
    return lines


def marks(session: Session, children: int = 0) -> str:
    """What else is to be said of a session: `←claude →codex exec +2 sub-agents`. The arrows are handoffs and merges."""
    from_, to = session.handed_from, {_client(made) for made in session.handed_to}
    found = [f"←{_client(from_)}"] if from_ else []
    found += [f"→{client}" for client in sorted(to)]
    found += [session.hidden] if session.hidden else []
    found += [f"+{children} sub-agent{'s' if children > 1 else ''}"] if children else []
    return plain(" ".join(found))


def _client(session: str) -> str:
    """The short name of the client in `provider:id`."""
    name = session.partition(":")[0]
    return _CLIENTS.get(name, name)


def fitted(text: str, cells: int) -> str:
    """The text in at most so many cells, with an ellipsis where it was longer."""
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + "…"


def _used(columns: Sequence[int], widths: Sequence[int]) -> int:
    """The cells that these columns take, with the two spaces behind each."""
    return sum(widths[i] + 2 for i in columns)


def _styled(cells: Sequence[str], columns: Sequence[int], title: str, *, header: bool) -> str:
    if header:
        return click.style("  ".join([*cells, title]).rstrip(), dim=True)
    colour = {"claude": "yellow", "codex": "cyan"}.get(cells[1].strip())
    styles: dict[int, dict[str, Any]] = {1: {"fg": colour}, 2: {"bold": True}, 5: {"dim": True}}
    styled = [click.style(c, **styles[i]) if i in styles else c for i, c in zip(columns, cells, strict=True)]
    return "  ".join([*styled, title]).rstrip()


def _last(text: str, cells: int) -> str:
    from rich.cells import cell_len

    while cell_len(text) > cells:
        text = text[1:]
    return text


def _short_ids(sessions: Sequence[Session]) -> list[str]:
    """The beginnings of ids, each as long as it takes to tell it from the others here: eight characters at least.

    Codex's ids begin with the time, so those of one minute share their first eight.
    """
    ids = sorted({s.session_id for s in sessions})
    lengths: dict[str, int] = {}
    for before, own, after in zip(["", *ids], ids, [*ids[1:], ""], strict=False):
        needed = 1 + max(_common(own, before), _common(own, after))
        lengths[own] = max(8, needed)
    return [s.session_id[: lengths[s.session_id]].rstrip("-") for s in sessions]


def _common(one: str, other: str) -> int:
    """How many characters two ids begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
