"""Events against response_items: which event repeats an item, and which is the only witness.

Codex writes what it shows (events) beside what it sends (response_items), in either order, in one or two families
(`user_message` and the like; `item_completed` from 0.155; both in a dual file). An item is never taken for a repetition
of another item, so a prompt sent twice stays twice. Each event is matched to one item, by id, else by role and text
within the turn, and each item answers one event of each family. An event that no item of its turn has matched when the
turn ends is a witness: it was shown and not sent.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import msgspec

from sesh.format.json import JsonObject
from sesh.providers.codex import items, kinds
from sesh.providers.codex.records import Event, Item, Record

LEGACY: Final = "event"
PAGINATED: Final = "item"
TALK: Final = frozenset({"message", "reasoning", "web_search_call"})
"""The types of item whose words events repeat."""
_plain: Final = str.strip


class Shown(msgspec.Struct, frozen=True, gc=False):
    """What an event says: its family, whose words they are (`user`, `assistant`, `reasoning`, `search`, `plan`)."""

    family: str
    role: str
    texts: list[str]
    id: str | None = None


class _Said(msgspec.Struct, gc=False):
    """An item of this turn, and the families whose event it has answered."""

    role: str
    texts: list[str]
    answered: set[str] = msgspec.field(default_factory=set)


class Echoes:
    """The open turn's items, and its events that still wait for their item."""

    def __init__(self) -> None:
        self._by_id: dict[str, _Said] = {}
        self._by_text: dict[tuple[str, str], list[_Said]] = {}
        self._said: list[_Said] = []
        self.waiting: list[tuple[Shown | None, Record]] = []

    def item(self, role: str, texts: list[str], vendor_id: str | None) -> list[Record]:
        """A response_item says these words; returns the waiting events that it answers."""
        said = _Said(role, [])
        self._said.append(said)
        if vendor_id is not None:
            self._by_id[vendor_id] = said
        by_text = self._by_text
        for text in texts:
            key = (role, _plain(text))
            said.texts.append(key[1])
            if key in by_text:
                by_text[key].append(said)
            else:
                by_text[key] = [said]
        if not self.waiting:
            return []
        answered: list[Record] = []
        kept: list[tuple[Shown | None, Record]] = []
        for shown, record in self.waiting:
            if shown is not None and self._answers(said, shown, vendor_id):
                answered.append(record)
            else:
                kept.append((shown, record))
        self.waiting = kept
        return answered

    @staticmethod
    def _answers(said: _Said, shown: Shown, vendor_id: str | None) -> bool:
        if shown.role != said.role:
            return False
        if shown.id is not None and shown.id == vendor_id:
            said.answered.add(shown.family)
            return True
        if shown.id is not None and vendor_id is not None and shown.role == "search":
            return False  # two searches for the same words
        return _take(said, shown)

    def event(self, shown: Shown) -> bool:
        """Whether an item that is there already answers this event."""
        if shown.id is not None and (said := self._by_id.get(shown.id)) is not None:
            said.answered.add(shown.family)
            return True
        if shown.role == "plan":
            return any(s.role == "assistant" and shown.texts[0] in s_text for s in self._said for s_text in s.texts)
        for text in shown.texts:
            for said in self._by_text.get((shown.role, _plain(text)), ()):
                if _take(said, shown):
                    return True
        return False

    def wait(self, shown: Shown | None, record: Record) -> None:
        """No item has answered yet. `shown` None: none ever will (a tool's event without its call), only keep order."""
        self.waiting.append((shown, record))

    def take_prompt(self, texts: list[str]) -> tuple[Shown | None, Record] | None:
        """The waiting event that tells this very prompt, taken out; the latest where there are several."""
        words = {_plain(t) for t in texts}
        for i in range(len(self.waiting) - 1, -1, -1):
            shown = self.waiting[i][0]
            if shown is not None and shown.role == "user" and any(_plain(t) in words for t in shown.texts):
                return self.waiting.pop(i)
        return None

    def end_turn(self) -> tuple[list[Record], list[Record]]:
        """The turn is over: (events that an item answers after all, by holding their words; witnesses, in order)."""
        found = self._sorted() if self.waiting else ([], [])
        self._by_id.clear()
        self._by_text.clear()
        self._said.clear()
        self.waiting = []
        return found

    def _sorted(self) -> tuple[list[Record], list[Record]]:
        late: list[Record] = []
        left: list[tuple[Shown | None, Record]] = []
        for shown, record in self.waiting:
            if shown is not None and self._held(shown):
                late.append(record)
            else:
                left.append((shown, record))
        # A dual file tells the same in both families: one of the two is witness enough.
        told = Counter(
            (s.role, _plain(t)) for s, _ in left if s is not None and s.family == PAGINATED for t in s.texts[:1]
        )
        witnesses: list[Record] = []
        for shown, record in left:
            key = (shown.role, _plain(shown.texts[0])) if shown and shown.texts and shown.family == LEGACY else None
            if key is not None and told[key]:
                told[key] -= 1
                late.append(record)
            else:
                witnesses.append(record)
        return late, witnesses

    def _held(self, shown: Shown) -> bool:
        """Whether an item holds these words among others (an editor's context around a prompt, a plan in an answer)."""
        role = "assistant" if shown.role == "plan" else shown.role
        words = [_plain(t) for t in shown.texts if _plain(t)]
        if not words or role == "search":
            return False
        for said in self._said:
            if (
                said.role == role
                and shown.family not in said.answered
                and any(w in t for w in words for t in said.texts)
            ):
                if shown.role != "plan":
                    said.answered.add(shown.family)
                return True
        return False


def _take(said: _Said, shown: Shown) -> bool:
    """Let an item answer an event, once in each family; a reasoning item once for each of its parts."""
    for text in shown.texts:
        plain = _plain(text)
        if plain not in said.texts:
            continue
        key = f"{shown.family}\0{plain}" if said.role == "reasoning" else shown.family
        if key not in said.answered:
            said.answered.add(key)
            return True
    return False


def texts_of_item(payload: JsonObject) -> tuple[str, list[str]] | None:
    """Under which role and words events may repeat a response_item; None where none ever does."""
    match payload.get("type"):
        case "message":
            role = payload.get("role")
            if role not in ("user", "assistant"):
                return None
            content = payload.get("content")
            texts = [content] if isinstance(content, str) else _texts(content)
            if len(texts) == 1 and texts[0][:1] != "<":
                return role, texts
            typed = [t for t in texts if not kinds.IMAGE_TAG.fullmatch(t)]
            return role, list(dict.fromkeys(("".join(typed), "\n".join(typed), *([""] if not typed else []))))
        case "reasoning":
            parts = [*_texts(payload.get("summary")), *_texts(payload.get("content"))]
            whole = items.joined(payload.get("summary"))
            return "reasoning", parts if whole in parts else [*parts, whole]
        case "web_search_call":
            return "search", [items.query_of(payload.get("action"))]
        case _:
            return None


def _texts(parts: Any) -> list[str]:
    texts: list[str] = []
    if isinstance(parts, list):
        for part in parts:
            text = part.get("text") if isinstance(part, dict) else None
            if isinstance(text, str):
                texts.append(text)
    return texts


def shown(event: Event) -> Shown | None:
    """What an event of talk says; None where the event is no talk."""
    match event.type:
        case "user_message":
            return Shown(LEGACY, "user", [_string(event.message)])
        case "agent_message":
            return Shown(LEGACY, "assistant", [_string(event.message)])
        case "agent_reasoning" | "agent_reasoning_raw_content":
            return Shown(LEGACY, "reasoning", [_string(event.text)])
        case "web_search_end":
            return Shown(LEGACY, "search", [_query(event)], _id(event.call_id))
        case "item_completed" if event.item is not None:
            return _of_item(event.item)
        case _:
            return None


def _of_item(item: Item) -> Shown | None:
    match item.type:
        case "UserMessage":
            texts = _texts(item.content)
            return Shown(PAGINATED, "user", list(dict.fromkeys(("".join(texts), "\n".join(texts)))))
        case "AgentMessage":
            return Shown(PAGINATED, "assistant", ["".join(_texts(item.content))], _id(item.id))
        case "Reasoning":
            said = item.summary_text if isinstance(item.summary_text, list) else []
            parts = [t for t in said if isinstance(t, str)]
            return Shown(PAGINATED, "reasoning", ["\n\n".join(parts), *parts], _id(item.id))
        case "Plan":
            return Shown(PAGINATED, "plan", [_string(item.text)])
        case "WebSearch":
            return Shown(PAGINATED, "search", [_query(item)], _id(item.id))
        case _:
            return None


def _query(searched: Event | Item) -> str:
    """What a search's event looked for; older items have no id to know it by."""
    return items.query_of(searched.action) or _string(searched.query)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _id(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
