"""The store in memory keeps the suite."""

from __future__ import annotations

import pytest

from sesh.testing.store_suite import StoreSuite


class TestMemory(StoreSuite):
    shared = False

    @pytest.fixture
    def url(self) -> str:
        return "memory:"
