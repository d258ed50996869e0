"""Images go to terminals that know how to draw them, whole, and to no other."""

from __future__ import annotations

import base64
import re

import pytest

from sesh.export.pictures import drawn, protocol
from sesh.export.terminal import rendered
from sesh.format.blocks import AttachmentBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.present.outline import Picture, outline

DATA = base64.b64encode(bytes(range(256)) * 40).decode()
PNG = Picture(media_type="image/png", label="x", message_id="m", data=DATA)


@pytest.mark.parametrize(
    ("environment", "by"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"KITTY_WINDOW_ID": "1", "TERM": "xterm"}, "kitty"),
        ({"TERM_PROGRAM": "ghostty"}, "kitty"),
        ({"TERM_PROGRAM": "iTerm.app"}, "iterm"),
        ({"TERM_PROGRAM": "WezTerm"}, "iterm"),
        ({"TERM_PROGRAM": "vscode"}, "iterm"),
        ({"TERM": "xterm-256color"}, None),
        ({}, None),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({"TMUX": "x", "TERM_PROGRAM": "iTerm.app"}, None),
    ],
)
def test_what_a_terminal_says_of_itself(environment: dict[str, str], by: str | None) -> None:
    assert protocol(environment) == by


def test_kitty_gets_it_in_pieces() -> None:
    code = drawn(PNG, "kitty")
    assert code is not None
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", code)
    assert "".join(data for _, data in pieces) == DATA
    assert all(len(data) <= 4096 for _, data in pieces)
    assert [head.rpartition("m=")[2] for head, _ in pieces] == ["1"] * (len(pieces) - 1) + ["0"]
    assert pieces[0][0].startswith("a=T,f=100")


def test_iterm_gets_it_whole() -> None:
    code = drawn(PNG, "iterm")
    assert code is not None
    assert code.startswith("\x1b]1337;File=inline=1;size=10240;")
    assert code.endswith(f":{DATA}\x1b\\")


def test_what_cannot_be_drawn_is_not() -> None:
    assert drawn(Picture(media_type="image/jpeg", label="", message_id="", data=DATA), "kitty") is None
    assert drawn(Picture(media_type="application/pdf", label="", message_id="", data=DATA), "iterm") is None
    assert drawn(Picture(media_type="image/png", label="", message_id="", data="\x1b]0;x\x07"), "iterm") is None
    assert drawn(Picture(media_type="image/png", label="", message_id="", uri="http://x"), "iterm") is None


def test_an_image_stands_below_its_label_in_the_text() -> None:
    said = Message(
        id="m", thread_id="t", role="user", ts="", content=[AttachmentBlock(media_type="image/png", data=DATA)]
    )
    view = outline(Thread(id="t", created_at=""), [said])
    plain = rendered(view, full=False, client="x", width=60)
    with_image = rendered(view, full=False, client="x", width=60, draw=lambda p: drawn(p, "iterm"))
    code = drawn(PNG, "iterm")
    assert code is not None
    assert with_image.replace(f"{code}\n", "") == plain
    assert with_image.index("▣") < with_image.index(code)
