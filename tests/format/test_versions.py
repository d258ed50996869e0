"""How a version 2 would come: one step over plain objects, the stored text untouched."""

from __future__ import annotations

from typing import Any

import pytest

from sesh.format import versions, wire
from sesh.format.message import Message


def _step(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "v": record["v"] + 1, "steps": [*record.get("steps", []), record["v"]]}


def test_v1_is_the_first() -> None:
    assert versions.CURRENT == 1
    assert versions.UPGRADES == {}


def test_steps_are_taken_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "CURRENT", 4)
    monkeypatch.setattr(versions, "UPGRADES", {1: _step, 2: _step, 3: _step})
    old = {"v": 1, "id": "t"}
    assert versions.upgrade(old) == {"v": 4, "id": "t", "steps": [1, 2, 3]}
    assert old == {"v": 1, "id": "t"}, "what was given is not changed"


@pytest.mark.parametrize("record", [{"v": 1}, {"v": 2}, {"v": "1"}, {"v": True}, {"v": None}, {}])
def test_what_is_current_newer_or_strange_is_left_alone(record: dict[str, Any]) -> None:
    assert versions.upgrade(record) is record


def test_a_record_that_was_upgraded_keeps_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if 0 had been a version: read in today's shape, stored and handed on as it was written."""

    def from_zero(record: dict[str, Any]) -> dict[str, Any]:
        return {**{k: v for k, v in record.items() if k != "who"}, "v": 1, "role": record["who"]}

    monkeypatch.setattr(versions, "UPGRADES", {0: from_zero})
    text = b'{"v":0,"id":"m","threadId":"t","who":"user","ts":"","content":[]}'
    record = wire.load(text)
    assert isinstance(record, Message)
    assert record.role == "user"
    assert wire.encode(record) == text
