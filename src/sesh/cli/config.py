"""Defaults for the commands' options: a config file, then the environment, then the flags; later wins.

The file is TOML, a table a command, an option by its long name:

    [list]
    all = true

    [handoff]
    tools = "native"

The same in the environment: `SESH_LIST_ALL=1`, `SESH_HANDOFF_TOOLS=native`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from sesh.catalog.homes import platform_folder
from sesh.errors import SeshError


class BadConfig(SeshError):
    """The config file is no TOML, or says something that no command has."""

    exit_code = 2


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A value that does not come from a flag: `list.all`, its value, and the file or variable it comes from."""

    name: str
    value: Any
    source: str


def file(environment: Mapping[str, str]) -> Path:
    """The config file: $SESH_CONFIG, `config.toml` under $SESH_HOME, or in the platform's place. It may not exist."""
    if named := environment.get("SESH_CONFIG"):
        return Path(named)
    if own := environment.get("SESH_HOME"):
        return Path(own) / "config.toml"
    return platform_folder("config", environment) / "config.toml"


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The file's tables; empty where there is no file. Raises BadConfig."""
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as e:
        raise BadConfig(f"{path} cannot be read: {e}.") from e
    import tomllib

    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise BadConfig(f"{path} is no TOML: {e}.", hint="Mend it, or move it away.") from e
    for name, table in found.items():
        if not isinstance(table, dict):
            raise BadConfig(
                f"{path}: {name!r} stands outside of a table.", hint="Write it as [command], option = value."
            )
    return found


def apply(command: click.Command, name: str, context: click.Context) -> None:
    """Give a command its defaults from file and environment. Raises BadConfig for an option that it does not have."""
    options = {option_name(p): p for p in command.params if isinstance(p, click.Option)}
    known = {variable(name, key) for key in options}
    if strange := sorted(v for v in os.environ if v.startswith(variable(name, "")) and v not in known):
        raise BadConfig(f"${strange[0]}: `sesh {name}` has no such option.", hint=f"It has {', '.join(options)}.")
    for key, option in options.items():
        if option.envvar is None:
            option.envvar = variable(name, key)
    path = file(os.environ)
    table = read(path).get(name)
    if not table:
        return
    if unknown := [k for k in table if k not in options]:
        raise BadConfig(f"{path}: `sesh {name}` has no option {unknown[0]!r}.", hint=f"It has {', '.join(options)}.")
    defaults = {options[k].name: v for k, v in table.items()}
    context.default_map = {**(context.default_map or {}), name: defaults}


def option_name(option: click.Parameter) -> str:
    """An option's long name without its dashes: the key in the file."""
    return max(option.opts, key=len).lstrip("-")


def variable(command: str, key: str) -> str:
    """The environment variable of an option."""
    return f"SESH_{command}_{key}".upper().replace("-", "_")


def settings(environment: Mapping[str, str], variables: Mapping[str, str]) -> Iterator[Setting]:
    """Every value that is set outside of flags, in the order in which later ones win. Raises BadConfig.

    `variables` maps each variable that counts to the name of its setting.
    """
    path = file(environment)
    for command, table in read(path).items():
        for key, value in table.items():
            yield Setting(name=f"{command}.{key}", value=value, source=str(path))
    for name, setting in variables.items():
        if name in environment:
            yield Setting(name=setting, value=environment[name], source=f"${name}")
