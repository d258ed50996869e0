"""Markdown and code as HTML that can do no harm, whatever a transcript holds.

Raw HTML comes out as text. Links go to http, https and mailto only. Images are never loaded from elsewhere: they come
out as links. Nothing made here needs a script.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import cache
from html import escape
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

_SCHEMES: Final = re.compile(r"(?:https?://|mailto:)[^\s<>\"']+", re.IGNORECASE)
_MOST_COLOURED: Final = 200_000
"""Characters of code that are worth colouring; more is shown plain."""


def markdown(text: str) -> str:
    """Markdown (CommonMark, with tables and strikethrough) as HTML."""
    html: str = _parser().render(text)
    return html


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": False}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: _SCHEMES.fullmatch(url) is not None  # type: ignore[method-assign]
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("th_open", _cell)
    parser.add_render_rule("td_open", _cell)
    return parser


def _image(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, environment: MutableMapping[str, Any]
) -> str:
    source, label = str(tokens[at].attrs.get("src", "")), tokens[at].content or "image"
    return f'<a href="{escape(source)}" rel="noopener noreferrer nofollow">▣ {escape(label)}</a>'


def _link(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, environment: MutableMapping[str, Any]
) -> str:
    return f'<a href="{escape(str(tokens[at].attrs.get("href", "")))}" rel="noopener noreferrer nofollow">'


def _cell(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, environment: MutableMapping[str, Any]
) -> str:
    """A table's cell, its alignment as a class: a style of its own would be against the page's policy."""
    style = str(tokens[at].attrs.get("style", ""))
    name = style.removeprefix("text-align:")
    return f'<{tokens[at].tag} class="{name}">' if name in ("left", "center", "right") else f"<{tokens[at].tag}>"


def _fence(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, environment: MutableMapping[str, Any]
) -> str:
    language = tokens[at].info.split()[0] if tokens[at].info.split() else ""
    return f'<pre class="code"><code>{code(tokens[at].content, language)}</code></pre>\n'


def code(text: str, language: str) -> str:
    """Source code as HTML with a class on each token (`stylesheet` gives their colours); plain where no lexer fits."""
    if not language or len(text) > _MOST_COLOURED:
        return escape(text)
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return escape(text)
    html: str = highlight(text, lexer, HtmlFormatter(nowrap=True))
    return html


def stylesheet(style: str, scope: str) -> str:
    """The rules for the tokens of `code` in one of pygments' styles, below a CSS selector."""
    from pygments.formatters import HtmlFormatter

    rules = HtmlFormatter(style=style).get_style_defs(scope).split("\n")
    # The lines that set backgrounds, line numbers and the pre element itself are the page's own affair.
    return "\n".join(r for r in rules if r.startswith(f"{scope} ."))
