"""The command `sesh`: which commands there are, and how each run ends (exit codes of design.md §9).

A command is a module `sesh.cli.commands.NAME` with a click command called `command`; it is imported when it is run,
not when the help is shown. To add one: write the module and add its line to `SECTIONS`.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, TextIO

import click

from sesh import __version__
from sesh.errors import SeshError

SECTIONS: Final[dict[str, dict[str, str]]] = {
    "Look": {
        "list": "List the sessions of every client on this machine.",
        "show": "Show a conversation.",
        "search": "Search what was said in every session.",
        "export": "Write a conversation as an HTML page, Markdown or JSON Lines.",
    },
    "Move": {
        "handoff": "Go on with a session in another client.",
        "merge": "Bring what was said there back onto a copy of the original.",
        "links": "Show every handoff and how it stands.",
        "convert": "Write a session in another client's form, file to file.",
    },
    "Store": {
        "ingest": "Take sessions into a message store.",
        "follow": "Keep a message store up to date with live sessions.",
    },
    "Learn": {
        "schema": "Print the schema of the canonical format.",
        "doctor": "Say what sesh finds on this machine, and change nothing.",
        "providers": "List the clients that sesh knows.",
        "completion": "Print the completion script for a shell.",
        "demo": "Take a bundled session over to the other client and back.",
    },
}
"""Command names with the first sentence of their help, by the heading they stand under. A test compares the two."""

EXIT_CODES: Final = {
    0: "done",
    1: "failed",
    2: "wrong usage",
    3: "lossy, under --strict",
    4: "no such session, or several",
    5: "refused: the target exists, has diverged, or is live",
    130: "interrupted",
}


_SIGNS: Final = {"…": "...", "←": "<-", "→": "->", "·": "-", "•": "*", "●": "*", "✗": "x", "─": "-"}


class ReaderGone(Exception):
    """Nobody reads our output any more. click would end the process with 1 for a BrokenPipeError that it sees."""


class Commands(click.Group):
    """The commands of `SECTIONS`, imported one at a time."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """As click does; the help is printed in it. Raises ReaderGone."""
        try:
            return super().make_context(*arguments, **more)
        except BrokenPipeError as e:
            raise ReaderGone from e

    def invoke(self, ctx: click.Context) -> Any:
        """As click does. Raises ReaderGone."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as e:
            raise ReaderGone from e

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of the help."""
        return [name for section in SECTIONS.values() for name in section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if not any(cmd_name in section for section in SECTIONS.values()):
            return None
        command: click.Command = import_module(f"sesh.cli.commands.{cmd_name}").command
        from sesh.cli import config  # not needed for the help

        config.apply(command, cmd_name, ctx, self.list_commands(ctx))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands under their headings; nothing is imported for it."""
        for heading, section in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl(list(section.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command takes --json. `sesh COMMAND --help` tells more. Without a command, on a terminal: a list to "
    "choose from.",
    invoke_without_command=True,
)
@click.version_option(__version__, "--version", "-V", message="sesh %(version)s")
@click.pass_context
def app(context: click.Context) -> int:
    """Move a coding-agent conversation between clients with nothing lost."""
    if context.invoked_subcommand is not None:
        return 0
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo(context.get_help(), err=True)
        return 2
    from sesh.cli.picker import pick

    chosen = pick()
    return run(chosen) if chosen else 0


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns its exit code. Nothing but BaseExceptions of the interpreter gets out."""
    asked: dict[str, bool] = {"json": _wants_json(arguments)}
    _open_closed()
    _print_anything()
    try:
        value = app.main(args=list(arguments), prog_name="sesh", standalone_mode=False, obj=asked)
        sys.stdout.flush()
    except click.UsageError as e:
        if isinstance(e, click.BadParameter):
            from sesh.cli import config

            e.param_hint = config.culprit(e) or e.param_hint
        return _fail(e.format_message(), _help_hint(e), e.exit_code, asked["json"])
    except click.ClickException as e:
        return _fail(e.format_message(), None, e.exit_code, asked["json"])
    except SeshError as e:
        return _fail(e.message, e.hint, e.exit_code, asked["json"])
    except (click.Abort, KeyboardInterrupt):
        return _fail("Interrupted.", None, 130, asked["json"])
    except (BrokenPipeError, ReaderGone):
        _point_away(sys.stdout)  # the reader of our output is gone (`sesh show | head`)
        return 0
    except OSError as e:
        return _fail(f"{e.filename or 'The output'} cannot be used: {e.strerror or e}.", None, 1, asked["json"])
    except Exception as e:
        if os.environ.get("SESH_DEBUG"):
            raise
        return _fail(
            f"This is a bug in sesh: {type(e).__name__}: {e}.",
            "Run it again with SESH_DEBUG=1 for the traceback, and report it with that.",
            1,
            asked["json"],
        )
    return value if isinstance(value, int) else 0


def _open_closed() -> None:
    """Where the caller closed stdin, stdout or stderr (`>&-`), let it be nothing, so that no file takes its number."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _point_away(stream: TextIO) -> None:
    """Let what waits in a stream that takes no more go nowhere: the interpreter's own flush at exit would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _print_anything() -> None:
    """Let both streams take any text: what their encoding lacks (a Windows pipe, an ASCII locale) comes out escaped.

    sesh's own signs have others to stand in for them.
    """
    codecs.register_error("sesh", _other_signs)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="sesh")


def _other_signs(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError) and (sign := _SIGNS.get(error.object[error.start])):
        return sign, error.start + 1
    return codecs.backslashreplace_errors(error)


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether the caller reads JSON: asked of the bare arguments, since they may not parse.

    Where a setting asks for it, the option itself says so (`options.json_asked`).
    """
    words = list(arguments)
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _help_hint(error: click.UsageError) -> str | None:
    return f"See `{error.ctx.command_path} --help`." if error.ctx is not None else None


def _fail(message: str, hint: str | None, code: int, as_json: bool) -> int:
    """Say what went wrong: one line on stderr; under --json one object on stdout as well."""
    from sesh.cli.output import emit_json, remark
    from sesh.present.plain import plain

    try:
        remark(plain(f"sesh: {message}{f' {hint}' if hint else ''}"))  # a file's name must not steer the terminal
    except OSError:
        _point_away(sys.stderr)  # full or gone: the exit code still says it
    if as_json:
        failure: dict[str, Any] = {"error": message, "hint": hint, "exitCode": code}
        try:
            emit_json(failure)
        except OSError:
            _point_away(sys.stdout)
    return code
