"""`sesh convert`: a session in another form, file to file. Nothing is placed where a client looks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from sesh.cli import here
from sesh.cli.options import (
    ProviderName,
    account_options,
    emit_options,
    session_argument,
    writing_options,
)
from sesh.cli.output import emit_json, give_account, loss, loss_line, need_folder, remark, write_chunks
from sesh.export.convert import Conversion, convert, files_for
from sesh.files.place import NewFile, TextChunks, place
from sesh.providers import registry

STDOUT = "-"


@click.command(
    name="convert",
    epilog="SESSION is a path, `-` for stdin, an id or its beginning, PROVIDER:ID, a title, or nothing for the newest "
    "session of this folder. `-o FOLDER/` writes under the name the client itself would use, sub-agents beside it. "
    "Without -o the result goes to stdout; with --json and no -o only the account is printed.",
)
@session_argument
@click.option("--to", type=ProviderName(formats=True), required=True, help="The form to write.")
@click.option("--output", "-o", metavar="FILE|FOLDER/|-", help="Where to write. Nothing existing is replaced.")
@click.option("--cwd", help="The folder the session is to belong to. Default: its own.")
@click.option("--session-id", help="The id to write under. Default: one derived from the session, always the same.")
@click.option("--keep-raw", is_flag=True, help="Keep each source record whole: in `raw` (canonical), or as the line.")
@writing_options
@account_options
def command(
    session: str | None,
    to: str,
    output: str | None,
    cwd: str | None,
    session_id: str | None,
    keep_raw: bool,
    report_file: Path | None,
    strict: bool,
    quiet: bool,
    home: Path | None,
    as_json: bool,
    **writing: Any,
) -> None:
    """Write a session in another client's form, file to file.

    Nothing is placed where a client looks: `sesh handoff` does that.
    """
    if as_json and output == STDOUT:
        raise click.UsageError("--json and -o - both want stdout. Give -o FILE, or leave one of them out.")
    if session == STDOUT:
        source: Path | bytes = sys.stdin.buffer.read()
    else:
        source = here.session_path(session, home)
    options = emit_options(**writing)
    options["keep_raw"] = keep_raw
    if cwd is not None:
        options["cwd"] = here.folder(cwd)
    if session_id is not None:
        options["session_id"] = session_id
    if "history" not in options and to != registry.CANONICAL:
        options["client_version"] = here.client_version(to, home)
    done = convert(source, to, {"keep_raw": keep_raw}, **options)

    streamed = output in (None, STDOUT)
    left_behind = len(done.emitted.files) if streamed and not as_json else 0
    lost = (
        f"{_files(left_behind)} of sub-agents left out, for want of a folder (-o FOLDER/)"
        if left_behind
        else loss(done.emitted.report)
    )
    give_account(done.report, report_file, strict=strict, lost=lost, words=("written", "write it"))
    path: Path | None = None
    written = False
    if output is not None and output != STDOUT:
        path, written = _write(done, output)
    elif not as_json:
        write_chunks(TextChunks(done.emitted.lines))
    if as_json:
        emit_json(_document(done, source, path, written))
    elif not quiet:
        remark(_summary(done, path, written, left_behind, report_file))


def _write(done: Conversion, output: str) -> tuple[Path, bool]:
    """The session's file, and whether any file is new."""
    target = Path(output)
    need_folder(target)
    if output.endswith(("/", "\\")) or target.is_dir():
        files = files_for(done.emitted, target)
    elif target.exists() and not target.is_file():  # a pipe, /dev/null: there is nothing to protect
        with target.open("wb") as f:
            f.writelines(TextChunks(done.emitted.lines))
        return target, True
    else:
        files = files_for(done.emitted, target.parent, name=target.name)
    new = place([NewFile(path=f.path.absolute(), chunks=f.chunks) for f in files])
    return files[-1].path, bool(new)


def _document(done: Conversion, source: Path | bytes, path: Path | None, written: bool) -> dict[str, Any]:
    return {
        "from": {
            "provider": done.source.name,
            "threadId": done.read.thread.id,
            "path": str(source) if isinstance(source, Path) else None,
        },
        "provider": done.target.name,
        "sessionId": done.emitted.session_id,
        "path": str(path) if path is not None else None,
        "written": written,
        "lines": len(done.emitted.lines),
        "files": [f.path for f in done.emitted.files],
        "report": done.report,
    }


def _summary(done: Conversion, path: Path | None, written: bool, left_behind: int, report_file: Path | None) -> str:
    read = done.read.report
    text = f"{done.source.title} to {done.target.title}: {read.lines} lines read"
    text += f" ({read.unknown} of unknown kinds kept)" if read.unknown else ""
    if path is None or written:
        text += f", {len(done.emitted.lines)} written{f' to {path}' if path is not None else ''}; "
    else:
        text += f"; {path} is there already, just the same; "
    text += loss_line(done.emitted.report)
    if left_behind:
        text += f"; {_files(left_behind)} of sub-agents left out, for want of a folder (-o FOLDER/)"
    elif path is not None and done.emitted.files:
        text += f"; {_files(len(done.emitted.files))} beside it"
    return f"{text}." + ("" if report_file is not None else " --report FILE tells it all.")


def _files(number: int) -> str:
    from sesh.handoff.wording import counted  # only a session with sub-agents needs it

    return counted(number, "file")
