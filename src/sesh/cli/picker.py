"""`sesh` alone, on a terminal: all sessions to choose from. Type to filter; enter shows, ctrl-t hands off."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from prompt_toolkit.application import Application
from prompt_toolkit.application.current import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    VSplit,
    Window,
)
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from sesh.catalog import listing
from sesh.catalog.listing import Session
from sesh.cli import here
from sesh.cli.commands.list import with_links
from sesh.cli.table import age, fitted, folder, marks, size
from sesh.cli.terminal import colours
from sesh.errors import SeshError
from sesh.present.plain import plain
from sesh.providers import registry

_LARGEST_PREVIEW: Final = 8_000_000
"""Bytes of a session that is read for its preview while somebody types."""
_STYLE: Final = Style.from_dict(
    {
        "chosen": "reverse",
        "claude-code": "ansiyellow",
        "codex": "ansicyan",
        "dim": "ansibrightblack",
        "frame": "ansibrightblack",
        "prompt": "bold ansiblue",
        "title": "bold",
        "user": "ansiblue",
    }
)


def pick() -> list[str] | None:
    """Let the user choose; returns the command line to run, or None."""
    cache = here.cards()
    found = [s for s in listing.sessions(here.homes(), cache) if s.hidden is None and s.parent is None]
    cache.save()
    return choose(with_links(found))


def choose(sessions: Sequence[Session], *, keys: Input | None = None, screen: Output | None = None) -> list[str] | None:
    """The picker over these sessions. `keys` and `screen` stand for the terminal in tests."""
    picker = _Picker(sessions)
    depth = None if colours() else ColorDepth.DEPTH_1_BIT
    app: Application[list[str] | None] = Application(
        layout=picker.layout(),
        key_bindings=picker.bindings(),
        style=_STYLE,
        full_screen=True,
        mouse_support=True,
        input=keys,
        output=screen,
        color_depth=depth,
    )
    return app.run()


class _Picker:
    """What is chosen, what is typed, and how it is drawn."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._all: Final = list(sessions)
        self._shown: list[Session] = self._all
        self._at = 0
        self._now: Final = here.now()
        self._previews: Final[dict[str, list[str]]] = {}
        self._query: Final = Buffer(multiline=False, on_text_changed=lambda _: self._filter())

    def _filter(self) -> None:
        words = self._query.text.casefold().split()
        self._shown = [s for s in self._all if all(w in _searched(s) for w in words)]
        self._at = 0

    def _chosen(self) -> Session | None:
        return self._shown[self._at] if self._shown else None

    def layout(self) -> Layout:
        """The screen: what is typed on top, the list, the preview beside it, the keys below."""
        typed = Window(BufferControl(self._query), height=1)
        listed = Window(
            FormattedTextControl(self._rows, focusable=False, get_cursor_position=None),
            width=Dimension(weight=1),
            wrap_lines=False,
        )
        preview = Window(FormattedTextControl(self._preview), width=self._preview_width, wrap_lines=True)
        line = Window(char="│", width=1, style="class:frame")
        below = Window(FormattedTextControl(self._keys), height=1)
        top = VSplit([Window(FormattedTextControl([("class:prompt", "sesh › ")]), width=7), typed], height=1)
        rule = Window(char="─", height=1, style="class:frame")
        return Layout(HSplit([top, rule, VSplit([listed, line, preview], padding=1), below]), focused_element=typed)

    def bindings(self) -> KeyBindings:
        """The keys."""
        keys = KeyBindings()

        def move(by: int) -> None:
            self._at = max(0, min(len(self._shown) - 1, self._at + by))

        keys.add("up")(lambda e: move(-1))
        keys.add("c-p")(lambda e: move(-1))
        keys.add("down")(lambda e: move(1))
        keys.add("c-n")(lambda e: move(1))
        keys.add("pageup")(lambda e: move(-10))
        keys.add("pagedown")(lambda e: move(10))

        @keys.add("enter")
        def show(event: KeyPressEvent) -> None:
            if (session := self._chosen()) is not None:
                event.app.exit(result=["show", session.path])

        @keys.add("c-t")
        def hand_off(event: KeyPressEvent) -> None:
            session = self._chosen()
            if session is not None and (target := _other(session)) is not None:
                event.app.exit(result=["handoff", session.path, "--to", target])

        @keys.add("escape", eager=True)
        @keys.add("c-c")
        @keys.add("c-d")
        def leave(event: KeyPressEvent) -> None:
            event.app.exit(result=None)

        return keys

    def _rows(self) -> StyleAndTextTuples:
        height = max(3, get_app().output.get_size().rows - 3)
        first = max(0, self._at - height + 2)
        rows: StyleAndTextTuples = []
        room = get_app().output.get_size().columns - self._preview_width() - 18
        for number, session in enumerate(self._shown[first : first + height], first):
            # The chosen row is one bar; colours of its parts would tear it up.
            bar = "class:chosen" if number == self._at else ""
            title = plain(session.title or "(no title)")
            mark = f"  {marks(session)}" if marks(session) else ""
            rows += [
                (bar or f"class:{session.provider}", f" {session.provider.partition('-')[0]:<6} "),
                (bar or "class:dim", f"{age(session.modified, self._now):>4}  "),
                (bar, title if not mark else fitted(title, max(16, room - len(mark)))),
                (bar or "class:dim", mark),
                (bar or "class:dim", f"  {plain(folder(session.cwd))} "),
                ("", "\n"),
            ]
        return rows or [("class:dim", "Nothing matches.")]

    def _preview(self) -> StyleAndTextTuples:
        session = self._chosen()
        if session is None:
            return []
        where = " · ".join(filter(None, (folder(session.cwd), session.branch, session.model, size(session.size))))
        width = max(10, self._preview_width() - 1)
        head = (("class:title", plain(session.title or "(no title)")), ("class:dim", plain(where)))
        parts = [(style, row + "\n") for style, text in head for row in _wrapped(text, width)]
        room = max(1, get_app().output.get_size().rows - 3 - len(parts))
        rows: list[tuple[str, str]] = []
        for line in reversed(self._text_of(session)):  # the end is what one remembers
            style = "class:user" if line.startswith(">") else ""
            rows[:0] = [(style, row + "\n") for row in _wrapped(line, width)]
            if len(rows) >= room:
                break
        return [*parts, *rows[-room:]]

    def _preview_width(self) -> int:
        """Four ninths of the screen."""
        return get_app().output.get_size().columns * 4 // 9

    def _text_of(self, session: Session) -> list[str]:
        if session.path not in self._previews:
            self._previews[session.path] = _read_preview(session)
        return self._previews[session.path]

    def _keys(self) -> StyleAndTextTuples:
        session = self._chosen()
        target = _other(session) if session is not None else None
        to = f" · ctrl-t hand off to {registry.get(target).title}" if target is not None else ""
        return [("class:dim", f"{len(self._shown)} of {len(self._all)} · enter show{to} · esc leave")]


def _wrapped(line: str, width: int) -> list[str]:
    """A line in rows of at most `width` cells, broken between words where it can be; one row where it is empty."""
    from rich.console import Console
    from rich.text import Text

    rows = Text(line, overflow="fold").wrap(Console(width=width), width)
    return [row.plain.rstrip() for row in rows] or [""]


def _searched(session: Session) -> str:
    told = (session.title, session.cwd, session.branch, session.provider, session.session_id)
    return " ".join(filter(None, told)).casefold()


def _other(session: Session) -> str | None:
    """The client to hand a session to: the other one."""
    return next((name for name in registry.names() if name != session.provider), None)


def _read_preview(session: Session) -> list[str]:
    """The last turns of the conversation; a word of why where it cannot be read."""
    if session.size > _LARGEST_PREVIEW:
        return ["", "(too large to read while you choose)"]
    from sesh.export import text
    from sesh.export.convert import read_session
    from sesh.present import select
    from sesh.present.outline import outline

    try:
        _, read = read_session(Path(session.path))
    except SeshError as e:
        return ["", f"({e.message})"]
    view = select.tail(outline(read.thread, read.messages), 3)
    return [plain(line) for line in list(text.lines(view))[2:]]
