"""The thread's own fields: from its session_meta, its first words where that has none, and the file of names."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Final

from sesh.format import jsontext, stamp, walk
from sesh.format.json import JsonObject
from sesh.format.lines import split
from sesh.format.message import Message
from sesh.format.regex import regex
from sesh.providers.codex.layout import RolloutName
from sesh.providers.codex.records import Record, SessionMeta
from sesh.report.reports import LineBook

EPOCH: Final = "1970-01-01T00:00:00.000Z"
_CWD: Final = regex(r"<cwd>(.*?)</cwd>|^Current working directory: (.+?)$", re.MULTILINE)
_PLAIN: Final = {
    "cwd": "cwd",
    "cli_version": "version",
    "originator": "originator",
    "forked_from_id": "forkedFrom",
    "agent_nickname": "agentNickname",
    "agent_role": "agentType",
    "agent_path": "agentPath",
}
_GIT: Final = {"branch": "gitBranch", "commit_hash": "gitCommit", "repository_url": "gitUrl"}


def metadata(payload: JsonObject, session: str) -> JsonObject:
    """`Thread.metadata` of a header; what only Codex needs goes under `providerData`."""
    found: JsonObject = {"provider": "codex", "sessionId": session}
    for key, name in _PLAIN.items():
        if isinstance(payload.get(key), str):
            found[name] = payload[key]
    git = payload.get("git")
    for key, name in _GIT.items():
        if isinstance(git, dict) and isinstance(git.get(key), str):
            found[name] = git[key]
    if payload.get("source") is not None:
        found["source"] = payload["source"]
    if isinstance(payload.get("sesh"), dict):
        found["link"] = payload["sesh"]
    rest = {
        k: v for k, v in payload.items() if k not in _PLAIN and k not in ("id", "timestamp", "git", "source", "sesh")
    }
    if rest:
        found["providerData"] = rest
    return found


def restored(own: JsonObject, line: SessionMeta) -> tuple[JsonObject, JsonObject]:
    """(metadata, the rest of the stamp) where our writer left the canonical thread on the header's line."""
    thread = stamp.read(line.sesh).thread if line.sesh is not None else None
    if thread is None:
        return own, {}
    kept = thread.get("metadata")
    merged = dict(kept) if isinstance(kept, dict) else {}
    for key in ("provider", "sessionId", "link"):
        if key in own:
            merged[key] = own[key]
    return merged, thread


def cwd_in(messages: list[Message]) -> str | None:
    """The folder, as the environment context tells it (0.28 and before keep it nowhere else)."""
    for message in messages:
        if message.kind == "context" and message.role == "user":
            text = walk.text_of(message)
            if "<environment_context>" in text and (match := _CWD.search(text)):
                return (match[1] or match[2] or "").strip() or None
    return None


def created(meta: Record | None, found: list[Record], name: RolloutName | None, session: str) -> str:
    """When the thread began: its header, its first line, its file's name, its id; the epoch where nothing tells."""
    if meta is not None and isinstance(meta.line, SessionMeta):
        for said in (meta.line.payload.get("timestamp"), meta.line.timestamp):
            if _is_time(said):
                return str(said)
    for record in found:
        said = getattr(record.line, "timestamp", None)
        if _is_time(said):
            return str(said)
    if name is not None:
        day, clock = name.time.split("T")
        return f"{day}T{clock.replace('-', ':')}.000Z"
    return _moment(session) or EPOCH


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", value) is not None


def _moment(vendor_id: str) -> str | None:
    plain = vendor_id.replace("-", "").lower()
    if len(plain) != 32 or plain[12] != "7":
        return None
    try:
        ms = int(plain[:12], 16)
    except ValueError:
        return None
    try:
        moment = datetime.fromtimestamp(ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def name_in_index(data: bytes, file: str, session: str, book: LineBook) -> str | None:
    """The thread's name in `session_index.jsonl`: the last line for its id. Every line is accounted for."""
    wanted = session.encode()
    found: str | None = None
    book.ledger(file)
    for raw in split(data):
        item = book.open(file)
        if wanted not in raw.data:
            book.skipped(file, item, "blank" if not raw.data.strip() else "name of another thread")
            continue
        try:
            value = jsontext.loads(raw.data)
        except jsontext.UnreadableJson:
            book.skipped(file, item, "torn-last-line" if not raw.ended else "unreadable name")
            continue
        if isinstance(value, dict) and value.get("id") == session and isinstance(value.get("thread_name"), str):
            found = value["thread_name"]
            book.used(file, item)
        else:
            book.skipped(file, item, "name of another thread")
    return found
