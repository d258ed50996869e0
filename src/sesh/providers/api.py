"""The contract between a provider and the rest of sesh. A third party implements `Provider` and nothing else.

Everything here is a value or a pure function: bytes in, records out; records in, lines out. Clock, ids, home and
environment are arguments. Only `sesh.files` opens files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypedDict, Unpack

import msgspec

from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.report.reports import EmitReport, IngestReport


class SessionSource(msgspec.Struct, frozen=True, kw_only=True):
    """A session's main file and what lies beside it.

    `name` is the main file's name (the session id often stands only there). `companions` maps a path relative to the
    provider's own anchor (Claude Code: the project folder; Codex: CODEX_HOME) to that file's bytes, decompressed; it
    may read lazily, so a reader should fetch only what the session names.
    """

    main: bytes
    name: str | None = None
    companions: Mapping[str, bytes] = {}


Source: TypeAlias = SessionSource | bytes | str


def as_source(source: Source) -> SessionSource:
    """The three things a reader accepts, as one. Text is encoded with lone surrogates kept, as the file had them."""
    if isinstance(source, SessionSource):
        return source
    return SessionSource(main=source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass"))


class ReadOptions(TypedDict, total=False):
    """What every reader takes.

    keep_raw: keep each message's source record in `Message.raw`.
    agent_id, run_id: stamped on threads and on messages, for a gateway that wants to find them again.
    session_id: the vendor session id, where neither file name nor content tells.
    """

    keep_raw: bool
    agent_id: str | None
    run_id: str | None
    session_id: str | None


class EmitOptions(TypedDict, total=False):
    """What every writer takes; a writer ignores, and says so in its report, what its client cannot have.

    children: child threads with their messages (IngestResult.children), written as the client's own child files.
    session_id: the id to write under; derived from the thread's id where absent.
    cwd: the folder the session belongs to, absolute, symbolic links resolved; default: the thread's metadata.cwd.
    link: stamped into the file, `emittedLines` filled in (Codex: session_meta.payload.sesh; Claude: a sesh-link line).
    tools: `keep` leaves names and inputs as they are; `native` translates to the client's own tools, restorably.
    keep_context: take `context` messages along.
    history: Codex only: `legacy`, `paginated`, or `auto` by `client_version`.
    client_version: the version of the target client found on the machine.
    initial_parent_uuid: Claude only: chain the first line onto this uuid of an existing session.
    initial_time: Claude only: the last time (ISO) in that session; the lines to be chained on come after it.
    since_compaction, last_turns: cut the history on whole turns, and say so.
    keep_raw: same vendor only: write messages that hold their source record as that record.
    """

    children: Sequence[IngestedThread]
    session_id: str | None
    cwd: str | None
    link: JsonObject | None
    tools: Literal["keep", "native"] | None
    keep_context: bool
    history: Literal["auto", "legacy", "paginated"]
    client_version: str | None
    initial_parent_uuid: str | None
    initial_time: str | None
    since_compaction: bool
    last_turns: int | None
    keep_raw: bool


class IngestedThread(msgspec.Struct, frozen=True, kw_only=True):
    """A child thread and its messages."""

    thread: Thread
    messages: list[Message]


class IngestResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader returns (seeds/provider-adapters). `children` is flat: a child's child names its own parent."""

    thread: Thread
    messages: list[Message]
    children: list[IngestedThread]
    report: IngestReport


class EmittedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to be written beside the main one. `path` is relative to the provider's home; lines have no LF."""

    path: str
    lines: list[bytes]
    modified: str | None = None


class EmitResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a writer returns.

    path: where the client looks for the file, relative to its home (`projects/<munged cwd>/<id>.jsonl`,
    `sessions/YYYY/MM/DD/rollout-….jsonl`). lines: the main file, without LFs; on disk each ends with one.
    modified: ISO time of the last activity (the file's mtime). appends: lines for files of the user's that a handoff
    may append to (Codex's session_index.jsonl), by path relative to the home; `convert` never touches them.
    """

    session_id: str
    path: str
    lines: list[bytes]
    modified: str
    report: EmitReport
    files: list[EmittedFile] = []
    appends: list[EmittedFile] = []


class Parse(Protocol):
    """A reader. Raises SeshError (NotASession) and nothing else, whatever the bytes."""

    def __call__(self, source: Source, /, **options: Unpack[ReadOptions]) -> IngestResult: ...


class Emit(Protocol):
    """A writer. Raises SeshError and nothing else."""

    def __call__(
        self, thread: Thread, messages: Sequence[Message], /, **options: Unpack[EmitOptions]
    ) -> EmitResult: ...


class CopiedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that goes along with a copied session, whole. `path` is relative to the provider's home."""

    path: str
    data: bytes


class GraftResult(msgspec.Struct, frozen=True, kw_only=True):
    """A copy of a session with new turns at its end.

    emitted: as a writer returns it; `lines` is the whole file, the copied lines first. kept: how many of them are the
    copied ones. replaced: what had to change in the copied lines, as counts by the name of the value (`sessionId`).
    copies: files beside the session that the copy needs.
    """

    emitted: EmitResult
    kept: int
    replaced: dict[str, int]
    copies: list[CopiedFile] = []


class Graft(Protocol):
    """Puts new turns on a copy of a session. Pure; the session itself is not touched. Raises SeshError."""

    def __call__(
        self,
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
        """`origin` is the reading of `source`, and `path` its place relative to the home; `new_id` is the copy's id.

        `after` is the id of the message of the origin that the new `messages` follow; None: its last. What comes
        after it stays in the file, as an abandoned branch. `options` are a writer's; `link` is stamped at the end.
        """


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a session file from which it can be read on, as it was known when the file ended at `end`.

    offset, line: where the line begins, and its number. end: where the last whole line ended. state: what the
    provider's reader has to know of all that stands before; small, and JSON.
    """

    offset: int
    line: int
    end: int
    state: JsonObject = {}


class Further(NamedTuple):
    """A reading of a file's end. Its messages are those that a reading of the whole has from the place on.

    result: `thread` is the whole thread's record as it is now; `children` are those that lie wholly after the place.
    place: the same place, known as of this reading. names: every name by which the lines call something; those of
    lines before the place must not be among them, which only the caller can tell.
    """

    result: IngestResult
    place: Place
    names: set[str]


class Onward(Protocol):
    """Reads a session that has grown from a place near its end on. Pure.

    The promise: where `read` gives something and none of its `names` is one of the lines before, a reading of the whole
    file gives the same messages after the same ones, the same record of the thread, and the children that it gave
    before, those after the place as they are now. Whenever that is not certain, there is no place, or no reading.
    """

    def places(
        self, source: SessionSource, read: IngestResult, settled: int, start: Place | None = None, /
    ) -> Iterator[Place]:
        """Places where a session that was read as `read` may be read on from, the last one first; few, or none.

        They stand before the end of its first `settled` messages. start: where `source` begins, if it is no whole file;
        `read` is then what was read from there.
        """

    def names(self, messages: Sequence[Message], children: Sequence[IngestedThread] = (), /) -> Iterator[str]:
        """The names that later lines could use again: of records, calls, steps."""

    def beside(self, keys: Iterable[str], place: Place, /) -> list[str]:
        """Which files beside the session a reading depends on, but for those that the lines after the place name."""

    def read(
        self, source: SessionSource, place: Place, thread: Thread, /, **options: Unpack[ReadOptions]
    ) -> Further | None:
        """Read the bytes from a place on. `thread`: the record that the last reading gave. Raises SeshError."""


class Layout(Protocol):
    """Where a client keeps its sessions. Pure: paths in, paths out."""

    def home(self, environment: Mapping[str, str], user_home: PurePath) -> PurePath:
        """The client's folder: its environment variable, or the default under the user's home."""

    def session_id(self, name: str) -> str | None:
        """The session id a file name bears, or None where it is no main session file's name."""

    def is_session(self, path: PurePath) -> bool:
        """Whether a path relative to the home is a main session file (not a sub-agent's, not a companion)."""

    def search_roots(self) -> Sequence[str]:
        """Folders under the home that hold sessions."""

    def anchor(self, path: PurePath) -> PurePath:
        """The folder that a session's companions are named relative to."""

    def companion_globs(self, path: PurePath) -> Sequence[str]:
        """Patterns, relative to the anchor, of files that may belong to this session."""

    def resume_command(self, session_id: str) -> Sequence[str]:
        """What a person types to go on, as an argument list."""


class Glimpse(msgspec.Struct, frozen=True, kw_only=True):
    """What `list` reads of a session: its first and last bytes.

    `path` is relative to the client's home (POSIX). `whole` says that `head` is the whole file; then `tail` is empty.
    A compressed file comes decompressed, and with no tail.
    """

    path: str
    head: bytes
    tail: bytes = b""
    whole: bool = False


class Card(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """A session in a list. Everything may be unknown: a glimpse is not a reading.

    `title` was given by the user or the client; `prompt` is what a human said first. `created` and `updated` are the
    client's own ISO times. `hidden` says why the client's own picker does not show the session (`exec`, `sdk`,
    `sub-agent`, `archived`, `empty`, ...). `parent` is the session id of the one it belongs under. `turns` counts the
    prompts of humans, where the glimpse held the whole file.
    """

    title: str | None = None
    prompt: str | None = None
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    version: str | None = None
    created: str | None = None
    updated: str | None = None
    hidden: str | None = None
    parent: str | None = None
    turns: int | None = None
    handed_from: str | None = None
    """`provider:session` that sesh made this file from, read off the stamp it left."""


class Spoken(NamedTuple):
    """Words on one line of a session, for searching. `voice` is `user`, `assistant` or `tool`."""

    voice: str
    text: str


class NameIndex(msgspec.Struct, frozen=True, kw_only=True):
    """A file in a client's home that names sessions: its path below the home, and how to read names by session id."""

    path: str
    read: Callable[[bytes], Mapping[str, str]]


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """A client, whole: how to know its files, read them, write them, and where they lie."""

    name: str
    """The name on the command line and in provenance: `claude-code`, `codex`."""
    title: str
    """The name people know: `Claude Code`, `Codex`."""
    program: str
    """The command that starts the client."""
    detect: Callable[[bytes, str | None], bool]
    """Whether a file that begins with these bytes (64 KiB, perhaps less) and has this name is this client's."""
    parse: Parse
    emit: Emit
    layout: Layout
    card: Callable[[Glimpse], Card] = lambda glimpse: Card()
    """A session's line in a list, from a few of its bytes. Never raises; without one, a list shows ids and times."""
    spoken: Callable[[bytes], Sequence[Spoken]] = lambda line: ()
    """The words on one line of a session file, for the search. Never raises; without one, nothing is found."""
    owner: Callable[[str], str | None] = lambda relative: None
    """The session that a transcript beside the sessions belongs to (a sub-agent's), by its path; or None.

    "" where the path is such a transcript's and only its lines say whose: then `owner_in` is asked.
    """
    owner_in: Callable[[bytes], str | None] = lambda head: None
    """The same by the transcript's first bytes (64 KiB, perhaps less). Never raises."""
    name_index: NameIndex | None = None
    """Where the client keeps names beside the sessions, if it does."""
    graft: Graft | None = None
    """Adds turns to a copy of a session, or None where merging onto this client's sessions is not possible."""
    graft_refusal: Callable[[SessionSource], str | None] = lambda source: None
    """Why no turns can be added to a copy of this session; None where `graft` would take some."""
    onward: Callable[[], Onward] | None = None
    """Gives what reads on where a session has grown; without one, it is read whole each time."""
    home_variable: str | None = None
    """The environment variable that names the client's folder."""
    writer_lock: Callable[[str], str] | None = None
    """Session id to the file, relative to the home, that the client holds a lock on while the session is open."""
    live_registry: str | None = None
    """Pattern, relative to the home, of JSON files that name running processes (`pid`, `sessionId`, `procStart`)."""
    covered: Sequence[str] = ()
    """Versions of the client whose own files the tests read, oldest first."""
    extra: Mapping[str, Any] = {}
