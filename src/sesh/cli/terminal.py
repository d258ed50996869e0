"""The terminal itself: how wide it is, whether it takes colours, and showing long output through a pager."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from sesh.errors import SeshError
from sesh.present.plain import printable

if TYPE_CHECKING:
    from sesh.present.outline import Picture


def is_terminal() -> bool:
    """Whether a person reads stdout."""
    return sys.stdout.isatty()


def colours() -> bool:
    """Whether stdout may have colour codes: a terminal that is not dumb, and no NO_COLOR; or FORCE_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal() and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns to fill: the terminal's (COLUMNS overrides), or 100 where there is none."""
    return max(20, shutil.get_terminal_size((100, 24)).columns)


def painter() -> Callable[[Picture], str | None]:
    """What draws an image on this terminal. Raises SeshError where it says of itself nothing that is known."""
    from sesh.export.pictures import drawn, protocol

    by = protocol(os.environ)
    if by is None:
        raise SeshError(
            "This terminal does not say that it can draw images.",
            hint="Kitty, Ghostty, Konsole, iTerm2, WezTerm, VS Code and mintty can; `sesh export` makes a page of it.",
        )
    return lambda picture: drawn(picture, by)


def page(lines: Iterable[str], *, through_pager: bool = True) -> None:
    """Lines to stdout; through $SESH_PAGER, $PAGER or less where stdout is a terminal and they do not fit on it."""
    texts = [printable(line) for line in lines]
    colour = colours()
    if (
        not through_pager
        or not is_terminal()
        or sum(t.count("\n") + 1 for t in texts) < shutil.get_terminal_size((100, 24)).lines
    ):
        for text in texts:
            click.echo(text, color=colour)
        return
    # -R: pass colours; -F: end at once where it fits; -X: leave the text on the screen.
    os.environ.setdefault("LESS", "-RFX")
    if pager := os.environ.get("SESH_PAGER"):
        os.environ["PAGER"] = pager
    click.echo_via_pager((text + "\n" for text in texts), color=colour)
