"""`sesh export`: a conversation as a document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sesh.cli import here
from sesh.cli.options import home_option, json_option, quiet_option, session_argument
from sesh.cli.output import emit_json, need_folder, remark, sums, write_bytes
from sesh.providers.api import IngestedThread, IngestResult

FORMATS = {"html": ".html", "md": ".md", "jsonl": ".jsonl"}


@click.command(
    name="export",
    epilog="SESSION is a path, an id or its beginning, PROVIDER:ID, a title, or nothing for the newest session of "
    "this folder. Without -o the document goes to stdout. A redacted document is one that known forms of secrets were "
    "taken out of; read it before you send it on.",
)
@session_argument
@click.option("--format", "-f", "form", type=click.Choice(list(FORMATS)), help="Default: from -o's name, else html.")
@click.option("--output", "-o", metavar="FILE|FOLDER/|-", help="Where to write. Nothing existing is replaced.")
@click.option("--redact", is_flag=True, help="Take out keys, tokens, e-mail addresses and home folders, and say so.")
@quiet_option
@home_option
@json_option
def command(
    session: str | None,
    form: str | None,
    output: str | None,
    redact: bool,
    quiet: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Write a conversation as an HTML page, Markdown or JSON Lines.

    The HTML page is one file that needs nothing else: no script, no picture from elsewhere.
    """
    if as_json and output in (None, "-"):
        raise click.UsageError("--json needs -o FILE: the document itself would take stdout.")
    form = form or _form_of(output)
    from sesh.export.convert import read_session

    path = here.session_path(session, home)
    provider, read = read_session(path)
    removed: dict[str, int] | None = None
    if redact:
        read, removed = _redacted(read)
    data = _document(read, form, here.client_title(read, provider.title))
    target = _target(output, form, read)
    written = False
    if target is None:
        write_bytes(data)
    else:
        from sesh.files.place import NewFile, place

        written = bool(place([NewFile(path=target.absolute(), chunks=[data])]))
    if as_json:
        document = {"path": str(target), "format": form, "bytes": len(data), "written": written, "redacted": removed}
        emit_json(document)
    elif not quiet:
        if target is not None:
            told = f"Wrote {target}" if written else f"{target} is there already, just the same"
            remark(f"{told} ({len(data):,} bytes).")
        if removed is not None:
            remark(f"Taken out: {sums(removed) or 'nothing was found'}. Rules find forms, not secrets: look it over.")


def _redacted(read: IngestResult) -> tuple[IngestResult, dict[str, int]]:
    import msgspec

    from sesh.export.redact import redact

    clean = redact(read)
    report = msgspec.structs.replace(read.report, notes=[], entries=[])  # notes may quote the session
    again = IngestResult(thread=clean.thread, messages=clean.messages, children=clean.children, report=report)
    return again, clean.removed


def _document(read: IngestResult, form: str, client: str) -> bytes:
    if form == "jsonl":
        from sesh.format import wire

        family = [IngestedThread(thread=read.thread, messages=read.messages), *read.children]
        records = (r for f in family for r in [wire.encode(f.thread), *map(wire.encode, f.messages)])
        return b"".join(record + b"\n" for record in records)
    from sesh.present.outline import outline

    view = outline(read.thread, read.messages, read.children)
    text: Any
    if form == "md":
        from sesh.export import markdown

        text = "\n".join(markdown.document(view, client=client)) + "\n"
    else:
        from sesh.export import html

        text = html.page(view, client=client, report=read.report)
    encoded: bytes = text.encode("utf-8", "replace")
    return encoded


def _form_of(output: str | None) -> str:
    """The format that a file's name says; HTML where it says none. Raises UsageError where it says another."""
    if output in (None, "-") or _is_folder(str(output)):
        return "html"
    suffix = Path(str(output)).suffix.lower()
    known = {"": "html", ".htm": "html", ".markdown": "md", **{v: k for k, v in FORMATS.items()}}
    if suffix not in known:
        raise click.UsageError(f"{suffix} is none of {', '.join(FORMATS.values())}. --format says what to write.")
    return known[suffix]


def _is_folder(output: str) -> bool:
    return output.endswith(("/", "\\")) or Path(output).is_dir()


def _target(output: str | None, form: str, read: IngestResult) -> Path | None:
    if output in (None, "-"):
        return None
    path = Path(str(output))
    need_folder(path)
    if _is_folder(str(output)):
        about = read.thread.metadata or {}
        return path / f"{about.get('sessionId') or read.thread.id}{FORMATS[form]}"
    return path
