"""Counters in the place of timers: how often the readers decode, and that a file's bytes are not kept twice."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from bench import generate

from sesh.format import jsontext
from sesh.providers import registry
from sesh.providers.api import SessionSource
from sesh.providers.claude_code import records as claude_records
from sesh.providers.codex import records as codex_records

SIZE = 200_000


class Counter:
    """A function that counts how often it is called, and with how many bytes."""

    def __init__(self, inner: Callable[..., Any]) -> None:
        self.inner = inner
        self.calls = self.size = 0

    def __call__(self, data: bytes | str, *more: Any) -> Any:
        self.calls += 1
        self.size += len(data)
        return self.inner(data, *more)


class CountingDecoder:
    """A decoder whose `decode` counts."""

    def __init__(self, inner: msgspec.json.Decoder[Any]) -> None:
        self.decode = Counter(inner.decode)


@pytest.fixture(params=["claude", "codex"])
def session(request: pytest.FixtureRequest) -> Iterator[tuple[str, bytes]]:
    """A provider's name, and a session of it."""
    yield {"claude": "claude-code"}.get(request.param, request.param), b"".join(generate.lines(request.param, SIZE))


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[Counter]:
    """The decoders of whole lines: the fast ones of both readers."""
    claude = CountingDecoder(claude_records._DECODER)
    codex = Counter(codex_records._decode)
    monkeypatch.setattr(claude_records, "_DECODER", claude)
    monkeypatch.setattr(codex_records, "_decode", codex)
    return [claude.decode, codex]


def test_each_line_is_decoded_once(session: tuple[str, bytes], decoded: list[Counter]) -> None:
    name, data = session
    registry.get(name).parse(data)
    assert sum(c.calls for c in decoded) == data.count(b"\n")
    assert sum(c.size for c in decoded) == len(data) - data.count(b"\n")


def test_no_line_is_decoded_again(session: tuple[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """What else is decoded is JSON in a string of a line (arguments of a call), or a line that is kept whole."""
    name, data = session
    again: list[bytes | str] = []
    decode = jsontext.decode_any
    monkeypatch.setattr(jsontext, "decode_any", lambda given: [again.append(given), decode(given)][1])
    report = registry.get(name).parse(data).report
    lines = set(data.split(b"\n"))
    twice = [given for given in again if (given.encode() if isinstance(given, str) else given) in lines]
    assert len(twice) <= report.unknown
    assert sum(map(len, again)) < len(data) / 10


def test_a_session_without_companions_asks_for_none_by_content(session: tuple[str, bytes]) -> None:
    name, data = session
    asked: list[str] = []

    class Beside(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            asked.append(key)
            raise KeyError(key)

    registry.get(name).parse(SessionSource(main=data, companions=Beside()))
    assert len(asked) <= 1


def test_the_file_is_let_go(session: tuple[str, bytes]) -> None:
    """Nothing that a reading returns holds the file's bytes, or those of its lines."""
    name, data = session
    read = registry.get(name).parse(data)
    longest = max(data.split(b"\n"), key=len)
    gc.collect()
    seen: set[int] = set()
    waiting: list[Any] = [read]
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        assert not isinstance(value, (bytes, bytearray, memoryview)) or len(value) < len(longest)
        if isinstance(value, msgspec.Struct):
            waiting += [getattr(value, f) for f in value.__struct_fields__]
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, (list, tuple)):
            waiting += value
