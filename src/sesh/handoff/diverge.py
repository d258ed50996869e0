"""Both sides went on: where they parted, how far each has gone, and what the user can choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from sesh.errors import Refused
from sesh.format import walk
from sesh.format.message import Message
from sesh.handoff.extent import News
from sesh.handoff.link import End
from sesh.handoff.wording import counted, turns

Choice: TypeAlias = Literal["branch", "append"]
"""`branch`: the new turns follow the hand-off point, and the origin's later ones stand aside in the copy. `append`:
they follow the origin's end."""


class Diverged(Refused):
    """A merge that needs the user's choice. `turns` are those of the origin and of the far side since they parted."""

    def __init__(self, message: str, *, hint: str, turns: tuple[int, int]) -> None:
        super().__init__(message, hint=hint)
        self.turns = turns


def have_parted(ours: News, theirs: News, *, merged: bool) -> bool:
    """Whether the user has to choose. `merged`: the trunk is a merged copy, which new turns simply follow.

    Not where the far side has gone back behind what that copy has: then what was said in the copy would stand aside.
    """
    changed = ours.moved_on or bool(ours.gone)
    return changed and (not merged or bool(theirs.gone))


def parted(trunk: End, ours: News, far: End, theirs: News) -> Diverged:
    """The refusal, with what the user needs to choose."""
    return Diverged(
        f"Both sides went on since {_point(shared(ours))}: {trunk} {_moves(ours)}, {far} {_moves(theirs)}.",
        hint=f"--branch grafts the new turns there and leaves the later ones of {trunk.provider} aside (they stay in "
        "the copy's file); --append puts them after its end.",
        turns=(ours.turns, theirs.turns),
    )


def shared(ours: News) -> list[Message]:
    """The messages of the origin that both sides have: those it had when it was handed off."""
    new = {m.id for m in ours.messages}
    return [m for m in ours.result.messages if m.id not in new]


def _point(messages: Sequence[Message]) -> str:
    prompts = [m for m in messages if walk.is_prompt(m)]
    if not prompts:
        return "the beginning"
    words = " ".join(walk.text_of(prompts[-1]).split())
    short = words if len(words) <= 60 else words[:59] + "…"
    return f"turn {len(prompts)} (“{short}”)"


def _moves(news: News) -> str:
    """`has 2 turns more`, `has gone back by 1 turn`, or both."""
    moves = [f"has gone back by {turns(news.gone)}"] if news.gone else []
    if news.moved_on:
        moves.append(f"has {_count(news)} more")
    return " and ".join(moves) or "has nothing more"


def _count(news: News) -> str:
    if news.turns:
        return turns(news.turns)
    return counted(sum(1 for m in news.messages if m.kind in (None, "summary")), "message")


def graft_point(ours: News, theirs: News, choice: Choice | None) -> tuple[str | None, News]:
    """The message of the origin that the new turns follow (None: its last), and what follows it.

    Turns that a side no longer has, or not whole (reverted, rewound, forked away), are counted from the hand-off point
    back, so that a handoff of only the last turns finds its place too. What the origin lost of them and the far side
    has is taken from there. Raises Refused where nothing is left to go on from.
    """
    if choice == "append":
        return None, theirs
    back = max(theirs.gone, ours.gone if choice == "branch" else 0)
    before = shared(ours)
    news = theirs.with_earlier(back - theirs.lost_prompts)
    if steps := back - ours.lost_prompts:
        prompts = [n for n, m in enumerate(before) if walk.is_prompt(m)]
        if len(prompts) < steps or not prompts[-steps]:
            raise _nothing_left("The other side has" if theirs.gone == back else "This session has")
        return before[prompts[-steps] - 1].id, news
    if choice == "branch" and ours.moved_on:
        if not before:
            raise _nothing_left("This session has")
        return before[-1].id, news
    return None, news


def _nothing_left(who: str) -> Refused:
    return Refused(
        f"{who} gone back to before the first turn that both sides had.",
        hint="Nothing is left to merge onto; `sesh handoff` takes the other side over as a session of its own.",
    )
