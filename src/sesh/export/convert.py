"""One session into another form: open it, read it, write it. Nothing is placed; the result is values."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any, Unpack

import msgspec

from sesh.files.place import NewFile, TextChunks
from sesh.files.read import open_session
from sesh.providers import detect, registry
from sesh.providers.api import EmitOptions, EmitResult, IngestResult, Provider, ReadOptions, SessionSource


class Conversion(msgspec.Struct, frozen=True, kw_only=True):
    """What was read, and what came of it."""

    source: Provider
    target: Provider
    read: IngestResult
    emitted: EmitResult

    @property
    def report(self) -> dict[str, Any]:
        """Both accounts, as `--report` writes them: `read` (an IngestReport) and `written` (an EmitReport)."""
        return {"read": self.read.report, "written": self.emitted.report}


def read_session(
    source: Path | bytes, provider: Provider | None = None, **options: Unpack[ReadOptions]
) -> tuple[Provider, IngestResult]:
    """A session read whole: a file with what lies beside it, or bytes alone. Raises SeshError."""
    if isinstance(source, Path):
        opened = open_session(source, provider)
        return opened.provider, opened.provider.parse(opened.source, **options)
    provider = provider or detect.provider_of(source[: detect.HEAD_BYTES])
    return provider, provider.parse(SessionSource(main=source), **options)


def convert(source: Path | bytes, to: str, read_options: ReadOptions, **options: Unpack[EmitOptions]) -> Conversion:
    """Read a session and write it in the form of provider `to` (`canonical` is one). Children go along.

    Raises SeshError.
    """
    target = registry.get(to)
    provider, read = read_session(source, **read_options)
    options.setdefault("children", read.children)
    emitted = target.emit(read.thread, read.messages, **options)
    return Conversion(source=provider, target=target, read=read, emitted=emitted)


def files_for(emitted: EmitResult, target: Path, *, name: str | None = None) -> list[NewFile]:
    """The files of a conversion below a folder: those beside the session first, the session itself last.

    `name` is the main file's; by default the one the client itself would use. Claude Code keeps a session's own files
    in a folder next to it, which stays so. Codex keeps sub-agents in rollouts of their own, by date; outside of a home
    they lie side by side, where its layout's `companion_globs` find them.
    """
    main = PurePosixPath(emitted.path)
    files = [NewFile(path=target / _beside(main, f.path), chunks=TextChunks(f.lines)) for f in emitted.files]
    return [*files, NewFile(path=target / (name or main.name), chunks=TextChunks(emitted.lines))]


def _beside(main: PurePosixPath, other: str) -> str:
    path = PurePosixPath(other)
    return str(path.relative_to(main.parent)) if path.is_relative_to(main.parent) else path.name
