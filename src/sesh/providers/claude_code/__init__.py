"""Claude Code, 1.0 to 2.1: a tree of lines under ~/.claude/projects. What becomes of each kind: MAPPING.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import (
    Card,
    EmitOptions,
    EmitResult,
    Glimpse,
    GraftResult,
    IngestResult,
    Onward,
    Provider,
    ReadOptions,
    Source,
    Spoken,
)
from sesh.providers.claude_code.detect import detect
from sesh.providers.claude_code.layout import LAYOUT, owner, owner_in


def _parse(source: Source, /, **options: Unpack[ReadOptions]) -> IngestResult:
    from sesh.providers.claude_code.reader import parse_claude_session  # only when a session is read

    return parse_claude_session(source, **options)


def _emit(thread: Thread, messages: Sequence[Message], /, **options: Unpack[EmitOptions]) -> EmitResult:
    from sesh.providers.claude_code.writer import emit_claude_session  # only when a session is written

    return emit_claude_session(thread, messages, **options)


def _card(glimpse: Glimpse) -> Card:
    from sesh.providers.claude_code.card import card  # only when sessions are listed

    return card(glimpse)


def _graft(*source: Any, **options: Any) -> GraftResult:
    from sesh.providers.claude_code.graft import graft  # only when turns are merged

    return graft(*source, **options)


def _spoken(line: bytes) -> Sequence[Spoken]:
    from sesh.providers.claude_code.spoken import spoken  # only when sessions are searched

    return spoken(line)


def _onward() -> Onward:
    from sesh.providers.claude_code.onward import ONWARD  # only when a session goes on

    return ONWARD


PROVIDER = Provider(
    name="claude-code",
    title="Claude Code",
    program="claude",
    detect=detect,
    parse=_parse,
    emit=_emit,
    layout=LAYOUT,
    graft=_graft,
    home_variable="CLAUDE_CONFIG_DIR",
    live_registry="sessions/*.json",
    covered=("1.0.120", "2.0.76", "2.1.50", "2.1.328"),
    card=_card,
    spoken=_spoken,
    owner=owner,
    owner_in=owner_in,
    onward=_onward,
)
