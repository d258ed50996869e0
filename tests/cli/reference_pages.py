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


def man_page() -> str:
    """`man/sesh.1`: one page for all commands, as man(7) wants it."""
    lines = [
        f'.TH SESH 1 "" "sesh {__version__}" "User Commands"',
        ".SH NAME",
        "sesh \\- move a coding\\-agent conversation between clients with nothing lost",
        ".SH SYNOPSIS",
        ".B sesh",
        "[\\fICOMMAND\\fR] [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...",
        ".SH DESCRIPTION",
        *(_roff(p) for p in _paragraphs(app.help)),
        ".PP",
        "Without a command, on a terminal: a list of all sessions to choose from.",
        ".SH COMMANDS",
    ]
    for _, name, command, context in _commands():
        lines += [f".SS {_roff(name)}", f".B {_roff(_usage(command, context))}"]
        for paragraph in [*_paragraphs(command.help), *_paragraphs(command.epilog)]:
            lines += [".PP", _roff(paragraph)]
        for option, text in _options(command, context):
            lines += [".TP", f".B {_roff(option)}", _roff(text)]
    lines += [".SH EXIT STATUS"]
    for code, meaning in EXIT_CODES.items():
        lines += [".TP", f".B {code}", _roff(meaning)]
    lines += [".SH ENVIRONMENT"]
    for names, text in _VARIABLES.items():
        lines += [".TP", f".B {_roff(names)}", _roff(text)]
    lines += [".SH SEE ALSO", "\\fBclaude\\fR(1), \\fBcodex\\fR(1)"]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    """Text as roff: no line begins with a control character, and hyphens and backslashes are themselves."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
