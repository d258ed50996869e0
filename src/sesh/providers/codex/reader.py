"""A Codex rollout as canonical messages: `parse_codex_rollout`.

Response items are the conversation; events are echoes of them, or the only witness (fold.py). The history is gathered
from all files it lies in (lineage.py), read once in order (fold.py), and what it names besides, sub-agents and reviews,
comes as child threads (threads.py). What becomes of each kind of record: MAPPING.md.
"""

from __future__ import annotations

from typing import Final, Unpack

import msgspec

from sesh.errors import NotASession
from sesh.format import ids
from sesh.providers.api import IngestResult, ReadOptions, Source, as_source
from sesh.providers.boundary import guarded
from sesh.providers.codex import header, lineage, records
from sesh.providers.codex.detect import is_stream
from sesh.providers.codex.layout import parse_name
from sesh.providers.codex.records import Strange, Unreadable
from sesh.providers.codex.threads import Reading, speaks
from sesh.report.reports import LineBook

_MAIN: Final = "rollout.jsonl"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


@guarded
def parse_codex_rollout(source: Source, /, **options: Unpack[ReadOptions]) -> IngestResult:
    """Read a rollout of any version, with what lies beside it.

    `source`: the file's bytes or text, or a SessionSource whose companions are named relative to CODEX_HOME (other
    rollouts, `session_index.jsonl`; see `layout`) and fetched only where the session names them. The main thread is
    what Codex sends its model on resume, with what came before compactions in front; forks' bases are joined, segments
    of reverts resolved to the newest, rolled-back and superseded turns become child threads.

    Raises NotASession for an empty file, the `codex exec --json` stream, and a file without any conversation.
    """
    given = as_source(source)
    book = LineBook()
    file = given.name or _MAIN
    found = records.read(given.main, file, book)
    _refuse(found, given.name, given.main)
    name = parse_name(given.name) if given.name else None
    fallback = options.get("session_id") or _nameless(given.main)
    main = lineage.opened(found, file, name, fallback)
    library = lineage.Library(given.companions, book, given.name.removesuffix(".zst") if given.name else None)
    reading = Reading(library, book, options)
    if main.meta is None:
        source = "its name" if name is not None else "its first line, for nothing in it tells"
        book.note("id-from-file-name", f"The file has no header of its own; the session id was taken from {source}.")
    thread, messages = reading.thread(main, main.thread, None, None)
    if not speaks(messages) and not any(speaks(c.messages) for c in reading.children):
        raise NotASession(
            f"{given.name or 'This rollout'} holds no conversation: {len(found)} records, none of them a message."
            + (f" {reading.missing}" if reading.missing else ""),
            hint="`sesh list --all` shows the sessions that have one.",
        )
    index = library.index()
    title = header.name_in_index(index[1], index[0], main.thread, book) if index else None
    if title is not None:
        thread = msgspec.structs.replace(thread, title=title)
    return IngestResult(thread=thread, messages=messages, children=reading.children, report=book.report())


def _refuse(found: list[records.Record], name: str | None, data: bytes) -> None:
    where = name or "This input"
    if data[:4] == _ZSTD:
        raise NotASession(f"{where} is compressed.", hint="Decompress it first: `zstd -d`.")
    if not found:
        raise NotASession(f"{where} is empty.", hint="Name a rollout of Codex, rollout-*.jsonl.")
    if any(isinstance(r.line, Strange) and is_stream(r.line.value) for r in found[:50]):
        raise NotASession(
            f"{where} is the output stream of `codex exec --json`, not a session file.",
            hint="The session itself lies under ~/.codex/sessions; `sesh list --all` shows it.",
        )
    if all(isinstance(r.line, (Strange, Unreadable)) for r in found):
        raise NotASession(f"{where} is no rollout; none of its lines is a record of Codex.")


def _nameless(data: bytes) -> str:
    """An id for a file that tells none, by its first line: the same file gives the same, and so does a longer one."""
    end = data.find(b"\n")
    first = data if end < 0 else data[:end]
    return ids.derive("codex-rollout", first.decode("utf-8", "replace"))
