"""Opening a session where it lies: its bytes as one snapshot, and what stands beside it, read only when asked for."""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate
from pathlib import Path

import msgspec

from sesh.errors import NoSuchSession, NotASession, SeshError
from sesh.providers.api import Provider, SessionSource
from sesh.providers.detect import HEAD_BYTES, provider_of

ZSTD_SUFFIX = ".zst"
_WILD = frozenset("*?[")


class Opened(msgspec.Struct, frozen=True, kw_only=True):
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
        _must_end(path)
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


def _must_end(path: Path) -> None:
    """Refuse what is never read to its end: a device, or a named pipe, which may have no writer. Raises NotASession.

    A pipe that this process was given as one of its own (`<(command)` in a shell) ends with its writer.
    """
    mode = path.stat().st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode) or (stat.S_ISFIFO(mode) and _is_own_descriptor(path)):
        return
    what = "named pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
    raise NotASession(f"{path} is no regular file but a {what}.", hint="Name a session's file.")


def _is_own_descriptor(path: Path) -> bool:
    return path == Path("/dev/stdin") or Path(os.path.realpath(path.parent)) == Path(os.path.realpath("/dev/fd"))


def decompress(data: bytes, where: str) -> bytes:
    """A zstd file's content. Raises SeshError where it is damaged."""
    import zstandard  # only compressed rollouts need it

    try:
        return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True).read()
    except zstandard.ZstdError as e:
        raise SeshError(f"{where} is no readable zstd file: {e}.") from e


def companions(path: Path, provider: Provider) -> FolderView:
    """The files that may belong to a session, by their path relative to the provider's anchor."""
    anchor = Path(provider.layout.anchor(path))
    return FolderView(anchor, tuple(provider.layout.companion_globs(path)), leave_out=path)


class FolderView(Mapping[str, bytes]):
    """Files below a folder that match patterns, as a mapping that reads when asked.

    Keys are relative POSIX paths; a compressed file is named without its `.zst` and comes decompressed. Nothing is
    listed before the first look, a file that a pattern names outright is found without a listing, and nothing is kept:
    a session may have hundreds of megabytes beside it, and lie among thousands of others.
    """

    def __init__(self, root: Path, globs: tuple[str, ...], leave_out: Path) -> None:
        self._root = root
        self._globs = globs
        self._left_out = leave_out.relative_to(root).as_posix()
        self._found: dict[str, str] | None = None
        self._stamps: dict[str, tuple[int, int]] = {}

    def _files(self) -> dict[str, str]:
        """By key: the file's path below the root."""
        if self._found is None:
            self._found = {}
            folders = _Folders(self._root)
            for pattern in self._globs:
                for file in folders.files("", pattern.split("/")):
                    if file != self._left_out:
                        self._found.setdefault(file.removesuffix(ZSTD_SUFFIX), file)
        return self._found

    def _path(self, key: str) -> Path:
        named = key in self._globs and not _WILD & set(key)
        return self._root / (key if named else self._files()[key])

    def __getitem__(self, key: str) -> bytes:
        path = self._path(key)
        self.stamp(key)
        try:
            return read_file(path)[0]
        except SeshError as e:
            raise KeyError(key) from e  # vanished or unreadable: to the reader, it is not at hand

    def stamp(self, key: str) -> tuple[int, int] | None:
        """A file's size and mtime, as they were before it was first read; None where there is no such file."""
        if key not in self._stamps:
            try:
                status = self._path(key).stat()
            except (OSError, KeyError):
                return None
            self._stamps[key] = (status.st_size, status.st_mtime_ns)
        return self._stamps[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files())

    def __len__(self) -> int:
        return len(self._files())


class _Folders:
    """The folders below a root, each looked into once, for several patterns."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._seen: dict[str, list[os.DirEntry[str]]] = {}

    def files(self, folder: str, pattern: Sequence[str]) -> Iterator[str]:
        """The files below `folder` (relative, "" or ending in a slash) that a pattern's parts match, in order.

        `**` stands for any number of folders, symbolic links to folders not among them.
        """
        part, rest = pattern[0], pattern[1:]
        if part == "**":
            yield from self.files(folder, rest)
            for entry in self._entries(folder):
                if entry.is_dir(follow_symlinks=False):
                    yield from self.files(f"{folder}{entry.name}/", pattern)
            return
        fits = re.compile(translate(part)).match
        for entry in self._entries(folder):
            if fits(entry.name) is None:
                continue
            if not rest:
                if entry.is_file():
                    yield folder + entry.name
            elif entry.is_dir():
                yield from self.files(f"{folder}{entry.name}/", rest)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        found = self._seen.get(folder)
        if found is None:
            try:
                with os.scandir(f"{self._root}/{folder}") as entries:
                    found = sorted(entries, key=lambda entry: entry.name)
            except OSError:  # no such folder, or none that may be looked into: nothing of it is at hand
                found = []
            self._seen[folder] = found
        return found
