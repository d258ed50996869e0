"""`sesh links`: every handoff and merge, and how it stands."""

from __future__ import annotations

import os
from pathlib import Path

import click

from sesh.cli import here, moving
from sesh.cli.options import home_option, json_option
from sesh.cli.output import emit_json, remark, say
from sesh.handoff import choose, state
from sesh.handoff.state import State
from sesh.handoff.wording import turns


@click.command()
@click.option("--here", "only_here", is_flag=True, help="Only those of the working folder.")
@home_option
@json_option
def command(only_here: bool, home: Path | None, as_json: bool) -> None:
    """Show every handoff and merge with its state, newest first.

    untouched: nobody has gone on there. continued: it has turns that were not merged. merged: it has none since the
    last merge. diverged: both sides went on. target-gone, origin-gone: that session is no longer there. By its stamp:
    sesh's book of links does not have it (another machine's, or lost), but the session itself says where it came from.
    """
    homes, cache = moving.homes(home), here.cards()
    links = moving.book().links()
    stamped = choose.stamped_links(links, homes, cache)
    cache.save()
    shown = list(reversed(state.states(links, homes, stamped)))
    if only_here:
        cwd = os.path.realpath(Path.cwd())
        shown = [one for one in shown if one.cwd == cwd]
    if as_json:
        emit_json({"links": shown})
        return
    if not shown:
        remark("Nothing was handed off yet. `sesh handoff --to codex` or `--to claude-code` does it.")
    for one in shown:
        say(_line(one))


def _line(one: State) -> str:
    text = f"{one.at[:16].replace('T', ' ')}  {one.kind:7}  {one.source} -> {one.target}  {_words(one)}"
    if one.onto:
        text += f"; on a copy of {one.onto}"
    if one.superseded_by:
        text += f"; superseded by {one.superseded_by}"
    if one.by_stamp:
        text += "; known by its stamp"
    return text


def _words(one: State) -> str:
    match one.state:
        case "continued":
            return f"continued by {turns(one.turns)}"
        case "diverged":
            return f"diverged: {turns(one.turns)} there, {turns(one.origin_turns)} here"
        case "merged":
            return f"merged into {one.merged_into}"
        case "unreadable":
            return f"unreadable: {one.why}"
        case _:
            return one.state.replace("-", " ")
