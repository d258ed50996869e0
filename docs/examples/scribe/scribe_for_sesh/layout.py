"""Where Scribe keeps its sessions: ~/.scribe/logs/<id>.log, nothing beside them. Paths in, paths out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

_NAME = re.compile(r"([0-9a-f-]{36})\.log")


class ScribeLayout:
    """`sesh.providers.api.Layout`."""

    def home(self, environment: Mapping[str, str], user_home: PurePath) -> PurePath:
        """$SCRIBE_HOME, or ~/.scribe."""
        named = environment.get("SCRIBE_HOME")
        return type(user_home)(named) if named else user_home / ".scribe"

    def session_id(self, name: str) -> str | None:
        """The id in a file's name."""
        match = _NAME.fullmatch(name)
        return match[1] if match else None

    def is_session(self, path: PurePath) -> bool:
        """`logs/<id>.log`, and nothing else."""
        return path.parts[:-1] == ("logs",) and self.session_id(path.name) is not None

    def search_roots(self) -> Sequence[str]:
        """The folders below the home in which sessions are looked for."""
        return ("logs",)

    def anchor(self, path: PurePath) -> PurePath:
        """The folder that a session's companions are named from."""
        return path.parent

    def companion_globs(self, path: PurePath) -> Sequence[str]:
        """A session of Scribe's has nothing beside it."""
        return ()

    def resume_command(self, session_id: str) -> Sequence[str]:
        """What a person types to go on."""
        return ("scribe", "--continue", session_id)


LAYOUT = ScribeLayout()
