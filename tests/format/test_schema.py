"""The schema says what the structs say, its own kind of validator and ajv agree, and the types fit the records."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from tests.clients.fixtures import absent
from tests.sessions import every_file

from sesh.format import fields, jsontext, schema, wire
from sesh.format.message import Message, Provenance, Usage
from sesh.format.thread import Thread
from sesh.testing.conversations import Conversation, wild_conversations

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "schema" / "sesh.v1.schema.json"
CHECK = ROOT / "schema" / "check"
V1 = ROOT / "tests" / "formats" / "v1"

VALIDATOR = jsonschema.Draft202012Validator(schema.json_schema())

INVALID = [
    '{"v":1,"id":"t"}',
    '{"v":2,"id":"t","createdAt":""}',
    '{"id":"t","createdAt":""}',
    '{"v":1,"id":"t","createdAt":"","title":null}',
    '{"v":1,"id":"t","createdAt":"","metadata":[]}',
    '{"v":1,"id":"m","threadId":"t","role":"chorus","ts":"","content":[]}',
    '{"v":1,"id":"m","threadId":"t","role":"user","ts":""}',
    '{"v":1,"id":"m","threadId":7,"role":"user","ts":"","content":[]}',
    '{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":["words"]}',
    '{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[{"text":"x"}]}',
    '{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[{"type":"text"}]}',
    '{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[{"type":"tool_call","callId":"c","name":"n"}]}',
    '{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[],"usage":{"inputTokens":1.5}}',
    '{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[],"window":"m"}',
    '{"v":1,"id":"m","threadId":"t","role":"user","ts":"","content":[],"provenance":{"provider":"x"}}',
]


def node(*arguments: str | Path) -> str:
    """Run node with the packages of schema/check; its output. Skips where they are not installed."""
    program = shutil.which("node")
    if program is None or not (CHECK / "node_modules").is_dir():
        absent("node, or the packages of schema/check, are not installed: make node", "SESH_REQUIRE_NODE")
    found = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=CHECK)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def by_ajv(*files: Path) -> list[dict[str, Any]]:
    """What ajv says of each record of these files."""
    return [json.loads(line) for line in node(CHECK / "validate.mjs", SCHEMA, *files).splitlines()]


def test_every_field_is_described_and_no_other() -> None:
    for struct in (Thread, Message, Usage, Provenance, *wire.BLOCKS.values()):
        names = {f.encode_name for f in msgspec.structs.fields(struct)}
        tag = struct.__struct_config__.tag_field
        names |= {tag} if tag else set()
        if struct in wire.BLOCKS.values():
            names -= fields.BLOCK_FIELDS.keys()
        assert fields.FIELDS[struct.__name__].keys() == names, struct.__name__
    assert fields.STRUCTS.keys() == fields.FIELDS.keys()


def test_the_committed_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMA.read_text("utf-8")))


@given(told=wild_conversations())
def test_what_sesh_writes_is_valid(told: Conversation) -> None:
    for record in (told.thread, *told.messages):
        VALIDATOR.validate(jsontext.loads(wire.encode(record)))


@pytest.mark.parametrize("text", INVALID)
def test_what_is_not_valid(text: str) -> None:
    assert not VALIDATOR.is_valid(json.loads(text))


def test_what_sesh_reads_as_v1_without_a_murmur_is_valid() -> None:
    """But for null where a field should be left out, which the reader forgives."""
    for text in INVALID:
        if "null" not in text and '"v":2' not in text:
            with pytest.raises(wire.NotARecord):
                wire.load(text)


def test_ajv_agrees(tmp_path: Path) -> None:
    bad = tmp_path / "invalid.jsonl"
    bad.write_text("".join(f"{line}\n" for line in INVALID))
    files = sorted(V1.glob("*.jsonl"))
    said = by_ajv(*files, bad)
    assert len(said) == sum(len(f.read_bytes().splitlines()) for f in [*files, bad])
    for row in said:
        name = Path(row["file"]).name
        assert row["valid"] is (name not in ("invalid.jsonl", "newer.jsonl")), row


def test_ajv_accepts_the_whole_corpus(tmp_path: Path) -> None:
    """Every record that the readers make of every session of the corpus and of the cases."""
    from sesh.errors import NotASession
    from sesh.files.read import open_session
    from sesh.providers import registry

    out, count = tmp_path / "corpus.jsonl", 0
    with out.open("wb") as f:
        for provider, path in every_file():
            try:
                opened = open_session(path, registry.get(provider))
                result = opened.provider.parse(opened.source, keep_raw=True, agent_id="a", run_id="r")
            except NotASession:
                continue
            for record in (
                result.thread,
                *result.messages,
                *(r for c in result.children for r in (c.thread, *c.messages)),
            ):
                f.write(wire.encode(record) + b"\n")
                count += 1
    said = by_ajv(out)
    assert [row for row in said if not row["valid"]] == []
    assert len(said) == count > 1000


def test_the_types_fit_the_records(tmp_path: Path) -> None:
    """tsc takes the records as CanonicalRecord, and refuses those that are none."""
    good = [line for f in ("every-field", "seeds-only") for line in (V1 / f"{f}.jsonl").read_text("utf-8").splitlines()]
    assert compiled(tmp_path, good) == []
    bad = [t for t in INVALID if "null" not in t and "1.5" not in t]  # TypeScript has one kind of number
    assert sorted(compiled(tmp_path, bad)) == list(range(len(bad)))


def compiled(folder: Path, records: Sequence[str]) -> list[int]:
    """The numbers of the records that tsc refuses."""
    module = folder / "records.ts"
    lines = [f'import type {{ CanonicalRecord }} from "{(ROOT / "schema/sesh.v1.js").as_posix()}";']
    lines += [f"export const r{n}: CanonicalRecord = {text};" for n, text in enumerate(records)]
    module.write_text("\n".join(lines) + "\n", encoding="utf-8")
    script = (
        "const ts = require('typescript');"
        "const program = ts.createProgram([process.argv[1]], {strict: true, noEmit: true,"
        " module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: []});"
        "for (const d of ts.getPreEmitDiagnostics(program))"
        " console.log(d.file ? d.file.getLineAndCharacterOfPosition(d.start).line : -1);"
    )
    found = {int(line) - 1 for line in node("-e", script, module).split()}
    assert min(found, default=0) >= 0, "the types themselves are refused"
    return sorted(found)
