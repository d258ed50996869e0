"""`sesh search`: words across all sessions of all clients."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from sesh.catalog import listing, search
from sesh.catalog.search import Hit
from sesh.cli import here
from sesh.cli.commands.list import Since
from sesh.cli.options import Count, ProviderName, home_option, json_option
from sesh.cli.output import emit_json, remark
from sesh.cli.table import age, folder
from sesh.cli.terminal import colours, page
from sesh.files.scan import newest_files
from sesh.handoff.wording import counted
from sesh.present.plain import plain


@click.command(
    name="search",
    epilog="A session is found that holds all of the words; those with all on one line come first. A word matches "
    'where a word of the text begins with it. `sesh search "off by one"` looks for the phrase. '
    "The index lies in sesh's cache folder, holds what the sessions hold, and may be deleted at any time.",
)
@click.argument("words", nargs=-1, required=True)
@click.option("--provider", "-p", "providers", type=ProviderName(), multiple=True, help="Only this client's sessions.")
@click.option("--since", type=Since(), help="Only sessions touched since then: 3d, 12h, 2w, or a date.")
@click.option("--limit", "-n", type=Count(), default=20, show_default=True, help="At most so many.")
@click.option("--scan", is_flag=True, help="Look at every line instead of the index, and leave the index alone.")
@home_option
@json_option
def command(
    words: tuple[str, ...],
    providers: tuple[str, ...],
    since: datetime | None,
    limit: int,
    scan: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Search what was said in every session.

    Prompts, answers, commands and their outputs, those of sub-agents too. One entry a session, the best first: its
    matching line, and how to open it.
    """
    homes = here.homes(home, providers)
    files = listing.transcripts(homes)
    if since is not None:
        touched = {f.session_id for f in newest_files(iter(files)) if f.modified >= since.timestamp() * 1e9}
        files = [f for f in files if f.session_id in touched]
    hits = search.search(words, files, homes, None if scan else here.search_index(), _progress())
    cache = here.cards()
    shown = [(hit, listing.session_of(hit.found, *homes[hit.found.provider], cache)) for hit in hits[:limit]]
    if as_json:
        emit_json({"words": list(words), "sessions": len(hits), "results": [_document(*pair) for pair in shown]})
        return
    if not hits:
        told = counted(len({(f.provider, f.session_id) for f in files if not f.beside}), "session")
        remark(f"Nothing in {told} matches {' '.join(words)!r}.")
        return
    lines: list[str] = []
    for hit, session in shown:
        lines += _told(hit, session, here.now())
    if len(hits) > limit:
        lines.append(click.style(f"… and {len(hits) - limit} more sessions (--limit).", dim=True))
    page(lines)


def _document(hit: Hit, session: listing.Session) -> dict[str, Any]:
    return {
        "provider": session.provider,
        "sessionId": session.session_id,
        "path": session.path,
        "title": session.title,
        "cwd": session.cwd,
        "modified": session.modified,
        "file": hit.file,
        "line": hit.line,
        "voice": hit.voice,
        "excerpt": hit.excerpt,
        "matches": hit.matches,
        "score": hit.score,
        "together": hit.together,
        "command": _open(session),
    }


def _open(session: listing.Session) -> str:
    return shlex.join(["sesh", "show", session.session_id])


def _told(hit: Hit, session: listing.Session, now: datetime) -> list[str]:
    title = click.style(plain(session.title or "(no title)"), bold=True)
    place = " · ".join(filter(None, (session.provider, age(session.modified, now), plain(folder(session.cwd)))))
    more = f" (+{counted(hit.matches - 1, 'line')})" if hit.matches > 1 else ""
    if not hit.together:
        more = " (the other words on other lines)"
    return [
        f"{title}  {click.style(place, dim=True)}",
        f"  {hit.voice}: {_marked(hit.excerpt, hit.spans)}{click.style(more, dim=True)}",
        f"  {click.style(_open(session), fg='cyan')}",
        "",
    ]


def _marked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    if not colours():
        return plain(text)
    parts, at = [], 0
    for start, stop in spans:
        if start >= at:
            parts += [plain(text[at:start]), click.style(plain(text[start:stop]), fg="yellow", bold=True)]
            at = stop
    return "".join([*parts, plain(text[at:])])


def _progress() -> Any:
    """Says how far the index has come, where that takes long and somebody watches."""
    if not sys.stderr.isatty():
        return lambda done, total: None

    def told(done: int, total: int) -> None:
        if total > 50 and (done % 25 == 0 or done == total):
            end = "\r\x1b[K" if done == total else ""
            click.echo(f"\rReading sessions: {done} of {total} {end}", nl=False, err=True)

    return told
