"""Markdown pages whose ```console blocks are run: what stands below each `$` is what the command prints.

    ```console
    $ sesh list
    AGE  CLIENT  ...
    $ sesh show nope
    sesh: No session answers to 'nope' ...
    [exit 4]
    ```

All blocks of a page share one home, with the two bundled sessions in it, as if they had been made in ~/orchard. Both
streams are shown in the order in which they were written; an exit code other than 0 stands in brackets. The commands
are `sesh`, `cd`, `cat`, `mkdir`, `echo`, and `> FILE` behind a `sesh`.
"""

from __future__ import annotations

import io
import os
import platform
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from sesh import demo
from sesh.cli import here
from sesh.cli.app import run
from sesh.demo import far_side
from sesh.format import ids
from sesh.providers.claude_code.layout import munge

NOW: Final = datetime(2026, 11, 20, 15, 0, tzinfo=UTC)
SHOWN_HOME: Final = "/home/ada"
_BLOCK: Final = re.compile(r"^(?P<fence>`{3,})console\n(?P<body>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
_TEMPORARY: Final = re.compile(r"/[^\s=]*/sesh-demo-\w+")
_UUID: Final = re.compile(r"\b([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-[0-9a-f]{4}-[0-9a-f]{12}\b")
_SCORE: Final = re.compile(r'"score": [0-9.]+')
_HOME_LENGTH: Final = 100
"""The home's path is padded to this, so that sizes do not depend on where the tests' folders lie."""
_MODIFIED: Final = {"claude-code": 1_795_165_350, "codex": 1_795_183_287}


class Machine:
    """Somebody's machine: a home with the bundled sessions, made in ~/orchard, at a fixed time."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        pad = _HOME_LENGTH - len(str(folder)) - 1
        self.home: Final = folder / ("a" * max(1, pad))
        self.cwd = self.home / "orchard"
        self.cwd.mkdir(parents=True)
        self._seen: Final[dict[str, str]] = {}
        for name, target in (("claude-code", ".claude"), ("codex", ".codex")):
            self._settle(name, self.home / target)
        patch.setenv("HOME", str(self.home))
        patch.setenv("USERPROFILE", str(self.home))
        patch.setenv("COLUMNS", "100")
        patch.setenv("PATH", str(folder / "no-programs"))
        for name in ("NO_COLOR", "FORCE_COLOR", "PAGER", "SHELL"):
            patch.delenv(name, raising=False)
        patch.setattr(here, "now", lambda: NOW)

    def _settle(self, name: str, target: Path) -> None:
        """Copy a bundled home, with the paths in it under this one."""
        shutil.copytree(demo.FOLDER / name, target)
        old, new = munge(f"{SHOWN_HOME}/orchard"), munge(str(self.cwd))
        for path in sorted(target.rglob("*"), reverse=True):
            if path.is_file():
                path.write_bytes(path.read_bytes().replace(SHOWN_HOME.encode(), str(self.home).encode()))
                os.utime(path, (_MODIFIED[name], _MODIFIED[name]))
            elif path.name == old:
                path.rename(path.with_name(new))

    def shown(self, text: str) -> str:
        """Output as the page shows it: the home's name, and ids that do not depend on it."""
        text = text.replace(platform.platform(), "Linux").replace(platform.python_version(), "3.11")
        text = text.replace(munge(str(self.home)), munge(SHOWN_HOME)).replace(str(self.home), SHOWN_HOME)
        # How well a line matches depends on how many words the others have, and so on the words of the home's path.
        text = _SCORE.sub('"score": 2.45', text)
        return _UUID.sub(self._id, _TEMPORARY.sub("/tmp/sesh-demo", text))

    def _id(self, match: re.Match[str]) -> str:
        """Ids that sesh derives depend on the bytes, and so on the home's path; their beginning is the time."""
        whole = match[0]
        if any(whole in str(p) for p in demo.FOLDER.rglob("*")):
            return whole
        if whole not in self._seen:
            tail = ids.derive("page", str(len(self._seen)))[15:]
            self._seen[whole] = f"{match[1]}-{match[2]}-{match[3][0]}{tail}"
        return self._seen[whole]

    def real(self, command: str) -> str:
        """A command of the page with this machine's ids and home."""
        for there, shown in self._seen.items():
            command = command.replace(shown, there)
        return command.replace(SHOWN_HOME, str(self.home)).replace("~/", f"{self.home}/")

    def run(self, command: str) -> str:
        """Run one command line; returns what the terminal would show."""
        words = shlex.split(self.real(command), comments=True)
        match words:
            case []:
                return ""
            case ["cd", target]:
                self.cwd = (self.cwd / target).resolve()
                return ""
            case ["mkdir", target]:
                (self.cwd / target).mkdir(parents=True)
                return ""
            case ["echo", *told, ">" | ">>" as how, target]:
                with (self.cwd / target).open("a" if how == ">>" else "w", encoding="utf-8") as f:
                    f.write(" ".join(told) + "\n")
                return ""
            case ["cat", target]:
                return self.shown((self.cwd / target).read_text(encoding="utf-8"))
            case ["codex" | "claude", *rest]:
                return self._go_on(rest[-1])
            case ["sesh", *arguments]:
                target = None
                if len(arguments) > 2 and arguments[-2] == ">":
                    arguments, target = arguments[:-2], self.cwd / arguments[-1]
                return self.shown(self._sesh(arguments, target))
            case _:
                raise ValueError(f"a page may not run {command!r}")

    def _go_on(self, session_id: str) -> str:
        """Stand in for the client: one scripted turn at the end of the session."""
        file = next(p for p in self.home.rglob(f"*{session_id}*.jsonl"))
        provider = "codex" if ".codex" in file.parts else "claude-code"
        added = far_side.turn(provider, file.read_bytes().splitlines())
        with file.open("ab") as f:
            f.writelines(line + b"\n" for line in added)
        os.utime(file, (NOW.timestamp() - 60, NOW.timestamp() - 60))
        return ""

    def _sesh(self, arguments: list[str], target: Path | None) -> str:
        out = io.BytesIO()
        with _streams(out, target) as target_bytes, _inside(self.cwd):
            code = run(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
        if target is not None:
            target.write_bytes(target_bytes.getvalue())
        text = out.getvalue().decode()
        return text if code == 0 else f"{text}[exit {code}]\n"


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _streams(out: io.BytesIO, target: Path | None) -> Iterator[io.BytesIO]:
    """Both streams into one, in the order of writing; stdout into bytes of its own where it is redirected."""
    stdout_bytes = out if target is None else io.BytesIO()
    before = sys.stdout, sys.stderr
    sys.stdout = io.TextIOWrapper(stdout_bytes, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    try:
        yield stdout_bytes
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            stream.detach()
        sys.stdout, sys.stderr = before


def rendered(page: str, machine: Machine) -> str:
    """The page with every block as its commands come out now."""

    def block(match: re.Match[str]) -> str:
        lines: list[str] = []
        for command in _commands(match["body"]):
            output = machine.run(command[2:])
            lines += [command, *(output.rstrip("\n").split("\n") if output.strip() else [])]
        fence = match["fence"]
        return f"{fence}console\n" + "".join(f"{line.rstrip()}\n" for line in lines) + fence

    return _BLOCK.sub(block, page)


def _commands(block: str) -> list[str]:
    """The commands of a block; a command that ends with a backslash goes on."""
    found: list[str] = []
    for line in block.split("\n"):
        if found and found[-1].endswith("\\"):
            found[-1] += "\n" + line
        elif line.startswith("$ "):
            found.append(line)
    return found
