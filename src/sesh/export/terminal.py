"""An outline for a colour terminal: Markdown drawn, patches coloured, outputs folded. Returns text with ANSI codes."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import CodeBlock, Markdown, MarkdownElement, TextElement
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import ControlType, Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text
from rich.theme import Theme

from sesh.export.text import cut
from sesh.present import facts
from sesh.present.outline import Item, Odd, Outline, Picture, Run, Thought, Turn, Words
from sesh.present.patch import FileDiff
from sesh.present.plain import plain

FOLDED_LINES: Final = 8
WIDEST: Final = 110
"""Prose is hard to read on wider lines; tools' outputs use the whole width."""

_THEME: Final = Theme(
    {
        "markdown.h1": "bold underline",
        "markdown.h2": "bold",
        "markdown.h3": "bold italic",
        "markdown.code": "cyan",
        "markdown.code_block": "default",
    }
)
_TRAILING: Final = re.compile(r" +((?:\x1b\[0m)?)$", re.MULTILINE)
"""Blanks that fill a line to its end: they would come along when text is copied off the screen."""
_SIGNS: Final = {"+": "green", "-": "red", " ": "dim", "@": "cyan"}


def rendered(
    view: Outline, *, full: bool, client: str, width: int, draw: Callable[[Picture], str | None] | None = None
) -> str:
    """The whole conversation, at most `width` columns wide. `full` unfolds everything.

    `draw` gives the codes that draw an image, where the terminal can; they stand below its label.
    """
    out = io.StringIO()
    true_colour = os.environ.get("COLORTERM") in ("truecolor", "24bit")
    system: Literal["truecolor", "256"] = "truecolor" if true_colour else "256"
    console = Console(
        file=out,
        force_terminal=True,
        color_system=system,
        width=width,
        legacy_windows=False,
        highlight=False,
        theme=_THEME,
    )
    console.print(Text(plain(view.title), style="bold"), overflow="fold")
    heading = [
        value if label in ("client", "folder") else f"{label} {value}" for label, value in facts.facts(view, client)
    ]
    console.print(Text(plain(" · ".join(heading)), style="dim"), overflow="fold")
    look = _Look(full=full, draw=draw or (lambda picture: None))
    for turn in view.turns:
        console.print(_Turn(turn, look))
    return _TRAILING.sub(r"\1", out.getvalue())


@dataclass(frozen=True, kw_only=True)
class _Look:
    """What was asked for: `full` unfolds, `draw` gives the codes that draw an image."""

    full: bool
    draw: Callable[[Picture], str | None]


class _Drawn:
    """An image, by codes that take no width; without codes, nothing."""

    def __init__(self, code: str | None) -> None:
        self._code = code

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self._code is not None:
            # As a control segment it is passed on as it is, and neither measured nor cut.
            yield Segment(self._code, None, [(ControlType.BELL,)])
            yield Segment.line()


class _Heading(TextElement):
    """A heading on the left, where the eye is; rich's own first-level heading stands in the middle."""

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> _Heading:
        """Called by rich for each heading token; the tag is `h1` to `h6`."""
        return cls(token.tag)

    def __init__(self, tag: str) -> None:
        self.style_name = f"markdown.{tag}"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.text


class _Code(CodeBlock):
    """Source code without the empty lines that rich puts around it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 2))


class _Markdown(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
    }


class _Bar:
    """A renderable with a coloured bar down its left side."""

    def __init__(self, inner: RenderableType, style: str, bar: str = "▌") -> None:
        self._inner, self._style, self._bar = inner, style, bar

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        bar = Segment(f"{self._bar} ", Style.parse(self._style))
        for line in console.render_lines(self._inner, options.update_width(max(10, options.max_width - 2)), pad=False):
            yield bar
            yield from line
            yield Segment.line()


class _Turn:
    """One turn under its rule."""

    def __init__(self, turn: Turn, look: _Look) -> None:
        self._turn, self._look = turn, look

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        turn = self._turn
        when = f"{facts.day(turn.ts)} {facts.clock(turn.ts)}".strip()
        name = f"{turn.number} · {when}" if turn.number else when
        yield Text()
        yield Rule(Text(name, style="dim"), align="left", style="bright_black")
        yield Group(*_blocks(turn, self._look))


def _blocks(turn: Turn, look: _Look) -> Iterator[RenderableType]:
    for item in turn.items:
        yield from _item(item, look)
    for child in turn.children:
        yield from _child(child, look)


def _item(item: Item, look: _Look) -> Iterator[RenderableType]:
    full = look.full
    match item:
        case Words(voice="user"):
            yield _Bar(Text(plain(item.text.strip("\n")), style="bold", overflow="fold"), "bright_blue")
            yield Text()
        case Words(voice="assistant"):
            yield _Prose(plain(item.text))
            yield Text()
        case Words():
            most = 1 if item.voice == "context" else 4
            yield _Bar(_folded(f"{item.voice}: {item.text}", full, "dim italic", most), "bright_black", "┊")
            yield Text()
        case Thought():
            if full and item.text:
                yield _Bar(Text(plain(item.text.strip()), style="dim italic", overflow="fold"), "magenta", "┊")
                yield Text()
        case Picture():
            yield Text(f"▣ {plain(item.label)}", style="magenta")
            yield _Drawn(look.draw(item))
        case Run():
            yield from _run(item, look)
            yield Text()
        case Odd():
            yield _Bar(_folded(f"{item.source_type}: {item.text}", full, "dim", 1), "bright_black", "?")


class _Prose:
    """Markdown, no wider than is good to read."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        narrow = options.update_width(min(options.max_width, WIDEST))
        yield from console.render(_Markdown(self._text, hyperlinks=False, code_theme="ansi_dark"), narrow)


def _run(run: Run, look: _Look) -> Iterator[RenderableType]:
    full = look.full
    colour = {True: "red", False: "green", None: "bright_black"}[run.failed]
    head = Text(overflow="fold" if full else "ellipsis", no_wrap=not full)
    head.append("✗ " if run.failed else "● ", style="red" if run.failed else colour)
    head.append(plain(run.name), style="bold")
    subject = plain(run.subject).strip("\n").split("\n")
    head.append("  ")
    head.append("\n  ".join(subject) if full else cut(subject[0]), style="cyan")
    if len(subject) > 1 and not full:
        head.append(f"  +{len(subject) - 1} lines", style="dim")
    yield head
    for diff in run.diffs:
        yield Padding(_diff(diff, full), (0, 0, 0, 2))
    if run.output and (full or run.failed or not run.diffs):
        style = "red" if run.failed else "dim"
        printed = run.output if full else run.printed.printed
        yield Padding(_folded(printed, full, style, FOLDED_LINES), (0, 0, 0, 2))
    for picture in run.pictures:
        yield Text(f"  ▣ {plain(picture.label)}", style="magenta")
        yield _Drawn(look.draw(picture))
    for child in run.children:
        yield from _child(child, look)


def _diff(diff: FileDiff, full: bool) -> Text:
    text = Text(overflow="fold")
    text.append(f"{diff.operation} ", style="bold")
    text.append(plain(diff.path) + (f" → {plain(diff.moved_to)}" if diff.moved_to else ""), style="underline")
    text.append(f"  +{diff.added}", style="green")
    text.append(f" -{diff.removed}", style="red")
    shown = diff.lines if full else diff.lines[: 4 * FOLDED_LINES]
    for sign, line in shown:
        text.append("\n" + plain(line if sign == "@" else sign + line), style=_SIGNS[sign])
    if len(shown) < len(diff.lines):
        text.append(f"\n… {len(diff.lines) - len(shown)} more lines", style="dim italic")
    return text


def _child(child: Outline, look: _Look) -> Iterator[RenderableType]:
    head = Text("↳ ", style="magenta")
    head.append(f"{facts.relation(child)}: ", style="magenta")
    head.append(plain(child.title), style="bold")
    head.append(f"  {child.messages} messages", style="dim")
    blocks: list[RenderableType] = [head]
    if look.full or child.relation in ("branch", "rollback"):
        for turn in child.turns:
            blocks += _blocks(turn, look)
    yield Padding(_Bar(Group(*blocks), "magenta", "│"), (0, 0, 0, 2))


def _folded(text: str, full: bool, style: str, most: int) -> Text:
    lines = plain(text).strip("\n").split("\n")
    shown = lines if full or len(lines) <= most + 1 else lines[:most]
    folded = Text("\n".join(shown if full else map(cut, shown)), style=style, overflow="fold")
    if len(shown) < len(lines):
        folded.append(f"\n… {len(lines) - len(shown)} more lines", style="dim italic")
    return folded
