"""Each command's `--json` is what its schema says, and holds nothing that the schema does not name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sesh.cli.app import SECTIONS
from sesh.cli.documents import BY_COMMAND
from sesh.demo import far_side
from tests.cli.conftest import CLAUDE, CODEX, Sesh
from tests.cli.documents_page import schema

COMMANDS = [name for section in SECTIONS.values() for name in section]


def closed(value: Any) -> Any:
    """A schema that admits no properties but those it names."""
    if isinstance(value, list):
        return [closed(v) for v in value]
    if not isinstance(value, dict):
        return value
    made = {k: closed(v) for k, v in value.items()}
    if made.get("type") == "object" and "properties" in made:
        made.setdefault("additionalProperties", False)
    return made


def check(command: str, document: Any) -> None:
    """Validate a document against the command's definition, closed."""
    whole = schema()
    definition = {**closed(whole["properties"][command]), "$defs": closed(whole["$defs"])}
    errors = [e.message for e in Draft202012Validator(definition).iter_errors(document)]
    assert errors == []


def test_every_command_has_a_schema() -> None:
    without = {"follow": "JSON Lines of ingest's sessions", "schema": "prints a JSON Schema"}
    assert set(BY_COMMAND) == {*COMMANDS, "error"} - set(without)


def test_schemas_are_schemas() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["list", "--all"],
        ["show", CLAUDE],
        ["show", CODEX],
        ["search", "pages"],
        ["search", "nowhere", "--scan"],
        ["export", CODEX, "-o", "x.html"],
        ["export", CODEX, "-o", "x.md", "--redact"],
        ["convert", CLAUDE, "--to", "codex"],
        ["convert", CODEX, "--to", "canonical", "-o", "x.jsonl"],
        ["handoff", "7c9e6a54", "--to", "codex"],
        ["handoff", "7c9e6a54", "--to", "codex", "--dry-run"],
        ["links"],
        ["ingest", "--all", "--store", "jsonl:store"],
        ["providers"],
        ["completion", "zsh"],
        ["doctor"],
        ["demo"],
    ],
    ids=lambda a: " ".join(Path(x).name for x in map(str, a)),
)
def test_a_command_prints_what_its_schema_says(
    sesh: Sesh, demo_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = sesh(*arguments, "--json")
    assert ran.code == 0
    check(arguments[0], ran.json)


def test_handoff_and_merge(sesh: Sesh, demo_home: Path) -> None:
    handed = sesh("handoff", "7c9e6a54", "--to", "codex", "--json").json
    check("handoff", handed)
    check("merge", sesh("merge", handed["sessionId"], "--json").json)
    target = Path(handed["path"])
    with target.open("ab") as f:
        f.writelines(line + b"\n" for line in far_side.turn("codex", target.read_bytes().splitlines()))
    merged = sesh("merge", handed["sessionId"], "--json").json
    check("merge", merged)
    assert merged["turns"] == 1
    check("links", sesh("links", "--json").json)
    check("list", sesh("list", "--json").json)
    check("doctor", sesh("doctor", "--json").json)


@pytest.mark.parametrize("arguments", [["show", "nope"], ["convert"], ["list", "--since", "x"], ["nope"]])
def test_errors(sesh: Sesh, demo_home: Path, arguments: list[str]) -> None:
    ran = sesh(*arguments, "--json")
    check("error", ran.json)
    assert ran.json["exitCode"] == ran.code != 0
