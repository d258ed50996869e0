"""A conversation (seeds/canonical-message-format)."""

from __future__ import annotations

from typing import Final

import msgspec

from sesh.format.json import JsonObject

RELATIONS: Final = ("subagent", "sidechain", "branch", "rollback")
"""`metadata.relation` of a child thread: what it is to its parent."""


class Thread(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    tag_field="v",
    tag=1,
    gc=False,
):
    """A conversation that outlives the client that began it. Its messages are linear; children are other threads."""

    id: str
    agent_id: str | None = None
    parent_thread_id: str | None = None
    origin_message_id: str | None = None
    title: str | None = None
    created_at: str
    metadata: JsonObject | None = None
