"""A conversation as one HTML file that needs nothing else: for reading, keeping and sending on.

No script, no font and no picture comes from elsewhere; the page's own policy forbids it to the browser as well. All
text of the session is escaped. Folding is the browser's own `<details>`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator
from html import escape as html_escape
from importlib.resources import files
from typing import Final

from sesh import __version__
from sesh.present import facts, markup
from sesh.present.outline import Item, Odd, Outline, Picture, Run, Thought, Turn, Words
from sesh.present.patch import FileDiff
from sesh.present.plain import plain, printable
from sesh.report.reports import IngestReport

_SHOWN_TYPES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What is drawn. SVG is not: it can hold scripts, and browsers disagree on what a policy forbids there."""
_OPEN_DIFF: Final = 80
_SIGNS: Final = {"+": "p", "-": "m", " ": "c", "@": "h"}


def page(view: Outline, *, client: str, report: IngestReport | None = None) -> str:
    """The whole document. Lone surrogates come out as U+FFFD, so that it can be written as UTF-8."""
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = escape(view.title)
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        '<meta name="referrer" content="no-referrer">\n',
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n",
        '<div class="layout">\n<nav aria-label="Turns"><h2>Turns</h2><ol>\n',
        *_contents(view),
        f"</ol></nav>\n<main>\n<header><h1>{title}</h1>\n",
        '<ul class="facts">',
        *(f"<li>{escape(label)} <b>{escape(value)}</b></li>" for label, value in facts.facts(view, client)),
        "</ul></header>\n",
        *(part for turn in view.turns for part in _turn(turn, "")),
        *(_report(report) if report is not None else ()),
        f"<footer>Exported by sesh {__version__}.</footer>\n</main>\n</div>\n</body>\n</html>\n",
    ]
    return printable("".join(parts))


def escape(text: str) -> str:
    """Words of a session as HTML text: escaped, and without what terminals act on."""
    return html_escape(plain(text))


def _style() -> str:
    own = (files("sesh.export") / "page.css").read_text(encoding="utf-8")
    dark = "@media (prefers-color-scheme: dark) {\n" + markup.stylesheet("github-dark", ".code") + "\n}"
    return "\n".join((own, markup.stylesheet("friendly", ".code"), dark, ".code .err { border: 0 }"))


def _contents(view: Outline) -> Iterator[str]:
    for turn in view.turns:
        words = next((i.text for i in turn.items if isinstance(i, Words) and i.voice == "user"), "")
        name = " ".join(words.split())[:80] or ("before the first prompt" if turn.number == 0 else "…")
        yield f'<li><a href="#turn-{turn.number}"><span class="n">{turn.number or ""}</span>'
        yield f"<span>{escape(name)}</span></a></li>\n"


def _turn(turn: Turn, prefix: str) -> Iterator[str]:
    anchor = f"{prefix}turn-{turn.number}"
    when = f"{facts.day(turn.ts)} {facts.clock(turn.ts)}".strip()
    yield f'<section class="turn" id="{anchor}">\n<div class="rule"><a href="#{anchor}">{turn.number or "·"}</a>'
    yield f'<time datetime="{escape(turn.ts)}">{escape(when)}</time></div>\n'
    for item in turn.items:
        yield from _item(item)
    for child in turn.children:
        yield from _child(child)
    yield "</section>\n"


def _item(item: Item) -> Iterator[str]:
    match item:
        case Words(voice="user"):
            yield f'<div class="prompt">{escape(item.text.strip())}</div>\n'
        case Words(voice="assistant"):
            yield f'<div class="answer">{markup.markdown(plain(item.text))}</div>\n'
        case Words(voice="notice"):
            yield f'<div class="notice">{escape(item.text.strip())}</div>\n'
        case Words():
            what = "What the conversation was summed up as" if item.voice == "summary" else "Put in by the client"
            yield from _aside(what, item.text)
        case Thought():
            if item.text:
                yield from _aside("Thinking", item.text)
        case Picture():
            yield _picture(item)
        case Run():
            yield from _run(item)
        case Odd():
            yield from _aside(f"Unknown: {item.source_type}", item.text)


def _aside(what: str, text: str) -> Iterator[str]:
    first = " ".join(text.split())[:120]
    yield f'<details class="aside"><summary><b>{escape(what)}</b><span class="subject">{escape(first)}</span></summary>'
    yield f'<div class="inside">{escape(text.strip())}</div></details>\n'


def _run(run: Run) -> Iterator[str]:
    lines = sum(len(d.lines) for d in run.diffs)
    opened = " open" if run.diffs and lines <= _OPEN_DIFF else ""
    failed = " failed" if run.failed else ""
    subject = " ".join(run.subject.split())
    yield f'<details class="run{failed}"{opened}><summary><b>{escape(run.name)}</b>'
    yield f'<span class="subject mono">{escape(subject[:300])}</span><span class="mark">{_mark(run)}</span></summary>\n'
    yield '<div class="inside">'
    for diff in run.diffs:
        yield from _diff(diff)
    if not run.diffs and run.arguments.strip() and run.arguments.strip() != run.subject.strip():
        yield f"<div><h4>Input</h4><pre>{escape(run.arguments)}</pre></div>"
    elif not run.diffs and "\n" in run.subject.strip():
        yield f"<div><h4>Input</h4><pre>{escape(run.subject)}</pre></div>"
    if run.output:
        yield f"<div><h4>Output</h4><pre>{escape(run.printed.printed)}</pre></div>"
    elif run.output is None:
        yield '<div class="notice">No result.</div>'
    for picture in run.pictures:
        yield _picture(picture)
    yield "</div></details>\n"
    for child in run.children:
        yield from _child(child)


def _mark(run: Run) -> str:
    if run.failed:
        return '<span class="bad">failed</span>'
    if run.diffs:
        added, removed = sum(d.added for d in run.diffs), sum(d.removed for d in run.diffs)
        return f'<span class="plus">+{added}</span> <span class="minus">−{removed}</span>'
    if run.output is None:
        return ""
    code, printed = run.printed
    if code:
        return f'<span class="bad">exit {code}</span>'
    if run.pictures and not printed.strip():
        return f"{len(run.pictures)} image{'' if len(run.pictures) == 1 else 's'}"
    count = printed.rstrip("\n").count("\n") + 1 if printed.strip() else 0
    return f"{count} line{'' if count == 1 else 's'}"


def _diff(diff: FileDiff) -> Iterator[str]:
    moved = f" → {escape(diff.moved_to)}" if diff.moved_to else ""
    yield f'<pre class="diff"><span class="file">{escape(diff.operation)} {escape(diff.path)}{moved}</span>'
    for sign, text in diff.lines:
        yield f'<span class="l {_SIGNS[sign]}">{escape(text if sign == "@" else sign + text)}\n</span>'
    yield "</pre>"


def _picture(picture: Picture) -> str:
    if picture.data and picture.media_type in _SHOWN_TYPES and _is_base64(picture.data):
        source = f"data:{picture.media_type};base64,{picture.data}"
        return f'<figure><img alt="" src="{source}"><figcaption>{escape(picture.label)}</figcaption></figure>\n'
    return f'<div class="notice">▣ {escape(picture.label)}</div>\n'


def _is_base64(data: str) -> bool:
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _child(child: Outline) -> Iterator[str]:
    yield f'<details class="child"><summary><b>{escape(facts.relation(child))}</b>'
    yield f'<span class="subject">{escape(child.title)}</span><span class="mark">{child.messages} messages</span>'
    yield '</summary><div class="inside">\n'
    for turn in child.turns:
        yield from _turn(turn, f"{escape(child.thread.id)}-")
    yield "</div></details>\n"


def _report(report: IngestReport) -> Iterator[str]:
    skipped = ", ".join(f"{kind} {n}" for kind, n in report.skipped.items()) or "none"
    yield '<details class="report"><summary><b>What became of every line</b>'
    yield f'<span class="mark">{report.lines} lines</span></summary><div class="inside"><dl>'
    yield f"<dt>Lines read</dt><dd>{report.lines}</dd><dt>Used</dt><dd>{report.used}</dd>"
    yield f"<dt>Of unknown kinds, kept</dt><dd>{report.unknown}</dd>"
    yield f"<dt>Skipped</dt><dd>{escape(skipped)}</dd></dl>"
    if report.notes:
        yield "<ul>" + "".join(f"<li>{escape(note)}</li>" for note in report.notes) + "</ul>"
    yield "</div></details>\n"
