"""Where a session lies now: by its id, wherever its client has moved, archived, compressed or split it since."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Final

from sesh.catalog.resolve import Homes
from sesh.files import scan
from sesh.files.read import Opened, open_session
from sesh.handoff.link import End
from sesh.providers import registry
from sesh.providers.api import IngestResult, Provider


def home_of(provider: Provider, path: Path) -> Path | None:
    """The client's folder that a session file lies in, or None for a file that lies anywhere else."""
    for parent in path.parents:
        if provider.layout.is_session(PurePosixPath(path.relative_to(parent).as_posix())):
            return parent
    return None


class Places:
    """Where sessions lie, by id. Each folder is looked through once, when something in it is first asked for."""

    def __init__(self, homes: Homes) -> None:
        self._homes: Final = homes
        self._seen: Final[dict[tuple[str, Path], dict[str, Path]]] = {}

    def find(self, end: End) -> Path | None:
        """The file of a session: in the client's folder of this run, else in the one it was in, else at its old path.

        Where it lies in several (Codex: a revert begins a new segment), the newest is where it goes on.
        """
        folders = [self._homes[end.provider][1]] if end.provider in self._homes else []
        if end.home and Path(end.home) not in folders:
            folders.append(Path(end.home))
        for home in folders:
            found = self._in(end.provider, home).get(end.session_id)
            if found is not None:
                return found
        old = Path(end.path)
        return old if old.is_file() else None

    def _in(self, provider: str, home: Path) -> dict[str, Path]:
        key = (provider, home)
        if key not in self._seen:
            files = scan.newest_files(scan.scan(registry.get(provider), home))
            self._seen[key] = {file.session_id: file.path for file in files}
        return self._seen[key]


def find(end: End, homes: Homes) -> Path | None:
    """The file of one session (see `Places`)."""
    return Places(homes).find(end)


def open_end(end: End, homes: Homes) -> Opened | None:
    """The session as it is now, or None where it is gone. Raises SeshError where it cannot be read."""
    path = find(end, homes)
    return None if path is None else open_session(path, registry.get(end.provider))


def end_of(opened: Opened, read: IngestResult) -> End:
    """An open session as one end of a link."""
    metadata = read.thread.metadata or {}
    session = opened.provider.layout.session_id(opened.path.name) or metadata.get("sessionId") or opened.path.stem
    home = home_of(opened.provider, opened.path)
    version = metadata.get("version")
    return End(
        provider=opened.provider.name,
        session_id=str(session),
        path=str(opened.path),
        home=str(home) if home else "",
        version=version if isinstance(version, str) else None,
    )
