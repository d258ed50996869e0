"""New turns on a copy of a rollout: its lines byte for byte, but for the thread's id, and records that carry on.

Measured on 0.169 (formats/codex.md §6, §7): what is appended keeps the form of the file. A paginated one goes on
counting ordinals, and its last line must have one; a legacy one has none. Turns that the new ones do not follow are
taken out of the conversation by `thread_rolled_back`, which every version since 0.142 honours in both forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Unpack

from sesh.errors import SeshError
from sesh.format import jsontext, lines, rewrite
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Message
from sesh.providers.api import EmitOptions, EmitResult, GraftResult, IngestResult, SessionSource
from sesh.providers.codex import counted, write_usage
from sesh.providers.codex.layout import parse_name, session_path

ID_PATHS = {
    "session_meta": (("payload", "id"), ("payload", "session_id")),
    "event_msg": (("payload", "thread_id"),),
}
"""Where a rollout says whose it is, by the type of the line."""
_TOO_OLD = (
    "This rollout has the form of Codex 0.28 or before, which no later Codex resumes: turns cannot be added to it."
)


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
    """See `providers.api.Graft`. Raises SeshError for a rollout of 0.28 and before, which no later Codex resumes."""
    from sesh.providers.codex.writer import emit_codex_rollout

    meta = _meta(source.main)
    old_id = str(meta.get("id"))
    kept, replaced = renamed(source.main, old_id, new_id)
    if cwd := options.get("cwd"):
        _move(kept, str(meta.get("cwd")), cwd, replaced)
    ordinal = _last_ordinal(kept)
    link = options.pop("link", None)
    options["session_id"] = new_id
    options["history"] = "paginated" if meta.get("history_mode") == "paginated" else "legacy"
    emitted = emit_codex_rollout(origin.thread, messages, **options)
    added = [_decoded(line) for line in emitted.lines[1:]]  # the first is a session_meta, and the copy has its own
    _count_on(kept, added)
    time = _first_time(added) or emitted.modified
    gone = _prompts_after(origin.messages, after)
    if gone:
        added.insert(0, _event(time, {"type": "thread_rolled_back", "num_turns": gone}))
    if link is not None:
        whole = len(kept) + len(added) + 1
        payload: JsonObject = {"sesh": {**link, "emittedLines": whole}}
        added.append({"timestamp": emitted.modified, "type": "sesh-link", "payload": payload})
    return GraftResult(
        emitted=EmitResult(
            session_id=new_id,
            path=_place(path, new_id, str(meta.get("timestamp") or emitted.modified)),
            lines=[*kept, *_numbered(added, ordinal)],
            modified=emitted.modified,
            report=emitted.report,
            files=emitted.files,
            appends=emitted.appends,
        ),
        kept=len(kept),
        replaced=replaced,
    )


def refusal(source: SessionSource) -> str | None:
    """Why `graft` would refuse this rollout as an origin; None where it would not."""
    try:
        _meta(source.main)
    except SeshError as e:
        return str(e)
    return None


def renamed(data: bytes, old_id: str, new_id: str) -> tuple[list[bytes], dict[str, int]]:
    """The lines of a rollout under another thread id, and how many values were changed, by name.

    A parent's session_meta that a fork has copied names the parent, and stays.
    """
    kept: list[bytes] = []
    replaced: dict[str, int] = {}
    old = old_id.encode("utf-8", "surrogatepass")
    for line in data.removesuffix(b"\n").split(b"\n"):
        if old in line:
            kind = _decoded(line).get("type")
            for place in ID_PATHS.get(kind, ()) if isinstance(kind, str) else ():
                changed = rewrite.replace(line, place, old_id, new_id)
                if changed is not None:
                    line = changed
                    replaced[place[-1]] = replaced.get(place[-1], 0) + 1
        kept.append(line)
    return kept, replaced


def _move(kept: list[bytes], old: str, new: str, replaced: dict[str, int]) -> None:
    """Give the copy another folder, where one was asked for: Codex lists a session by the one in its header."""
    for n, line in enumerate(kept):
        if _decoded(line).get("type") == "session_meta":
            moved = None if old == new else rewrite.replace(line, ("payload", "cwd"), old, new)
            if moved is not None:
                kept[n] = moved
                replaced["cwd"] = 1
            return


def _decoded(line: bytes) -> JsonObject:
    """A line as an object; empty where it is none."""
    try:
        value: JsonValue = jsontext.loads(line)
    except jsontext.UnreadableJson:
        return {}
    return value if isinstance(value, dict) else {}


def _meta(data: bytes) -> JsonObject:
    """The payload of the rollout's own session_meta: the first. Raises SeshError."""
    for line in lines.split(data):
        value = _decoded(line.data)
        if value.get("type") == "session_meta" and isinstance(value.get("payload"), dict):
            meta: JsonObject = value["payload"]
            return meta
        if value and "payload" not in value:
            break
    raise SeshError(_TOO_OLD, hint="`sesh handoff` of the other side makes a whole new session of it.")


def _last_ordinal(kept: Sequence[bytes]) -> int | None:
    """The highest ordinal in the file, or None where its lines have none."""
    for line in reversed(kept):
        if b'"ordinal"' in line and isinstance(found := _decoded(line).get("ordinal"), int):
            return found
    return None


def _numbered(added: Sequence[JsonObject], last: int | None) -> list[bytes]:
    """The new records as lines; ordinals go on from the copy's last one, or are left out with it."""
    found: list[bytes] = []
    for n, record in enumerate(added, 1):
        rest = {k: v for k, v in record.items() if k not in ("timestamp", "ordinal")}
        numbered = {} if last is None else {"ordinal": last + n}
        found.append(jsontext.dumps({"timestamp": record.get("timestamp"), **numbered, **rest}))
    return found


def _count_on(kept: Sequence[bytes], added: Sequence[JsonObject]) -> None:
    """Make the new token counts go on from the copy's last one.

    The writer knows only the new turns. Their closing count tells Codex how long the history is, so that it compacts
    in time (write_usage): what is in the copy already belongs to it, unless the new turns hold a compaction.
    """
    before = next((found for line in reversed(kept) if (found := _usage(_decoded(line)))), None)
    counts = [found for record in added if (found := _usage(record))]
    if before is None or not counts:
        return
    for info in counts:
        info["total_token_usage"] = write_usage.add(before["total_token_usage"], info["total_token_usage"])
    if not any(record.get("type") == "compacted" for record in added):
        counts[-1]["last_token_usage"] = write_usage.add(before["last_token_usage"], counts[-1]["last_token_usage"])


def _usage(record: JsonObject) -> JsonObject | None:
    """The `info` of a token_count event, where it holds both usages as numbers; else None."""
    payload = record.get("payload")
    if record.get("type") != "event_msg" or not isinstance(payload, dict) or payload.get("type") != "token_count":
        return None
    info = payload.get("info")
    if not isinstance(info, dict):
        return None
    for name in ("total_token_usage", "last_token_usage"):
        usage = info.get(name)
        if not isinstance(usage, dict) or not all(isinstance(n, int) for n in usage.values()):
            return None
    return info


def _first_time(added: Sequence[JsonObject]) -> str | None:
    return next((t for r in added if isinstance(t := r.get("timestamp"), str)), None)


def _event(time: str, payload: JsonObject) -> JsonObject:
    return {"timestamp": time, "type": "event_msg", "payload": payload}


def _prompts_after(messages: Sequence[Message], after: str | None) -> int:
    """How many turns of the copy the new ones do not follow, as Codex counts them."""
    if after is None:
        return 0
    at = next((n for n, m in enumerate(messages) if m.id == after), len(messages))
    return sum(map(counted.begins_turn, messages[at + 1 :]))


def _place(path: str, new_id: str, created: str) -> str:
    """Beside the original and named by the same time, which is when the thread began (formats/codex.md §2)."""
    name = parse_name(PurePosixPath(path).name)
    if name is None:
        return session_path(new_id, created)
    day, _, clock = name.time.partition("T")
    return session_path(new_id, f"{day}T{clock.replace('-', ':')}")
