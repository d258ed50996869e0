"""Law 2 for the Codex writer: what is read from what was written is what was given, less what the report names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from sesh.providers.codex import PROVIDER
from sesh.testing.conversations import Conversation, conversations
from sesh.testing.difference import difference
from sesh.testing.provider_suite import emitted, read_back

WAYS: list[dict[str, Any]] = [{}, {"history": "paginated"}, {"tools": "native"}]


@pytest.mark.parametrize("options", WAYS, ids=["legacy", "paginated", "native"])
@given(told=conversations())
def test_the_report_is_the_difference(options: dict[str, Any], told: Conversation) -> None:
    result = emitted(PROVIDER, told, **options)
    assert difference(told, [result.report], read_back(PROVIDER, result)) == []
