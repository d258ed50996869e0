"""New turns on a copy of a session: its lines byte for byte, but for the session id, and a chain that carries on.

Measured on 2.1.328 (formats/claude-code.md §4): a copy under a new name, with lines chained on its last one, resumes
and sends the old conversation followed by the new turns. A `last-prompt` line makes the end of the new chain the leaf,
wherever on the old one it begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any, Unpack

from sesh.errors import SeshError
from sesh.format import jsontext, lines, rewrite, walk
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.providers.api import CopiedFile, EmitOptions, EmitResult, GraftResult, IngestResult, SessionSource
from sesh.providers.claude_code.layout import LAYOUT

ID_KEYS = ("sessionId",)


def graft(
    source: SessionSource,
    origin: IngestResult,
    messages: Sequence[Message],
    /,
    *,
    path: str,
    new_id: str,
    after: str | None,
    **options: Unpack[EmitOptions],
) -> GraftResult:
    """See `providers.api.Graft`. Raises SeshError where the message to go on from has no line of its own."""
    from sesh.providers.claude_code.writer import emit_claude_session

    old_id = _own_id(source, origin)
    kept, replaced = renamed(source.main, old_id, new_id)
    link = options.pop("link", None)
    leaf = _leaf(origin.messages, after)
    options["initial_parent_uuid"] = leaf
    options["initial_time"] = max((m.ts for m in origin.messages), default=None)
    options["session_id"] = new_id
    emitted = emit_claude_session(origin.thread, messages, **options)
    added = [*emitted.lines, _last_prompt(emitted.lines, messages, leaf, new_id)]
    if link is not None:
        whole = len(kept) + len(added) + 1
        added.append(
            jsontext.dumps({"type": "sesh-link", "sesh": {**link, "emittedLines": whole}, "sessionId": new_id})
        )
    place = PurePosixPath(path)
    stays = LAYOUT.is_session(place) and not options.get("cwd")
    target = str(place.with_name(f"{new_id}.jsonl")) if stays else emitted.path
    copies = list(_beside(source, old_id, new_id, PurePosixPath(target).parent))
    return GraftResult(
        emitted=EmitResult(
            session_id=new_id,
            path=target,
            lines=[*kept, *added],
            modified=emitted.modified,
            report=emitted.report,
            files=[f for f in emitted.files if f.path not in {c.path for c in copies}],
            appends=emitted.appends,
        ),
        kept=len(kept),
        replaced=replaced,
        copies=copies,
    )


def renamed(data: bytes, old_id: str, new_id: str) -> tuple[list[bytes], dict[str, int]]:
    """The lines of a session under another id, and how many values were changed. Nothing else changes.

    The file's name is what counts for the client; the lines' `sessionId` is what other readers, and older clients'
    pickers, go by. Ids of earlier forks stay as they are.
    """
    kept: list[bytes] = []
    count = 0
    old = old_id.encode("utf-8", "surrogatepass")
    for line in data.removesuffix(b"\n").split(b"\n"):
        changed = rewrite.replace(line, ID_KEYS, old_id, new_id) if old in line else None
        count += changed is not None
        kept.append(line if changed is None else changed)
    return kept, {"sessionId": count} if count else {}


def _own_id(source: SessionSource, origin: IngestResult) -> str:
    named = LAYOUT.session_id(source.name or "")
    return named or str((origin.thread.metadata or {}).get("sessionId") or "")


def _leaf(messages: Sequence[Message], after: str | None) -> str:
    """The uuid of the line to chain on: of the message `after`, else of the last that has one."""
    for message in reversed(messages):
        if after is not None and message.id != after:
            continue
        uuid = message.provenance.source_id if message.provenance is not None else None
        if uuid:
            return uuid
        after = None  # made of a line outside the chain (a queued prompt): the one before it will do
    raise SeshError(
        "The session has no line that new turns could follow.", hint="`sesh handoff` makes a whole new session instead."
    )


def _last_prompt(added: Iterable[bytes], messages: Sequence[Message], leaf: str, session_id: str) -> bytes:
    """The line that makes the end of the new chain the leaf, whatever an earlier one of its kind says."""
    for line in added:
        value = jsontext.loads(line)
        if isinstance(value, dict) and value.get("type") in ("user", "assistant", "system", "attachment"):
            leaf = str(value.get("uuid") or leaf)
    record: JsonObject = {"type": "last-prompt"}
    prompts = [m for m in messages if walk.is_prompt(m)]
    if prompts and (text := walk.text_of(prompts[-1]).strip()):
        record["lastPrompt"] = jsontext.without_lone_surrogates(text[:200])
    record |= {"leafUuid": leaf, "sessionId": session_id}
    return jsontext.dumps(record)


def _beside(source: SessionSource, old_id: str, new_id: str, folder: PurePosixPath) -> Iterable[CopiedFile]:
    """What lies beside the session under its id: sub-agents, spilled results, the title. Copied for the copy.

    Sub-agents of 2.0 lie flat beside all sessions and name theirs inside; theirs go into the copy's own folder.
    """
    for key in source.companions:
        parts = PurePosixPath(key).parts
        if parts[0] == old_id:
            data = _get(source, key)
            if data is not None:
                if key.endswith(".jsonl"):
                    data = _joined(data, old_id, new_id)
                yield CopiedFile(path=str(folder / new_id / PurePosixPath(*parts[1:])), data=data)
        elif len(parts) == 1 and parts[0].startswith("agent-"):
            data = _get(source, key)
            if data is not None and _session_of(data) == old_id:
                yield CopiedFile(path=str(folder / new_id / "subagents" / parts[0]), data=_joined(data, old_id, new_id))


def _joined(data: bytes, old_id: str, new_id: str) -> bytes:
    tail = b"\n" if data.endswith(b"\n") else b""
    return b"\n".join(renamed(data, old_id, new_id)[0]) + tail


def _get(source: SessionSource, key: str) -> bytes | None:
    try:
        return source.companions[key]
    except KeyError:
        return None  # vanished since the folder was listed


def _session_of(data: bytes) -> Any:
    """The session that a sub-agent's file belongs to, by its first line that says so."""
    for line in lines.split(data):
        try:
            value = jsontext.loads(line.data)
        except jsontext.UnreadableJson:
            continue
        if isinstance(value, dict) and value.get("sessionId"):
            return value["sessionId"]
    return None
