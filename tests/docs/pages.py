"""`docs/how-to/add-a-provider.md`: the prose with the example's own files in their places."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_PROSE: Final = Path(__file__).with_name("add_a_provider.md")
_EXAMPLE: Final = Path(__file__).parents[2] / "docs/examples/scribe"


def add_a_provider() -> str:
    """The page."""

    def file(match: re.Match[str]) -> str:
        return (_EXAMPLE / match[1]).read_text(encoding="utf-8").rstrip("\n")

    return re.sub(r"(?:# )?\{\{([^}]+)\}\}", file, _PROSE.read_text(encoding="utf-8"))
