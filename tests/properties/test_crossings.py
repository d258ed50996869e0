"""Law 2 across the two clients: A to B, and A to B to A, equal the start less what the reports name."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.sessions import Session, main_sessions

from sesh.format.message import Message
from sesh.providers import registry
from sesh.providers.api import EmitResult, IngestResult, Provider
from sesh.testing.conversations import Conversation, conversations
from sesh.testing.difference import difference
from sesh.testing.provider_suite import emitted, read_back, told_by

OTHER = {"claude-code": "codex", "codex": "claude-code"}


def talk(messages: list[Message]) -> list[Message]:
    """The messages less the contexts, which stay with the client that put them in."""
    return [m for m in messages if m.kind != "context"]


def over(told: Conversation, provider: Provider) -> tuple[EmitResult, IngestResult]:
    """Written for a client, and read again."""
    result = emitted(provider, told)
    return result, read_back(provider, result)


def read(session: Session) -> IngestResult:
    """A corpus session, with what lies beside it."""
    opened = session.open()
    return opened.provider.parse(opened.source)


def _found(problems: list[str]) -> None:
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("session", main_sessions(), ids=lambda s: s.name)
def test_a_session_goes_over(session: Session) -> None:
    told = told_by(read(session))
    if not talk(told.messages):
        pytest.skip("the file holds no conversation, so nothing goes over")
    result, there = over(told, registry.get(OTHER[session.provider]))
    _found(difference(told, [result.report], there))


@pytest.mark.parametrize("session", main_sessions(), ids=lambda s: s.name)
def test_a_session_goes_over_and_comes_back(session: Session) -> None:
    told = told_by(read(session))
    if not talk(told.messages):
        pytest.skip("the file holds no conversation, so nothing goes over")
    out, there = over(told, registry.get(OTHER[session.provider]))
    home, back = over(told_by(there), registry.get(session.provider))
    _found(difference(told, [out.report, home.report], back))


@pytest.mark.parametrize("session", main_sessions(), ids=lambda s: s.name)
def test_a_session_is_written_for_its_own_client(session: Session) -> None:
    told = told_by(read(session))
    result, again = over(told, registry.get(session.provider))
    _found(difference(told, [result.report], again))


@pytest.mark.parametrize("name", OTHER)
def test_generated_conversations_go_over_and_come_back(name: str) -> None:
    @given(told=conversations())
    def holds(told: Conversation) -> None:
        first, here = over(told, registry.get(name))
        out, there = over(told_by(here), registry.get(OTHER[name]))
        home, back = over(told_by(there), registry.get(name))
        _found(difference(told, [first.report, out.report, home.report], back))

    holds()
