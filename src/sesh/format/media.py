"""What an attachment's data is: by its first bytes, not by what it was called.

A name is often wrong (a JPEG called PNG), and data is often cut or none at all. An API refuses what is not what it is
called, and with it every later request of the session. So writers ask here before they call data a picture.
"""

from __future__ import annotations

import re
from typing import Final

from sesh.format.regex import regex

_BEGINNINGS: Final = (
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("JVBERi0", "application/pdf"),
)
"""First bytes in base64, and the media type of what begins so."""
_DATA_URL: Final = regex(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,(.*)", re.S | re.I)


def media_of(data: str) -> str | None:
    """The media type of base64 data that is a PNG, JPEG, GIF, WebP or PDF by its first bytes; None for all other."""
    for start, kind in _BEGINNINGS:
        if data.startswith(start):
            return kind
    # RIFF, four bytes of length, WEBP: sound in RIFF begins alike. 11 characters hold the bytes before the last two
    # bits of the W.
    return "image/webp" if data.startswith("UklGR") and data[11:16] == "XRUJQ" else None


def is_text(media: str | None) -> bool:
    """Whether data of this media type is text that a model can read as it is."""
    return media is not None and (media.startswith("text/") or media == "application/json")


def as_base64(data: str) -> str | None:
    """Base64 as both APIs take it; None where it is none, or of nothing.

    Mostly the text itself. White space goes (some tools break the lines), and a padding that was left out is put there.
    """
    if _is_base64(data):
        return data
    tidy = "".join(data.split())
    tidy += "=" * (-len(tidy) % 4)
    return tidy if tidy != data and _is_base64(tidy) else None


def _is_base64(data: str) -> bool:
    if not data or len(data) % 4:
        return False
    try:
        return bool(decoded(data))
    except ValueError:
        return False


def decoded(data: str) -> bytes:
    """What base64 stands for. Raises ValueError where it is none."""
    from base64 import b64decode  # only where there is an attachment

    return b64decode(data, validate=True)


def in_url(uri: str) -> tuple[str | None, str] | None:
    """The media type and the base64 of a `data:` URL; None for any other URL, and for one that is no base64."""
    match = _DATA_URL.fullmatch(uri) if uri[:5].lower() == "data:" else None
    return None if match is None else (match[1], match[2])
