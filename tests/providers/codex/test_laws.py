"""The laws of design.md §4 for the Codex reader, over every rollout of the corpus and over made-up bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesh.errors import NotASession, SeshError
from sesh.files.read import open_session
from sesh.format import jsontext
from sesh.format.message import Message
from sesh.providers.api import IngestResult, SessionSource
from sesh.providers.codex import PROVIDER
from sesh.providers.codex.reader import parse_codex_rollout
from tests.sessions import CORPUS, every_file

ROLLOUTS = [path for provider, path in every_file() if provider == "codex"]
MEASURED = sorted((Path(__file__).parent / "measured").glob("*.jsonl"))
ALONE = [*(p for p in ROLLOUTS if p.suffix != ".zst"), *MEASURED]
"""Files to be read alone: the corpus, the cases, and what was made by hand to ask the client."""
HOMELESS = [p for p in ALONE if "trees" not in p.parts]
"""Those of them that are no copy of another one."""


def read(path: Path) -> IngestResult:
    return parse_codex_rollout(open_session(path, PROVIDER).source)


def named(path: Path) -> str:
    return path.name if path.parent.name in ("cases", "codex") else f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("path", ROLLOUTS, ids=named)
def test_every_record_of_every_file_is_accounted_for(path: Path) -> None:
    opened = open_session(path, PROVIDER)
    report = parse_codex_rollout(opened.source).report
    assert report.adds_up()
    own = report.files[path.name]
    assert own.lines == sum(1 for line in opened.source.main.split(b"\n") if line.strip())
    assert own.lines == own.used + own.unknown + sum(own.skipped.values())


@pytest.mark.parametrize("path", ROLLOUTS, ids=named)
def test_the_same_bytes_give_the_same_records(path: Path) -> None:
    assert msgspec.json.encode(read(path)) == msgspec.json.encode(read(path))


@pytest.mark.parametrize("path", ROLLOUTS, ids=named)
def test_ids_are_unique_and_messages_belong_to_their_thread(path: Path) -> None:
    result = read(path)
    seen: set[str] = set()
    for thread, messages in [(result.thread, result.messages), *((c.thread, c.messages) for c in result.children)]:
        for message in messages:
            assert message.thread_id == thread.id
            assert message.id not in seen
            assert message.ts
            seen.add(message.id)
    threads = [result.thread.id, *(c.thread.id for c in result.children)]
    assert len(set(threads)) == len(threads)
    assert all(c.thread.parent_thread_id in threads for c in result.children)


@pytest.mark.parametrize("path", ROLLOUTS, ids=named)
def test_times_are_the_sources(path: Path) -> None:
    """Every time stands in a file at hand: none is made up."""
    opened = open_session(path, PROVIDER)
    stands = opened.source.main.decode("utf-8", "replace") + "".join(
        opened.source.companions[k].decode("utf-8", "replace") for k in opened.source.companions
    )
    result = parse_codex_rollout(opened.source)
    for message in [*result.messages, *(m for c in result.children for m in c.messages)]:
        assert f'"{message.ts}"' in stands


def _prefixes(data: bytes) -> Iterator[bytes]:
    at = data.find(b"\n")
    while at >= 0:
        yield data[: at + 1]
        at = data.find(b"\n", at + 1)


def _said(message: Message) -> Message:
    return msgspec.structs.replace(message, usage=None, thread_id="")


def _windowless(messages: list[Message]) -> list[Message]:
    """A rollback may shorten what a compaction had left."""
    return [msgspec.structs.replace(m, window=None) for m in messages]


@pytest.mark.parametrize("path", ALONE, ids=named)
def test_a_longer_file_goes_on_from_what_was_read(path: Path) -> None:
    """Law 4 at every line: messages stay what they were, in their place; only usage may come later.

    The active branch may change: what a rollback takes out must then be in a child thread, as it was.
    """
    before: list[Message] = []
    children = 0
    for data in _prefixes(path.read_bytes()):
        try:
            result = parse_codex_rollout(SessionSource(main=data, name=path.name))
        except NotASession:
            assert not before
            continue
        now = [_said(m) for m in result.messages]
        if len(result.children) > children:
            moved = [_said(m) for m in result.children[-1].messages]
            assert _windowless([*now, *moved])[: len(before)] == _windowless(before)
        else:
            assert now[: len(before)] == before
        before, children = now, len(result.children)


def _counted(result: IngestResult) -> tuple[int, int, int, int]:
    """(input with cached, cached, output, reasoning) of a thread and of what was rolled back in it, as Codex counts."""
    rolled = [c.messages for c in result.children if (c.thread.metadata or {}).get("relation") == "rollback"]
    own = [m.usage for messages in (result.messages, *rolled) for m in messages if m.usage]
    cached = sum(u.cache_read_tokens or 0 for u in own)
    return (
        sum((u.input_tokens or 0) + (u.cache_write_tokens or 0) for u in own) + cached,
        cached,
        sum(u.output_tokens or 0 for u in own),
        sum(u.reasoning_tokens or 0 for u in own),
    )


def _stated(path: Path) -> tuple[int, int, int, int] | None:
    """What the file itself says was used in it: its counter's last state, less its state when the file began.

    `token_usage_record` has a counter that never restarts (0.155 and later). Without one, `token_count`'s total; it
    restarts with each resume up to 0.63, so every stretch between restarts is counted to its end.
    """
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    payloads = [(line.get("type"), line.get("payload") or {}) for line in lines]
    records = [p for kind, p in payloads if kind == "token_usage_record" and p.get("thread_token_usage")]
    if records:
        first, last = records[0], records[-1]
        before = _minus(_numbers(first["thread_token_usage"]), _numbers(first["usage"]))
        return _minus(_numbers(last["thread_token_usage"]), before)
    infos = [p["info"] for _, p in payloads if p.get("type") == "token_count" and p.get("info")]
    totals = [_numbers(i["total_token_usage"]) for i in infos]
    if not totals:
        return None
    ends = [a for a, b in pairwise(totals) if sum(b) < sum(a)]
    stated: Any = tuple(sum(column) for column in zip(*ends, totals[-1], strict=True))
    copied = [i for i, (_, p) in enumerate(payloads) if "forked_from_id" in p]
    if copied:  # a fork of 0.142 begins with a copy of its parent's counts
        own = [p["info"] for _, p in payloads[12:] if p.get("type") == "token_count" and p.get("info")]
        return _numbers(own[0]["last_token_usage"])
    return stated  # type: ignore[no-any-return]


def _numbers(usage: dict[str, Any]) -> tuple[int, int, int, int]:
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
    return tuple(usage.get(n) or 0 for n in names)  # type: ignore[return-value]


def _minus(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    return tuple(x - y for x, y in zip(a, b, strict=True))  # type: ignore[return-value]


@pytest.mark.parametrize("path", [p for p in HOMELESS if CORPUS in p.parents], ids=named)
def test_usage_is_what_the_client_counted(path: Path) -> None:
    stated = _stated(path)
    counted = _counted(parse_codex_rollout(SessionSource(main=path.read_bytes(), name=path.name)))
    assert counted == (stated or (0, 0, 0, 0))


@given(st.binary(max_size=400))
def test_any_bytes_give_a_result_or_say_why_not(data: bytes) -> None:
    _read_or_refuse(data)


_SEED_LINES = [
    line
    for path in HOMELESS
    if path.stat().st_size < 40_000
    for line in path.read_bytes().split(b"\n")
    if line and len(line) < 1500
]
_VALUES = st.sampled_from(
    [
        b"null",
        b"0",
        b"-1",
        b"1e3",
        b'""',
        b'"x"',
        b"[]",
        b"{}",
        b"[null]",
        b'[{"type":1}]',
        b"true",
        b'"\\ud83d"',
        b"NaN",
    ]
)


@st.composite
def _mutated(draw: st.DrawFn) -> bytes:
    """A few real lines, some with a value of another type, cut, doubled or out of order."""
    lines = draw(st.lists(st.sampled_from(_SEED_LINES), min_size=1, max_size=8))
    out = []
    for line in lines:
        for _ in range(draw(st.integers(0, 3))):
            colon = line.find(b":", draw(st.integers(0, max(len(line) - 1, 0))))
            if colon < 0:
                continue
            end = min((e for e in (line.find(c, colon + 1) for c in (b",", b"}", b"]")) if e > 0), default=len(line))
            line = line[: colon + 1] + draw(_VALUES) + line[end:]
        if draw(st.integers(0, 9)) == 0:
            line = line[: draw(st.integers(0, len(line)))]
        out.append(line)
    return draw(st.sampled_from([b"\n", b"\r\n", b""])).join(out)


@given(_mutated())
def test_no_field_of_another_type_costs_more_than_itself(data: bytes) -> None:
    _read_or_refuse(data)


@given(st.sampled_from(HOMELESS), st.data())
def test_a_file_with_one_value_changed(path: Path, data: st.DataObject) -> None:
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    colon = whole.find(b":", at)
    _read_or_refuse(whole[: colon + 1] + data.draw(_VALUES) + whole[colon + 2 :])


def _read_or_refuse(data: bytes) -> None:
    for name in (None, "rollout-2026-11-20T10-00-00-01a1f866-0d00-7226-b63c-5ab791b7584a.jsonl"):
        try:
            result = parse_codex_rollout(SessionSource(main=data, name=name))
        except SeshError:
            continue
        assert result.report.adds_up()
        jsontext.dumps(result.report)  # a kind of record may be a lone surrogate: msgspec alone refuses that
