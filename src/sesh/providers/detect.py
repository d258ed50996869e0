"""Whose file is this? Asked of the first bytes and the name, never of the folder alone."""

from __future__ import annotations

import codecs
from typing import Final

from sesh.errors import NotASession
from sesh.providers import registry
from sesh.providers.api import Provider

HEAD_BYTES: Final = 1 << 16
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32"),  # before UTF-16's, with which it begins
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_ZEROS: Final = (
    ([False, True, True, True], "UTF-32LE"),
    ([True, True, True, False], "UTF-32BE"),
    ([False, True, False, True], "UTF-16LE"),
    ([True, False, True, False], "UTF-16BE"),
)
"""Which of the first four bytes are zero where two ASCII characters begin the text, as they do in JSON (RFC 4627)."""


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
    if (encoding := _wide_encoding(head)) is not None:
        raise NotASession(
            f"{where} is {encoding} text, and sessions are UTF-8.",
            hint=f"Write it again as UTF-8, which loses nothing: `iconv -f {encoding} -t UTF-8 FILE > FILE.jsonl`.",
        )
    raise NotASession(
        f"{where} is no session of {', '.join(p.title for p in registry.every())}.",
        hint="Expected JSON Lines as the client writes them (see `sesh list` for sessions on this machine).",
    )


def _wide_encoding(head: bytes) -> str | None:
    """The name of the Unicode encoding of text that is not UTF-8, by its mark or, in JSON, by where its zeros are.

    PowerShell before 7 writes UTF-16 with `>`, so that a copy of a session made there is no session any more.
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    for zeros, name in _ZEROS:
        if [byte == 0 for byte in head[:4]] == zeros and head[:4].strip(b"\0")[:1] in b" \t\r\n{[":
            return name
    return None
