"""Putting new files where a client looks: each appears whole or not at all, and never in place of one that is there.

A file is written nameless (Linux) or under a temporary name in its own folder, flushed to the disk, given its time,
and only then linked under its name, which fails where the name is taken. So a process killed at any instant leaves
either nothing or the whole file. The one file that is appended to is the user's list of names (`append`).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from sesh.errors import Refused, SeshError

TEMPORARY: Final = ".sesh-"
"""What the name of a temporary file begins with, where the file system has no nameless ones."""


def step(name: str) -> None:
    """Called before each change on the disk, with its name. Does nothing; the tests replace it to kill the process."""


class NewFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to be made. `path` is absolute; `modified` is its mtime in nanoseconds, or now.

    `chunks` are its bytes, in order; they are gone through again where a file of that name is there already.
    """

    path: Path
    chunks: Iterable[bytes]
    modified: int | None = None


class TextChunks(msgspec.Struct, frozen=True):
    """Lines without LF as a file's chunks: each line ends with one, the last included. Joined as they are asked for.

    at_once: so many lines a chunk. More make no faster file, only larger buffers: 5 MB for 512 lines of tool output.
    """

    lines: Sequence[bytes]
    at_once: int = 64

    def __iter__(self) -> Iterator[bytes]:
        for i in range(0, len(self.lines), self.at_once):
            yield b"\n".join(self.lines[i : i + self.at_once]) + b"\n"


def place(files: Sequence[NewFile]) -> list[Path]:
    """Make all files in the order given, the one that makes the rest visible last. Returns those that are new.

    A file that is there already with the same bytes is left alone. Raises Refused where one is there with other
    bytes, and SeshError where the disk is full or the folder cannot be written; then what was made is taken away.
    """
    made: list[Path] = []
    folders: list[Path] = []
    try:
        for file in files:
            folders += _make_folder(file.path.parent)
            if _create(file):
                made.append(file.path)
    except BaseException as e:
        _take_back(made, folders)
        if isinstance(e, OSError):
            raise sorry(e, files[-1].path) from e
        raise
    return made


def _create(file: NewFile) -> bool:
    """Make one file; False where the same bytes are there already. Raises Refused or OSError."""
    if file.path.exists() or file.path.is_symlink():
        return _same_or_refuse(file)
    folder = os.open(file.path.parent, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)) if os.name != "nt" else None
    try:
        return _create_in(folder, file)
    finally:
        if folder is not None:
            with suppress(OSError):  # some network file systems cannot flush a folder; the file itself is flushed
                os.fsync(folder)
            os.close(folder)


def _create_in(folder: int | None, file: NewFile) -> bool:
    step(f"write {file.path.name}")
    nameless = _open_nameless(file.path.parent) if folder is not None else None
    if nameless is not None and folder is not None:
        try:
            _fill(nameless, file)
            step(f"link {file.path.name}")
            os.link(f"/proc/self/fd/{nameless}", file.path.name, dst_dir_fd=folder, follow_symlinks=True)
        except FileExistsError:
            return _same_or_refuse(file)
        finally:
            os.close(nameless)
        step(f"linked {file.path.name}")
        return True
    return _create_by_name(file)


def _open_nameless(folder: Path) -> int | None:
    """A file without a name on the folder's file system, or None where that does not exist."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not Path("/proc/self/fd").is_dir():
        return None
    try:
        return os.open(folder, flag | os.O_WRONLY, 0o600)
    except OSError as e:
        if e.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT):
            return None
        raise


def _create_by_name(file: NewFile) -> bool:
    """The same with a temporary name, for file systems without nameless files."""
    _sweep(file.path.parent)
    import secrets  # rarely needed, and half of the weight of this module

    temporary = file.path.parent / f"{TEMPORARY}{os.getpid()}-{secrets.token_hex(4)}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            _fill(descriptor, file)
        finally:
            os.close(descriptor)
        step(f"link {file.path.name}")
        try:
            _give_name(temporary, file.path)
        except FileExistsError:
            return _same_or_refuse(file)
    finally:
        temporary.unlink(missing_ok=True)
    step(f"linked {file.path.name}")
    return True


def _give_name(temporary: Path, path: Path) -> None:
    """Name a finished file without replacing another. Raises FileExistsError."""
    if os.name == "nt":
        temporary.rename(path)  # on Windows this fails where the name is taken
        return
    try:
        os.link(temporary, path)
    except OSError as e:
        if e.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        # No hard links here (FAT, some network shares): take the name first, so that nobody else's file is replaced.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        temporary.rename(path)


def _fill(descriptor: int, file: NewFile) -> None:
    for chunk in file.chunks:
        view = memoryview(chunk)
        while view:
            view = view[os.write(descriptor, view) :]
    if file.modified is not None:
        if os.utime in os.supports_fd:
            os.utime(descriptor, ns=(file.modified, file.modified))
        else:
            os.utime(file.path, ns=(file.modified, file.modified))
    os.fsync(descriptor)


def _same_or_refuse(file: NewFile) -> bool:
    """False where the file has exactly these bytes; else it is somebody's, and stays."""
    try:
        with file.path.open("rb") as f:
            same = all(f.read(len(chunk)) == chunk for chunk in file.chunks) and not f.read(1)
    except OSError:
        same = False
    if same:
        return False
    raise Refused(
        f"{file.path} is there already, with other content.",
        hint="sesh never replaces a file. Move it away if it may go.",
    )


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder and its parents; returns those that were made, the outermost first."""
    missing: list[Path] = []
    at = folder
    while not at.exists():
        missing.append(at)
        at = at.parent
    missing.reverse()
    for path in missing:
        step(f"folder {path.name}")
        path.mkdir(exist_ok=True)
    return missing


def _take_back(made: Sequence[Path], folders: Sequence[Path]) -> None:
    """Remove what this call made, and the folders it made where they are empty."""
    for path in reversed(made):
        with suppress(OSError):  # the reason for the removal is what gets reported
            path.unlink()
    for folder in reversed(folders):
        with suppress(OSError):  # not empty: somebody else used it meanwhile
            folder.rmdir()


def _sweep(folder: Path) -> None:
    """Remove temporary files of processes that are gone: what a kill leaves where there are no nameless files."""
    for old in folder.glob(f"{TEMPORARY}*.tmp"):
        owner = old.name[len(TEMPORARY) :].partition("-")[0]
        if owner.isdigit() and not alive(int(owner)):
            with suppress(OSError):  # another sesh was faster
                old.unlink()


def alive(pid: int) -> bool:
    """Whether a process of that number runs. True where this cannot be asked."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def append(path: Path, lines: Iterable[bytes]) -> list[bytes]:
    """Add lines to the end of a file that others append to as well; returns those that were not there yet.

    Nothing in it is changed. A last line without LF gets one first. The file is locked meanwhile, and what is added
    goes in one write, whole or not at all. Raises SeshError.
    """
    from sesh.files.locks import locked  # a conversion appends to nothing

    try:
        _make_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            with locked(descriptor):
                there = _read_all(descriptor)
                known = set(there.split(b"\n"))
                fresh = [line for line in lines if line not in known]
                if fresh:
                    step(f"append {path.name}")
                    gap = b"" if not there or there.endswith(b"\n") else b"\n"
                    _write_at_end(descriptor, gap + b"".join(line + b"\n" for line in fresh), len(there))
                    os.fsync(descriptor)
                    step(f"appended {path.name}")
                return fresh
        finally:
            os.close(descriptor)
    except OSError as e:
        raise sorry(e, path) from e


def _write_at_end(descriptor: int, data: bytes, size: int) -> None:
    """Add to a file of `size` bytes, all of it or nothing. Raises OSError.

    A disk with some room left takes a part and says how much; the rest then fails. A torn line would cost the next
    one that is appended, by whomever, so the part is taken back, unless somebody has written behind it already.
    """
    written = 0
    try:
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError:
        if written and os.fstat(descriptor).st_size == size + written:
            os.ftruncate(descriptor, size)
        raise


def _read_all(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts: list[bytes] = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def sorry(error: OSError, path: Path) -> SeshError:
    """What an operating system's error means to the user."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return SeshError(
                f"There is no room on the disk for {path}.", hint="Nothing was written. Make room, then run it again."
            )
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return SeshError(
                f"{path.parent} may not be written to ({error.strerror}).",
                hint="Nothing was written. Change its permissions, or name another folder.",
            )
        case errno.ENAMETOOLONG:
            return SeshError(
                f"The name {path} is too long for this file system.", hint="Name a shorter folder with --cwd."
            )
        case errno.ENOTDIR | errno.EEXIST:  # a file, or a link to nowhere, where a folder should be
            return SeshError(f"{path.parent} is in part no folder.", hint="Nothing was written. Name another folder.")
        case errno.ENOENT:
            return SeshError(f"The folder {path.parent} vanished meanwhile.", hint="Nothing was written. Run it again.")
        case _:
            return SeshError(f"{path} cannot be written: {error.strerror or error}.", hint="Nothing was written.")
