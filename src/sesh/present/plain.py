"""Words out of a session made harmless for a terminal: no transcript may move the cursor, ring or recolour."""

from __future__ import annotations

from typing import Final

from sesh.format import jsontext

_CONTROLS: Final = dict.fromkeys(
    (*range(9), *range(11, 27), *range(28, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
)
"""Control characters but tab, line feed and ESC; and those that reorder the text around them, which can make a line
say another thing than it does. Right-to-left text is drawn as such without them."""


def printable(text: str) -> str:
    """Text that a terminal can be given: lone surrogates as U+FFFD, control characters left out.

    ESC stays, because renderers style their own text; whoever prints words out of a session uses `plain` on them first.
    """
    text = text.translate(_CONTROLS)
    replaced: str = jsontext.without_lone_surrogates(text) if jsontext.has_lone_surrogate(text) else text
    return replaced


def plain(text: str) -> str:
    """The same without ESC: what a tool's coloured output leaves is taken away, not only made inert."""
    if "\x1b" in text:
        import re

        text = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]+[0-~]|[@-Z\\-_])?", "", text)
    return printable(text)
