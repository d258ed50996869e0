"""Codex, 0.28 to 0.169: linear rollouts under ~/.codex/sessions. What becomes of each kind: MAPPING.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    NameIndex,
    Onward,
    Provider,
    ReadOptions,
    SessionSource,
    Source,
    Spoken,
)
from sesh.providers.codex.detect import detect
from sesh.providers.codex.layout import LAYOUT


def _parse(source: Source, /, **options: Unpack[ReadOptions]) -> IngestResult:
    from sesh.providers.codex.reader import parse_codex_rollout  # only when a session is read

    return parse_codex_rollout(source, **options)


def _emit(thread: Thread, messages: Sequence[Message], /, **options: Unpack[EmitOptions]) -> EmitResult:
    from sesh.providers.codex.writer import emit_codex_rollout  # only when a session is written

    return emit_codex_rollout(thread, messages, **options)


def _card(glimpse: Glimpse) -> Card:
    from sesh.providers.codex.card import card  # only when sessions are listed

    return card(glimpse)


def _names(index: bytes) -> Mapping[str, str]:
    from sesh.providers.codex.card import names

    return names(index)


def _graft(*source: Any, **options: Any) -> GraftResult:
    from sesh.providers.codex.graft import graft  # only when turns are merged

    return graft(*source, **options)


def _graft_refusal(source: SessionSource) -> str | None:
    from sesh.providers.codex.graft import refusal  # only when a session is handed off

    return refusal(source)


def _spoken(line: bytes) -> Sequence[Spoken]:
    from sesh.providers.codex.spoken import spoken  # only when sessions are searched

    return spoken(line)


def _onward() -> Onward:
    from sesh.providers.codex.onward import ONWARD  # only when a session goes on

    return ONWARD


PROVIDER = Provider(
    name="codex",
    title="Codex",
    program="codex",
    detect=detect,
    parse=_parse,
    emit=_emit,
    layout=LAYOUT,
    graft=_graft,
    graft_refusal=_graft_refusal,
    home_variable="CODEX_HOME",
    writer_lock=lambda session_id: f"thread-writer-locks/{session_id}.lock",
    covered=(
        "0.28.0",
        "0.36.0",
        "0.47.0",
        "0.87.0",
        "0.104.0",
        "0.142.0",
        "0.155.0",
        "0.169.0",
    ),
    card=_card,
    spoken=_spoken,
    name_index=NameIndex(path="session_index.jsonl", read=_names),
    onward=_onward,
)
