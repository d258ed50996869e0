"""Every generated page is there, and is what the code says."""

from __future__ import annotations

import pytest

from tests import generate


@pytest.mark.parametrize("path", generate.PAGES)
def test_a_page_is_what_the_code_says(path: str) -> None:
    assert generate.stale(path, generate.text_of(generate.PAGES[path])) == []
