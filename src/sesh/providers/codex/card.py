"""A rollout's line in a list, from its first and last bytes.

The rules are Codex's own (formats/codex.md §2, §6): the preview is the first user message event, or the first
UserMessage item; only sessions whose source is `cli` or `vscode` (or absent) are listed; names stand in
`session_index.jsonl`; archived ones have a folder of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from sesh.format import jsontext, lines
from sesh.format.regex import regex
from sesh.providers.api import Card, Glimpse

_TAGGED: Final = regex(r"\s*<[a-zA-Z][\w-]*[ />]|\s*# AGENTS\.md|\s*$")
_EVENT: Final = regex(rb'"type" ?: ?"user_message"')
_COMPLETED: Final = regex(rb'"type" ?: ?"UserMessage"')
_ITEM: Final = regex(rb'"role" ?: ?"user"')
_FOLDER: Final = regex(rb"<cwd>([^<]{1,4096})</cwd>")
_CONTEXT: Final = regex(rb'"type" ?: ?"turn_context"')
_LINK: Final = b'"sesh-link"'
_END: Final = 1 << 14
"""How much of a file that was read whole counts as its end."""
_LISTED: Final = ("cli", "vscode")


class _Git(msgspec.Struct, gc=False):
    branch: str | None = None


class _Meta(msgspec.Struct, gc=False):
    """session_meta's payload, and line 1 of bare rollouts (before 0.3x), which has no envelope."""

    id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    cli_version: str | None = None
    source: Any = None
    git: _Git | None = None
    parent_thread_id: str | None = None
    history_mode: str | None = None
    sesh: Any = None


class _First(msgspec.Struct, gc=False):
    type: str | None = None
    id: str | None = None
    timestamp: str | None = None
    git: _Git | None = None
    payload: _Meta | None = None


_decode_first: Final = msgspec.json.Decoder(_First).decode


def card(glimpse: Glimpse) -> Card:
    """The line in the list. Never raises: what cannot be read is left out."""
    head, tail = glimpse.head, glimpse.tail
    meta = _meta(head)
    prompt, turns = _prompts(head, glimpse.whole, meta.history_mode == "paginated")
    source = meta.source
    return Card(
        prompt=prompt,
        cwd=meta.cwd or _folder(head),
        branch=meta.git.branch if meta.git else None,
        model=_model(head),
        version=meta.cli_version,
        created=meta.timestamp,
        updated=lines.last_time(tail or head) or meta.timestamp,
        hidden=_hidden(glimpse, source, prompt is not None),
        parent=meta.parent_thread_id or _spawned_by(source),
        turns=turns if glimpse.whole else None,
        handed_from=_maker(_late_link(tail or head[-_END:])) or _maker(meta.sesh),
    )


def names(index: bytes) -> Mapping[str, str]:
    """Thread names by id, from `session_index.jsonl`; the last line for an id counts."""
    found: dict[str, str] = {}
    for line in lines.split(index):
        for value in jsontext.values(line.data):
            if isinstance(value, dict) and isinstance(value.get("id"), str) and value.get("thread_name"):
                found[value["id"]] = str(value["thread_name"])
    return found


def _meta(head: bytes) -> _Meta:
    end = head.find(b"\n")
    line = head[: end if end >= 0 else len(head)].removeprefix(lines.BOM)
    try:
        first = _decode_first(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return _odd_meta(line)
    return first.payload or _Meta(id=first.id, timestamp=first.timestamp, git=first.git)


def _odd_meta(line: bytes) -> _Meta:
    for piece in jsontext.pieces(line):
        payload = piece.value.get("payload") if isinstance(piece.value, dict) else None
        if isinstance(payload, dict):
            return jsontext.salvage(payload, _Meta)[0]
    return _Meta()


def _value_at(head: bytes, at: int) -> Any:
    """The line around an offset, decoded; None where it is cut or no JSON."""
    end = head.find(b"\n", at)
    try:
        return jsontext.loads(head[head.rfind(b"\n", 0, at) + 1 : end if end >= 0 else len(head)])
    except jsontext.UnreadableJson:
        return None


def _folder(head: bytes) -> str | None:
    """The working folder off the first environment message: bare rollouts (before 0.3x) say it nowhere else."""
    match = _FOLDER.search(head)
    return match[1].decode("utf-8", "replace").strip() if match else None


def _prompts(head: bytes, whole: bool, paginated: bool) -> tuple[str | None, int]:
    """The first prompt, and how many there are in these bytes.

    A file may hold both kinds of events; its history mode says which ones the client reads. Without events, the
    user's response items count.
    """
    events = (_COMPLETED, _EVENT) if paginated else (_EVENT, _COMPLETED)
    for pattern, text_of in ((events[0], _event_text), (events[1], _event_text), (_ITEM, _item_text)):
        first: str | None = None
        count = 0
        for match in pattern.finditer(head):
            text = text_of(_value_at(head, match.start()))
            if text is None:
                continue
            first, count = first or text, count + 1
            if not whole:
                break
        if first is not None:
            return first, count
    return None, 0


def _event_text(value: Any) -> str | None:
    payload = value.get("payload") if isinstance(value, dict) and value.get("type") == "event_msg" else None
    if not isinstance(payload, dict):
        return None
    if payload.get("type") == "user_message":
        text = payload.get("message")
        return text.strip() or "[image]" if isinstance(text, str) else None
    item = payload.get("item")
    if not isinstance(item, dict) or item.get("type") != "UserMessage" or not isinstance(item.get("content"), list):
        return None
    texts = [p["text"] for p in item["content"] if isinstance(p, dict) and isinstance(p.get("text"), str)]
    return "\n".join(texts).strip() or "[image]"


def _item_text(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    item = value.get("payload") if value.get("type") == "response_item" else value
    if not isinstance(item, dict) or item.get("role") != "user" or not isinstance(item.get("content"), list):
        return None
    texts = [p["text"] for p in item["content"] if isinstance(p, dict) and isinstance(p.get("text"), str)]
    kept = [t for t in texts if not _TAGGED.match(t)]
    return "\n".join(kept).strip() or None


def _model(head: bytes) -> str | None:
    match = _CONTEXT.search(head)
    value = _value_at(head, match.start()) if match else None
    payload = value.get("payload") if isinstance(value, dict) else None
    model = payload.get("model") if isinstance(payload, dict) else None
    return model if isinstance(model, str) else None


def _hidden(glimpse: Glimpse, source: Any, prompt: bool) -> str | None:
    if isinstance(source, dict):
        return "sub-agent" if "subagent" in source else "custom"
    if glimpse.path.startswith("archived_sessions/"):
        return "archived"
    if source is not None and source not in _LISTED:
        return str(source)
    if not prompt and glimpse.whole:
        return "empty"
    return "compressed" if glimpse.path.endswith(".zst") else None


def _late_link(end: bytes) -> Any:
    """The stamp that a merge left behind the lines it copied; None where there is none in these last bytes."""
    at = end.rfind(_LINK) if _LINK in end else -1
    while at >= 0:
        value = _value_at(end, at)
        if isinstance(value, dict) and value.get("type") == "sesh-link" and isinstance(value.get("payload"), dict):
            return value["payload"].get("sesh")
        at = end.rfind(_LINK, 0, at)  # the words stood inside of another line
    return None


def _maker(stamp: Any) -> str | None:
    """The session that sesh made this one from, off its stamp."""
    if not isinstance(stamp, dict) or not isinstance(stamp.get("sessionId"), str):
        return None
    return f"{stamp.get('provider')}:{stamp['sessionId']}"


def _spawned_by(source: Any) -> str | None:
    spawn = source.get("subagent") if isinstance(source, dict) else None
    spawn = spawn.get("thread_spawn") if isinstance(spawn, dict) else None
    parent = spawn.get("parent_thread_id") if isinstance(spawn, dict) else None
    return parent if isinstance(parent, str) else None
