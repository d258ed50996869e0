"""What `--json` prints, command by command. The JSON Schemas in `schema/sesh-cli.v1.schema.json` are made from these.

Fields may be added; none is renamed, removed or given another meaning. A list of canonical records (`show`) is as
`schema/sesh.v1.schema.json` says.
"""

from __future__ import annotations

from typing import Any, Final, TypedDict

from sesh.catalog.listing import Session
from sesh.handoff.state import State
from sesh.ingest.session import Taken
from sesh.report.reports import EmitReport, IngestReport

Canonical = dict[str, Any]
"""A thread or a message of the canonical model."""


class Failure(TypedDict):
    """Any command that failed. The exit code of the process is the same."""

    error: str
    hint: str | None
    exitCode: int


class Report(TypedDict):
    """Both accounts of a conversion: what became of every line read and of every block written."""

    read: IngestReport
    written: EmitReport | None


class Listed(TypedDict):
    """`sesh list`."""

    sessions: list[Session]


class Child(TypedDict):
    """A child thread and its messages."""

    thread: Canonical
    messages: list[Canonical]


class Shown(TypedDict):
    """`sesh show`."""

    provider: str
    path: str
    thread: Canonical
    messages: list[Canonical]
    children: list[Child]
    report: IngestReport


class Match(TypedDict):
    """A session that the search found: its best line (of `file`, which may be a sub-agent's), and how to open it.

    `together` is false where the words stand on different lines; then `matches` counts the lines that hold any.
    """

    provider: str
    sessionId: str
    path: str
    title: str | None
    cwd: str | None
    modified: str
    file: str
    line: int
    voice: str
    excerpt: str
    matches: int
    score: float
    together: bool
    command: str


class Searched(TypedDict):
    """`sesh search`. `sessions` counts all that match, `results` are the best of them."""

    words: list[str]
    sessions: int
    results: list[Match]


class Origin(TypedDict):
    """Where a conversion comes from; `path` is null for stdin."""

    provider: str
    threadId: str
    path: str | None


Converted = TypedDict(
    "Converted",
    {
        "from": Origin,
        "provider": str,
        "sessionId": str,
        "path": str | None,
        "written": bool,
        "lines": int,
        "files": list[str],
        "report": Report,
    },
)
Converted.__doc__ = (
    "`sesh convert`. `path` is null without -o; `written` is false there, and where the same file was there already."
)


class Exported(TypedDict):
    """`sesh export`. `written` is false where the same file was there already.

    `redacted` counts what was taken out by kind; null without --redact.
    """

    path: str
    format: str
    bytes: int
    written: bool
    redacted: dict[str, int] | None


class Resume(TypedDict):
    """How to go on with a session: arguments, the folder to start in, what must be in the environment."""

    arguments: list[str]
    cwd: str | None
    environment: dict[str, str]


class End(TypedDict):
    """A session by its client and its id there."""

    provider: str
    sessionId: str


Handed = TypedDict(
    "Handed",
    {
        "provider": str,
        "sessionId": str,
        "path": str,
        "command": str,
        "resume": Resume,
        "link": str | None,
        "from": End,
        "written": bool,
        "dryRun": bool,
        "files": list[str],
        "appends": list[str],
        "supersedes": str | None,
        "tokens": int | None,
        "remarks": list[str],
        "report": Report,
    },
)
Handed.__doc__ = (
    "`sesh handoff`. `written` is false where the session was there already, and for --dry-run. `tokens`: what the "
    "first client's model held when it last answered, by that client's count; null where nothing tells, or where only "
    "a part goes over."
)

Merged = TypedDict(
    "Merged",
    {
        "provider": str,
        "sessionId": str,
        "path": str,
        "command": str,
        "resume": Resume,
        "link": str | None,
        "from": End,
        "written": bool,
        "dryRun": bool,
        "turns": int,
        "messages": int,
        "onto": str,
        "after": str | None,
        "replaced": dict[str, int],
        "files": list[str],
        "supersedes": str | None,
        "remarks": list[str],
        "report": Report,
    },
)
Merged.__doc__ = "`sesh merge`. `turns` is 0 where nothing is new; then `path` is the session as it is."


class Links(TypedDict):
    """`sesh links`."""

    links: list[State]


class Ingested(TypedDict):
    """`sesh ingest`."""

    store: str
    sessions: list[Taken]
    failed: list[Canonical]
    unread: int
    messages: int
    held: int
    differing: int
    notes: list[str]


class Client(TypedDict):
    """A client as `sesh providers` shows it."""

    name: str
    title: str
    program: str
    home: str
    folders: list[str]
    resume: list[str]
    covered: list[str]
    merges: bool
    package: str


class Providers(TypedDict):
    """`sesh providers`. `formats` are the names that `convert --to` takes."""

    providers: list[Client]
    formats: list[str]


class Found(TypedDict):
    """A client on this machine. `met` counts sessions by the version that wrote them."""

    name: str
    title: str
    program: str | None
    version: str | None
    home: str
    homeFrom: str
    homeExists: bool
    sessions: int
    hidden: int
    bytes: int
    met: dict[str, int]
    covered: list[str]
    beyond: list[str]
    live: list[str]


class Place(TypedDict):
    """A file or folder of sesh's own; `bytes` is null where it is not there."""

    path: str
    bytes: int | None


class LinkSums(TypedDict):
    """How many links there are, and which of their ends are gone."""

    total: int
    targetsMissing: list[str]
    sourcesGone: list[str]


Setting = TypedDict("Setting", {"name": str, "value": Any, "from": str})
Setting.__doc__ = "A value that does not come from a flag, and where it comes from."


class Diagnosed(TypedDict):
    """`sesh doctor`."""

    sesh: str
    python: str
    platform: str
    program: str
    clients: list[Found]
    folders: dict[str, Place]
    links: LinkSums
    settings: list[Setting]
    problems: list[str]


class Completion(TypedDict):
    """`sesh completion`."""

    shell: str
    script: str
    place: str


class Over(TypedDict):
    """The way there, in the demo."""

    path: str
    command: str
    report: Report


class Back(TypedDict):
    """The way back, in the demo."""

    path: str
    command: str
    turns: int
    keptLines: int
    replaced: dict[str, int]
    report: Report


Trip = TypedDict(
    "Trip",
    {
        "from": str,
        "to": str,
        "title": str | None,
        "session": str,
        "handoff": Over,
        "merge": Back,
        "originLines": int,
        "originUntouched": bool,
        "originSha256": str,
        "mergedLines": int,
    },
)
Trip.__doc__ = "One session over and back."


class Demo(TypedDict):
    """`sesh demo`. `home` is null where it was temporary; with `--play` there are no trips."""

    trips: list[Trip]
    home: str | None


BY_COMMAND: Final[dict[str, Any]] = {
    "list": Listed,
    "show": Shown,
    "search": Searched,
    "export": Exported,
    "handoff": Handed,
    "merge": Merged,
    "links": Links,
    "convert": Converted,
    "ingest": Ingested,
    "doctor": Diagnosed,
    "providers": Providers,
    "completion": Completion,
    "demo": Demo,
    "error": Failure,
}
"""The document of each command; `error` is that of any which fails. `follow` prints `ingest`'s sessions, one a line."""
