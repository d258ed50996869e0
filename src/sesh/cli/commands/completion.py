"""`sesh completion`: the script that lets a shell complete commands, options, providers and sessions."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from sesh.cli.options import json_option
from sesh.cli.output import emit_json, say

_WHERE = {
    "bash": "~/.local/share/bash-completion/completions/sesh",
    "zsh": "a folder of $fpath, as _sesh",
    "fish": "~/.config/fish/completions/sesh.fish",
}


@click.command(
    name="completion",
    epilog="Where the script goes: " + "; ".join(f"{shell}: {place}" for shell, place in _WHERE.items()) + ".",
)
@click.argument("shell", type=click.Choice(list(_WHERE)), required=False)
@json_option
def command(shell: str | None, as_json: bool) -> None:
    """Print the completion script for a shell.

    SHELL is bash, zsh or fish; by default the one of $SHELL.
    """
    from sesh.cli.app import app

    name = shell or Path(os.environ.get("SHELL", "")).name
    made = get_completion_class(name)
    if made is None:
        raise click.UsageError(
            f"{name or '$SHELL'} is no shell that can be completed. Give one of {', '.join(_WHERE)}."
        )
    # Not `.source()`: for bash that first runs bash to see its version.
    script = made(app, {}, "sesh", "_SESH_COMPLETE")
    text = script.source_template % script.source_vars()
    if as_json:
        emit_json({"shell": name, "script": text, "place": _WHERE[name]})
    else:
        say(text)
