"""`sesh handoff`, `merge` and `links` as typed: what they print, write and return."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sesh.catalog.homes import sesh_home
from sesh.providers.claude_code.layout import munge
from tests.cli.conftest import CODEX, Sesh
from tests.handoff.desk import Desk

CLAUDE_ID = "7c9e6a54-2b1d-4f3a-9a0e-5d1f0c8b7e21"


@pytest.fixture
def project(demo_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder to work in, and the bundled Claude Code session in it."""
    folder = tmp_path / "orchard"
    folder.mkdir()
    monkeypatch.chdir(folder)
    old = demo_home / ".claude" / "projects" / "-home-ada-orchard"
    new = old.with_name(munge(str(folder.resolve())))
    old.rename(new)
    for path in new.glob("*.jsonl"):
        path.write_bytes(path.read_bytes().replace(b"/home/ada/orchard", str(folder.resolve()).encode()))
    return folder.resolve()


def digest(path: Path) -> tuple[str, int]:
    return hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns


def say(path: Path, words: str) -> None:
    """A turn more, as the client would append it (tests/handoff/desk.py)."""
    desk = object.__new__(Desk)
    desk.cwd = Path.cwd()
    desk._parents = {}
    desk.clock = Desk.__dataclass_fields__["clock"].default_factory()  # type: ignore[misc]
    Desk.say(desk, path, words)


def test_there_and_back(sesh: Sesh, project: Path, demo_home: Path) -> None:
    origin = next((demo_home / ".claude").rglob(f"{CLAUDE_ID}.jsonl"))
    before = digest(origin)
    over = sesh("handoff", CLAUDE_ID[:8], "--to", "codex", "--json").json
    assert {"provider", "sessionId", "path", "command", "report"} <= over.keys()
    assert over["provider"] == "codex" and over["written"] is True
    assert over["command"] == f"codex resume {over['sessionId']}"
    assert over["report"]["read"]["lines"] and over["report"]["written"]["blocks"]
    assert over["from"] == {"provider": "claude-code", "sessionId": CLAUDE_ID}
    target = Path(over["path"])
    assert target.is_relative_to(demo_home / ".codex" / "sessions") and target.is_file()

    again = sesh("handoff", CLAUDE_ID[:8], "--to", "codex", "--json").json
    assert (again["sessionId"], again["path"], again["written"]) == (over["sessionId"], over["path"], False)

    say(target, "Said over there")
    back = sesh("merge", "--json").json
    assert back["provider"] == "claude-code" and back["turns"] == 1 and back["written"] is True
    assert back["command"] == f"claude --resume {back['sessionId']}"
    assert back["onto"] == f"claude-code:{CLAUDE_ID}"
    assert Path(back["path"]).parent == origin.parent
    assert digest(origin) == before

    links = sesh("links", "--json").json["links"]
    assert [(x["kind"], x["state"]) for x in links] == [("merge", "untouched"), ("handoff", "merged")]
    nothing = sesh("merge", "--json")
    assert nothing.code == 0 and nothing.json["turns"] == 0 and nothing.json["written"] is False
    assert nothing.json["sessionId"] == back["sessionId"]


def test_the_command_is_the_last_line_and_alone_on_stdout(sesh: Sesh, project: Path) -> None:
    ran = sesh("handoff", CLAUDE_ID, "--to", "codex")
    assert ran.out.startswith("codex resume ") and ran.out.count("\n") == 1
    assert "Wrote " in ran.err
    assert sesh("handoff", CLAUDE_ID, "--to", "codex", "-q").err == ""


def test_nothing_named_is_the_newest_session_of_the_folder_that_is_of_another_client(
    sesh: Sesh, project: Path, demo_home: Path
) -> None:
    rollout = next((demo_home / ".codex").rglob("rollout-*.jsonl"))
    rollout.write_bytes(rollout.read_bytes().replace(b"/home/ada/orchard", str(project).encode()))
    os.utime(rollout)  # Codex was used here last
    assert sesh("handoff", "--to", "codex", "--json").json["from"]["sessionId"] == CLAUDE_ID
    assert sesh("handoff", "--to", "claude-code", "--json").json["from"]["provider"] == "codex"


def test_a_dry_run_writes_nothing(sesh: Sesh, project: Path, demo_home: Path) -> None:
    def files() -> list[Path]:
        return sorted(
            p for p in demo_home.rglob("*") if p.is_file() and "cache" not in p.parts and ".cache" not in p.parts
        )

    before = files()
    planned = sesh("handoff", CLAUDE_ID, "--to", "codex", "--dry-run", "--json").json
    assert planned["dryRun"] is True and planned["written"] is False and planned["path"] == planned["files"][-1]
    assert files() == before
    done = sesh("handoff", CLAUDE_ID, "--to", "codex", "--json").json
    assert done["path"] == planned["path"]
    say(Path(done["path"]), "Said over there")
    before = files()
    planned = sesh("merge", "--dry-run", "--json").json
    assert files() == before
    assert sesh("merge", "--json").json["path"] == planned["path"]


def test_another_home_is_named_in_the_command(sesh: Sesh, project: Path, tmp_path: Path) -> None:
    home = tmp_path / "other codex"
    over = sesh("handoff", CLAUDE_ID, "--to", "codex", "--home", home, "--json").json
    assert Path(over["path"]).is_relative_to(home / "sessions")
    assert over["command"] == f"CODEX_HOME='{home}' codex resume {over['sessionId']}"
    assert over["resume"]["environment"] == {"CODEX_HOME": str(home)}
    say(Path(over["path"]), "Said over there")
    back = sesh("merge", over["path"], "--json").json
    assert back["turns"] == 1 and back["provider"] == "claude-code"


def test_a_folder_of_the_client_that_is_relative(
    sesh: Sesh, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It means another folder wherever one has changed to, so that nothing is written down or printed so."""
    monkeypatch.setenv("CODEX_HOME", "a home")
    over = sesh("handoff", CLAUDE_ID, "--to", "codex", "--json").json
    assert Path(over["path"]).is_relative_to(project / "a home")
    assert over["resume"]["environment"] == {"CODEX_HOME": str(project / "a home")}
    say(Path(over["path"]), "Said over there")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CODEX_HOME")
    assert [one["state"] for one in sesh("links", "--json").json["links"]] == ["continued"]
    assert sesh("merge", CLAUDE_ID, "--json").json["turns"] == 1


def test_links_without_the_book(sesh: Sesh, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sessions say it themselves; another folder for sesh is as good as another machine."""
    over = sesh("handoff", CLAUDE_ID, "--to", "codex", "--json").json
    say(Path(over["path"]), "Said over there")
    known = sesh("links", "--json").json["links"]
    monkeypatch.setenv("SESH_HOME", str(project / "another"))
    (found,) = sesh("links", "--json").json["links"]
    assert found == {**known[0], "at": found["at"], "byStamp": True}
    assert sesh("links", "--here", "--json").json["links"] == [found]
    assert sesh("links").out.endswith("continued by 1 turn; known by its stamp\n")
    assert not (project / "another" / "links.jsonl").exists()


def test_a_book_that_cannot_be_read_keeps_no_list_from_being_shown(sesh: Sesh, project: Path) -> None:
    book = sesh_home(os.environ) / "links.jsonl"
    book.mkdir(parents=True)
    for command in ("links", "merge"):
        failed = sesh(command, "--json")
        assert failed.code == 1 and str(book) in failed.json["error"] and failed.json["hint"]
    shown = sesh("list", "--all", "--json")
    assert shown.code == 0 and shown.json["sessions"] and str(book) in shown.err
    assert any(str(book) in problem for problem in sesh("doctor", "--json").json["problems"])


def test_another_folder_is_named_in_the_command(sesh: Sesh, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "a checkout"
    other.mkdir()
    over = sesh("handoff", CODEX, "--to", "claude-code", "--cwd", other, "--json").json
    assert over["command"] == f"cd '{other.resolve()}' && claude --resume {over['sessionId']}"
    assert Path(over["path"]).parent.name == munge(str(other.resolve()))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["handoff", CLAUDE_ID, "--to", "claude-code"], 5, "is a Claude Code session already"),
        (["handoff", "0000aaaa", "--to", "codex"], 4, "0000aaaa"),
        (["handoff", "/no/such/file.jsonl", "--to", "codex"], 4, "There is no file"),
        (["handoff", CLAUDE_ID], 2, "--to"),
        (["handoff", CLAUDE_ID, "--to", "cursor"], 2, "cursor"),
        (["merge", CLAUDE_ID], 4, "is on no link"),
        (["merge"], 4, "No session of this folder"),
        (["merge", "--branch", "--append"], 2, "two answers to one question"),
        (["handoff", CLAUDE_ID, "--to", "codex", "--launch"], 1, "no `codex` on PATH"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    sesh: Sesh, project: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, words: str
) -> None:
    monkeypatch.setenv("PATH", str(project))
    ran = sesh(*arguments)
    assert ran.code == code
    assert words in ran.err and ran.err.count("\n") == 1 and ran.out == ""
    told = sesh(*arguments, "--json").json
    assert words in told["error"] and told["exitCode"] == code


def test_diverged(sesh: Sesh, project: Path, demo_home: Path) -> None:
    origin = next((demo_home / ".claude").rglob(f"{CLAUDE_ID}.jsonl"))
    over = Path(sesh("handoff", CLAUDE_ID, "--to", "codex", "--json").json["path"])
    say(over, "Said there")
    say(origin, "Said here")
    refused = sesh("merge")
    assert refused.code == 5 and "Both sides went on since turn 2" in refused.err
    assert sesh("links").out.count("diverged: 1 turn there, 1 turn here") == 1
    assert sesh("merge", "--append", "--json").json["after"] == "append"


def test_strict_hands_off_nothing_where_anything_would_be_lost(sesh: Sesh, project: Path, demo_home: Path) -> None:
    before = sorted(demo_home.rglob("rollout-*"))
    refused = sesh("handoff", CLAUDE_ID, "--to", "codex", "--strict")
    assert refused.code == 3 and "--strict" in refused.err
    assert sorted(demo_home.rglob("rollout-*")) == before


def test_the_report_goes_to_a_file(sesh: Sesh, project: Path, tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    sesh("handoff", CLAUDE_ID, "--to", "codex", "--report", report)
    value = json.loads(report.read_bytes())
    written = value["written"]
    assert written["blocks"] == written["written"] + sum(written["changed"].values()) + sum(written["dropped"].values())


LAUNCH = """#!{python}
import json, os, sys
json.dump({{"arguments": sys.argv[1:], "cwd": os.getcwd(), "home": os.environ.get("CODEX_HOME")}}, open({out!r}, "w"))
"""


@pytest.mark.skipif(os.name == "nt", reason="a script as a program")
def test_launch_starts_the_client(project: Path, demo_home: Path, tmp_path: Path) -> None:
    programs, out = tmp_path / "bin", tmp_path / "said.json"
    programs.mkdir()
    program = programs / "codex"
    program.write_text(LAUNCH.format(python=sys.executable, out=str(out)))
    program.chmod(0o755)
    other = tmp_path / "codex-home"
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    command = [
        sys.executable,
        "-m",
        "sesh",
        "handoff",
        CLAUDE_ID,
        "--to",
        "codex",
        "--home",
        str(other),
        "--launch",
        "-q",
    ]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    said = json.loads(out.read_text())
    link = json.loads(subprocess.run([*command[:3], "links", "--json"], capture_output=True, check=True).stdout)[
        "links"
    ][0]
    assert said == {
        "arguments": ["resume", link["target"].removeprefix("codex:")],
        "cwd": str(project),
        "home": str(other),
    }


def test_two_at_once_make_one_session(project: Path, demo_home: Path) -> None:
    command = [sys.executable, "-m", "sesh", "handoff", CLAUDE_ID, "--to", "codex", "--json"]
    both = [subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE) for _ in range(3)]
    told = [json.loads(p.communicate()[0]) for p in both]
    assert [p.returncode for p in both] == [0, 0, 0]
    assert len({t["path"] for t in told}) == 1
    assert sorted(t["written"] for t in told) == [False, False, True]
    assert len(list((demo_home / ".codex").rglob(f"*{told[0]['sessionId']}*"))) == 1
