"""The laws every provider keeps, as a pytest class: a third party proves its provider with it.

    class TestMine(ProviderSuite):
        provider = PROVIDER
        samples = sorted(Path(__file__).parent.glob("samples/*.jsonl"))

Needs the packages `pytest` and `hypothesis`. The laws:

1. Conservation: every line read and every block written is accounted for, once.
2. The report is the difference: what is read back is what was written, less what the report names.
3. Idempotence: the same input gives the same ids and the same bytes.
4. Growth: a longer reading of a growing file only adds.
5. Bytes: no file of a client is ever changed. About files, so not asked here but of `sesh.handoff`.
6. No crash: any bytes give a result or a SeshError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import ClassVar, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesh.errors import NotASession, SeshError
from sesh.files.read import open_session
from sesh.ingest.settle import settled
from sesh.providers.api import EmitResult, IngestResult, Provider, SessionSource
from sesh.testing.conversations import Conversation, conversations, wild_conversations
from sesh.testing.difference import difference
from sesh.testing.growth import lost_by_growth
from sesh.testing.reading_on import From, places, same, went_on
from sesh.testing.strategies import FOLDER
from sesh.testing.unhurried import unhurried

T = TypeVar("T")
MOST_PREFIXES = 40
MOST_PLACES = 6


def emitted(provider: Provider, told: Conversation, **options: object) -> EmitResult:
    """A conversation, children included, as the provider's files."""
    return provider.emit(told.thread, told.messages, children=told.children, cwd=FOLDER, **options)  # type: ignore[arg-type]


def source_of(provider: Provider, result: EmitResult) -> SessionSource:
    """What a writer emitted, as the reader would find it on a disk."""
    anchor = provider.layout.anchor(PurePath(result.path))
    beside = {
        PurePath(f.path).relative_to(anchor).as_posix(): b"".join(line + b"\n" for line in f.lines)
        for f in [*result.files, *result.appends]
        if PurePath(f.path).is_relative_to(anchor)
    }
    main = b"".join(line + b"\n" for line in result.lines)
    return SessionSource(main=main, name=PurePath(result.path).name, companions=beside)


def read_back(provider: Provider, result: EmitResult) -> IngestResult:
    """What a writer emitted, read again."""
    return provider.parse(source_of(provider, result))


def told_by(result: IngestResult) -> Conversation:
    """What a reader gave, as what a writer takes."""
    return Conversation(thread=result.thread, messages=result.messages, children=result.children)


def prefixes(data: bytes, most: int = MOST_PREFIXES) -> list[bytes]:
    """A file as it was after some of its lines were written: all boundaries, or `most` of them spread evenly."""
    ends = [m.end() for m in re.finditer(b"\n", data)]
    step = max(1, -(-len(ends) // most))
    return [data[:end] for end in ends[::step]]


class ProviderSuite:
    """Laws 1, 2, 3, 4 and 6, over generated conversations and over samples."""

    provider: ClassVar[Provider]
    samples: ClassVar[Sequence[Path]] = ()
    never_growing: ClassVar[Mapping[str, str]] = {}
    """Samples, by a part of their path, that no client writes line by line, and why: law 4 does not ask for them."""

    @pytest.fixture(autouse=True)
    def _slow_machines(self) -> Iterator[None]:
        with unhurried():
            yield

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One test for each sample."""
        if "sample" in metafunc.fixturenames:
            metafunc.parametrize("sample", self.samples, ids=[p.name for p in self.samples])

    # the laws over generated conversations

    def test_law_1_every_block_is_accounted_for(self) -> None:
        def holds(told: Conversation) -> None:
            report = emitted(self.provider, told).report
            handed = sum(len(m.content) for m in told.messages)
            handed += sum(len(m.content) for child in told.children for m in child.messages)
            assert report.adds_up()
            assert report.blocks == handed

        _for_all(wild_conversations(), holds)
        _for_all(conversations(), holds)

    def test_law_1_every_written_line_is_read(self) -> None:
        def holds(told: Conversation) -> None:
            result = emitted(self.provider, told)
            report = read_back(self.provider, result).report
            assert report.adds_up()
            assert report.lines >= len(result.lines)

        _for_all(conversations(), holds)

    def test_law_2_the_report_is_the_difference(self) -> None:
        def holds(told: Conversation) -> None:
            result = emitted(self.provider, told)
            _nothing(difference(told, [result.report], read_back(self.provider, result)))

        _for_all(conversations(), holds)

    def test_law_2_for_what_no_reader_gives(self) -> None:
        def holds(told: Conversation) -> None:
            result = emitted(self.provider, told)
            try:
                got = read_back(self.provider, result)
            except NotASession:
                assert not result.report.written, "what was written must be a session"
                return
            _nothing(difference(told, [result.report], got))

        _for_all(wild_conversations(), holds)

    def test_law_3_same_input_same_bytes(self) -> None:
        def holds(told: Conversation) -> None:
            assert emitted(self.provider, told) == emitted(self.provider, told)

        _for_all(wild_conversations(), holds)

    # the laws over any bytes

    def test_law_6_no_bytes_crash_the_reader(self) -> None:
        _for_all(st.binary(max_size=200), lambda data: _read_anything(self.provider, data))

    def test_law_6_no_damage_crashes_the_reader(self) -> None:
        def holds(data: st.DataObject) -> None:
            whole = source_of(self.provider, emitted(self.provider, data.draw(conversations()))).main
            _read_anything(self.provider, data.draw(damaged(whole)))

        _for_all(st.data(), holds)

    # the laws over samples

    def test_law_1_every_line_is_accounted_for(self, sample: Path) -> None:
        result = self._read(sample)
        assert result.report.adds_up()
        assert sum(f.lines for f in result.report.files.values()) == result.report.lines

    def test_law_3_same_bytes_same_ids(self, sample: Path) -> None:
        assert self._read(sample) == self._read(sample)

    def test_law_4_growth_only_adds(self, sample: Path) -> None:
        """Read alone: what lies beside a file may be written after it, and then the file no longer grows."""
        for part, why in self.never_growing.items():
            if part in sample.as_posix():
                pytest.skip(why)
        source = open_session(sample, self.provider).source
        before: IngestResult | None = None
        for data in prefixes(source.main):
            try:
                now = self.provider.parse(SessionSource(main=data, name=source.name))
            except NotASession:
                assert before is None, "a longer file is no session any more"
                continue
            if before is not None:
                _nothing(lost_by_growth(before, now))
            before = now

    def test_reading_on_is_reading_the_whole(self, sample: Path) -> None:
        """`Provider.onward`, where there is one: at every length, from every place, for the lengths that follow."""
        if self.provider.onward is None:
            pytest.skip("this provider's sessions are always read whole")
        onward, source = self.provider.onward(), open_session(sample, self.provider).source
        known: list[From] = []
        for data in prefixes(source.main):
            now = SessionSource(main=data, name=source.name, companions=source.companions)
            try:
                whole = self.provider.parse(now)
            except NotASession:
                continue
            for place in known:
                read = went_on(onward, place, now)
                assert read is None or same(read, whole), f"read on from {place.place} to {len(data)} bytes"
            known = [*places(onward, now, whole, settled(whole.messages)), *known][:MOST_PLACES]

    def test_law_6_samples_are_read(self, sample: Path) -> None:
        try:
            self._read(sample)
        except NotASession:
            assert not sample.stat().st_size

    def _read(self, sample: Path) -> IngestResult:
        return self.provider.parse(open_session(sample, self.provider).source)


def _for_all(values: st.SearchStrategy[T], holds: Callable[[T], None]) -> None:
    """A property, asked from inside a method: a `@given` method that classes inherit is one Hypothesis warns about."""
    given(values)(holds)()


def _nothing(found: list[str]) -> None:
    """Fail with what was found. (Assertions in installed packages are not rewritten by pytest.)"""
    assert not found, "\n".join(found)


def _read_anything(provider: Provider, data: bytes) -> None:
    try:
        result = provider.parse(SessionSource(main=data, name=None))
    except SeshError:
        return
    assert result.report.adds_up()


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """A file as accidents leave it: lines cut, joined, doubled, swapped, overwritten with noise; other line ends."""
    lines = whole.split(b"\n")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        line = lines[at]
        match draw(st.sampled_from(("cut", "join", "double", "swap", "noise", "bytes", "retype"))):
            case "cut":
                lines[at] = line[: draw(st.integers(0, len(line)))]
            case "join" if at + 1 < len(lines):
                lines[at : at + 2] = [line + lines[at + 1]]
            case "double":
                lines.insert(at, line)
            case "swap":
                other = draw(st.integers(0, len(lines) - 1))
                lines[at], lines[other] = lines[other], lines[at]
            case "noise":
                lines.insert(at, draw(st.sampled_from(_NOISE)))
            case "bytes":
                cut = draw(st.integers(0, len(line)))
                lines[at] = line[:cut] + draw(st.binary(max_size=4)) + line[cut:]
            case "retype":
                lines[at] = line.replace(*draw(st.sampled_from(_RETYPED)))
    return draw(st.sampled_from((b"\n", b"\n", b"\r\n"))).join(lines)


_NOISE = (
    b"",
    b"\0" * 40,
    b"null",
    b"[]",
    b"{}",
    b"1e400",
    b"NaN",
    b'{"type":1}',
    b'{"type":null}',
    b'{"type":"user"}',
    b'{"type":"response_item"}',
    b'{"type":"response_item","payload":null}',
    b'{"type":"event_msg","payload":{"type":[]}}',
    b'{"type":"session_meta","payload":{}}',
    b'{"type":"user","message":"words","uuid":7}',
    b"[" * 100_000,
    b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    b'{"type":"user","message":{"role":"user","content":' + b"[" * 900 + b"]" * 900 + b"}}",
    b'"\\ud83d"',
    b"\xff\xfe\xfd",
    b"\xef\xbb\xbf{}",
)
_RETYPED = (
    (b'"content":[', b'"content":[null,'),
    (b'"content":[', b'"content":[7,'),
    (b'"text":"', b'"text":["'),
    (b'"timestamp":"', b'"timestamp":7,"was":"'),
    (b'"parentUuid":', b'"parentUuid":{},"was":'),
    (b'"payload":{', b'"payload":[],"was":{'),
    (b'"message":{', b'"message":[],"was":{'),
    (b'"type":"', b'"type":null,"was":"'),
    (b'"uuid":"', b'"uuid":[],"was":"'),
    (b'"call_id":"', b'"call_id":null,"was":"'),
)
