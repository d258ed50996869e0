"""One parse: what a session is called, what lies beside it, and what has been gathered of it so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sesh.errors import NotASession
from sesh.format import ids
from sesh.format.json import JsonObject
from sesh.providers.api import ReadOptions, SessionSource
from sesh.providers.claude_code.book import Reading, Record
from sesh.providers.claude_code.children import Child, Links
from sesh.providers.claude_code.facts import first_time, metadata_of
from sesh.providers.claude_code.layout import LAYOUT
from sesh.providers.claude_code.spill import Spills
from sesh.providers.claude_code.threads import NO_TIME, PROVIDER, Weaver
from sesh.providers.claude_code.tree import Tree
from sesh.report.reports import LineBook

MAIN: Final = "session"
"""The main file's name in the report, where the source has none."""


class Session:
    """A main file, read line by line, with everything that is shared by the threads made of it.

    `owner` is the session's id; `key` the id that message ids of the main file are derived from. They differ where the
    main file is a sub-agent's (`sidechain`). Raises NotASession where no line is Claude Code's.
    """

    def __init__(self, source: SessionSource, options: ReadOptions) -> None:
        self.book: Final = LineBook()
        self.companions: Final[Mapping[str, bytes]] = source.companions
        self.keep_raw: Final = options.get("keep_raw", False)
        self.run_id: Final = options.get("run_id")
        self.agent_id: Final = options.get("agent_id")
        self.reading: Final = Reading(self.book, source.name or MAIN, main=True, keep_raw=self.keep_raw)
        self.reading.read(source.main)
        records = self.reading.records
        named = LAYOUT.session_id(source.name) if source.name else None
        if all(r.kind in ("unknown", "unreadable") for r in records) and (records or named is None):
            raise NotASession(
                f"{source.name or 'This input'} is no session of Claude Code: it has none of its lines.",
                hint="Expected JSON Lines with a type on each, as in ~/.claude/projects/<folder>/<id>.jsonl.",
            )
        self.owner: Final = named or _written(records) or options.get("session_id") or _made_up(source)
        agent = only_agent(records)
        self.sidechain: Final = agent is not None
        self.key: Final = self.owner if agent is None else f"{self.owner}/agent-{agent}"
        self.agent: Final = agent
        self.thread_id: Final = ids.thread_id(PROVIDER, self.key)
        self.spills: Final = Spills(self.owner, self.companions, self.book)
        self.links: Final = Links()
        self.children: Final[list[Child]] = []

    def weaver(self, reading: Reading, tree: Tree, key: str, *, sidechain: bool) -> Weaver:
        """What makes messages of a file's records, their ids derived from `key`."""
        return Weaver(reading, tree, key, self.spills, keep_raw=self.keep_raw, run_id=self.run_id, sidechain=sidechain)

    def child(self, key: str, relation: str, records: Sequence[Record]) -> Child:
        """A child thread of this session, without its messages yet."""
        return Child(
            session=self.owner,
            key=key,
            relation=relation,
            messages=[],
            metadata=self.metadata(records),
            parent=self.thread_id,
            created=first_time(records) or NO_TIME,
        )

    def metadata(self, records: Sequence[Record]) -> JsonObject:
        """What the lines of a thread say of it."""
        return {"provider": PROVIDER, "sessionId": self.owner, **metadata_of(records, self.owner)}


def only_agent(records: Sequence[Record]) -> str | None:
    """The agent whose transcript a main file is, where somebody names one as a session: every line is its."""
    found: str | None = None
    for record in records:
        line = record.line
        if line is None or record.kind not in ("user", "assistant"):
            continue
        if not line.is_sidechain or line.agent_id is None or line.agent_id != (found or line.agent_id):
            return None
        found = line.agent_id
    return found


def _written(records: Sequence[Record]) -> str | None:
    """The session id that the lines name first: the same however much of the file is there."""
    return next((r.line.session_id for r in records if r.line is not None and r.line.session_id), None)


def _made_up(source: SessionSource) -> str:
    """An id for a session that nobody named: derived from its first line, so that it is the same again."""
    if source.name:
        return source.name
    return ids.derive(PROVIDER, source.main.split(b"\n", 1)[0].decode("utf-8", "replace"))
