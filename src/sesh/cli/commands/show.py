"""`sesh show`: a conversation as a person wants to read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sesh.cli import here
from sesh.cli.options import Count, home_option, json_option, session_argument
from sesh.cli.output import emit_json, write_bytes
from sesh.present.plain import plain


class TurnRange(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5 only
    """`3..7`, `3..`, `..7` or `3`."""

    name = "turns"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int | None]:
        """First and last turn."""
        from sesh.present.select import turn_range

        try:
            return turn_range(value)
        except ValueError as e:
            self.fail(str(e), param, ctx)


@click.command(
    name="show",
    epilog="SESSION is a path, an id or its beginning, PROVIDER:ID, a title, or nothing for the newest session of "
    "this folder. On a terminal the text goes through $SESH_PAGER, $PAGER or less; a pipe gets plain text.",
)
@session_argument
@click.option("--full", "-f", is_flag=True, help="Unfold outputs, thinking, contexts and sub-agents.")
@click.option("--turns", type=TurnRange(), metavar="A..B", help="Only these turns: 3..7, 3.., ..7 or 3.")
@click.option("--tail", "-n", type=Count(), help="Only the last N turns.")
@click.option("--images", is_flag=True, help="Draw images, where the terminal can. There is no pager then.")
@click.option("--raw", is_flag=True, help="The source's own lines, as they stand in the file.")
@home_option
@json_option
def command(
    session: str | None,
    full: bool,
    turns: tuple[int, int | None] | None,
    tail: int | None,
    images: bool,
    raw: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Show a conversation.

    Prompts, answers as Markdown, tool runs with their results folded, patches as diffs, sub-agents nested, and what
    was abandoned, marked.
    """
    if raw and as_json:
        raise click.UsageError("--raw gives the source's own lines, which are no one document. Leave --json out.")
    path = here.session_path(session, home)
    if raw:
        from sesh.files.read import open_session

        write_bytes(open_session(path).source.main)
        return
    from sesh.export.convert import read_session

    provider, read = read_session(path)
    if as_json:
        emit_json({"provider": provider.name, "path": str(path), **_document(read)})
        return
    from sesh.cli import terminal
    from sesh.present import select
    from sesh.present.outline import outline

    client = here.client_title(read, provider.title)
    view = outline(read.thread, read.messages, read.children)
    if turns is not None:
        view = select.only(view, *turns)
    if tail is not None:
        view = select.tail(view, tail)
    if terminal.colours():
        from sesh.export.terminal import rendered

        draw = terminal.painter() if images else None
        text = rendered(view, full=full, client=client, width=terminal.width(), draw=draw)
        terminal.page([text], through_pager=not images)
        return
    from sesh.export.text import lines

    terminal.page(plain(line) for line in lines(view, full=full, client=client))


def _document(read: Any) -> dict[str, Any]:
    return {
        "thread": read.thread,
        "messages": read.messages,
        "children": [{"thread": c.thread, "messages": c.messages} for c in read.children],
        "report": read.report,
    }
