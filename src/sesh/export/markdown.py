"""A conversation as Markdown: for notes, issues and pull requests. Outputs are fenced, sub-agents quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesh.present import facts
from sesh.present.outline import Item, Odd, Outline, Picture, Run, Thought, Turn, Words
from sesh.present.patch import FileDiff
from sesh.present.plain import plain

_TICKS: Final = re.compile(r"`{3,}")
_TAG: Final = re.compile(r"<(?=[a-zA-Z/!?])")
_TITLE: Final = re.compile(r"([\\`*_{}\[\]<>#|])")


def document(view: Outline, *, client: str) -> Iterator[str]:
    """The text, line by line. A human's words are a quotation, so that nothing in them becomes a heading."""
    yield f"# {escaped(view.title)}"
    yield ""
    yield from (f"- {label}: {escaped(value)}" for label, value in facts.facts(view, client))
    for turn in view.turns:
        yield from _turn(turn, "##")


def _turn(turn: Turn, heading: str) -> Iterator[str]:
    yield ""
    when = f"{facts.day(turn.ts)} {facts.clock(turn.ts)}".strip()
    name = f"Turn {turn.number}" if turn.number else "Before the first prompt"
    yield f"{heading} {name}{f' · {when}' if when else ''}"
    for item in turn.items:
        yield from _item(item)
    for child in turn.children:
        yield from _child(child)


def _item(item: Item) -> Iterator[str]:
    match item:
        case Words(voice="user"):
            yield ""
            yield from (f"> {_TAG.sub('&lt;', line)}".rstrip() for line in plain(item.text).strip().split("\n"))
        case Words(voice="assistant"):
            yield ""
            yield from plain(item.text).strip("\n").split("\n")
        case Words(voice="notice"):
            yield ""
            yield f"*{escaped(' '.join(item.text.split()))}*"
        case Words():
            yield from _folded("Summary" if item.voice == "summary" else "Put in by the client", item.text)
        case Thought():
            if item.text:
                yield from _folded("Thinking", item.text)
        case Picture():
            yield ""
            yield f"*[{escaped(item.label)}]*"
        case Run():
            yield from _run(item)
        case Odd():
            yield from _folded(f"Unknown: {item.source_type}", item.text)


def _run(run: Run) -> Iterator[str]:
    yield ""
    subject = " ".join(run.subject.split())
    failed = " (failed)" if run.failed else ""
    yield f"**{escaped(run.name)}** {_inline(subject[:200])}{failed}".rstrip()
    for diff in run.diffs:
        yield ""
        yield from fenced("\n".join(_diff_lines(diff)), "diff")
    if not run.diffs and (len(subject) > 200 or "\n" in run.subject.strip()):
        yield ""
        yield from fenced(run.subject)
    if run.output:
        yield from _folded("Output", run.printed.printed)
    for picture in run.pictures:
        yield ""
        yield f"*[{escaped(picture.label)}]*"
    for child in run.children:
        yield from _child(child)


def _diff_lines(diff: FileDiff) -> Iterator[str]:
    yield f"--- {'/dev/null' if diff.operation == 'add' else diff.path}"
    yield f"+++ {'/dev/null' if diff.operation == 'delete' else diff.moved_to or diff.path}"
    yield from (text if sign == "@" else sign + text for sign, text in diff.lines)


def _folded(name: str, text: str) -> Iterator[str]:
    """A part that GitHub and most readers fold; elsewhere it is simply there."""
    yield ""
    yield f"<details><summary>{escaped(name)}</summary>"
    yield ""
    yield from fenced(text)
    yield ""
    yield "</details>"


def _child(child: Outline) -> Iterator[str]:
    yield ""
    yield f"> **{facts.relation(child)}:** {escaped(child.title)} ({child.messages} messages)"
    for turn in child.turns:
        for item in turn.items:
            yield from (f"> {line}".rstrip() for line in _item(item))


def fenced(text: str, language: str = "") -> Iterator[str]:
    """A code block whose fence is longer than any in the text."""
    text = plain(text)  # first: a code between two ticks may go
    fence = "`" * max(3, max((len(m[0]) + 1 for m in _TICKS.finditer(text)), default=3))
    yield f"{fence}{language}"
    yield from text.rstrip("\n").split("\n")
    yield fence


def escaped(text: str) -> str:
    """Words in a line of Markdown, without any of its marks taking effect."""
    return _TITLE.sub(r"\\\1", plain(text))


def _inline(text: str) -> str:
    text = plain(text)
    if not text:
        return ""
    ticks = "`" * (max((len(m) for m in re.findall(r"`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"
