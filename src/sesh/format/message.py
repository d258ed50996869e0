"""One message of a thread (seeds/canonical-message-format), its usage and where it came from."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from sesh.format.blocks import AnyBlock
from sesh.format.json import JsonObject, JsonValue

Role: TypeAlias = Literal["user", "assistant", "system", "tool"]
Kind: TypeAlias = Literal["context", "summary", "notice"]


class Usage(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """Tokens of one API message. `input_tokens` EXCLUDES cached tokens (Claude's meaning; Codex's are converted).

    `output_tokens` includes reasoning. `cache_write_tokens` and `reasoning_tokens` are additive fields.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None


class Provenance(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """Where a message was first said: which provider, which session, which record."""

    provider: str
    channel: str
    session_id: str | None = None
    source_id: str | None = None
    sidechain: bool | None = None


class Message(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    tag_field="v",
    tag=1,
    gc=False,
):
    """A message: ordered blocks under one role.

    `kind` is absent for the conversation itself; `context` was put in by a client and typed by nobody, `summary`
    stands for all that came before it, `notice` is a client's remark.

    `step_id` (additive): what the model said in one go. Messages of one step have the same; a client may write them to
    its file between the results of their calls, yet its model is sent them on end. `walk.by_step` puts them so.

    `window` (additive; on `summary` messages only) lists, in order, the ids of the messages that the model still
    held right after this compaction, the summary's own id among them. Absent: the summary alone. `walk.window`
    reads it. It is how a compaction keeps its meaning in a client that stores it in another shape.
    """

    id: str
    thread_id: str
    turn_id: str | None = None
    step_id: str | None = None
    parent_id: str | None = None
    role: Role
    ts: str
    run_id: str | None = None
    kind: Kind | None = None
    model: str | None = None
    content: list[AnyBlock]
    usage: Usage | None = None
    provenance: Provenance | None = None
    window: list[str] | None = None
    provider_data: JsonObject | None = None
    raw: JsonValue = None
