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
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from sesh.catalog.homes import platform_folder
from sesh.errors import SeshError

GENERAL: Final = {
    "SESH_HOME": "sesh's own folder",
    "SESH_CONFIG": "config file",
    "SESH_STORE": "store",
    "SESH_PAGER": "pager",
    "PAGER": "pager",
    "NO_COLOR": "colours",
    "FORCE_COLOR": "colours",
    "SESH_DEBUG": "tracebacks of bugs",
}
"""The variables that are no command's option, and what each sets. Later ones win."""


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


def apply(command: click.Command, name: str, context: click.Context, commands: Iterable[str]) -> None:
    """Give a command its defaults from file and environment; `doctor` reads no file, so that it always runs.

    `commands` are all that there are. Raises BadConfig for an option that the command does not have, for a variable
    that must be one of its misspelt, and for a table of the file that is no command's.
    """
    options = {option_name(p): p for p in command.params if isinstance(p, click.Option)}
    known = {variable(name, key) for key in options}
    strange = sorted(v for v in os.environ if v.startswith(variable(name, "")) and v not in known)
    if strange and name != "doctor":
        raise BadConfig(f"${strange[0]}: `sesh {name}` has no such option.", hint=f"It has {', '.join(options)}.")
    for key, option in options.items():
        if option.envvar is None:
            option.envvar = variable(name, key)
    if name == "doctor":
        return
    for misspelt, meant in near_misses(os.environ, commands, known):
        raise BadConfig(f"${misspelt} is no setting of sesh.", hint=f"Is ${meant} meant?")
    path = file(os.environ)
    tables = read(path)
    if unknown := [t for t in tables if t not in commands]:
        raise BadConfig(f"{path}: [{unknown[0]}] is no command.", hint=f"There are {', '.join(commands)}.")
    table = tables.get(name)
    if not table:
        return
    if unknown := [k for k in table if k not in options]:
        raise BadConfig(f"{path}: `sesh {name}` has no option {unknown[0]!r}.", hint=f"It has {', '.join(options)}.")
    defaults = {options[k].name: _given(v, options[k], f"{name}.{k} in {path}") for k, v in table.items()}
    context.default_map = {**(context.default_map or {}), name: defaults}


def _given(value: Any, option: click.Option, where: str) -> Any:
    """A value of the file as the command line would give it: text, which the option judges. Raises BadConfig."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise BadConfig(f"{where} is {value!r}.", hint="It is true or false.")
        return value
    if option.multiple:
        return [_text(v, where) for v in (value if isinstance(value, list) else [value])]
    return _text(value, where)


def _text(value: Any, where: str) -> str:
    if isinstance(value, bool | list | dict):
        raise BadConfig(f"{where} is {value!r}.", hint="It is one value: a number, or text in quotes.")
    return str(value)  # dates and times as ISO text


def near_misses(
    environment: Mapping[str, str], commands: Iterable[str], known: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Variables that begin with SESH_, are none of sesh's, and look like one of `known` or `GENERAL` misspelt.

    Pairs of the variable and the one that is meant. Others are left alone: somebody else may have their own.
    """
    ours = tuple(variable(name, "") for name in commands)
    for name in sorted(v for v in environment if v.startswith("SESH_") and v not in GENERAL and not v.startswith(ours)):
        import difflib

        if meant := difflib.get_close_matches(name, [*known, *GENERAL], n=1, cutoff=0.85):
            yield name, meant[0]


def culprit(error: click.BadParameter) -> str | None:
    """Where a wrong value comes from, if not from the command line: `$SESH_LIST_LIMIT`, or the file and its key."""
    option, context = error.param, error.ctx
    if not isinstance(option, click.Option) or context is None or option.name is None:
        return None
    source = context.get_parameter_source(option.name)
    if source is click.core.ParameterSource.ENVIRONMENT:
        names = [option.envvar] if isinstance(option.envvar, str) else list(option.envvar or ())
        return next((f"${name}" for name in names if os.environ.get(name)), None)
    if source is click.core.ParameterSource.DEFAULT_MAP:
        return f"{context.info_name}.{option_name(option)} in {file(os.environ)}"
    return None


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
