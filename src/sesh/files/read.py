"""Opening a session where it lies: its bytes as one snapshot, and what stands beside it, read only when asked for."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sesh.errors import NoSuchSession, NotASession, SeshError
from sesh.providers.api import Provider, SessionSource
from sesh.providers.detect import HEAD_BYTES, provider_of

ZSTD_SUFFIX = ".zst"


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A session file as it was at one instant.

    `source` is what a reader takes; `path` is absolute; `modified` is the mtime in nanoseconds at the time of reading.
    """

    path: Path
    provider: Provider
    source: SessionSource
    modified: int


def open_session(path: Path, provider: Provider | None = None) -> Opened:
    """Read a session file whole. The client may be writing: what was there when the file was opened is what counts.

    Raises NoSuchSession (nothing there), NotASession (a directory, an empty file, no client's session) or SeshError
    (not allowed, not readable).
    """
    data, modified = read_file(path)
    if provider is None:
        provider = provider_of(data[:HEAD_BYTES], path.name)
    return Opened(
        path=path.absolute(),
        provider=provider,
        source=SessionSource(main=data, name=path.name, companions=companions(path.absolute(), provider)),
        modified=modified,
    )


def stored_size(path: Path) -> int:
    """A file's bytes as they lie on the disk, compressed or not; 0 where there is no such file."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def read_file(path: Path) -> tuple[bytes, int]:
    """A file's bytes (decompressed where its name ends in .zst) and its mtime. Raises as `open_session`."""
    try:
        with path.open("rb") as f:
            status = os.fstat(f.fileno())
            data = f.read()
    except FileNotFoundError:
        raise NoSuchSession(f"There is no file {path}.", hint="`sesh list --all` shows the sessions here.") from None
    except IsADirectoryError:
        raise NotASession(f"{path} is a folder.", hint="Name the session's .jsonl file in it.") from None
    except OSError as e:
        raise SeshError(f"{path} cannot be read: {e.strerror or e}.") from e
    if path.name.endswith(ZSTD_SUFFIX):
        data = decompress(data, str(path))
    return data, status.st_mtime_ns


def decompress(data: bytes, where: str) -> bytes:
    """A zstd file's content. Raises SeshError where it is damaged."""
    import zstandard  # only compressed rollouts need it

    try:
        return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True).read()
    except zstandard.ZstdError as e:
        raise SeshError(f"{where} is no readable zstd file: {e}.") from e


def companions(path: Path, provider: Provider) -> Mapping[str, bytes]:
    """The files that may belong to a session, by their path relative to the provider's anchor."""
    anchor = Path(provider.layout.anchor(path))
    return FolderView(anchor, tuple(provider.layout.companion_globs(path)), leave_out=path)


class FolderView(Mapping[str, bytes]):
    """Files below a folder that match patterns, as a mapping that reads when asked.

    Keys are relative POSIX paths; a compressed file is named without its `.zst` and comes decompressed. Nothing is
    listed before the first look, and nothing is kept: a session may have hundreds of megabytes beside it.
    """

    def __init__(self, root: Path, globs: tuple[str, ...], leave_out: Path) -> None:
        self._root = root
        self._globs = globs
        self._leave_out = leave_out
        self._found: dict[str, Path] | None = None

    def _files(self) -> dict[str, Path]:
        if self._found is None:
            found: dict[str, Path] = {}
            for pattern in self._globs:
                for file in sorted(self._root.glob(pattern)):
                    if file != self._leave_out and file.is_file():
                        key = PurePosixPath(file.relative_to(self._root).as_posix())
                        found.setdefault(str(key).removesuffix(ZSTD_SUFFIX), file)
            self._found = found
        return self._found

    def path_of(self, key: str) -> Path:
        """Where a companion lies. Raises KeyError."""
        return self._files()[key]

    def __getitem__(self, key: str) -> bytes:
        path = self._files()[key]
        try:
            return read_file(path)[0]
        except SeshError as e:
            raise KeyError(key) from e  # vanished or unreadable: to the reader, it is not at hand

    def __iter__(self) -> Iterator[str]:
        return iter(self._files())

    def __len__(self) -> int:
        return len(self._files())
