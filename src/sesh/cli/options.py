"""Options and arguments that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from sesh.providers import registry


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
        if value not in self.names():
            self.fail(f"{value!r} is not one of {', '.join(self.names())}.", param, ctx)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The names, for the help."""
        return "|".join(self.names())

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names for the shell."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


SESSION_HELP = (
    "SESSION is a path, an id or the beginning of one, PROVIDER:ID, a title, or nothing for the newest session of "
    "this folder."
)

session_argument = click.argument("session", required=False, default=None)
"""SESSION: see `catalog.resolve`."""

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout, and nothing else.")

home_option = click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="A client's folder to use instead of its own, or a home folder that holds one.",
)

report_option = click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the full account to FILE, as JSON.",
)

strict_option = click.option("--strict", is_flag=True, help="Exit with 3, and write nothing, if anything gets lost.")

quiet_option = click.option("--quiet", "-q", is_flag=True, help="No remarks on stderr.")
