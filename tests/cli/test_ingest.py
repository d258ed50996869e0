"""`sesh ingest`, `sesh follow` and `sesh schema` as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import jsonschema
import pytest

from sesh.cli.commands import follow
from sesh.errors import StoreFailed
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores import MessageStore, open_store
from sesh.stores.memory import MemoryMessageStore
from tests.cli.conftest import CLAUDE, Sesh
from tests.ingest.conftest import codex_goes_on

NAME = CLAUDE.stem


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path}/store.db"


@pytest.fixture
def quiet_home(demo_home: Path) -> Path:
    """The bundled sessions, written long ago."""
    for path in demo_home.rglob("*.jsonl"):
        os.utime(path, (1_790_000_000, 1_790_000_000))
    return demo_home


def test_one_session(sesh: Sesh, quiet_home: Path, url: str) -> None:
    ran = sesh("ingest", NAME, "--store", url)
    assert (ran.code, ran.out) == (0, "")
    assert f"claude-code:{NAME}: 21 messages added in thread " in ran.err
    again = sesh("ingest", NAME, "--store", url)
    assert f"claude-code:{NAME}: nothing new in thread " in again.err


def test_a_path(sesh: Sesh, url: str) -> None:
    ran = sesh("ingest", CLAUDE, "--store", url, "--final", "--json")
    assert ran.code == 0
    [session] = ran.json["sessions"]
    assert (session["sessionId"], session["state"], session["held"]) == (NAME, "new", 0)
    assert ran.json["messages"] == session["messages"] + session["childMessages"] == 21


def test_all(sesh: Sesh, quiet_home: Path, url: str) -> None:
    ran = sesh("ingest", "--all", "--store", url)
    assert (ran.code, ran.err) == (0, "33 messages added from 2 sessions.\n")
    assert sesh("ingest", "--all", "--store", url).err == (
        "0 messages added from 0 sessions; 2 sessions had nothing new.\n"
    )
    store = open_store(url)
    assert len(store.list_threads()) == 3


def test_the_default_store(sesh: Sesh, quiet_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESH_HOME", str(tmp_path / "own"))
    assert sesh("ingest", "--all").code == 0
    assert (tmp_path / "own" / "store.db").is_file()
    monkeypatch.setenv("SESH_STORE", f"jsonl:{tmp_path}/lines")
    assert sesh("ingest", "--all").code == 0
    assert (tmp_path / "lines" / "threads.jsonl").is_file()


def test_stamps(sesh: Sesh, quiet_home: Path, url: str) -> None:
    sesh("ingest", NAME, "--store", url, "--agent", "agent-7", "--run", "run-1")
    store = open_store(url)
    [main, child] = store.list_threads(agent_id="agent-7")
    assert len(store.get_messages(main.id, run_id="run-1")) + len(store.get_messages(child.id, run_id="run-1")) == 21


def test_a_session_that_cannot_be_read_fails_at_the_end(sesh: Sesh, quiet_home: Path, url: str) -> None:
    bad = next((quiet_home / ".codex").rglob("rollout-*.jsonl"))
    (bad.parent / f"{bad.name.replace('01a1fd2e', '01a1fd2f')}.zst").write_bytes(b"no zstd at all")
    ran = sesh("ingest", "--all", "--store", url)
    assert ran.code == 1
    assert "no readable zstd file" in ran.err
    assert ran.err.endswith("33 messages added from 2 sessions; 1 failed.\n")
    assert [f["empty"] for f in sesh("ingest", "--all", "--store", url, "--json").json["failed"]] == [False]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--all", NAME], 2, "not both"),
        (["--store", "mongodb:x"], 2, "memory:, jsonl:, sqlite:, postgresql:"),
        (["--store", "sqlite:"], 2, "sqlite:FILE"),
        (["--store", "sqlite:/dev/null/x"], 1, "The store /dev/null/x"),
        (["no-such-session"], 4, "No session answers"),
    ],
)
def test_what_goes_wrong(sesh: Sesh, quiet_home: Path, arguments: list[str], code: int, words: str) -> None:
    ran = sesh("ingest", *arguments)
    assert ran.code == code
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_follow_once(sesh: Sesh, quiet_home: Path, url: str) -> None:
    ran = sesh("follow", "--once", "--json", "--store", url)
    assert ran.code == 0
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert {(t["provider"], t["state"]) for t in told} == {("claude-code", "new"), ("codex", "new")}
    assert sesh("follow", "--once", "--json", "--store", url).out == ""


def test_follow_takes_what_is_written_and_ends_when_told(quiet_home: Path, url: str) -> None:
    rollout = next((quiet_home / ".codex").rglob("rollout-*.jsonl"))
    following = subprocess.Popen(
        [sys.executable, "-m", "sesh", "follow", "--json", "--store", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": str(quiet_home)},
    )
    assert following.stdout is not None
    watchdog = threading.Timer(120, following.kill)
    watchdog.start()
    try:
        first = [json.loads(following.stdout.readline()) for _ in range(2)]
        assert {t["provider"] for t in first} == {"claude-code", "codex"}
        codex_goes_on(rollout, "Written meanwhile")
        grown = json.loads(following.stdout.readline())
        assert (grown["sessionId"], grown["state"], grown["messages"], grown["held"]) == (
            next(t for t in first if t["provider"] == "codex")["sessionId"],
            "grown",
            1,
            1,
        )
        following.send_signal(signal.SIGTERM)
        assert following.wait() == 0
    finally:
        watchdog.cancel()
        following.kill()
        following.communicate()
    texts = [m.content for m in open_store(url).get_messages(grown["threadId"])]
    assert "Written meanwhile" in str(texts[-1])


class Server:
    """A store that answers until it has been asked so many times, and is then down for some tries to open it."""

    def __init__(self, asked: int, down: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store = MemoryMessageStore()
        self.pauses: list[float] = []
        self.told_to_end = False
        self._asked, self._down, self._is_up = asked, down, True
        server = self

        class Stop(threading.Event):
            def wait(self, timeout: float | None = None) -> bool:
                assert timeout is not None
                server.pauses.append(timeout)
                return server.told_to_end

        class Link(MemoryMessageStore):
            def put_thread(self, thread: Thread, /) -> None:
                server.ask()
                server.store.put_thread(thread)

            def append_messages(self, messages: Iterable[Message], /) -> None:
                for message in messages:
                    server.ask()
                    server.store.append_message(message)

        for name in ("get_thread", "list_threads", "get_messages"):
            setattr(Link, name, getattr(self.store, name))

        def opened(url: str | None) -> AbstractContextManager[MessageStore]:
            if not self._is_up and self._down:
                self._down -= 1
                raise StoreFailed("The server is starting up.")
            self._is_up = True
            return nullcontext(Link())

        monkeypatch.setattr(follow, "Event", Stop)
        monkeypatch.setattr(follow, "opened", opened)
        monkeypatch.setattr(follow, "wakes", lambda folders, stop: iter([None]))  # one round, and all is done

    def ask(self) -> None:
        self._asked -= 1
        if self._asked == 0:
            self._is_up = False
            raise StoreFailed("The server closed the connection.")


@pytest.mark.parametrize("asked", [1, 2, 5, 10, 20, 30])
def test_follow_waits_for_a_store_that_fails(
    sesh: Sesh, quiet_home: Path, monkeypatch: pytest.MonkeyPatch, asked: int
) -> None:
    server = Server(asked, 2, monkeypatch)
    ran = sesh("follow", "--store", "memory:")
    assert ran.code == 0
    remarks = [line for line in ran.err.splitlines() if "server" in line or "store" in line]
    assert remarks == [
        "The server closed the connection. Waiting for the store; Ctrl-C ends it.",
        "The server is starting up. Waiting for the store; Ctrl-C ends it.",
        "The store answers again.",
    ]
    assert server.pauses == [1, 2, 4]
    whole = MemoryMessageStore()
    monkeypatch.setattr(follow, "opened", lambda url: nullcontext(whole))
    assert sesh("follow", "--once", "--store", "memory:").code == 0
    assert {t.id: server.store.get_messages(t.id) for t in server.store.list_threads()} == {
        t.id: whole.get_messages(t.id) for t in whole.list_threads()
    }


def test_follow_that_waits_ends_when_told(sesh: Sesh, quiet_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(3, 2, monkeypatch)
    server.told_to_end = True
    ran = sesh("follow", "--quiet", "--store", "memory:")
    assert (ran.code, ran.err) == (0, "The server closed the connection. Waiting for the store; Ctrl-C ends it.\n")


@pytest.mark.parametrize("arguments", [["--once"], []], ids=["once", "never-opened"])
def test_follow_fails_at_once(
    sesh: Sesh, quiet_home: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    server = Server(3, 2, monkeypatch)
    if not arguments:
        with pytest.raises(StoreFailed):
            for _ in range(3):
                server.ask()
    ran = sesh("follow", *arguments, "--store", "memory:")
    assert ran.code == 1
    assert "Waiting" not in ran.err
    assert server.pauses == []


def test_schema(sesh: Sesh) -> None:
    jsonschema.Draft202012Validator.check_schema(sesh("schema").json)
    assert sesh("schema", "--json").raw == sesh("schema").raw
    root = Path(__file__).parents[2]
    assert sesh("schema", "--typescript").raw == (root / "schema/sesh.v1.d.ts").read_bytes()
    assert sesh("schema").json == json.loads((root / "schema/sesh.v1.schema.json").read_bytes())
    assert sesh("schema", "--json", "--typescript").code == 2
