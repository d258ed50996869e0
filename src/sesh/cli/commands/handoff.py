"""`sesh handoff`: the conversation goes over to another client, where it is found and goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sesh.catalog.client_version import client_version
from sesh.cli import moving
from sesh.cli.options import (
    ProviderName,
    account_options,
    emit_options,
    session_argument,
    writing_options,
)
from sesh.cli.output import emit_json, give_account, loss, loss_line, remark, say
from sesh.files.read import open_session
from sesh.handoff import out
from sesh.handoff.out import Handoff
from sesh.handoff.wording import about, counted, turns
from sesh.providers import registry


@click.command(
    epilog="SESSION is a path, an id or its beginning, PROVIDER:ID, a title, or nothing for the newest session of this "
    "folder. The session itself is never touched; handing off the same bytes twice makes one session. "
    "`sesh merge` brings back what is said there.",
)
@session_argument
@click.option("--to", type=ProviderName(), required=True, help="The client to go on with.")
@click.option("--cwd", help="The folder the new session belongs to: a renamed one, another checkout. Default: the old.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--launch", is_flag=True, help="Start the client on the new session.")
@writing_options
@account_options
def command(
    session: str | None,
    to: str,
    cwd: str | None,
    dry_run: bool,
    launch: bool,
    report_file: Path | None,
    strict: bool,
    quiet: bool,
    home: Path | None,
    as_json: bool,
    **writing: Any,
) -> None:
    """Hand a session over to another client, and print the command that goes on with it there."""
    target = registry.get(to)
    if launch and not dry_run:
        moving.find_program(target.program)
    opened = open_session(moving.session_path(session, home, to).absolute())
    options = emit_options(**writing)
    homes = moving.homes(home, to)
    options["client_version"] = client_version(target, homes[to][1])
    book = moving.book()
    handoff = out.plan(
        opened,
        target,
        homes,
        book,
        now=moving.now(),
        cwd=cwd,
        here=str(Path.cwd()),
        options=options,
    )
    report = {"read": handoff.read.report, "written": handoff.emitted.report}
    lost = loss(handoff.emitted.report)
    give_account(report, report_file, strict=strict, lost=lost, words=("handed off", "hand it off"))
    written = not dry_run and out.act(handoff, book)
    command = moving.resume(target, handoff.home, handoff.link.to.session_id, handoff.link.cwd)
    if as_json:
        emit_json(_document(handoff, command, report, written, dry_run))
    else:
        if not quiet:
            _explain(handoff, written, dry_run)
        say(str(command))
    if launch and not dry_run:
        command.launch()


def _document(
    handoff: Handoff, command: moving.Resume, report: dict[str, Any], written: bool, dry_run: bool
) -> dict[str, Any]:
    return moving.result(
        handoff.to,
        handoff.link.to.session_id,
        handoff.path,
        command,
        report,
        handoff.link,
        written=written,
        dryRun=dry_run,
        files=[str(f.path) for f in handoff.files] if handoff.there is None else [],
        appends=[str(handoff.home / f.path) for f in handoff.emitted.appends],
        supersedes=str(handoff.superseded.to) if handoff.superseded and not handoff.there else None,
        tokens=handoff.tokens,
        remarks=list(handoff.remarks),
        **{"from": {"provider": handoff.link.source.provider, "sessionId": handoff.link.source.session_id}},
    )


def _explain(handoff: Handoff, written: bool, dry_run: bool) -> None:
    for text in handoff.remarks:
        remark(text)
    if handoff.there is not None:
        return
    verb = "Would write" if dry_run else "Wrote" if written else "Another sesh wrote a moment ago:"
    size = turns(handoff.link.made.prompts)
    if handoff.tokens is not None:
        size += f", about {about(handoff.tokens)} tokens"
    remark(f"{verb} {handoff.path} ({size}); {loss_line(handoff.emitted.report)}.")
    if dry_run:
        for file in handoff.files[:-1]:
            remark(f"  and {file.path}")
        for names in handoff.emitted.appends:
            remark(f"  and would add {counted(len(names.lines), 'line')} to {handoff.home / names.path}")
    remark("Nothing was written. Once it is, this goes on with it:" if dry_run else "To go on with it:")
