"""`sesh demo`: bundled sessions go over to the other client and come back, in a temporary home."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

import click

from sesh import demo
from sesh.cli import moving
from sesh.cli.options import json_option
from sesh.cli.output import emit_json, remark, say, sums
from sesh.demo import far_side
from sesh.errors import Refused
from sesh.files.read import open_session
from sesh.handoff import back, choose, out
from sesh.handoff.book import Book
from sesh.providers import registry
from sesh.providers.api import Provider
from sesh.report.reports import EmitReport, IngestReport


@click.command(name="demo")
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Use the new folder DIR as the home, and leave it there to look at.",
)
@click.option(
    "--play",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Only lay the sessions out in the new folder DIR, for you to try the commands on. Once one is handed off, the "
    "same again goes on with it for a scripted turn, in the client's stead.",
)
@json_option
def command(keep: Path | None, play: Path | None, as_json: bool) -> None:
    """Take a bundled session over to the other client and back.

    It runs the real handoff and merge on two bundled sessions, one of each client, in a temporary home. Nothing of
    yours is read or written, and no client is started: one scripted turn stands for the work on the other side.
    """
    if keep is not None and play is not None:
        raise click.UsageError("--keep and --play are two things: one shows a trip, the other leaves it to you.")
    if play is not None:
        _play(play.resolve(), as_json)
        return
    if keep is not None:
        if keep.exists():
            raise Refused(f"{keep} is there already.", hint="Name a folder that is not there yet.")
        keep.mkdir(parents=True)
        trips = _trips(keep.resolve())
    else:
        with tempfile.TemporaryDirectory(prefix="sesh-demo-") as folder:
            trips = _trips(Path(folder).resolve())
    if as_json:
        emit_json({"trips": trips, "home": str(keep.resolve()) if keep is not None else None})
        return
    for trip in trips:
        _tell(trip)
    if keep is None:
        say("The home was temporary and is gone. `sesh demo --keep DIR` leaves it, for the clients to resume in.")


def _play(folder: Path, as_json: bool) -> None:
    from sesh.cli import playground

    went_on = playground.go_on(folder) if folder.exists() else None
    if went_on is None:
        playground.lay_out(folder)
    if as_json:
        emit_json({"trips": [], "home": str(folder)})
    elif went_on is None:
        remark("Two sessions are there, and nothing else is touched. To play with them:")
        say(playground.settings(folder))
    else:
        remark(f"One turn more in {went_on}.")


def _trips(home: Path) -> list[dict[str, Any]]:
    """Each bundled session's trip, in a home of its own below `home`."""
    return [_trip(home / f"from-{p.name}", p) for p in registry.built_in()]


def _trip(home: Path, client: Provider) -> dict[str, Any]:
    """One session over and back. Raises SeshError, like the commands themselves would."""
    homes = {p.name: (p, Path(p.layout.home({}, home))) for p in registry.built_in()}
    own = homes[client.name][1]
    shutil.copytree(demo.FOLDER / client.name, own)
    origin = next(p for p in sorted(own.rglob("*.jsonl")) if client.layout.is_session(p.relative_to(own)))
    book = Book(home / "sesh")
    before = origin.read_bytes()
    opened = open_session(origin)
    there = next(p for p, _ in homes.values() if p is not client)
    over = out.plan(opened, there, homes, book, now=moving.now(), options={})
    out.act(over, book)
    over_command = moving.resume(over.to, over.home, over.link.to.session_id, over.link.cwd)

    lines = over.path.read_bytes().splitlines()
    with over.path.open("ab") as f:
        f.writelines(line + b"\n" for line in far_side.turn(there.name, lines))

    way = choose.by_session(open_session(over.path), book, homes)
    home_again = back.plan(way, homes, now=moving.now(), options={})
    back.act(home_again, book)
    back_command = moving.resume(home_again.to, home_again.home, home_again.session_id, home_again.cwd)
    merged = home_again.path.read_bytes()
    return {
        "from": opened.provider.title,
        "to": there.title,
        "title": over.read.thread.title,
        "session": over.link.source.session_id,
        "handoff": {
            "path": str(over.path),
            "command": str(over_command),
            "report": {"read": over.read.report, "written": over.emitted.report},
        },
        "merge": {
            "path": str(home_again.path),
            "command": str(back_command),
            "turns": home_again.news.turns,
            "keptLines": home_again.grafted.kept if home_again.grafted else 0,
            "replaced": home_again.grafted.replaced if home_again.grafted else {},
            "report": {
                "read": home_again.far.read.report,
                "written": home_again.emitted.report if home_again.emitted else None,
            },
        },
        "originLines": len(before.splitlines()),
        "originUntouched": origin.read_bytes() == before,
        "originSha256": hashlib.sha256(before).hexdigest(),
        "mergedLines": len(merged.splitlines()),
    }


def _tell(trip: dict[str, Any]) -> None:
    over, home = trip["handoff"], trip["merge"]
    say(
        click.style(f"{trip['from']} → {trip['to']} → {trip['from']}", bold=True) + f"   {trip['title'] or ''}".rstrip()
    )
    say()
    say(f"  Read      {_read(over['report']['read'])}")
    say(f"  Written   {_written(over['report']['written'])}")
    for note in (*over["report"]["read"].notes, *over["report"]["written"].notes):
        say(f"            - {note}")
    say(f"  In        {over['path']}")
    say(f"  Resume    {click.style(over['command'], fg='cyan')}")
    say()
    say(f"  … {trip['to']} goes on for a turn: a prompt, a command, an answer (scripted here) …")
    say()
    say(
        f"  Merged    {home['turns']} new turn onto a copy: {home['keptLines']} lines of the original kept",
    )
    say(f"            {_written(home['report']['written'])}")
    if home["replaced"]:
        say(f"            changed in the kept lines: {sums(home['replaced'])}")
    say(f"  In        {home['path']}")
    say(f"  Resume    {click.style(home['command'], fg='cyan')}")
    untouched = "untouched, byte for byte" if trip["originUntouched"] else "CHANGED: this is a bug in sesh"
    say(f"  Original  {untouched} (sha256 {trip['originSha256'][:16]}…)")
    say()


def _read(report: IngestReport) -> str:
    skipped = f" ({sums(report.skipped)})" if report.skipped else ""
    total = sum(report.skipped.values())
    files = f" in {len(report.files)} files" if len(report.files) > 1 else ""
    return f"{report.lines} lines{files} = {report.used} used + {report.unknown} unknown + {total} skipped{skipped}"


def _written(report: EmitReport | None) -> str:
    if report is None:
        return "nothing"
    changed, dropped = sum(report.changed.values()), sum(report.dropped.values())
    text = f"{report.blocks} blocks = {report.written} as they are"
    text += f" + {changed} changed" + (f" ({sums(report.changed)})" if changed else "")
    return text + f" + {dropped} dropped" + (f" ({sums(report.dropped)})" if dropped else "")
