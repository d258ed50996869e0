"""`sesh list`: every session of every client on this machine, newest first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import click
import msgspec

from sesh.catalog import listing
from sesh.catalog.homes import sesh_home
from sesh.catalog.listing import Session
from sesh.cli import here
from sesh.cli.options import Count, ProviderName, home_option, json_option
from sesh.cli.output import emit_json, remark
from sesh.errors import SeshError
from sesh.providers import registry

_COUNTED: Final = 100
"""Of how many sessions, the newest, the turns are counted even where that takes reading the whole file."""


class Since(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5 only
    """A moment: `3d`, `12h`, `30m`, `2w` ago, or an ISO date or time."""

    name = "when"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The moment, with its zone (the local one where the text names none)."""
        units = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
        if value[:-1].isdigit() and value[-1] in units:
            return here.now() - timedelta(**{units[value[-1]]: int(value[:-1])})
        try:
            return datetime.fromisoformat(value).astimezone()
        except ValueError:
            self.fail(f"{value!r} is no time: give an age (3d, 12h, 30m, 2w) or a date (2026-11-30).", param, ctx)


@click.command(name="list")
@click.option("--provider", "-p", "providers", type=ProviderName(), multiple=True, help="Only this client's sessions.")
@click.option("--cwd", type=click.Path(path_type=Path), help="Only sessions of this folder and those below it.")
@click.option("--here", "only_here", is_flag=True, help="Only sessions of the working folder.")
@click.option("--since", type=Since(), help="Only sessions touched since then: 3d, 12h, 2w, or a date.")
@click.option("--all", "everything", is_flag=True, help="Also what the client's own picker hides.")
@click.option("--limit", "-n", type=Count(), help="At most so many.")
@home_option
@json_option
def command(
    providers: tuple[str, ...],
    cwd: Path | None,
    only_here: bool,
    since: datetime | None,
    everything: bool,
    limit: int | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """List the sessions of every client on this machine.

    Newest first. Sessions of sub-agents stand under their parent (--all shows them on lines of their own), and what
    the client's own picker hides (exec, sdk, archived, compressed, empty) is shown with --all. Behind a title,
    `←claude` says that sesh made the session from one of Claude Code, `→codex` that it was handed off to Codex.
    """
    cache = here.cards()
    below = Path.cwd() if only_here else cwd.resolve() if cwd is not None else None
    chosen = [
        s
        for s in listing.sessions(here.homes(home, providers), cache, count_turns=_COUNTED)
        if (everything or s.hidden is None or s.hidden == "sub-agent")
        and (below is None or _is_below(s, below, exactly=only_here))
        and (since is None or datetime.fromisoformat(s.modified) >= since)
    ]
    cache.save()
    chosen = with_links(chosen)
    if as_json:
        shown = [s for s in chosen if everything or s.hidden is None]
        emit_json({"sessions": shown[:limit]})
        return
    rows = [(s, 0) for s in chosen] if everything else [r for r in listing.folded(chosen) if r[0].hidden is None]
    from sesh.cli.table import session_lines
    from sesh.cli.terminal import page

    if not rows:
        hidden = "" if everything else " `sesh list --all` also shows what the client hides."
        remark(f"No sessions{_filters(providers, below, since, exactly=only_here)}.{hidden}")
        return
    page(session_lines(rows[:limit], here.now()))


def _filters(providers: Sequence[str], below: Path | None, since: datetime | None, *, exactly: bool) -> str:
    """What was asked for, in words."""
    of = " or ".join(registry.get(name).title for name in providers)
    return "".join(
        (
            f" of {of}" if of else "",
            f" in {below}" if below is not None and exactly else f" in or below {below}" if below is not None else "",
            f" since {since:%Y-%m-%d %H:%M}" if since is not None else "",
        )
    )


def with_links(sessions: list[Session]) -> list[Session]:
    """The same with what was made from each, off sesh's book of links."""
    if not (sesh_home(os.environ) / "links.jsonl").exists():
        return sessions
    from sesh.cli import moving

    made: dict[tuple[str, str], list[str]] = {}
    try:
        links = moving.book().links()
    except SeshError as e:
        remark(str(e))  # the sessions are there all the same
        links = []
    for link in links:
        made.setdefault(link.source.key, []).append(str(link.to))
    return [
        msgspec.structs.replace(s, handed_to=to) if (to := made.get((s.provider, s.session_id))) else s
        for s in sessions
    ]


def _is_below(session: Session, folder: Path, *, exactly: bool) -> bool:
    if session.cwd is None:
        return False
    own = Path(session.cwd)
    return own == folder or (not exactly and own.is_relative_to(folder))
