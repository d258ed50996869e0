"""handoff/wording.py: numbers as they are said."""

from __future__ import annotations

import pytest

from sesh.handoff.wording import about, counted


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0"), (96, "96"), (104, "100"), (1257, "1,300"), (143_210, "140,000"), (999, "1,000")]
)
def test_two_digits_matter(number: int, said: str) -> None:
    assert about(number) == said


def test_one_of_a_thing_is_no_plural() -> None:
    assert [counted(n, "line") for n in (0, 1, 2000)] == ["0 lines", "1 line", "2,000 lines"]
