"""A conversation that went to and fro between the real clients is one thread in a store, whole and once."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesh.format.message import Message
from sesh.stores import MessageStore, open_store
from tests import rows
from tests.e2e.journey import COMMAND, PATCH_AND_PARALLEL, TOOLS, Journey, by_run, said


def ingest(journey: Journey, *args: str) -> MessageStore:
    """`sesh ingest --all`, the last steps included: the clients have ended."""
    url = f"sqlite:{journey.root}/store.db"
    document = journey.sesh("ingest", "--all", "--final", "--store", url, *args)
    assert (document["failed"], document["differing"], document["held"]) == ([], 0, 0)
    return open_store(url)


def one_thread(store: MessageStore) -> list[Message]:
    """The messages of the only main thread there is."""
    [thread] = [t for t in store.list_threads() if t.parent_thread_id is None]
    return store.get_messages(thread.id)


def conversation(messages: list[Message]) -> list[rows.Row]:
    """The same form in which what a client sends is compared."""
    return by_run(rows.settled(rows.of_messages(m for m in messages if m.kind != "context")))


@pytest.mark.parametrize("often", [True, False], ids=["after each step", "at the end"])
def test_there_and_back_and_there_again(journey: Journey, often: bool) -> None:
    origin = journey.begin_in_claude()
    over = journey.handoff(origin, "codex", "--tools", "keep")
    if often:
        ingest(journey)
    journey.in_codex(over, COMMAND, prompt="In Codex, first")
    if often:
        assert conversation(one_thread(ingest(journey))) == said(journey.peek_in_codex(over))
    back = journey.merge(over)["sessionId"]
    journey.in_claude(back, TOOLS, prompt="In Claude, second")
    if often:
        assert conversation(one_thread(ingest(journey))) == said(journey.peek_in_claude(back))
    again = journey.merge(back)["sessionId"]
    journey.in_codex(again, PATCH_AND_PARALLEL, prompt="In Codex, third")
    stored = one_thread(ingest(journey, "--run", "night"))
    assert conversation(stored) == said(journey.peek_in_codex(again))
    assert len({m.id for m in stored}) == len(stored)
    assert {m.run_id for m in stored} == ({None, "night"} if often else {"night"})
    assert one_thread(ingest(journey)) == stored, "taken again, nothing is added"


def test_a_live_session_followed(journey: Journey, tmp_path: Path) -> None:
    """What was stored while Codex wrote is what is read when it has ended."""
    import json
    import subprocess
    import sys

    url = f"sqlite:{tmp_path}/live.db"
    following = subprocess.Popen(
        [sys.executable, "-m", "sesh", "follow", "--json", "--store", url],
        stdout=subprocess.PIPE,
        text=True,
        env=journey.environment(),
    )
    assert following.stdout is not None
    try:
        session = journey.begin_in_codex(script=PATCH_AND_PARALLEL)
        first = json.loads(following.stdout.readline())
        assert first["provider"] == "codex"
        journey.in_codex(session, COMMAND, prompt="And another turn")
    finally:
        following.terminate()
        following.communicate()
    assert following.returncode == 0
    document = journey.sesh("ingest", "--all", "--final", "--store", url)
    assert (document["differing"], document["failed"]) == (0, [])
    assert conversation(one_thread(open_store(url))) == said(journey.peek_in_codex(session))
