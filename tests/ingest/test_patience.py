"""Waiting for a store that failed, with no clock: the pauses are written down and not made."""

from __future__ import annotations

import pytest

from sesh.errors import StoreFailed
from sesh.ingest.patience import Patience

DOWN = StoreFailed("The server is down.")


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def patience(pauses: list[float], said: list[str]) -> Patience:
    def wait(seconds: float) -> bool:
        pauses.append(seconds)
        return len(pauses) > 9  # then somebody ends it

    return Patience(wait, said.append)


def test_pauses_grow_to_a_minute_and_one_that_is_told_to_end_ends(patience: Patience, pauses: list[float]) -> None:
    patience.opened()
    assert [patience.again(DOWN) for _ in range(10)] == [True] * 9 + [False]
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]


def test_each_reason_is_said_once_and_that_it_is_well_again(
    patience: Patience, pauses: list[float], said: list[str]
) -> None:
    patience.opened()
    patience.well()
    for reason in (DOWN, DOWN, StoreFailed("The disk is full."), DOWN):
        assert patience.again(reason)
    patience.well()
    patience.well()
    assert [text.split(".")[0] for text in said] == [
        "The server is down",
        "The disk is full",
        "The server is down",
        "The store answers again",
    ]
    assert patience.again(DOWN)
    assert pauses == [1, 2, 4, 8, 1]
    assert len(said) == 5


def test_a_store_that_never_opened_is_not_waited_for(patience: Patience, pauses: list[float], said: list[str]) -> None:
    with pytest.raises(StoreFailed, match="is down"):
        patience.again(DOWN)
    assert patience.opened()
    assert not patience.opened()
    assert (pauses, said) == ([], [])
