"""What survives, measured: a cell is whole, or its mark says why not."""

from __future__ import annotations

import pytest

from sesh.providers import registry
from tests.matrix.cases import CASES, Case
from tests.matrix.marks import MARKS
from tests.matrix.measure import measure


@pytest.mark.parametrize("provider", registry.names())
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_a_cell_is_whole_or_marked(provider: str, case: Case) -> None:
    cell = measure(registry.get(provider), case)
    mark = MARKS.get((provider, case.id))
    assert cell.unnamed == ()
    assert cell.whole == (mark is None), f"{cell}; {mark or 'no mark'}"


def test_marks_name_cells_that_are_there() -> None:
    cells = {(p, c.id) for p in registry.names() for c in CASES}
    assert MARKS.keys() <= cells
