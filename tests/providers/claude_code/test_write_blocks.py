"""Blocks as Claude Code's: the ids of calls."""

from __future__ import annotations

import pytest

from sesh.providers.claude_code.write_blocks import CallIds


def test_each_call_has_an_id_of_its_own() -> None:
    ids = CallIds()
    assert [ids.give(w, "other") for w in ("c", "c", "c-2", "c", None, None)] == [
        "c",
        "c-2",
        "c-2-2",
        "c-3",
        "other",
        "other-2",
    ]


def test_a_numbered_id_does_not_stand_beside_its_stem() -> None:
    """Measured on 2.1.328: beside a call `X`, a call `X_2` loses its real result; `X-2` does not."""
    ids = CallIds()
    assert [ids.give(w, "") for w in ("c", "c_2", "d_7", "d")] == ["c", "c_2-2", "d_7", "d-2"]


def test_a_thousand_calls_of_one_id_get_an_id_each_without_a_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    is_free = CallIds._is_free

    def counted(self: CallIds, name: str) -> bool:
        nonlocal asked
        asked += 1
        return is_free(self, name)

    monkeypatch.setattr(CallIds, "_is_free", counted)
    ids = CallIds()
    assert len({ids.give("c", "") for _ in range(1000)}) == 1000
    assert asked <= 2000
