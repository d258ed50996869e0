"""Markdown out of a transcript can do no harm as HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesh.present.markup import code, markdown, stylesheet

ALLOWED = {
    *("p", "a", "em", "strong", "s", "code", "pre", "span", "ul", "ol", "li", "blockquote", "hr", "br"),
    *("table", "thead", "tbody", "tr", "th", "td", "h1", "h2", "h3", "h4", "h5", "h6"),
}
ATTRIBUTES = {"href", "rel", "class", "start", "title"}


class Tags(HTMLParser):
    """What a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect it."""
        self.seen.append((tag, dict(attrs)))


def harmless(html: str) -> None:
    """Only known tags and attributes, and links that lead to the web or to a mailbox."""
    for tag, attributes in Tags(html).seen:
        assert tag in ALLOWED
        assert set(attributes) <= ATTRIBUTES
        if tag == "a":
            assert str(attributes["href"]).lower().startswith(("http://", "https://", "mailto:"))


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>1</script>)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    '[x](https://a" onmouseover="alert(1))',
    "![x](https://tracker.example/x.png)",
    "![x](data:image/svg+xml;base64,AAAA)",
    "<https://a.example/><javascript:alert(1)>",
    "```html\n<script>alert(1)</script>\n```",
    '```"><script>\nx\n```',
    "| <b>a</b> | b |\n|---|:-:|\n| `<i>` | 2 |",
    "[a]: javascript:alert(1)\n\n[a]",
    "<!-- --><style>*{display:none}</style>",
    "&#x6A;avascript:alert(1) <a href=&#106;avascript:x>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown(text: str) -> None:
    harmless(markdown(text))


@given(
    st.lists(st.sampled_from([*HOSTILE, "*a*", "# h", "> q", "\n", "- l", "`", "<", "](", "\x00"]), max_size=8).map(
        "".join
    )
)
def test_mixtures_of_it(text: str) -> None:
    harmless(markdown(text))


def test_ordinary_markdown_is_markup() -> None:
    html = markdown("# T\n\n**b** `c` ~~s~~\n\n| a |\n|---|\n| 1 |\n\n```python\ndef f(): ...\n```")
    for part in ("<h1>T</h1>", "<strong>b</strong>", "<code>c</code>", "<s>s</s>", "<td>1</td>", 'class="k"'):
        assert part in html


def test_code_is_escaped_whatever_the_language() -> None:
    for language in ("", "python", "no-such-language", "html"):
        assert "<script>" not in code("<script>", language)
    assert code("x" * 300_000, "python") == "x" * 300_000


def test_the_stylesheet_is_for_tokens_only() -> None:
    rules = stylesheet("friendly", ".code").split("\n")
    assert rules
    assert all(r.startswith(".code .") for r in rules)
