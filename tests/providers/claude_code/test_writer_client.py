"""Written shapes that are easily got wrong, given to the real Claude Code: it sends what the canonical window holds."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from sesh.format import walk
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.claude_code.writer import emit_claude_session
from tests import rows
from tests.clients import Claude
from tests.clients.placing import place
from tests.providers.claude_code.made import Made
from tests.providers.claude_code.telling import Telling

pytestmark = pytest.mark.client

Told = tuple[Thread, list[Message]]


def a_compaction_that_kept_words_of_the_model() -> Told:
    """The kept message stands in the file twice; the client gathers all lines of one `message.id`."""
    told = Telling()
    told.say("user", "one")
    kept = told.say("assistant", "first")
    told.say("user", "two")
    told.say("assistant", "second")
    summary = told.say("user", "SUMMARY", kind="summary")
    told.messages[-1] = msgspec.structs.replace(summary, window=[summary.id, kept.id])
    told.say("user", "three")
    told.say("assistant", "third")
    return told.thread, told.messages


def a_compaction_that_kept_a_line_which_says_nothing() -> Told:
    """Where one of the lines that a boundary names is not in the file, the client replays none of them."""
    s = Made()
    s.user("u2", "a1", "keep q")
    s.said("a2", "u2", "keep a")
    s.line("system", "y2", "a2", subtype="turn_duration", durationMs=1)
    s.boundary("bd", "y2", preservedMessages={"uuids": ["u2", "a2", "y2"], "anchorUuid": "sm"})
    s.summary("sm", "bd")
    s.user("u3", "sm", "third")
    s.said("a3", "u3", "three")
    read = s.read()
    return read.thread, read.messages


def a_window_with_texts_cut_short_around_its_summary() -> Told:
    """Codex cuts texts for its window: they stand before the boundary, and are sent after it in the window's order."""
    told = Telling()
    told.say("user", "one")
    told.say("assistant", "first")
    kept = told.say("user", "two")
    told.say("assistant", "second")
    cuts = [told.say("user", name, kind="summary") for name in ("cut 1", "cut 2")]
    own = told.say("user", "SUMMARY", kind="summary")
    told.messages[-1] = msgspec.structs.replace(own, window=[cuts[1].id, own.id, kept.id, cuts[0].id])
    told.say("user", "three")
    told.say("assistant", "third")
    return told.thread, told.messages


def the_model_speaks_first() -> Told:
    """The Messages API takes no conversation that begins with the model's words."""
    told = Telling()
    told.say("assistant", "I begin.")
    told.say("user", "hi")
    told.say("assistant", "and go on")
    return told.thread, told.messages


@pytest.mark.parametrize(
    ("tell", "put_first"),
    [
        (a_compaction_that_kept_words_of_the_model, []),
        (a_compaction_that_kept_a_line_which_says_nothing, []),
        (a_window_with_texts_cut_short_around_its_summary, []),
        (the_model_speaks_first, [{"kind": "user", "text": "(no content)", "images": []}]),
    ],
)
def test_the_client_sends_what_was_held(
    tell: Callable[[], Told], put_first: list[rows.Row], claude_client: Claude
) -> None:
    thread, messages = tell()
    home, cwd = claude_client.home(), claude_client.folder()
    result = emit_claude_session(thread, messages, cwd=str(cwd))
    place(result, home)
    probe = claude_client.go_on(result.session_id, home=home, cwd=cwd)
    assert probe.rc == 0, probe.stderr
    assert rows.settled(probe.sent) == [*put_first, *rows.settled(rows.conversation(walk.window(messages)))]
