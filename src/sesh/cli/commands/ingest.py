"""`sesh ingest`: sessions into a message store, only what is new."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from sesh.cli import here, moving
from sesh.cli.options import home_option, json_option, quiet_option, session_argument
from sesh.cli.output import emit_json, remark
from sesh.cli.storing import counted, default_url, opened, points, storing_options, told
from sesh.files.scan import Found
from sesh.ingest.many import Failed, Sessions
from sesh.ingest.session import Ingest, Taken
from sesh.stores import Store
from sesh.stores.shown import shown


@click.command(
    epilog="SESSION is a path, an id or its beginning, PROVIDER:ID, a title, or nothing for the newest session of this "
    "folder. Running it again adds only what is new; a run that was stopped goes on where it was. The last step of a "
    "session that was written to within the last minute waits for the next run, because it may still change.",
)
@session_argument
@click.option("--all", "everything", is_flag=True, help="Every session of every client, with their sub-agents.")
@click.option("--final", is_flag=True, help="Also take the last step of a session that is still being written.")
@storing_options
@home_option
@quiet_option
@json_option
def command(
    session: str | None,
    everything: bool,
    final: bool,
    url: str | None,
    agent_id: str | None,
    run_id: str | None,
    keep_raw: bool,
    home: Path | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Take sessions into a message store."""
    if everything and session is not None:
        raise click.UsageError("Either SESSION or --all, not both.")
    with opened(url) as store:
        ingest = Ingest(
            store,
            moving.book(),
            moving.homes(home),
            agent_id=agent_id,
            run_id=run_id,
            keep_raw=keep_raw,
            final=final,
            points=points(url),
        )
        skipped = 0
        if everything:
            cache = here.cards()
            sessions = Sessions(store, ingest, moving.homes(home), cache)
            due = sessions.due(time.time_ns())
            skipped = sessions.current
            results = list(_each(sessions, due, show=not (quiet or as_json)))
            cache.save()
        else:
            results = [ingest.take(moving.session_path(session, home).absolute(), time.time_ns())]
        notes = store.notes if isinstance(store, Store) else []
    failed = [r for r in results if isinstance(r, Failed) and not r.empty]
    if as_json:
        emit_json(_document(shown(url or default_url()), results, skipped, notes))
    elif not quiet:
        for note in notes:
            remark(f"The store: {note}")
        _explain(results, skipped, everything)
    return 1 if failed else 0


def _each(sessions: Sessions, due: Sequence[Found], *, show: bool) -> Iterator[Taken | Failed]:
    """Take them one after another, with a bar on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("Taking sessions"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not (show and console.is_terminal)) as progress:
        task = progress.add_task("", total=sum(f.size for f in due) or None)
        for found in due:
            yield sessions.take(found, time.time_ns())
            progress.advance(task, found.size)


def _document(url: str, results: Sequence[Taken | Failed], skipped: int, notes: Sequence[str]) -> dict[str, object]:
    taken = [r for r in results if isinstance(r, Taken)]
    return {
        "store": url,
        "sessions": taken,
        "failed": [r for r in results if isinstance(r, Failed)],
        "unread": skipped,
        "messages": sum(t.messages + t.child_messages for t in taken),
        "held": sum(t.held for t in taken),
        "differing": sum(t.differing for t in taken),
        "notes": notes,
    }


def _explain(results: Sequence[Taken | Failed], skipped: int, everything: bool) -> None:
    """What happened: each session where there was something to say, then the sums."""
    for result in results:
        interesting = isinstance(result, Failed) or result.held or result.differing
        if not everything or (interesting and not (isinstance(result, Failed) and result.empty)):
            remark(told(result))
    if not everything:
        return
    taken = [r for r in results if isinstance(r, Taken)]
    added = sum(t.messages + t.child_messages for t in taken)
    parts = [f"{counted(added, 'message')} added from {counted(len(taken), 'session')}"]
    if skipped:
        parts.append(f"{counted(skipped, 'session')} had nothing new")
    if empty := sum(isinstance(r, Failed) and r.empty for r in results):
        parts.append(f"{counted(empty, 'session')} held no conversation")
    if failed := sum(isinstance(r, Failed) and not r.empty for r in results):
        parts.append(f"{failed} failed")
    remark("; ".join(parts) + ".")
