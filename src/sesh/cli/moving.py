"""What the commands share that put a session into a client's folder: whose folders, and how to go on from there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from sesh.catalog.homes import client_home, sesh_home
from sesh.catalog.resolve import Homes, resolve
from sesh.cli import here
from sesh.errors import NoSuchSession, SeshError
from sesh.files.scan import scan
from sesh.handoff.book import Book
from sesh.handoff.link import Link
from sesh.providers import registry
from sesh.providers.api import Provider


def now() -> str:
    """This moment as an ISO time in UTC, with milliseconds."""
    return here.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")


def book() -> Book:
    """sesh's own book of links."""
    return Book(sesh_home(os.environ))


def homes(named: Path | None, target: str | None = None) -> Homes:
    """Each client's folder: below or at `--home` for the clients that it holds and for the target, else its own.

    So `--home` may name a home folder with both clients in it, or the folder of the one that is written to.
    """
    found = {}
    for provider in map(registry.get, registry.names()):
        own = named if named is not None and (provider.name == target or _holds(named, provider)) else None
        found[provider.name] = (provider, client_home(provider, os.environ, Path.home(), own))
    return found


def _holds(named: Path, provider: Provider) -> bool:
    if Path(provider.layout.home({}, named)).is_dir():
        return True
    return next(scan(provider, named), None) is not None


def session_path(wanted: str | None, named: Path | None, target: str | None = None) -> Path:
    """The file of SESSION: looked for in `--home` first, then where the clients keep theirs. Raises NoSuchSession.

    Nothing named: the newest session of this folder that is not one of the client `target` already.
    """
    if wanted is not None and here.is_file(wanted):
        return Path(wanted)
    only = tuple(name for name in registry.names() if name != target) if wanted is None else ()
    cache = here.cards()
    try:
        found = resolve(wanted, here.homes(named, only), Path.cwd(), cache)
    except NoSuchSession:
        if named is None:
            raise
        found = resolve(wanted, here.homes(None, only), Path.cwd(), cache)
    cache.save()
    return found


@dataclass(frozen=True, kw_only=True)
class Resume:
    """How to go on with a session: the arguments, the folder to start in, and what must be in the environment."""

    arguments: Sequence[str]
    cwd: str | None
    environment: dict[str, str]

    def __str__(self) -> str:
        """As a line for a shell."""
        settings = [f"{name}={shlex.quote(value)}" for name, value in self.environment.items()]
        command = " ".join([*settings, shlex.join(self.arguments)])
        return f"cd {shlex.quote(self.cwd)} && {command}" if self.cwd else command

    def launch(self) -> NoReturn:
        """Become the client. Raises SeshError where it is not on this machine."""
        program = find_program(self.arguments[0])
        if self.cwd and Path(self.cwd).is_dir():
            os.chdir(self.cwd)
        environment = {**os.environ, **self.environment}
        sys.stdout.flush()
        sys.stderr.flush()
        if os.name == "nt":
            raise SystemExit(subprocess.run([program, *self.arguments[1:]], env=environment).returncode)
        os.execve(program, list(self.arguments), environment)


def find_program(name: str) -> str:
    """Where a client's program is. Raises SeshError where it is not on this machine."""
    program = shutil.which(name)
    if program is None:
        raise SeshError(
            f"There is no `{name}` on PATH to launch.", hint="Leave --launch out and run the command yourself."
        )
    return program


def resume(provider: Provider, home: Path, session_id: str, cwd: str | None) -> Resume:
    """How to go on with a session of a client whose folder is `home`."""
    environment = {}
    if provider.home_variable is not None:
        usual = client_home(provider, os.environ, Path.home())
        value = os.environ.get(provider.home_variable) or "/"
        elsewhere = not Path(value).is_absolute()  # it means another folder once one has changed the working folder
        if elsewhere or os.path.abspath(home) != os.path.abspath(usual):  # noqa: PTH100
            environment[provider.home_variable] = str(home)
    return Resume(
        arguments=list(provider.layout.resume_command(session_id)),
        cwd=None if cwd is None or cwd == os.getcwd() else cwd,  # noqa: PTH109  # as the link says it: a real path
        environment=environment,
    )


def result(
    provider: Provider, session_id: str, path: Path, command: Resume, report: Any, link: Link | None, **more: Any
) -> dict[str, Any]:
    """What `--json` says of a session that was made or found: the keys that `handoff` and `merge` share."""
    return {
        "provider": provider.name,
        "sessionId": session_id,
        "path": str(path),
        "command": str(command),
        "resume": {"arguments": list(command.arguments), "cwd": command.cwd, "environment": command.environment},
        "link": link.id if link is not None else None,
        **more,
        "report": report,
    }
