"""`sesh doctor`: what sesh finds on this machine, and what is wrong with it. Changes nothing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click

from sesh import __version__
from sesh.catalog import listing
from sesh.catalog.cards import CardCache
from sesh.catalog.client_version import program_version
from sesh.catalog.homes import sesh_cache, sesh_home
from sesh.catalog.resolve import Homes
from sesh.cli import config, here, moving
from sesh.cli.options import home_option, json_option
from sesh.cli.output import emit_json, say
from sesh.cli.table import size
from sesh.errors import SeshError
from sesh.files.live import holder
from sesh.handoff.locate import Places
from sesh.providers.api import Provider


@click.command(name="doctor")
@home_option
@json_option
def command(home: Path | None, as_json: bool) -> None:
    """Say what sesh finds on this machine, and change nothing.

    The clients and their versions against those that the tests cover, folders, sessions that are open now, links,
    cache and index, and where each setting comes from.
    """
    homes = here.homes(home)
    problems: list[str] = []
    document = {
        "sesh": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "program": sys.argv[0],
        "clients": [_client(provider, folder, problems) for provider, folder in homes.values()],
        "folders": _folders(),
        "links": _links(homes, problems),
        "settings": _settings(problems),
        "problems": problems,
    }
    if as_json:
        emit_json(document)
    else:
        _tell(document)


def _client(provider: Provider, home: Path, problems: list[str]) -> dict[str, Any]:
    program = shutil.which(provider.program)
    version = program_version(provider)
    source = provider.home_variable if provider.home_variable in os.environ else "default"
    cache = CardCache(None)
    sessions = list(listing.sessions({provider.name: (provider, home)}, cache))
    met = Counter(s.version for s in sessions if s.version)
    live = [s.session_id for s in sessions if holder(provider, home, s.session_id) is not None]
    newest = provider.covered[-1] if provider.covered else None
    beyond = sorted(v for v in met if newest is not None and _number(v) > _number(newest))
    if not home.is_dir() and program:
        problems.append(f"{provider.title} is installed, but its folder {home} is not there: it has no session yet.")
    if beyond:
        problems.append(
            f"{provider.title} {beyond[-1]} is newer than what sesh was tested with ({newest}): "
            "unknown records are kept and named, but look at the report."
        )
    return {
        "name": provider.name,
        "title": provider.title,
        "program": program,
        "version": version,
        "home": str(home),
        "homeFrom": source,
        "homeExists": home.is_dir(),
        "sessions": len(sessions),
        "hidden": sum(s.hidden is not None for s in sessions),
        "bytes": sum(s.size for s in sessions),
        "met": dict(sorted(met.items(), key=lambda pair: _number(str(pair[0])))),
        "covered": list(provider.covered),
        "beyond": beyond,
        "live": live,
    }


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split(".") if part.isdigit())


def _folders() -> dict[str, Any]:
    cache, data, settings = sesh_cache(os.environ), sesh_home(os.environ), config.file(os.environ)
    places = {
        "data": data,
        "links": moving.book().path,
        "cache": cache,
        "cards": cache / "cards.msgpack",
        "index": here.search_index(),
        "config": settings,
    }
    return {name: {"path": str(p), "bytes": _bytes(p)} for name, p in places.items()}


def _bytes(path: Path) -> int | None:
    """A file's size, or that of all files in a folder; None where it is not there."""
    try:
        if path.is_dir():
            return sum(f.stat().st_size for f in path.rglob("*") if f.is_file())
        return path.stat().st_size
    except OSError:
        return None


def _links(homes: Homes, problems: list[str]) -> dict[str, Any]:
    try:
        links = moving.book().links()
    except SeshError as e:
        problems.append(str(e))
        links = []
    places = Places(homes)  # a client may have moved, archived or compressed them
    missing = [str(link.to) for link in links if places.find(link.to) is None]
    gone = [str(link.source) for link in links if link.source.path and places.find(link.source) is None]
    if missing:
        problems.append(f"{len(missing)} sessions that sesh made are gone: {', '.join(missing[:5])}.")
    if gone:
        problems.append(f"{len(gone)} sessions that were handed off are gone: {', '.join(gone[:5])}.")
    return {"total": len(links), "targetsMissing": missing, "sourcesGone": gone}


def _settings(problems: list[str]) -> list[dict[str, Any]]:
    from importlib import import_module

    from sesh.cli.app import SECTIONS

    commands = [name for section in SECTIONS.values() for name in section]
    variables = dict(config.GENERAL)
    for name in commands:
        made: click.Command = import_module(f"sesh.cli.commands.{name}").command
        for option in made.params:
            if isinstance(option, click.Option):
                key = config.option_name(option)
                variables[config.variable(name, key)] = f"{name}.{key}"
    prefixes = tuple(config.variable(name, "") for name in commands)
    strange = [v for v in os.environ if v.startswith(prefixes) and v not in variables]
    problems += [f"${v} is no setting of sesh." for v in sorted(strange)]
    for misspelt, meant in config.near_misses(os.environ, commands, variables):
        problems.append(f"${misspelt} is no setting of sesh. Is ${meant} meant?")
    try:
        found = list(config.settings(os.environ, variables))
    except SeshError as e:
        problems.append(str(e))
        return []
    known = set(variables.values())
    for setting in found:
        if setting.name not in known:
            problems.append(f"{setting.source}: there is no option {setting.name}.")
    return [{"name": s.name, "value": s.value, "from": s.source} for s in found]


def _tell(document: dict[str, Any]) -> None:
    say(f"sesh {document['sesh']} · Python {document['python']} · {document['platform']}")
    for client in document["clients"]:
        say()
        version = client["version"] or ("version not told" if client["program"] else "not on PATH")
        say(click.style(client["title"], bold=True) + f"  {version}")
        origin = "" if client["homeFrom"] == "default" else f" (from ${client['homeFrom']})"
        say(f"  folder    {client['home']}{origin}{'' if client['homeExists'] else ' (not there)'}")
        hidden = f", {client['hidden']} of them hidden in the client" if client["hidden"] else ""
        say(f"  sessions  {client['sessions']} ({size(client['bytes'])}){hidden}")
        if client["met"]:
            say(f"  met       {', '.join(f'{v} ({n})' for v, n in client['met'].items())}")
        if client["covered"]:
            say(f"  covered   {', '.join(client['covered'])}")
        if client["live"]:
            say(f"  open now  {', '.join(client['live'])}")
    say()
    say(click.style("sesh's own", bold=True))
    for name, folder in document["folders"].items():
        there = "not there yet" if folder["bytes"] is None else size(folder["bytes"])
        say(f"  {name:<9} {folder['path']} ({there})")
    say(f"  handoffs  {document['links']['total']}")
    if document["settings"]:
        say()
        say(click.style("Settings", bold=True) + "  (later wins; flags win over all)")
        for setting in document["settings"]:
            say(f"  {setting['name']} = {setting['value']}  from {setting['from']}")
    say()
    if not document["problems"]:
        say(click.style("Nothing is wrong.", fg="green"))
    for problem in document["problems"]:
        say(click.style("! ", fg="yellow") + problem)
