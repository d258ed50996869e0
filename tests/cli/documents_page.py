"""`schema/sesh-cli.v1.schema.json`: what `--json` prints, made from the types of `sesh.cli.documents`."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from sesh.cli.documents import BY_COMMAND


def schema() -> dict[str, Any]:
    """One document with a definition for each command, under `properties` by the command's name."""
    refs, definitions = msgspec.json.schema_components(BY_COMMAND.values(), ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What the commands of sesh print with --json",
        "description": "Each property describes one command's document; `error` is that of any command that fails.",
        "properties": dict(zip(BY_COMMAND, refs, strict=True)),
        "$defs": definitions,
    }


def text() -> str:
    """The file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
