"""`sesh merge`: what was said on the other side comes back, onto a copy of the session it began in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from sesh.cli import here, moving
from sesh.cli.options import (
    ProviderName,
    account_options,
    session_argument,
)
from sesh.cli.output import emit_json, give_account, loss, loss_line, remark, say, sums
from sesh.files.read import open_session
from sesh.handoff import back, choose
from sesh.handoff.back import Merge
from sesh.handoff.diverge import Choice
from sesh.handoff.wording import turns
from sesh.providers.api import EmitOptions


@click.command(
    epilog="SESSION is the session that was handed off, or the one that came of it (an id, a path, a title), or "
    "nothing for the newest handoff of this folder. No file that exists is changed. A second merge takes only what is "
    "newer.",
)
@session_argument
@click.option(
    "--branch", is_flag=True, help="Both sides went on: graft where they parted; the origin's later turns stand aside."
)
@click.option("--append", is_flag=True, help="Both sides went on: put the new turns after the origin's end.")
@click.option(
    "--to", type=ProviderName(), help="The client that is to get the turns. Default: whichever side's other went on."
)
@click.option("--live", is_flag=True, help="Take what is written so far, though the client has the session open.")
@click.option(
    "--cwd", help="The folder the merged session belongs to, where the project has moved. Default: the origin's."
)
@click.option("--tools", type=click.Choice(["keep", "native"]), help="As for `sesh handoff`.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--launch", is_flag=True, help="Start the client on the merged session.")
@account_options
def command(
    session: str | None,
    branch: bool,
    append: bool,
    to: str | None,
    live: bool,
    cwd: str | None,
    tools: Any,
    dry_run: bool,
    launch: bool,
    report_file: Path | None,
    strict: bool,
    quiet: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Bring the new turns of a handoff back onto a copy of the original, and print how to go on with it."""
    if branch and append:
        raise click.UsageError("--branch and --append are two answers to one question. Give one of them.")
    choice: Choice | None = "branch" if branch else "append" if append else None
    homes, book, cache = moving.homes(home), moving.book(), here.cards()
    if session is None:
        way = choose.in_folder(os.path.realpath(Path.cwd()), book, homes, to, cache)
    else:
        way = choose.by_session(open_session(moving.session_path(session, home).absolute()), book, homes, to, cache)
    cache.save()
    options: EmitOptions = {"tools": tools} if tools else {}
    folder = None if cwd is None else os.path.realpath(Path(cwd).expanduser())
    merge = back.plan(way, homes, now=moving.now(), choice=choice, live=live, cwd=folder, options=options)
    if launch and not dry_run:
        moving.find_program(merge.to.program)
    emitted = merge.emitted
    report = {"read": merge.far.read.report, "written": emitted.report if emitted else None}
    lost = loss(emitted.report) if emitted is not None else None
    give_account(report, report_file, strict=strict, lost=lost, words=("merged", "merge it"))
    written = not dry_run and back.act(merge, book)
    command = moving.resume(merge.to, merge.home, merge.session_id, merge.cwd)
    if as_json:
        emit_json(_document(merge, command, report, written, dry_run))
    else:
        if not quiet:
            _explain(merge, written, dry_run)
        say(str(command))
    if launch and not dry_run:
        command.launch()


def _document(
    merge: Merge, command: moving.Resume, report: dict[str, Any], written: bool, dry_run: bool
) -> dict[str, Any]:
    return moving.result(
        merge.to,
        merge.session_id,
        merge.path,
        command,
        report,
        merge.link,
        written=written,
        dryRun=dry_run,
        turns=merge.news.turns,
        messages=len(merge.news.conversation),
        onto=str(merge.trunk.end),
        after=merge.link.after if merge.link else None,
        replaced=merge.grafted.replaced if merge.grafted else {},
        supersedes=str(merge.superseded.to) if merge.superseded and merge.there is None else None,
        files=[str(f.path) for f in merge.files],
        remarks=list(merge.remarks),
        **{"from": {"provider": merge.far.end.provider, "sessionId": merge.far.end.session_id}},
    )


def _explain(merge: Merge, written: bool, dry_run: bool) -> None:
    for text in merge.remarks:
        remark(text)
    if merge.emitted is None or merge.grafted is None:
        return
    if merge.there is not None:
        remark(f"The same turns were merged before: {merge.there}. Nothing was written.")
        return
    verb = "Would write" if dry_run else "Wrote" if written else "Another sesh wrote a moment ago:"
    remark(
        f"{verb} {merge.path}: a copy of {merge.trunk.end} and {turns(merge.news.turns)} of {merge.far.end}; "
        f"{loss_line(merge.emitted.report)}."
    )
    if merge.grafted.replaced:
        remark(f"Changed in the copied lines: {sums(merge.grafted.replaced)}.")
    if merge.superseded is not None:
        remark(f"It takes the place of {merge.superseded.to}.")
    remark("Nothing was written. Once it is, this goes on with it:" if dry_run else "To go on with it:")
