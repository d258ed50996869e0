"""A session's heading: where it comes from, as short facts in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sesh.format.message import Message
from sesh.present.outline import Outline

_RELATIONS = {
    "subagent": "sub-agent",
    "sidechain": "sidechain",
    "branch": "abandoned branch",
    "rollback": "rolled-back turns",
    "child": "child thread",
}


def facts(view: Outline, title: str | None = None) -> list[tuple[str, str]]:
    """Pairs of a label and a value: client, session, folder, branch, model, begun. What is unknown is left out."""
    about = view.thread.metadata or {}
    version = f" {about['version']}" if about.get("version") and not _other_version(about) else ""
    client = f"{title or about.get('provider') or ''}{version}".strip()
    found = [
        ("client", client),
        ("session", about.get("sessionId") or view.thread.id),
        ("folder", about.get("cwd")),
        ("branch", about.get("gitBranch")),
        ("model", about.get("model")),
        ("begun", f"{day(view.thread.created_at)} {clock(view.thread.created_at)}".strip()),
        ("turns", str(view.prompts)),
    ]
    return [(label, str(value)) for label, value in found if value]


def _other_version(about: Mapping[str, Any]) -> bool:
    """Whether the version is that of the client a session was handed off from, not of the one it is in now."""
    link = about.get("link")
    if not isinstance(link, Mapping) or link.get("kind") != "handoff":
        return False
    return link.get("provider") not in (None, about.get("provider"))


def relation(view: Outline) -> str:
    """What a child is to its parent, in words."""
    return _RELATIONS.get(view.relation or "", view.relation or "")


def tokens(messages: Iterable[Message]) -> dict[str, int]:
    """The sum of all usage: `input` (without cached), `cached`, `output`. Empty where nothing is known."""
    sums = {"input": 0, "cached": 0, "output": 0}
    known = False
    for m in messages:
        if m.usage is not None:
            known = True
            sums["input"] += m.usage.input_tokens or 0
            sums["cached"] += m.usage.cache_read_tokens or 0
            sums["output"] += m.usage.output_tokens or 0
    return sums if known else {}


def clock(ts: str) -> str:
    """The hours and minutes of an ISO time, in the zone it stands in; "" where it is no such text."""
    return ts[11:16] if len(ts) >= 16 and ts[10] in "Tt " else ""


def day(ts: str) -> str:
    """The date of an ISO time."""
    return ts[:10]
