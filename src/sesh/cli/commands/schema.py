"""`sesh schema`: the canonical format for other programs, as JSON Schema or TypeScript."""

from __future__ import annotations

import click

from sesh.cli.options import json_asked
from sesh.cli.output import emit_json, write_bytes
from sesh.format.schema import json_schema
from sesh.format.typescript import typescript


@click.command(epilog="docs/reference/format.md says the same in words, and where each field comes from.")
@click.option("--typescript", "as_typescript", is_flag=True, help="TypeScript types instead of JSON Schema.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    is_eager=True,
    callback=json_asked,
    help="JSON Schema, which is what it prints anyway.",
)
def command(as_typescript: bool, as_json: bool) -> None:
    """Print the schema of the canonical format."""
    if as_typescript and as_json:
        raise click.UsageError("Either --typescript or --json.")
    if as_typescript:
        write_bytes(typescript(json_schema()).encode())
    else:
        emit_json(json_schema())
