"""Options and arguments that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sesh.present.plain import plain
from sesh.providers import registry
from sesh.providers.api import EmitOptions

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])


class ProviderName(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5 only
    """The name of a provider, as the registry knows it. `formats` also admits `canonical`, which is no client."""

    name = "provider"

    def __init__(self, *, formats: bool = False) -> None:
        self.formats = formats

    def names(self) -> tuple[str, ...]:
        """All names that may be given."""
        return registry.formats() if self.formats else registry.names()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself; a usage error that lists the names where there is no such provider."""
        # The built-in names first: a look at the installed packages costs more than a small conversion.
        known = registry.is_built_in(value) and (self.formats or value != registry.CANONICAL)
        if not known and value not in self.names():
            self.fail(f"{value!r} is not one of {', '.join(self.names())}.", param, ctx)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The names, for the help."""
        return "|".join(self.names())

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names for the shell."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class Count(click.IntRange):
    """How many: a whole number from 1 on."""

    name = "whole number"

    def __init__(self) -> None:
        super().__init__(min=1)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The same letter everywhere."""
        return "N"

    def _describe_range(self) -> str:
        return "1 or more"


SESSION_HELP = (
    "SESSION is a path, an id or the beginning of one, PROVIDER:ID, a title, or nothing for the newest session of "
    "this folder."
)


def _complete_session(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of sessions for the shell, with their titles; file names where that looks like a path."""
    from click.shell_completion import CompletionItem

    from sesh.catalog import listing
    from sesh.cli import here

    found = [s for s in listing.sessions(here.homes(), here.cards()) if s.session_id.startswith(incomplete)]
    items = [CompletionItem(s.session_id, help=plain(listing.short(s.title or "", 60))) for s in found]
    return items if items else [CompletionItem(incomplete, type="file")]


session_argument = click.argument("session", required=False, default=None, shell_complete=_complete_session)
"""SESSION: see `catalog.resolve`."""


def json_asked(context: click.Context, parameter: click.Parameter, value: bool) -> bool:
    """Tell the run that its caller reads JSON, so that an error is a document, too (`cli.app`)."""
    if value and isinstance(context.obj, dict):
        context.obj["json"] = True
    return value


json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    is_eager=True,
    callback=json_asked,
    help="One JSON document on stdout, and nothing else.",
)

home_option = click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="A client's folder to use instead of its own, or a home folder that holds one.",
)


def _no_dash(context: click.Context, parameter: click.Parameter, value: Path | None) -> Path | None:
    if value == Path("-"):
        raise click.BadParameter("the account goes to a file; --json prints it.", context, parameter)
    return value


report_option = click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    callback=_no_dash,
    help="Write the full account to FILE, as JSON.",
)

strict_option = click.option("--strict", is_flag=True, help="Exit with 3, and write nothing, if anything gets lost.")

quiet_option = click.option("--quiet", "-q", is_flag=True, help="No remarks on stderr.")

_ACCOUNT = (report_option, strict_option, quiet_option, home_option, json_option)


def account_options(function: F) -> F:
    """The options of every command that gives an account of what it wrote, and the two that all commands have.

    Their parameters: `report_file`, `strict` (both for `output.give_account`), `quiet`, `home`, `as_json`.
    """
    for option in reversed(_ACCOUNT):
        function = option(function)
    return function


_WRITING = (
    click.option(
        "--tools",
        type=click.Choice(["keep", "native"]),
        help="Leave tool names and arguments as they are, or translate them to the client's own tools, restorably. "
        "Default: what the client shows best.",
    ),
    click.option("--keep-context", is_flag=True, help="Also take what a client put in by itself (environment, ...)."),
    click.option(
        "--history",
        type=click.Choice(["auto", "legacy", "paginated"]),
        default="auto",
        show_default=True,
        help="Codex: which form of history to write.",
    ),
    click.option("--since-compaction", is_flag=True, help="Leave out what came before the last compaction."),
    click.option("--last-turns", type=Count(), help="Only the last N turns."),
)


def writing_options(function: F) -> F:
    """The options of every command that writes a session; `emit_options` turns their values into a writer's."""
    for option in reversed(_WRITING):
        function = option(function)
    return function


def emit_options(
    *, tools: str | None, keep_context: bool, history: str, since_compaction: bool, last_turns: int | None
) -> EmitOptions:
    """What `writing_options` parsed, as a writer takes it."""
    options = EmitOptions(keep_context=keep_context, since_compaction=since_compaction, last_turns=last_turns)
    if tools in ("keep", "native"):
        options["tools"] = tools  # type: ignore[typeddict-item]  # click has checked the choice
    if history in ("legacy", "paginated"):
        options["history"] = history  # type: ignore[typeddict-item]
    return options
