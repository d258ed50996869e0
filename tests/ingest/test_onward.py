"""Reading on gives the store what reading the whole gives it, whatever is written; and reads little."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from bench import generate

from sesh.files import read, tail
from sesh.ingest import onward, session
from sesh.ingest.points import Points
from tests.ingest.roads import Roads, Whole, contents, moving
from tests.sessions import Session, main_sessions

__all__ = ["moving"]
LATE = "2031-01-01T00:00:00.000Z"
TWISTED = ("uuid", "parentUuid", "id", "tool_use_id", "call_id", "turn_id", "timestamp", "isSidechain", "sessionId")
NAMES = {"claude": "claude.jsonl", "codex": "codex.jsonl"}


def made(kind: str, size: int = 400_000, seed: int = 1) -> list[bytes]:
    """The lines of a made-up session."""
    return list(generate.lines(kind, size, seed))


def begun(tmp_path: Path, kind: str, size: int = 400_000) -> tuple[Roads, Iterator[bytes]]:
    """A session that both stores have, and the lines that come next."""
    roads, more = Roads(tmp_path, NAMES[kind]), generate.lines(kind, 1 << 60)
    written = 0
    while written < size:
        line = next(more)
        roads.add(line)
        written += len(line)
    assert not roads.take()
    return roads, more


# ---- the same as the whole --------------------------------------------------------------------------


@pytest.mark.parametrize("session", main_sessions(), ids=lambda s: s.name)
@pytest.mark.usefixtures("moving")
def test_the_corpus_as_it_grows(session: Session, tmp_path: Path) -> None:
    source = session.open().source
    roads = Roads(tmp_path, session.path.name.removesuffix(".zst"))
    folder = session.path.parent / session.path.stem
    if folder.is_dir():
        shutil.copytree(folder, roads.path.parent / session.path.stem)
    for n, line in enumerate(re.findall(rb"[^\n]*\n|[^\n]+$", source.main)):
        roads.add(line)
        roads.take(rests=n % 9 == 8)


@pytest.mark.parametrize("kind", ["claude", "codex"])
@pytest.mark.usefixtures("moving")
def test_made_up_sessions_go_the_short_road(kind: str, tmp_path: Path) -> None:
    roads, more = begun(tmp_path, kind, 200_000)  # long enough to be past the first turn
    for n in range(80):
        roads.add(next(more))
        roads.take(rests=n % 9 == 8, final=n % 7 == 6)
    assert roads.by_short > 60, roads.by_short


class Trouble:
    """Lines that no client wrote so: old ones again, with other ids, other times, other parents; state, markers."""

    def __init__(self, seed: int, kind: str) -> None:
        self.dice = random.Random(seed)
        self.kind = kind
        self.old: list[bytes] = []

    def some(self, coming: list[bytes]) -> bytes:
        """The next lines, mostly as they should be."""
        dice = self.dice.random()
        if not self.old or dice < 0.8:
            found = [coming.pop(0) for _ in range(min(len(coming), self.dice.choice((1, 1, 2, 5))))]
        elif dice < 0.86:
            found = [self.dice.choice(self.old)]
        elif dice < 0.93:
            found = [self.twisted(coming.pop(0) if coming else self.dice.choice(self.old))]
        else:
            found = [self.marker()]
        self.old += found
        return b"".join(found)

    def ids(self, most: int) -> list[str]:
        """Names that the last lines bear."""
        text = b"".join(self.old[-most:])
        return [m.decode() for m in re.findall(rb'"(?:uuid|id|tool_use_id|call_id|turn_id)":"([^"]+)"', text)] or ["x"]

    def twisted(self, line: bytes) -> bytes:
        """A line with another name or time in one place, or that is aside."""
        key, new = self.dice.choice(TWISTED), self.dice.choice(self.ids(self.dice.choice((3, 400))))
        if key == "timestamp":
            new = LATE

        def twist(value: Any) -> Any:
            if isinstance(value, list):
                return [twist(v) for v in value]
            if not isinstance(value, dict):
                return value
            return {k: (not v if v in (True, False) else new) if k == key else twist(v) for k, v in value.items()}

        return compact(twist(json.loads(line)))

    def marker(self) -> bytes:
        """A line that reaches back, or says something of the thread."""
        name, pick = self.dice.choice(self.ids(30)), self.dice.choice
        word, time = pick("ab"), f"2031-01-01T00:00:{self.dice.randrange(60):02d}.000Z"
        if self.kind == "claude":
            place = {"uuid": time + pick("abcdef"), "parentUuid": pick([name, None]), "timestamp": time}
            queue = {"type": "queue-operation", "operation": pick(["enqueue", "remove", "popAll"]), "content": word}
            said = {"type": "user", "message": {"role": "user", "content": word}, **place}
            leaf = {"type": "last-prompt", "leafUuid": pick([name, name, None]), "explicit": pick([True, False])}
            link = {"type": "system", "subtype": "turn_duration", **place}
            boundary = {"type": "system", "subtype": "compact_boundary", **place}
            return compact(
                pick(
                    [
                        {"type": "custom-title", "customTitle": name},
                        {"type": "ai-title", "aiTitle": word},
                        {"type": "pr-link", "prNumber": 1, "prUrl": word},
                        {"type": "summary", "summary": word, "leafUuid": name},
                        {"type": "never-seen", "a": 1},
                        *(queue, said, said, leaf, link, boundary),
                    ]
                )
            )
        tokens = {"input_tokens": self.dice.randrange(9999), "output_tokens": 1}
        message = {"type": "message", "role": pick(["user", "assistant"]), "id": pick([name, None])}
        return compact(
            pick(
                [
                    told(time, "event_msg", type="thread_rolled_back", num_turns=1),
                    told(time, "event_msg", type="thread_name_updated", thread_name=word),
                    told(time, "event_msg", type="exec_command_end", call_id=name, command=["ls"], exit_code=1),
                    told(time, "event_msg", type="never_seen", call_id=pick([name, "y"])),
                    told(time, "event_msg", type="task_started", turn_id=pick([name, time])),
                    told(time, "event_msg", type="task_complete", turn_id=name),
                    told(time, "event_msg", type="agent_message", message=word),
                    told(time, "event_msg", type="token_count", info={"total_token_usage": tokens}),
                    told(time, "turn_context", turn_id=pick([name, time]), model=word),
                    told(time, "compacted", message=word),
                    told(time, "response_item", type="function_call_output", call_id=name, output="late"),
                    told(time, "response_item", **message, content=[{"type": "input_text", "text": word}]),
                ]
            )
        )


def told(time: str, kind: str, **payload: Any) -> dict[str, Any]:
    """A record of a rollout."""
    return {"timestamp": time, "type": kind, "payload": payload}


def compact(value: Any) -> bytes:
    """A line as the clients write it."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_whatever_is_written(kind: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onward, "_MUCH", 0 if seed % 2 else 40_000)
    coming, trouble, roads = made(kind, 500_000, seed % 5 + 1), Trouble(seed, kind), Roads(tmp_path, NAMES[kind])
    for n in range(70):
        if n and trouble.dice.random() < 0.03:
            trouble.old = trouble.old[: len(trouble.old) * 3 // 4]
            roads.write(b"".join(trouble.old))
        roads.add(trouble.some(coming))
        roads.take(rests=trouble.dice.random() < 0.1, final=trouble.dice.random() < 0.2)


# ---- the roads that are closed ----------------------------------------------------------------------


def goes_short(roads: Roads, more: Iterator[bytes]) -> bool:
    """Whether one line more is taken by the short road."""
    roads.add(next(more))
    return roads.take()


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_cut_rewritten_replaced(kind: str, tmp_path: Path) -> None:
    roads, more = begun(tmp_path, kind)
    assert goes_short(roads, more)
    data = roads.path.read_bytes()
    cut = data.rfind(b"\n", 0, len(data) - 1) + 1
    roads.write(data[:cut])
    assert not roads.take(), "it is shorter"
    roads.add(data[cut:])
    assert roads.take()
    data = roads.path.read_bytes()
    roads.write(data[:5000].replace(b"4", b"5") + data[5000:])
    roads.take()
    roads.write(data)
    assert not roads.take(), "its beginning is another"
    copy = roads.path.with_name("copy")
    shutil.copy(roads.path, copy)
    copy.replace(roads.path)
    assert not roads.take(), "it is another file"
    assert goes_short(roads, more)


def test_a_rewind(tmp_path: Path) -> None:
    roads, _ = begun(tmp_path, "claude")
    lines = [json.loads(line) for line in roads.path.read_bytes().splitlines()]
    prompts = [line for line in lines if line["type"] == "user" and "promptId" in line]
    last = lines[-1]["timestamp"] if "timestamp" in lines[-1] else lines[-2]["timestamp"]
    other = {**prompts[-1], "uuid": "b" * 8, "timestamp": last[:-4] + "999Z"}
    roads.add(compact(other))
    assert not roads.take()
    assert any((t.metadata or {}).get("left") for t in roads.short.list_threads())


def test_a_session_that_began_with_a_command(tmp_path: Path) -> None:
    """Its title is the first prompt, once there is one."""
    roads, lines = Roads(tmp_path, NAMES["claude"]), made("claude", 2_000_000)
    prompts = [n for n, line in enumerate(lines) if b'"promptId"' in line]
    first, second = next(pair for pair in pairwise(prompts) if pair[1] - pair[0] > 12)
    command = json.loads(lines[first])
    command = {
        **command,
        "parentUuid": None,
        "message": {"role": "user", "content": "<command-name>/go</command-name>"},
    }
    roads.add(compact(command) + b"".join(lines[first + 1 : first + 10]))
    for line in lines[first + 10 : second + 10]:
        roads.take()
        roads.add(line)
    for line in lines[second + 10 : second + 20]:
        roads.add(line)
        assert roads.take()


def test_a_summary_of_a_line_to_come(tmp_path: Path) -> None:
    roads, lines = Roads(tmp_path, NAMES["claude"]), made("claude")
    leaf = next(json.loads(line)["uuid"] for line in reversed(lines) if b'"uuid"' in line)
    roads.add(compact({"type": "summary", "summary": "What it was about", "leafUuid": leaf}))
    for at in range(0, len(lines), 5):
        roads.add(b"".join(lines[at : at + 5]))
        roads.take(final=True)
    assert roads.by_short
    titles = {t.title for t in roads.short.list_threads() if t.parent_thread_id is None}
    assert titles == {"What it was about"} or b"ai-title" in roads.path.read_bytes()


def test_a_rollback(tmp_path: Path) -> None:
    roads, _ = begun(tmp_path, "codex")
    roads.add(compact(told(LATE, "event_msg", type="thread_rolled_back", num_turns=1)))
    assert not roads.take()


def test_a_file_beside_it(tmp_path: Path) -> None:
    roads, more = begun(tmp_path, "claude")
    beside = roads.path.parent / roads.path.stem / "subagents/agent-a1.jsonl"
    beside.parent.mkdir(parents=True)
    beside.write_bytes(b"".join(made("claude", 10_000, 3)))
    assert not goes_short(roads, more)
    spilled = roads.path.parent / roads.path.stem / "tool-results/b.txt"
    spilled.parent.mkdir()
    spilled.write_text("an output")
    roads.take()
    beside.unlink()
    assert not goes_short(roads, more)
    assert goes_short(roads, more)


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_a_torn_line(kind: str, tmp_path: Path) -> None:
    roads, more = begun(tmp_path, kind)
    line = next(more)
    roads.add(line[:20])
    assert roads.take()
    roads.add(line[20:])
    assert roads.take()


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_other_options(kind: str, tmp_path: Path) -> None:
    roads, _ = begun(tmp_path, kind)
    assert roads.take(run_id="r2")
    assert not roads.take(agent_id="a")
    assert not roads.take(keep_raw=True)


# ---- the store and the point ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_two_stores(kind: str, tmp_path: Path) -> None:
    roads, more = begun(tmp_path, kind)
    other = Points(tmp_path / "points", "long", least_bytes=0)
    for n in range(6):
        roads.add(next(more))
        now = roads.path.stat().st_mtime_ns
        runs = [Whole(roads.short, roads.book, {}, points=roads.points)]
        if n % 2:
            runs.append(Whole(roads.long, roads.book, {}, points=other))
        for run in runs:
            run.take(roads.path, now)
            assert run.read_whole == (n == 1 and run is not runs[0])
    assert contents(roads.short) == contents(roads.long)


@pytest.mark.parametrize("kind", ["claude", "codex"])
@pytest.mark.parametrize("where", ["before the mark", "before the point"])
def test_killed(kind: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def killed(*what: Any) -> None:
        raise Killed

    roads, more = begun(tmp_path, kind)
    for _ in range(5):
        roads.add(next(more))
    with monkeypatch.context() as patched, pytest.raises(Killed):
        if where == "before the mark":
            patched.setattr(session, "put", killed)
        else:
            patched.setattr(Points, "save", killed)
        Whole(roads.short, roads.book, {}, points=roads.points, final=True).take(roads.path, 0)
    short = roads.take(final=True, killed=True)
    assert short == (where == "before the mark"), "a mark that no point knows of: read whole"
    assert goes_short(roads, more)


def test_a_store_that_somebody_else_filled(tmp_path: Path) -> None:
    roads, more = begun(tmp_path, "codex")
    roads.add(next(more))
    Whole(roads.short, roads.book, {}).take(roads.path, roads.path.stat().st_mtime_ns, final=True)
    Whole(roads.long, roads.book, {}).take(roads.path, roads.path.stat().st_mtime_ns, final=True)
    assert not goes_short(roads, more)


def test_points_that_cannot_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roads, more = begun(tmp_path, "codex")
    [point] = (tmp_path / "points").iterdir()
    point.write_bytes(point.read_bytes()[:-5])
    assert not goes_short(roads, more)
    assert goes_short(roads, more)
    monkeypatch.setattr("sesh.ingest.points._LAYOUT", "of another release")
    assert not goes_short(roads, more)
    shutil.rmtree(tmp_path / "points")
    (tmp_path / "points").write_text("no folder")
    assert not goes_short(roads, more)
    assert not goes_short(roads, more)


# ---- how little is read -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_what_is_read_does_not_grow_with_the_session(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    real_read, real_open = os.read, read.read_file

    def counted(file: int, count: int) -> bytes:
        data = real_read(file, count)
        sizes[-1] += len(data)
        return data

    def whole(path: Path) -> tuple[bytes, int]:
        assert not path.name.endswith(NAMES[kind]), "the session was read whole"
        return real_open(path)

    most = []
    for size in (600_000, 3_000_000):
        folder = tmp_path / str(size)
        roads, more = begun(folder, kind, size)
        with monkeypatch.context() as patched:
            patched.setattr(tail.os, "read", counted)
            patched.setattr(read, "read_file", whole)
            for _ in range(60):
                roads.add(next(more))
                sizes.append(0)
                Whole(roads.short, roads.book, {}, points=roads.points).take(roads.path, roads.path.stat().st_mtime_ns)
        most.append(max(sizes))
        sizes.clear()
    assert max(most) < 700_000
    assert most[1] < most[0] + 300_000
