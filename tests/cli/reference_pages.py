"""The reference of the commands, as a page and as a man page, made from the commands themselves."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Final

import click

from sesh import __version__
from sesh.cli import config
from sesh.cli.app import EXIT_CODES, SECTIONS, app

_VARIABLES: Final = {
    "CLAUDE_CONFIG_DIR, CODEX_HOME": "The clients' folders, as the clients themselves take them.",
    "SESH_HOME": "sesh's own folder: links, cache, config. Default: the platform's places for each.",
    "SESH_CONFIG": "The config file. Default: config.toml in the platform's place for it.",
    "SESH_PAGER, PAGER": "What long output goes through on a terminal.",
    "NO_COLOR, FORCE_COLOR": "Never, or always, colours.",
    "COLUMNS": "How wide to draw.",
    "SESH_DEBUG": "Set: a bug shows its traceback.",
}


def _commands() -> list[tuple[str, str, click.Command, click.Context]]:
    top = click.Context(app, info_name="sesh")
    found = []
    for heading, section in SECTIONS.items():
        for name in section:
            command: click.Command = import_module(f"sesh.cli.commands.{name}").command
            found.append((heading, name, command, click.Context(command, info_name=name, parent=top)))
    return found


def _usage(command: click.Command, context: click.Context) -> str:
    return " ".join([context.command_path, *command.collect_usage_pieces(context)])


def _options(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    rows = [p.get_help_record(context) for p in command.params if isinstance(p, click.Option)]
    return [(r[0], r[1].strip()) for r in rows if r is not None]


def _paragraphs(text: str | None) -> list[str]:
    return [" ".join(p.split()) for p in re.split(r"\n\s*\n", (text or "").strip()) if p.strip()]


def commands_page() -> str:
    """`docs/reference/commands.md`."""
    lines = [
        "# Commands",
        "",
        "Made from the commands themselves. What `--json` prints is described in",
        "[schema/sesh-cli.v1.schema.json](../../schema/sesh-cli.v1.schema.json).",
        "",
        "| command | what it does |",
        "| --- | --- |",
    ]
    everything = _commands()
    lines += [f"| [{n}](#{n}) | {SECTIONS[heading][n]} |" for heading, n, _, _ in everything]
    for _, name, command, context in everything:
        lines += ["", f"## {name}", "", "```text", _usage(command, context), "```", ""]
        for paragraph in [*_paragraphs(command.help), *_paragraphs(command.epilog)]:
            lines += [_escaped(paragraph), ""]
        lines += ["| option | |", "| --- | --- |"]
        lines += [f"| `{o.replace('|', chr(92) + '|')}` | {_escaped(h)} |" for o, h in _options(command, context)]
    lines += ["", "## Exit codes", "", "| code | |", "| --- | --- |"]
    lines += [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    lines += [
        "",
        "An error is one line on stderr: what is wrong, where, and the next step. With `--json` stdout holds one",
        "object with `error`, `hint` and `exitCode`.",
        "",
        "## Settings",
        "",
        "Every option can be set in the config file and in the environment; the environment wins over the file, a flag",
        "over both. `sesh doctor` shows each value that is set and where it comes from.",
        "",
        "```toml",
        "[list]",
        "all = true",
        "",
        "[handoff]",
        'tools = "native"',
        "```",
        "",
        f"In the environment the same are `{config.variable('list', 'all')}=1` and "
        f"`{config.variable('handoff', 'tools')}=native`.",
        "",
        "| variable | |",
        "| --- | --- |",
    ]
    lines += [f"| {', '.join(f'`{v}`' for v in names.split(', '))} | {text} |" for names, text in _VARIABLES.items()]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def man_pages() -> dict[str, str]:
    """Path in the repository -> text: `man/sesh.1`, and `man/sesh-NAME.1` for each command, as man(7) wants them."""
    pages = {"man/sesh.1": _man_overview()}
    for _, name, command, context in _commands():
        pages[f"man/sesh-{name}.1"] = _man_command(name, command, context)
    return pages


def _man_overview() -> str:
    """What commands there are, and what holds for all of them."""
    lines = [
        *_man_head("sesh", "move a coding-agent conversation between clients with nothing lost"),
        ".B sesh",
        "[\\fICOMMAND\\fR] [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...",
        ".SH DESCRIPTION",
        *(_roff(p) for p in _paragraphs(app.help)),
        ".PP",
        "Without a command, on a terminal: a list of all sessions to choose from.",
        ".SH COMMANDS",
        "Each has a page of its own, \\fBsesh\\-COMMAND\\fR(1).",
    ]
    for heading, section in SECTIONS.items():
        lines.append(f".SS {heading}")
        for name, text in section.items():
            lines += [".TP", f".B {_roff(name)}", _roff(text)]
    lines += [".SH EXIT STATUS"]
    for code, meaning in EXIT_CODES.items():
        lines += [".TP", f".B {code}", _roff(meaning)]
    lines += [
        ".SH SETTINGS",
        "Every option can be set in the config file, a table a command, and in the environment, as "
        f"{_roff(config.variable('list', 'all'))}=1. A variable wins over the file, a flag over both.",
        ".SH ENVIRONMENT",
    ]
    for names, text in _VARIABLES.items():
        lines += [".TP", f".B {_roff(names)}", _roff(text)]
    seen = ", ".join(f"\\fBsesh\\-{_roff(name)}\\fR(1)" for section in SECTIONS.values() for name in section)
    lines += [".SH SEE ALSO", f"{seen}, \\fBclaude\\fR(1), \\fBcodex\\fR(1)"]
    return "\n".join(lines) + "\n"


def _man_command(name: str, command: click.Command, context: click.Context) -> str:
    """One command's page."""
    first, *rest = _paragraphs(command.help)
    _, *words = _usage(command, context).split()
    lines = [
        *_man_head(f"sesh-{name}", first.removesuffix(".")),
        f".B {_roff(' '.join(['sesh', *words]))}",
        ".SH DESCRIPTION",
    ]
    for number, paragraph in enumerate([*(rest or [first]), *_paragraphs(command.epilog)]):
        lines += [".PP"] * bool(number) + [_roff(paragraph)]
    lines.append(".SH OPTIONS")
    for option, text in _options(command, context):
        lines += [".TP", f".B {_roff(option)}", _roff(text)]
    lines += [
        ".SH EXIT STATUS",
        "0 where it is done; the others are in \\fBsesh\\fR(1).",
        ".SH SEE ALSO",
        "\\fBsesh\\fR(1)",
    ]
    return "\n".join(lines) + "\n"


def _man_head(name: str, what: str) -> list[str]:
    return [
        f'.TH {_roff(name.upper())} 1 "" "sesh {__version__}" "User Commands"',
        ".SH NAME",
        f"{_roff(name)} \\- {_roff(what)}",
        ".SH SYNOPSIS",
    ]


def _roff(text: str) -> str:
    """Text as roff: no line begins with a control character, and hyphens and backslashes are themselves."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
