"""Canonical files lie wherever the user puts them: there is no home, and nothing beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final


class CanonicalLayout:
    """`Layout` of files that belong to no client."""

    def home(self, environment: Mapping[str, str], user_home: PurePath) -> PurePath:
        """The user's own folder, for want of another."""
        return user_home

    def session_id(self, name: str) -> str | None:
        """A file's name says nothing."""
        return None

    def is_session(self, path: PurePath) -> bool:
        """No place is searched."""
        return False

    def search_roots(self) -> Sequence[str]:
        """No place is searched."""
        return ()

    def anchor(self, path: PurePath) -> PurePath:
        """The file's folder."""
        return path.parent

    def companion_globs(self, path: PurePath) -> Sequence[str]:
        """A canonical file holds its children itself."""
        return ()

    def resume_command(self, session_id: str) -> Sequence[str]:
        """Nothing resumes it; `sesh show` shows it."""
        return ("sesh", "show", session_id)


LAYOUT: Final = CanonicalLayout()
