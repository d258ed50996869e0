"""Whose file is this? Asked of the first bytes and the name, never of the folder alone."""

from __future__ import annotations

from typing import Final

from sesh.errors import NotASession
from sesh.providers import registry
from sesh.providers.api import Provider

HEAD_BYTES: Final = 1 << 16


def provider_of(head: bytes, name: str | None = None) -> Provider:
    """The provider whose session begins like this. Built-in providers are asked first, then installed ones,
    then the canonical form.

    Raises NotASession with what the bytes look like instead.
    """
    where = name or "This input"
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise NotASession(f"{where} is empty.", hint="Name a session file of Claude Code or Codex.")
    for provider in registry.built_in():
        if provider.detect(head, name):
            return provider
    for other in registry.formats():
        provider = registry.get(other)
        if provider.detect(head, name):
            return provider
    raise NotASession(
        f"{where} is no session of {', '.join(p.title for p in registry.every())}.",
        hint="Expected JSON Lines as the client writes them (see `sesh list` for sessions on this machine).",
    )
