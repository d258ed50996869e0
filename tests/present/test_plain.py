"""Nothing in a transcript can drive the terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sesh.present.plain import plain, printable


@given(st.text() | st.text(alphabet="\x1b[]();0123456789mHJKa\x07\x9b\x9d\\").map(lambda t: f"\x1b{t}"))
def test_no_control_character_survives(text: str) -> None:
    assert not [c for c in plain(text) if (ord(c) < 32 and c not in "\t\n\x1b") or 127 <= ord(c) < 160]
    assert "\x1b" not in plain(text)
    plain(text).encode()


def test_colours_of_a_tool_go_with_their_codes() -> None:
    assert plain("\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07 \x1b(Bok") == "red link ok"


def test_lone_surrogates_are_replaced() -> None:
    assert printable("a\ud83d") == "a\ufffd"
    assert printable("\x1b[1mx") == "\x1b[1mx"


def test_no_line_is_reordered() -> None:
    assert plain("if a \u202e== b\u202c \u2066x\u2069 שלום") == "if a == b x שלום"
