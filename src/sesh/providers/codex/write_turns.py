"""The frame of turns, and what people see in them: events and completed items beside the response items."""

from __future__ import annotations

from typing import Final

from sesh.format.blocks import FileChangeBlock, ToolCallBlock, ToolResultBlock, WebSearchBlock
from sesh.format.json import JsonObject
from sesh.format.message import Message
from sesh.providers.codex import display, write_events, write_history
from sesh.providers.codex.write_children import Child, Children, activity, spawn
from sesh.providers.codex.write_lines import RolloutLines, Times, unix_ms
from sesh.providers.codex.write_meta import Session, Style
from sesh.providers.codex.write_stamps import STUB

Call = ToolCallBlock | FileChangeBlock | WebSearchBlock
_PREVIEW_BEFORE: Final = 100
"""Lines. A first prompt among 150 is found by 0.104, 0.142 and 0.169, one after 250 is not."""


class Turns:
    """Opens and closes turns as messages come, and writes the display of each message into them.

    `ts` is the time for the lines of the message that was entered last: its own, or its neighbour's where it has none
    that can be read.
    """

    def __init__(
        self,
        lines: RolloutLines,
        session: Session,
        style: Style,
        children: Children,
        preview: str | None,
        times: Times,
    ) -> None:
        self.ts = session.created
        self._times: Final = times
        self._now = max(unix_ms(session.created) or 0, 0)
        self._lines: Final = lines
        self._session: Final = session
        self._history: Final = style.history
        self._children: Final = children
        self._started: Final[dict[str, list[Child]]] = {}
        self._preview = preview
        self._vendor: Final = _vendor((session.thread.metadata or {}).get("provider"))
        self._calls: Final[dict[str, tuple[Call, int]]] = {}
        self._turn_ids: Final[set[str]] = set()
        self._turn: str | None = None
        self._given: str | None = None
        self._began = 0
        self._items = 0
        self._spoken: str | None = None

    def enter(self, message: Message, turn: str | None, *, outside: bool) -> None:
        """A message is going to be written: a turn begins where its id is another. `outside`: it is in none."""
        if self._preview is not None and len(self._lines.lines) > _PREVIEW_BEFORE:
            self._ensure_preview()
        ms = self._times[message.ts]
        if ms is not None:
            self.ts = message.ts
            self._now = ms if ms > 0 else 0
        if outside:
            self._leave()
        elif self._turn is None or (turn is not None and turn != self._given):
            self._leave()
            self._begin(turn)

    def _begin(self, given: str | None) -> None:
        self._given = given
        turn = given or f"turn-{len(self._turn_ids) + 1}"
        n = 1
        while turn in self._turn_ids:
            n += 1
            turn = f"{given or 'turn'}-{n}"
        self._turn_ids.add(turn)
        self._turn, self._spoken, self._began = turn, None, self._ms()
        self._event(
            {
                "type": "task_started",
                "turn_id": turn,
                "started_at": self._began // 1000,
                "model_context_window": None,
                "collaboration_mode_kind": "default",
            },
            STUB if given is None else None if turn == given else {"turnId": given},
        )

    def _leave(self) -> None:
        if self._turn is None:
            return
        now = self._ms()
        self._event(
            {
                "type": "task_complete",
                "turn_id": self._turn,
                "last_agent_message": self._spoken,
                "started_at": self._began // 1000,
                "completed_at": now // 1000,
                "duration_ms": max(now - self._began, 0),
            },
            STUB if self._given is None else None,
        )
        self._turn = None

    def _ensure_preview(self) -> None:
        """Lists show a thread by its first prompt, and look for that in its first lines only; a thread without one
        there is not listed at all (formats/codex.md §1.1, §6)."""
        if self._preview is None:
            return
        if self._turn is None:
            self._begin(None)
        text, self._preview = self._preview, None
        self._user_message([text], [])

    def close(self, token_count: JsonObject) -> None:
        """The end of the file: the closing token count (made up, hence its stamp), then the end of the last turn."""
        self._ensure_preview()
        self._event(token_count, STUB)
        self._leave()

    # -- what is seen -----------------------------------------------------------------------------

    def said(self, message: Message, payload: JsonObject) -> None:
        """A message was written: prompts are shown as a person's, all other words as the model's."""
        content = payload.get("content")
        if payload.get("type") != "message" or not isinstance(content, list):
            return
        texts: list[str] = []
        images: list[str] = []
        for part in content:
            if isinstance(part, dict):
                text, url = part.get("text"), part.get("image_url")
                if isinstance(text, str):
                    texts.append(text)
                if isinstance(url, str):
                    images.append(url)
        if payload["role"] == "user" and message.role == "user" and message.kind is None:
            if any(t.strip() for t in texts):
                self._preview = None
            self._user_message(texts, images)
        elif message.kind != "context" and message.role in ("assistant", "user") and any(texts):
            text = "\n".join(texts)
            self._spoken = text if message.role == "assistant" else self._spoken
            self._seen(write_events.agent_message(text))
            item_id = self._next()
            if self._history.paginated:
                self._item(write_history.agent_message(item_id, text))

    def _user_message(self, texts: list[str], images: list[str]) -> None:
        self._seen(write_events.user_message(texts, images))
        item_id = self._next()
        if self._history.paginated:
            self._item(write_history.user_message(item_id, texts, images))

    def thought(self, text: str, stamp: JsonObject | None) -> None:
        """Thinking that may be read is shown; the model is not sent it. The stamp lets it be read again."""
        self._event(write_events.reasoning(text), stamp)
        item_id = self._next()
        if self._history.paginated:
            self._item(write_history.reasoning(item_id, text))

    def carried(self, stamp: JsonObject | None) -> None:
        """A message that gives Codex nothing to send or to show, on a line of a kind that no client knows."""
        self._event({"type": "sesh_message"}, stamp)

    def event_again(self, payload: JsonObject, from_session: str | None, stamp: JsonObject | None) -> None:
        """An event of Codex's own that was the only witness of something, under this thread's id."""
        if payload.get("thread_id") == from_session:
            payload = {**payload, "thread_id": self._session.session_id}
        if "turn_id" in payload and self._turn is not None:
            payload = {**payload, "turn_id": self._turn}
        self._event(payload, stamp)

    def called(self, call_id: str | None, call: Call, message: Message) -> None:
        """A call was written; it is shown when it is answered, a search without an answer at once."""
        if call_id is None:
            self._show(self._next(), call, None, self._ms())
            return
        self._calls[call_id] = (call, self._ms())
        if isinstance(call, ToolCallBlock):
            started = self._children.of_call(message, call)
            if started:
                self._started[call_id] = started

    def answered(self, call_id: str | None, result: ToolResultBlock | None) -> None:
        """A result was written, or a made-up one (None)."""
        found = self._calls.pop(call_id or "", None)
        if found is not None and call_id is not None:
            self._show(call_id, found[0], result, found[1])

    def compacted(self) -> None:
        """The mark of a compaction."""
        self._seen({"type": "context_compacted"})
        item_id = self._next()
        if self._history.paginated:
            self._item(write_history.compaction(item_id))

    def _show(self, call_id: str, call: Call, result: ToolResultBlock | None, began: int) -> None:
        card = display.card(call, result)
        cwd = self._session.cwd
        event = write_events.tool(
            call_id, self._turn or "", card, cwd, vendor=self._vendor, exec_events=self._history.exec_events
        )
        if event is not None:
            self._seen(event)
        plan = isinstance(card, display.Plan)  # drawn from its item in all files (formats/codex.md §6)
        started = self._started.pop(call_id, None)
        if not (plan or self._history.paginated):
            return
        if started is None or not isinstance(call, ToolCallBlock):
            item_id = f"{call_id}-plan" if plan else call_id
            self._item(write_history.tool(item_id, card, cwd, _duration(self._ms() - began)), began)
        elif self._history.paginated:
            self._item(spawn(call_id, self._session.session_id, call, result, started), began)

    def names(self, child: Child, back: int | None) -> None:
        """A child, for our reader. `back`: how many messages before this line the one it came from stands.

        A sub-agent that no call is shown to have started is drawn; all others are named on a line that no client knows.
        """
        stamp: JsonObject = {"child": child.session_id}
        if back is not None:
            stamp["origin"] = back
        if child.relation == "subagent" and child.session_id not in self._children.drawn:
            self._event(self._completed(activity(child), self._ms()), stamp)
        else:
            self._event({"type": "sesh_child"}, stamp)

    # -- lines ------------------------------------------------------------------------------------

    def _event(self, payload: JsonObject, stamp: JsonObject | None = None) -> None:
        self._lines.add(self.ts, "event_msg", payload, stamp)

    def _seen(self, payload: JsonObject) -> None:
        """A line that is only for the eyes. Its stamp says so: what it tells stands in a response item already."""
        self._lines.add(self.ts, "event_msg", payload, STUB)

    def _item(self, item: JsonObject, began: int | None = None) -> None:
        """A completed item, from which paginated files are drawn."""
        self._seen(self._completed(item, self._ms() if began is None else began))

    def _completed(self, item: JsonObject, began: int) -> JsonObject:
        return {
            "type": "item_completed",
            "thread_id": self._session.session_id,
            "turn_id": self._turn,
            "item": item,
            "started_at_ms": began,
            "completed_at_ms": self._ms(),
        }

    def _next(self) -> str:
        self._items += 1
        return f"item-{self._items}"

    def _ms(self) -> int:
        return self._now


def _vendor(provider: object) -> str:
    """Whose tools these are, in a word, for events that name a server."""
    return str(provider).partition("-")[0] if provider else "tool"


def _duration(ms: int) -> JsonObject:
    ms = max(ms, 0)
    return {"secs": ms // 1000, "nanos": ms % 1000 * 1_000_000}
