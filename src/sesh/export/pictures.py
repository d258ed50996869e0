"""Images in the terminal itself, by the two protocols that terminals know: Kitty's and iTerm2's.

Kitty, Ghostty and Konsole draw PNGs by the first; iTerm2, WezTerm, VS Code and mintty draw all common kinds by the
second. A terminal that knows neither is never sent anything: it would print the base64.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from sesh.present.outline import Picture

Protocol: TypeAlias = Literal["kitty", "iterm"]

_CHUNK: Final = 4096
"""Characters of base64 in one of Kitty's commands, at most."""
_KINDS: Final[dict[Protocol, tuple[str, ...]]] = {
    "kitty": ("image/png",),
    "iterm": ("image/png", "image/jpeg", "image/gif", "image/webp"),
}
_ROWS: Final = 12
"""How high an image is drawn, in rows."""


def protocol(environment: Mapping[str, str]) -> Protocol | None:
    """What the terminal says of itself; None where it says nothing that is known."""
    program, term = environment.get("TERM_PROGRAM", ""), environment.get("TERM", "")
    if "TMUX" in environment or term.startswith(("screen", "tmux")):
        return None  # tmux passes neither through unless it is told to
    if "KITTY_WINDOW_ID" in environment or "kitty" in term or program == "ghostty" or "KONSOLE_VERSION" in environment:
        return "kitty"
    if program in ("iTerm.app", "WezTerm", "vscode", "mintty"):
        return "iterm"
    return None


def drawn(picture: Picture, by: Protocol) -> str | None:
    """The codes that draw an image, or None where this terminal cannot draw this one."""
    if not picture.data or picture.media_type not in _KINDS[by]:
        return None
    try:
        size = len(base64.b64decode(picture.data, validate=True))
    except (binascii.Error, ValueError):
        return None
    if by == "iterm":
        head = f"\x1b]1337;File=inline=1;size={size};height={_ROWS};preserveAspectRatio=1:"
        return f"{head}{picture.data}\x1b\\"
    return "".join(_kitty(picture.data))


def _kitty(data: str) -> Iterator[str]:
    for start in range(0, len(data), _CHUNK):
        more = int(start + _CHUNK < len(data))
        first = f"a=T,f=100,q=2,r={_ROWS}," if start == 0 else ""
        yield f"\x1b_G{first}m={more};{data[start : start + _CHUNK]}\x1b\\"
