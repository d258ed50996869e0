"""Where the real clients are, and which: found under node_modules, pinned in package.json, never downloaded here."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Final

HERE: Final = Path(__file__).parent
_PACKAGES: Final = {"codex": "@openai/codex", "claude": "@anthropic-ai/claude-code"}
_PROGRAMS: Final = {"codex": "@openai/codex-*/vendor/*/**/codex", "claude": "@anthropic-ai/claude-code-*/claude"}
_INSTALL: Final = "make clients, or SESH_CLIENTS=FOLDER for a folder that holds node_modules"


class NotInstalled(Exception):
    """The client is not on this machine, or is another version than the pinned one; the message says what to do."""


@dataclass(frozen=True, kw_only=True)
class Installed:
    """A client's program, as the words that start it, and its version."""

    name: str
    command: tuple[str, ...]
    version: str


def root() -> Path:
    """The folder that holds node_modules: $SESH_CLIENTS, else this one."""
    return Path(os.environ.get("SESH_CLIENTS") or HERE)


def pinned(name: str) -> str:
    """The version the tests are written against (package.json)."""
    versions: dict[str, str] = json.loads((HERE / "package.json").read_text())["dependencies"]
    return versions[_PACKAGES[name]]


def find(name: str, *, any_version: bool = False) -> Installed:
    """The client's native program. Raises NotInstalled where it is missing or not the pinned version."""
    modules = root() / "node_modules"
    package = modules / _PACKAGES[name] / "package.json"
    programs = [p for p in sorted(modules.glob(_PROGRAMS[name])) if p.is_file() and os.access(p, os.X_OK)]
    if not programs or not package.is_file():
        raise NotInstalled(f"the real {name} is not under {modules} ({_INSTALL})")
    version = json.loads(package.read_text())["version"]
    if version != pinned(name) and not any_version:
        raise NotInstalled(f"{name} {version} is under {modules}, the tests want {pinned(name)} ({_INSTALL})")
    return Installed(name=name, command=(str(programs[0]),), version=version)


def old_versions(name: str) -> list[str]:
    """The older versions for spot checks (old/package.json), oldest first."""
    named: dict[str, str] = json.loads((HERE / "old" / "package.json").read_text())["dependencies"]
    found = [version for alias, version in (n.split("-", 1) for n in named) if alias == name]
    return sorted(found, key=lambda v: [int(n) for n in v.split(".")])


def find_old(name: str, version: str) -> Installed:
    """An older version, for spot checks. Raises NotInstalled where it is missing."""
    modules = Path(os.environ.get("SESH_OLD_CLIENTS") or HERE / "old") / "node_modules"
    missing = NotInstalled(f"{name} {version} is not under {modules} (make clients-old, or SESH_OLD_CLIENTS=FOLDER)")
    if name == "claude":
        script, node = modules / f"claude-{version}" / "cli.js", which("node")
        if not script.is_file() or node is None:
            raise missing
        return Installed(name=name, command=(node, str(script)), version=version)
    for package in modules.glob("**/@openai/codex-*/package.json"):
        if json.loads(package.read_text())["version"].split("-")[0] == version:
            for program in package.parent.glob("vendor/**/codex"):
                if program.is_file() and os.access(program, os.X_OK):
                    return Installed(name=name, command=(str(program),), version=version)
    raise missing
