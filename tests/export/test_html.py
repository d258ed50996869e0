"""The HTML page needs nothing from elsewhere, runs nothing, and holds everything."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from sesh.export import html
from sesh.format.blocks import AttachmentBlock, TextBlock, ToolCallBlock, ToolResultBlock, UnknownBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.present.outline import outline
from sesh.providers import registry
from sesh.providers.api import IngestedThread
from tests.present.test_markup import HOSTILE
from tests.sessions import Session, main_sessions

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


class Page(HTMLParser):
    """What a browser would act on."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect it."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Collect it."""
        self.words.append(data)


def harmless(text: str) -> Page:
    """Nothing runs, nothing is loaded, no form, no frame; links only to the web and within the page."""
    page = Page(text)
    for tag, attributes in page.tags:
        assert tag not in ("script", "iframe", "object", "embed", "form", "base", "link", "svg", "video", "audio")
        assert not [a for a in attributes if a.startswith("on") or a in ("style", "srcset", "formaction", "background")]
        if "href" in attributes:
            assert re.match(r"(?i)(https?://|mailto:|#)", attributes["href"] or "")
        if "src" in attributes:
            assert tag == "img"
            assert re.fullmatch(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+", attributes["src"] or "")
    return page


def message(number: int, role: str, *content: object, thread: str = "t") -> Message:
    """A message."""
    return Message(id=f"m{number}", thread_id=thread, role=role, ts="2026-01-01T10:00:00Z", content=list(content))  # type: ignore[arg-type]


@pytest.mark.parametrize("hostile", [*HOSTILE, '"><script>x</script>', "'--></style></title><script>x</script>"])
def test_a_hostile_transcript(hostile: str) -> None:
    thread = Thread(
        id=hostile,
        title=hostile,
        created_at=hostile,
        metadata=dict.fromkeys(("cwd", "model", "gitBranch", "version", "provider", "sessionId"), hostile),
    )
    messages = [
        message(1, "user", TextBlock(text=hostile), AttachmentBlock(media_type=hostile, uri=hostile)),
        message(2, "assistant", TextBlock(text=hostile), UnknownBlock(source_type=hostile, raw=hostile)),
        message(3, "assistant", ToolCallBlock(call_id="c", name=hostile, input={"file_path": hostile, "x": hostile})),
        message(
            4, "assistant", ToolCallBlock(call_id="w", name="Write", input={"file_path": hostile, "content": hostile})
        ),
        message(5, "tool", ToolResultBlock(call_id="c", output=hostile, is_error=True)),
        message(6, "user", AttachmentBlock(media_type="image/png", data=hostile)),
        message(7, "user", AttachmentBlock(media_type="image/svg+xml", data="AAAA")),
    ]
    child = Thread(id=hostile + "2", parent_thread_id=hostile, created_at="", metadata={"relation": hostile})
    children = [IngestedThread(thread=child, messages=[message(1, "user", TextBlock(text=hostile), thread=child.id)])]
    harmless(html.page(outline(thread, messages, children), client=hostile))


def test_the_policy_forbids_all_but_the_pages_own_style_and_pictures() -> None:
    text = html.page(outline(Thread(id="t", created_at=""), []), client="x")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'" in text
    assert "http" not in style[1]


def test_pictures_are_in_the_page() -> None:
    view = outline(
        Thread(id="t", created_at=""), [message(1, "user", AttachmentBlock(media_type="image/png", data=PIXEL))]
    )
    page = harmless(html.page(view, client="x"))
    assert [t for t, _ in page.tags].count("img") == 1


@pytest.mark.parametrize("session", main_sessions()[::6], ids=lambda s: s.name)
def test_every_word_of_the_corpus_is_in_the_page(session: Session) -> None:
    read = registry.get(session.provider).parse(session.open().source)
    page = harmless(html.page(outline(read.thread, read.messages, read.children), client="x", report=read.report))
    words = "".join(page.words)
    for m in read.messages:
        for block in m.content:
            if isinstance(block, TextBlock) and m.role == "user" and m.kind is None and "<image" not in block.text:
                assert block.text.strip()[:200] in words
    assert f"{read.report.lines}" in words


def test_turns_are_in_the_contents() -> None:
    view = outline(Thread(id="t", created_at=""), [message(n, "user", TextBlock(text=f"p{n}")) for n in range(3)])
    page = harmless(html.page(view, client="x"))
    assert [a["href"] for t, a in page.tags if t == "a"][:3] == ["#turn-1", "#turn-2", "#turn-3"]
    assert {a.get("id") for _, a in page.tags} >= {"turn-1", "turn-2", "turn-3"}
