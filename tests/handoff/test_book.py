"""handoff/book.py and link.py: what is written down, and what is believed of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec
import pytest

from sesh.errors import Refused, SeshError
from sesh.handoff import book, extent
from sesh.handoff.book import Book
from sesh.handoff.link import End, Link, find_stamp, link_id, stamp, target_id


def link(n: int, path: Path) -> Link:
    return Link(
        id=link_id(("codex", str(n))),
        kind="handoff",
        source=End(provider="claude-code", session_id="s", path="/s.jsonl", home="/h"),
        to=End(provider="codex", session_id=str(n), path=str(path), home="/c"),
        thread="t",
        read=extent.EMPTY,
        made=extent.EMPTY,
        at=f"2026-11-20T10:00:0{n}.000Z",
        sesh="0.1.0",
    )


def test_a_link_is_believed_when_its_file_was_placed_or_is_there(tmp_path: Path) -> None:
    book = Book(tmp_path / "sesh")
    assert book.links() == []
    placed, there, never = (link(n, tmp_path / f"{n}.jsonl") for n in (1, 2, 3))
    book.planned(placed)
    book.placed(placed)
    book.planned(there)
    (tmp_path / "2.jsonl").touch()
    book.planned(never)
    assert book.links() == [placed, there]
    assert book.made(("codex", "2")) == there
    assert book.made(("codex", "3")) is None


def test_a_link_that_is_made_again_counts_once_and_from_then(tmp_path: Path) -> None:
    book = Book(tmp_path)
    one, two = link(1, tmp_path / "1"), link(2, tmp_path / "2")
    again = msgspec.structs.replace(one, at="2026-11-21T00:00:00.000Z")
    for entry in (one, two, again):
        book.planned(entry)
        book.placed(entry)
    assert book.links() == [two, again]


@pytest.mark.parametrize("cut", [1, 10, 200])
def test_a_torn_line_costs_only_itself(tmp_path: Path, cut: int) -> None:
    book = Book(tmp_path)
    for n in (1, 2):
        book.planned(link(n, tmp_path / str(n)))
        book.placed(link(n, tmp_path / str(n)))
    whole = book.path.read_bytes()
    book.path.write_bytes(whole + b'{"event":"planned","id":"x","at":"2026"'[:cut])
    assert len(book.links()) == 2
    third = link(3, tmp_path / "3")
    book.planned(third)
    book.placed(third)
    assert len(book.links()) == 3, "what is added goes on a line of its own"


def test_the_wire_form_is_camel_case_with_from_and_to(tmp_path: Path) -> None:
    made = link(1, tmp_path)
    value = msgspec.to_builtins(made)
    assert value["v"] == 1
    assert value["from"]["sessionId"] == "s"
    assert "promptsAt" in msgspec.to_builtins(extent.Extent(lines=1, size=1, sha256="", messages=1, prompts_at=[0]))
    assert msgspec.convert(value, Link) == made


def test_a_stamp_is_found_at_the_top_of_a_line_or_under_payload() -> None:
    given = stamp(link(1, Path("/x")))
    line = msgspec.json.encode({"type": "sesh-link", "sesh": {**given, "emittedLines": 7}})
    under = msgspec.json.encode({"type": "session_meta", "payload": {"id": "x", "sesh": {**given, "emittedLines": 9}}})
    for data, count in ((line, 7), (under, 9), (under + b"\n" + line, 7)):
        found = find_stamp(data)
        assert found is not None and (found.emitted_lines, found.link) == (count, link(1, Path("/x")).id)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b'{"emittedLines":3}',
        b'{"sesh":{"emittedLines":3}}',
        b'{"emittedLines"',
        b'["emittedLines"]',
        b'{"sesh":3,"x":"emittedLines"}',
    ],
)
def test_what_is_no_stamp(data: bytes) -> None:
    assert find_stamp(data) is None


def test_the_target_id_is_of_the_bytes_and_the_options() -> None:
    base = ("handoff", ("codex", "s"), "claude-code", ("d1",), {}, 1_795_000_000_000)
    one = target_id(*base)
    assert target_id(*base) == one
    assert target_id(*base[:3], ("d2",), *base[4:]) != one
    assert target_id(*base[:4], {"tools": "keep"}, base[5]) != one
    assert target_id("merge", *base[1:]) != one
    assert one[14] == "7"


def test_who_makes_links_for_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book, "_WAIT_SECONDS", 0.1)
    first, second = Book(tmp_path / "sesh"), Book(tmp_path / "sesh")
    with first.open(), pytest.raises(Refused, match="Another sesh") as waited, second.open():
        pass
    assert "links.lock" in waited.value.message
    if sys.platform.startswith("linux"):
        assert f"(process {os.getpid()})" in waited.value.message


def test_a_book_that_cannot_be_used(tmp_path: Path) -> None:
    """Each error says which file and what to do; a book that was never written is an empty one."""
    (tmp_path / "a file").write_text("")
    here = Book(tmp_path / "a file")
    assert here.links() == []
    with pytest.raises(SeshError, match="a file") as said, here.open():
        pass
    assert said.value.hint
    (tmp_path / "sesh" / "links.jsonl").mkdir(parents=True)
    with pytest.raises(SeshError, match=r"links\.jsonl cannot be read") as said:
        Book(tmp_path / "sesh").links()
    assert said.value.hint
