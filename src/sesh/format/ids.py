"""Derived ids: the same source bytes give the same ids, so appending twice changes nothing (law 3).

An id is a version-5 UUID over the provider, the session and the record. `uuid.uuid5` builds a UUID object only to
print it; a session of 100 MB has 40,000 messages, so the same 128 bits are formatted here directly.
"""

from __future__ import annotations

from typing import Final

try:
    from _sha1 import sha1  # type: ignore[import-not-found]  # as `random` does: hashlib loads the whole of OpenSSL
except ImportError:
    from hashlib import sha1

# uuid5(NAMESPACE_DNS, "sesh.canonical.v1"), fixed for ever: changing it would change every id ever derived.
NAMESPACE: Final = bytes.fromhex("de15f741d9bc57cb851967eaf06fd7fc")

# RFC 9562: the first two bits of a UUID's 17th digit are 1 and 0.
_VARIANT: Final = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


def derive(*parts: str) -> str:
    """The id for a tuple of names, as a lower-case UUID string. Order and boundaries of the parts matter."""
    return _uuid5(
        sha1(NAMESPACE + "\x1f".join(parts).encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    )


def _uuid5(h: str) -> str:
    return f"{h[:8]}-{h[8:12]}-5{h[13:16]}-{_VARIANT[h[16]]}{h[17:20]}-{h[20:32]}"


def thread_id(provider: str, session_id: str) -> str:
    """The canonical id of a provider's session."""
    return derive("thread", provider, session_id)


def message_id(provider: str, session_id: str, source_id: str) -> str:
    """The canonical id of one record. `source_id` is the vendor's id, or `line:N` where the record has none."""
    return derive("message", provider, session_id, source_id)


class Messages:
    """`message_id` for the many records of one session: what their names have in common is digested once."""

    def __init__(self, provider: str, session_id: str) -> None:
        shared = "\x1f".join(("message", provider, session_id, ""))
        self._begun: Final = sha1(NAMESPACE + shared.encode("utf-8", "surrogatepass"), usedforsecurity=False)

    def id(self, source_id: str) -> str:
        """The canonical id of one record, as `message_id` gives it."""
        digest = self._begun.copy()
        digest.update(source_id.encode("utf-8", "surrogatepass"))
        return _uuid5(digest.hexdigest())


def uuid7(unix_ms: int, *seed: str) -> str:
    """A version-7 UUID whose time is `unix_ms` and whose other bits derive from `seed`: sortable, and the same again.

    Codex orders threads by such ids (formats/codex.md §12.16).
    """
    h = sha1(NAMESPACE + "\x1f".join(seed).encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()[:10].hex()
    t = f"{max(unix_ms, 0) & 0xFFFFFFFFFFFF:012x}"
    return f"{t[:8]}-{t[8:]}-7{h[:3]}-{_VARIANT[h[3]]}{h[4:7]}-{h[7:19]}"
