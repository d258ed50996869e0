"""An outline as plain text: what `sesh show` gives to a pipe or a file. No colours, no width, no markup."""

from __future__ import annotations

from collections.abc import Iterator

from sesh.present import facts
from sesh.present.outline import Item, Odd, Outline, Picture, Run, Thought, Turn, Words
from sesh.present.patch import FileDiff

FOLDED_LINES = 6
"""How many lines of a tool's output are shown unless all is asked for."""
LONGEST_LINE = 400


def lines(view: Outline, *, full: bool = False, client: str | None = None) -> Iterator[str]:
    """The whole text, line by line. `full` unfolds outputs, thinking, contexts and arguments."""
    yield view.title
    yield " · ".join(
        value if label in ("client", "folder") else f"{label} {value}" for label, value in facts.facts(view, client)
    )
    for turn in view.turns:
        yield ""
        yield from _turn(turn, full)


def _turn(turn: Turn, full: bool) -> Iterator[str]:
    yield f"── {turn.number or 'before the first prompt'} ── {turn.ts[:16].replace('T', ' ')}".rstrip(" ─")
    for item in turn.items:
        yield from _item(item, full)
    for child in turn.children:
        yield from _child(child, full)


def _item(item: Item, full: bool) -> Iterator[str]:
    match item:
        case Words(voice="user"):
            yield ""
            yield from (f"> {line}".rstrip() for line in item.text.split("\n"))
        case Words(voice="assistant"):
            yield ""
            yield from item.text.rstrip("\n").split("\n")
        case Words():
            yield ""
            yield from folded(item.text, full, prefix=f"[{item.voice}] ", most=1 if item.voice == "context" else 3)
        case Thought():
            if full and item.text:
                yield ""
                yield from folded(item.text, full, prefix="[thinking] ", most=1)
        case Picture():
            yield f"[{item.label}]"
        case Run():
            yield from _run(item, full)
        case Odd():
            yield from folded(f"{item.source_type}: {item.text}", full, prefix="[unknown] ", most=1)


def _run(run: Run, full: bool) -> Iterator[str]:
    yield ""
    subject = run.subject.split("\n")
    more = f" … {len(subject) - 1} more lines" if len(subject) > 1 and not full else ""
    yield f"{'✗' if run.failed else '•'} {run.name}  {subject[0] if full else cut(subject[0])}{more}".rstrip()
    if full and len(subject) > 1:
        yield from (f"    {line}" for line in subject[1:])
    for diff in run.diffs:
        yield from _diff(diff, full)
    if run.output is not None and (full or run.failed or not run.diffs):
        yield from folded(run.output if full else run.printed.printed, full, prefix="  ", indent="  ")
    yield from (f"  [{picture.label}]" for picture in run.pictures)
    for child in run.children:
        yield from _child(child, full)


def _diff(diff: FileDiff, full: bool) -> Iterator[str]:
    moved = f" -> {diff.moved_to}" if diff.moved_to else ""
    yield f"  {diff.operation} {diff.path}{moved}  +{diff.added} -{diff.removed}"
    shown = diff.lines if full else diff.lines[: 4 * FOLDED_LINES]
    yield from (f"  {sign}{text}" if sign != "@" else f"  {text}" for sign, text in shown)
    if len(shown) < len(diff.lines):
        yield f"  … {len(diff.lines) - len(shown)} more lines"


def _child(child: Outline, full: bool) -> Iterator[str]:
    yield ""
    yield f"  ┌ {facts.relation(child)}: {child.title} ({child.messages} messages)"
    if full or child.relation in ("branch", "rollback"):
        for turn in child.turns:
            for line in _turn(turn, full):
                yield f"  │ {line}".rstrip()
    yield "  └"


def cut(line: str) -> str:
    """A line of a bearable length, and how many characters were left out: a megabyte may stand on one line."""
    most = LONGEST_LINE
    return line if len(line) <= most else f"{line[:most]}… ({len(line) - most:,} more characters)"


def folded(text: str, full: bool, *, prefix: str = "", indent: str = "", most: int = FOLDED_LINES) -> Iterator[str]:
    """A text's lines: the first few, and how many were left out."""
    body = text.rstrip("\n").split("\n")
    shown = body if full or len(body) <= most + 1 else body[:most]
    for number, line in enumerate(shown):
        yield f"{prefix if number == 0 else indent}{line if full else cut(line)}".rstrip()
    if len(shown) < len(body):
        yield f"{indent}… {len(body) - len(shown)} more lines"
