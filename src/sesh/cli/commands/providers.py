"""`sesh providers`: the clients that sesh knows, the built-in ones and those that packages add."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from sesh.catalog.homes import client_home
from sesh.cli.options import json_option
from sesh.cli.output import emit_json, say
from sesh.providers import registry


@click.command(name="providers")
@json_option
def command(as_json: bool) -> None:
    """List the clients that sesh knows.

    The names are what --to and --provider take. Packages add their own by the entry point `sesh.providers`.
    """
    found = [_facts(name) for name in registry.names()]
    if as_json:
        emit_json({"providers": found, "formats": list(registry.formats())})
        return
    for facts in found:
        say(click.style(f"{facts['name']:<14}", bold=True) + facts["title"])
        say(f"  sessions in   {facts['home']} ({', '.join(facts['folders'])})")
        say(f"  resumed by    {' '.join(facts['resume'])}")
        if facts["covered"]:
            say(f"  covered       {', '.join(facts['covered'])}")
        say(f"  from          {facts['package']}")
    say("Besides, `convert` reads and writes the canonical form (--to canonical).")


def _facts(name: str) -> dict[str, Any]:
    provider = registry.get(name)
    return {
        "name": name,
        "title": provider.title,
        "program": provider.program,
        "home": str(client_home(provider, os.environ, Path.home())),
        "folders": list(provider.layout.search_roots()),
        "resume": list(provider.layout.resume_command("ID")),
        "covered": list(provider.covered),
        "merges": provider.graft is not None,
        "package": registry.package_of(name),
    }
