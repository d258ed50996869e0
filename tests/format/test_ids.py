"""Derived ids: fixed for ever, apart for different names."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from sesh.format import ids
from sesh.testing.strategies import texts


def test_ids_never_change() -> None:
    """These values are in people's stores. If this test fails, the code is wrong, not the test."""
    assert ids.thread_id("codex", "s") == "365fe341-928f-5ff7-b9e2-c902af98fb01"
    assert ids.message_id("claude-code", "s", "line:1") == "ecf130c6-d248-5231-afc4-0afebf903c76"


@given(parts=st.lists(texts(), max_size=4))
def test_an_id_is_a_version_5_uuid(parts: list[str]) -> None:
    assert uuid.UUID(ids.derive(*parts)).version == 5


def test_an_id_is_what_uuid5_gives() -> None:
    assert ids.derive("a", "b") == str(uuid.uuid5(uuid.UUID(bytes=ids.NAMESPACE), "a\x1fb"))


@given(provider=st.text(), session=st.text(), source=st.text())
def test_the_ids_of_many_messages_are_those_of_each(provider: str, session: str, source: str) -> None:
    made = ids.Messages(provider, session)
    assert made.id(source) == made.id(source) == ids.message_id(provider, session, source)


def test_order_and_boundaries_matter() -> None:
    assert len({ids.derive("a", "b"), ids.derive("b", "a"), ids.derive("ab"), ids.derive("a", "b", "")}) == 4


@given(ms=st.integers(0, 2**48 - 1), seed=st.text())
def test_uuid7_holds_its_time(ms: int, seed: str) -> None:
    made = uuid.UUID(ids.uuid7(ms, seed))
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert made.int >> 80 == ms
    assert ids.uuid7(ms, seed) == str(made)


def test_uuid7_sorts_by_time() -> None:
    made = [ids.uuid7(ms, "x") for ms in (0, 1, 10**12, 2 * 10**12)]
    assert made == sorted(made)
