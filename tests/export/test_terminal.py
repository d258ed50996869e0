"""The terminal's view: within its width, and driven by nothing that a transcript holds."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from sesh.export.terminal import rendered
from sesh.present.outline import outline
from sesh.providers import registry
from tests.sessions import Session, main_sessions

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("session", main_sessions()[::8], ids=lambda s: s.name)
@pytest.mark.parametrize("width", [50, 120])
def test_lines_fit_and_only_colours_are_sent(session: Session, width: int) -> None:
    read = registry.get(session.provider).parse(session.open().source)
    text = rendered(outline(read.thread, read.messages, read.children), full=True, client="x", width=width)
    bare = _STYLE.sub("", text)
    assert "\x1b" not in bare
    assert not [c for c in bare if ord(c) < 32 and c not in "\t\n"]
    assert max(cell_len(line) for line in bare.split("\n")) <= width
