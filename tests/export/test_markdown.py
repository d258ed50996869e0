"""Markdown export: fences hold, a human's words stay words, children are quoted."""

from __future__ import annotations

import pytest

from sesh.export.markdown import document, escaped, fenced
from sesh.present.markup import markdown
from sesh.present.outline import outline
from sesh.providers import registry
from tests.sessions import Session, main_sessions


@pytest.mark.parametrize("text", ["plain", "```\ninner\n```", "````x````", "", "a\n"])
def test_a_fence_is_longer_than_any_inside(text: str) -> None:
    html = markdown("\n".join(fenced(text)))
    assert html.count("<pre") == 1
    assert html.startswith("<pre")


def test_marks_in_a_title_have_no_effect() -> None:
    assert markdown(escaped("*a* _b_ `c` <d> [e](f) # g")) == "<p>*a* _b_ `c` &lt;d&gt; [e](f) # g</p>\n"


@pytest.mark.parametrize("session", main_sessions()[::6], ids=lambda s: s.name)
def test_the_corpus_as_markdown(session: Session) -> None:
    read = registry.get(session.provider).parse(session.open().source)
    view = outline(read.thread, read.messages, read.children)
    text = "\n".join(document(view, client="Codex"))
    assert text.startswith("# ")
    assert text.count("\n## ") >= len([t for t in view.turns if t.number])
    assert "\x1b" not in text
