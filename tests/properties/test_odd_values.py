"""Law 6, field by field: one value of one record is not what it always is, and all else is read as before.

Every kind of record, block and event of the corpus and every field in it is a place; each is tried with values of
other types, with nothing, and with text that only a forgiving reader takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sessions import every_file

from sesh.errors import SeshError
from sesh.format import jsontext
from sesh.providers import registry
from sesh.providers.api import SessionSource

CLIENTS = ("claude-code", "codex")
TARGETS = ("claude-code", "codex", "canonical")
LARGEST = 30_000  # bytes: small files have every kind of record too, and are read faster

Path_ = tuple[str | int, ...]


class Place(NamedTuple):
    """A value in a line of a file, by the keys that lead to it."""

    file: Path
    line: int
    keys: Path_


def _values(value: Any, keys: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    yield keys, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield from _values(below, (*keys, key))


def _name(record: Any, keys: Path_) -> str:
    """What a place is called, whichever file it stands in: keys, and the types of the objects on the way."""
    said, at = [], record
    for key in (*keys, None):
        if isinstance(at, dict):
            said.append(str(at.get("type")))
        if key is not None:
            said.append("[]" if isinstance(key, int) else key)
            at = at[key]
    return "/".join(said)


@cache
def places(client: str) -> list[Place]:
    """One place of each name, in the smallest file that has it."""
    files = sorted((p for c, p in every_file() if c == client and p.suffix == ".jsonl"), key=lambda p: p.stat().st_size)
    found: dict[str, Place] = {}
    for file in files:
        if file.stat().st_size > LARGEST:
            break
        for number, line in enumerate(file.read_bytes().split(b"\n")):
            try:
                record = jsontext.loads(line)
            except jsontext.UnreadableJson:
                continue
            for keys, _ in _values(record):
                found.setdefault(_name(record, keys), Place(file, number, keys))
    return list(found.values())


def changed(place: Place, value: Any) -> bytes:
    """The file with another value in that place."""
    lines = place.file.read_bytes().split(b"\n")
    record: Any = jsontext.loads(lines[place.line])
    if place.keys:
        holder = record
        for key in place.keys[:-1]:
            holder = holder[key]
        holder[place.keys[-1]] = value
    else:
        record = value
    lines[place.line] = json.dumps(record).encode()
    return b"\n".join(lines)


ODD = st.sampled_from(
    [
        *[None, True, 0, -1, 1.5, 10**30, "", "x", "\ud83d", "\ud83d\0", [], ["x"], [{}], [None], [[1]], {}],
        *[{"type": "text"}, {"type": ["x"]}, {"a": {"b": None}}, {"\ud83d": 1}],
        *["2026-13-45T99:99:99Z", '{"x":1}', "../.."],
    ]
)


def holds(client: str, data: bytes, name: str | None) -> None:
    """Read, and write for everyone; accounts add up and every line written is one JSON object."""
    try:
        read = registry.get(client).parse(SessionSource(main=data, name=name))
    except SeshError:
        return
    report = read.report
    assert report.lines == report.used + report.unknown + sum(report.skipped.values())
    for target in TARGETS:
        try:
            written = registry.get(target).emit(read.thread, read.messages, children=read.children)
        except SeshError:
            continue
        account = written.report
        assert account.blocks == account.written + sum(account.changed.values()) + sum(account.dropped.values())
        assert ".." not in Path(written.path).parts
        for line in written.lines:
            assert b"\n" not in line
            record = json.loads(line)
            if target == "codex":
                jsontext.encode_any(record)  # a strict reader takes it: this raises where half a pair stands in it


@pytest.mark.parametrize("client", CLIENTS)
def test_one_odd_value(client: str) -> None:
    @given(place=st.sampled_from(places(client)), value=ODD)
    def odd(place: Place, value: Any) -> None:
        holds(client, changed(place, value), place.file.name)

    odd()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("value", ["\ud83d", ["x"], None])
def test_every_id_and_number(client: str, value: Any) -> None:
    """The fields that are looked up by, or reckoned with."""
    asked = ("id", "uuid", "Uuid", "Id", "tokens", "ordinal", "timestamp", "status", "type", "exit_code", "isMeta")
    for place in places(client):
        if place.keys and str(place.keys[-1]).endswith(asked):
            holds(client, changed(place, value), place.file.name)


@pytest.mark.parametrize("depth", [500, 700, *range(900, 1000, 4)])
def test_just_below_the_limit_of_nesting(depth: int) -> None:
    """What Python can just read is too deep for it further inside: a result or a SeshError all the same."""
    nested = '{"a":' * depth + '"\\ud83d"' + "}" * depth
    codex = f"""{{"timestamp":"2026-03-01T11:00:00Z","type":"session_meta","payload":{{"id":"x","more":{nested}}}}}
{{"type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"hi"}}]}}}}
{{"type":"response_item","payload":{{"type":"function_call","name":"f","call_id":"c","arguments":{json.dumps(nested)}}}}}
{{"type":"response_item","payload":{{"type":"function_call_output","call_id":"c","output":{nested}}}}}
{{"type":"response_item","payload":{{"type":"odd","value":{nested}}}}}"""
    claude = f"""{{"type":"user","uuid":"u1","timestamp":"2026-03-01T11:00:00Z","message":{{"content":"hi"}}}}
{{"type":"assistant","uuid":"u2","parentUuid":"u1","message":{{"id":"m","content":[
{{"type":"tool_use","id":"t","name":"n","input":{nested}}},{{"type":"odd","value":{nested}}}]}}}}
{{"type":"user","uuid":"u3","parentUuid":"u2","toolUseResult":{nested},"message":{{"role":"user","content":[
{{"type":"tool_result","tool_use_id":"t","content":[{nested}]}}]}}}}"""
    for client, data in (("codex", codex), ("claude-code", claude.replace("[\n", "["))):
        for target in TARGETS:
            with suppress(SeshError):
                read = registry.get(client).parse(data)
                assert registry.get(target).emit(read.thread, read.messages).lines
