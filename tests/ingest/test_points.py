"""Names that were used are always found; points come back as they were kept, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sesh.files.tail import Print
from sesh.ingest.points import Names, Point, Points
from sesh.ingest.thread import Mark
from sesh.providers.api import Place

POINT = Point(
    provider="codex",
    session_id="s",
    thread=b"{}",
    mark=Mark(messages=3),
    print=Print(size=5, node=1, digest=b"d"),
    place=Place(offset=2, line=2, end=5),
    before=1,
    beside=b"b",
    names=b"",
    children=[],
    held_below=0,
    keep_raw=False,
    agent_id=None,
)


@given(st.lists(st.lists(st.text())))
def test_no_name_is_missed(added: list[list[str]]) -> None:
    names = Names()
    for some in added:
        names.add(some)
        names = Names(names.packed())
    assert all(names.has(name) for some in added for name in some if name)
    assert not Names().has("a")


def test_names_that_were_not_used() -> None:
    names = Names()
    names.add(f"call_{n}" for n in range(20_000))
    assert sum(names.has(f"toolu_{n}") for n in range(20_000)) < 5
    assert len(names.packed()) <= 80_000


def test_a_point_for_each_store(tmp_path: Path) -> None:
    one, other = Points(tmp_path / "p", "one"), Points(tmp_path / "p", "other")
    session = tmp_path / "s.jsonl"
    assert one.load(session) is None
    one.save(session, POINT)
    assert one.load(session) == POINT
    assert other.load(session) is None
    other.save(session, msgspec.structs.replace(POINT, before=2))
    assert one.load(session) == POINT
    one.save(session, None)
    one.save(session, None)
    assert one.load(session) is None
    assert other.load(session) is not None


def test_old_points_go(tmp_path: Path) -> None:
    points = Points(tmp_path / "p", "one")
    points.save(tmp_path / "old.jsonl", POINT)
    [old] = (tmp_path / "p").iterdir()
    os.utime(old, (0, 0))
    points.save(tmp_path / "new.jsonl", POINT)
    assert points.load(tmp_path / "old.jsonl") is None
    assert points.load(tmp_path / "new.jsonl") == POINT
    assert oct((tmp_path / "p").stat().st_mode)[-3:] == "700"
    assert {oct(p.stat().st_mode)[-3:] for p in (tmp_path / "p").iterdir()} == {"600"}


def test_a_damaged_point_is_none(tmp_path: Path) -> None:
    points, session = Points(tmp_path / "p", "one"), tmp_path / "s.jsonl"
    points.save(session, POINT)
    [file] = (tmp_path / "p").iterdir()
    good = file.read_bytes()
    for at in range(len(good)):
        file.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        assert points.load(session) is None
        file.write_bytes(good[:at])
        assert points.load(session) is None
    file.write_bytes(good)
    assert points.load(session) == POINT
