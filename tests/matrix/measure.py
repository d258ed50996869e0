"""A cell of the matrix, measured: what a provider's writer says of a case, and what its reader makes of the result."""

from __future__ import annotations

from dataclasses import dataclass

from sesh.errors import NotASession
from sesh.format.message import Message
from sesh.providers.api import Provider
from sesh.testing.difference import difference, plain
from sesh.testing.provider_suite import emitted, read_back
from tests.matrix.cases import Case


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What became of a case.

    changed, dropped: the codes and kinds of the report. lost: what of the case is not there when the file is read
    again, as the names of what differs. unnamed: what law 2 has to complain about (always empty, or sesh has a bug).
    """

    changed: tuple[str, ...]
    dropped: tuple[str, ...]
    lost: tuple[str, ...]
    unnamed: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether it comes back as it was, in whatever form it stands in the file."""
        return not self.lost


def measure(provider: Provider, case: Case) -> Cell:
    """Write the case, read it again, compare."""
    told = case.conversation()
    result = emitted(provider, told)
    report = result.report
    try:
        got = read_back(provider, result)
    except NotASession:
        return Cell(changed=(), dropped=(), lost=("everything",), unnamed=("what was written is no session",))
    lost = [*_lost(told.messages, got.messages)]
    if told.thread.title is not None and told.thread.title != got.thread.title:
        lost.append("title")
    if len(told.children) != len(got.children):
        lost.append("child")
    for mine, theirs in zip(told.children, got.children, strict=False):
        lost += [f"child's {name}" for name in _lost(mine.messages, theirs.messages)]
        if (mine.thread.metadata or {})["relation"] != (theirs.thread.metadata or {}).get("relation"):
            lost.append("child's relation")
        if (mine.thread.origin_message_id is None) != (theirs.thread.origin_message_id is None):
            lost.append("child's origin")
    return Cell(
        changed=tuple(report.changed),
        dropped=tuple(report.dropped),
        lost=tuple(dict.fromkeys(lost)),
        unnamed=tuple(difference(told, [report], got)),
    )


def _lost(given: list[Message], got: list[Message]) -> list[str]:
    given, got = [m for m in given if m.content], [m for m in got if m.content]
    if len(given) != len(got):
        return ["message" if len(given) > len(got) else "order"]
    lost = []
    for a, b in zip(given, got, strict=True):
        want, have = plain(a), plain(b)
        lost += [key for key in {**want, **have} if want.get(key) != have.get(key)]
        if a.usage is not None and a.usage != b.usage:
            lost.append("usage")
        if (a.window or [a.id]) != [a.id] and len(a.window or []) != len(b.window or []):
            lost.append("window")
    return lost
