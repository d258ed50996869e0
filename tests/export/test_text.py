"""Plain text for pipes: folded unless all is asked for, and nothing left out then."""

from __future__ import annotations

import pytest

from sesh.export.text import FOLDED_LINES, LONGEST_LINE, cut, folded, lines
from sesh.format.blocks import TextBlock
from sesh.present.outline import outline
from sesh.providers import registry
from tests.sessions import Session, main_sessions


def test_folding_says_how_much_it_hides() -> None:
    body = "\n".join(map(str, range(20)))
    assert list(folded(body, full=False)) == [*map(str, range(FOLDED_LINES)), f"… {20 - FOLDED_LINES} more lines"]
    assert list(folded(body, full=True)) == list(map(str, range(20)))
    assert list(folded("\n".join("1234567"), full=False)) == list("1234567")


def test_an_endless_line_is_cut_and_says_so() -> None:
    assert cut("a" * LONGEST_LINE) == "a" * LONGEST_LINE
    assert cut("a" * (LONGEST_LINE + 5)).endswith("a… (5 more characters)")


@pytest.mark.parametrize("session", main_sessions()[::4], ids=lambda s: s.name)
def test_full_text_holds_every_word(session: Session) -> None:
    read = registry.get(session.provider).parse(session.open().source)
    shown = "\n".join(lines(outline(read.thread, read.messages, read.children), full=True))
    for m in read.messages:
        for block in m.content:
            if isinstance(block, TextBlock) and "<image" not in block.text and "</image>" not in block.text:
                for line in block.text.rstrip().split("\n"):
                    assert line.rstrip() in shown
