"""Store URLs as they may be shown: people put passwords into them, and logs are read by others."""

from __future__ import annotations

from typing import Final

from sesh.format.regex import regex

_USER: Final = regex(r"(?<=://)([^/?#:@]*:)([^?#]*)(?=@)")
"""`user:password` before the last `@`: a password with an `@` or `/` in it is a mistake, and no reason to show it."""
_PARAMETER: Final = regex(r"(?i)(?<=[?&])([^&=]*(?:passw|secret|token)[^&=]*=)([^&#]*)")
_QUOTED: Final = regex(r'"([^"]*)"')
_HIDDEN: Final = "***"


def shown(url: str) -> str:
    """The URL without its passwords."""
    for part in (_USER, _PARAMETER):
        url = part.sub(lambda found: found[1] + _HIDDEN, url)
    return url


def hidden(text: str, url: str) -> str:
    """A driver's words about a URL, without the parts of its passwords that they quote."""
    secrets = [found for part in (_USER, _PARAMETER) for _, found in part.findall(url)]
    return _QUOTED.sub(
        lambda said: (
            f'"{_HIDDEN}"' if said[1] and any(said[1] in s or (s and s in said[1]) for s in secrets) else said[0]
        ),
        text,
    )
