"""A rollout's identity and first line: ids, path, session_meta, and which form of history to write."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from sesh.format import ids
from sesh.format.json import JsonObject
from sesh.format.thread import Thread
from sesh.providers.boundary import asked_id
from sesh.providers.codex.layout import session_path
from sesh.providers.codex.write_lines import EPOCH, iso, unix_ms

ORIGINATOR: Final = "sesh"
"""Any name is taken (formats/codex.md §4); this one tells our files from the client's own."""
PAGINATED_SINCE: Final = (0, 155)
LINKS_UNTIL: Final = (0, 155)
EXEC_EVENTS_UNTIL: Final = (0, 128)


class History(msgspec.Struct, frozen=True):
    """The form of a file: `paginated` adds ordinals and `item_completed`; `exec_events`: see write_events."""

    paginated: bool
    exec_events: bool
    why: str


def choose_history(wish: str, client_version: str | None) -> History:
    """Which form to write.

    Legacy files are listed, shown and resumed by every version, but 0.142 and later do not draw shell commands in them
    as commands. Paginated files show everything from 0.155 on; but once a version before 0.155 has added to one, newer
    versions refuse it for ever (formats/codex.md §7, trap b). So paginated is written where the client is known to be
    0.155 or later, and legacy otherwise.
    """
    version = version_of(client_version)
    old = version is not None and version < PAGINATED_SINCE
    exec_events = version is not None and version <= EXEC_EVENTS_UNTIL
    if wish == "paginated":
        risk = f"; Codex {client_version} would spoil it by adding to it" if old else ""
        return History(True, False, f"Paginated history with legacy events, as asked{risk}.")
    if wish == "legacy":
        return History(False, exec_events, "Legacy history, as asked.")
    if version is None:
        return History(
            False,
            False,
            "Legacy history: no version of Codex was found, and every version resumes this form"
            " (with 0.155 or later, --history paginated shows commands as commands).",
        )
    if old:
        return History(False, exec_events, f"Legacy history: Codex {client_version} is older than 0.155.")
    return History(True, False, f"Paginated history with legacy events: Codex {client_version} is 0.155 or later.")


def version_of(text: str | None) -> tuple[int, int] | None:
    """(major, minor) of a client's version, or None where it is no version."""
    match = re.match(r"(?:codex(?:-cli)? )?v?(\d{1,5})\.(\d{1,5})", text or "")
    return (int(match[1]), int(match[2])) if match else None


class Style(msgspec.Struct, frozen=True, kw_only=True):
    """How the files of one emit are written: EmitOptions, decided."""

    history: History
    version: tuple[int, int] | None
    native: bool
    keep_context: bool
    keep_raw: bool

    @property
    def links(self) -> bool:
        """Whether a picture may be an address (write_items.data_url); words are safe where no version is known."""
        return self.version is not None and self.version < LINKS_UNTIL


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A thread as the rollout it is going to be. Times are ISO. A child names the session it hangs under."""

    thread: Thread
    session_id: str
    root_id: str
    parent_id: str | None
    depth: int
    cwd: str
    created: str
    client_version: str | None

    @property
    def path(self) -> str:
        """Where the client looks for it, relative to CODEX_HOME. The name's time is UTC: the zone is nobody's here."""
        return session_path(self.session_id, iso(unix_ms(self.created) or 0))


def session_of(
    thread: Thread, first_ts: str | None, *, session_id: str | None, cwd: str | None, client_version: str | None
) -> Session:
    """The main session. Its id is derived, a version-7 UUID of the thread's own time (formats/codex.md §12.16)."""
    created = next((t for t in (thread.created_at, first_ts) if t and unix_ms(t) is not None), EPOCH)
    own = asked_id(session_id) or ids.uuid7(unix_ms(created) or 0, "codex", thread.id)
    metadata = thread.metadata or {}
    found = metadata.get("cwd")
    return Session(
        thread=thread,
        session_id=own,
        root_id=own,
        parent_id=None,
        depth=0,
        cwd=cwd or (found if isinstance(found, str) and found else "/"),
        created=created,
        client_version=client_version,
    )


def child_of(parent: Session, thread: Thread, first_ts: str | None) -> Session:
    """A child's session under its parent's. Its id is of both: the child of another copy is another session."""
    own = session_of(thread, first_ts, session_id=None, cwd=None, client_version=parent.client_version)
    own_id = ids.uuid7(unix_ms(own.created) or 0, "codex", parent.session_id, thread.id)
    return Session(
        thread=thread,
        session_id=own_id,
        root_id=parent.root_id,
        parent_id=parent.session_id,
        depth=parent.depth + 1,
        cwd=own.cwd if own.cwd != "/" else parent.cwd,
        created=own.created,
        client_version=parent.client_version,
    )


def session_meta(session: Session, history: History, link: JsonObject | None) -> JsonObject:
    """The first line's payload.

    Left out on purpose: `model_provider` (one that differs from the user's hides the session and makes `exec` refuse
    it) and `base_instructions` (the client's own are used); formats/codex.md §1.2, §4.
    """
    metadata = session.thread.metadata or {}
    meta: JsonObject = {
        "id": session.session_id,
        "session_id": session.root_id,
        "timestamp": session.created,
        "cwd": session.cwd,
        "originator": ORIGINATOR,
        "cli_version": session.client_version or ORIGINATOR,
        "source": "cli",
    }
    if session.parent_id is not None:
        meta |= _spawned(session)
    if history.paginated:
        meta["history_mode"] = "paginated"
    git = {
        key: metadata[name]
        for key, name in (("commit_hash", "gitCommit"), ("branch", "gitBranch"), ("repository_url", "gitUrl"))
        if isinstance(metadata.get(name), str)
    }
    if git:
        meta["git"] = git
    if link is not None:
        meta["sesh"] = link
    return meta


def names_of(thread: Thread) -> tuple[str, str | None]:
    """(what to call a child, its role)."""
    metadata = thread.metadata or {}
    names = (metadata.get(key) for key in ("agentNickname", "description", "agentType", "relation"))
    role = metadata.get("agentType")
    return next((n for n in names if isinstance(n, str) and n), "agent"), role if isinstance(role, str) else None


def _spawned(session: Session) -> JsonObject:
    """What makes a rollout a sub-agent's: not listed on its own, shown under its parent."""
    nickname, role = names_of(session.thread)
    spawn = {
        "parent_thread_id": session.parent_id,
        "depth": session.depth,
        "agent_path": None,
        "agent_nickname": nickname,
        "agent_role": role,
    }
    return {
        "parent_thread_id": session.parent_id,
        "source": {"subagent": {"thread_spawn": spawn}},
        "thread_source": "subagent",
        "agent_nickname": nickname,
        **({} if role is None else {"agent_role": role}),
    }


def thread_stamp(thread: Thread) -> JsonObject:
    """What the first line's stamp keeps of the thread: all but its ids and what only its own provider reads."""
    value: JsonObject = msgspec.to_builtins(thread)
    kept: JsonObject = {k: value[k] for k in ("title", "createdAt", "agentId") if k in value}
    metadata = {k: v for k, v in (thread.metadata or {}).items() if k != "providerData"}
    if metadata:
        kept["metadata"] = metadata
    return kept
