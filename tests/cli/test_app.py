"""The frame of the command line: help, errors, exit codes, what is loaded."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from sesh import __version__
from sesh.cli import app
from tests.cli.conftest import CLAUDE, CODEX, Sesh

COMMANDS = [name for section in app.SECTIONS.values() for name in section]


def test_help_names_every_command_and_what_it_is_for(sesh: Sesh) -> None:
    ran = sesh("--help")
    assert ran.code == 0
    for section in app.SECTIONS.values():
        for name, purpose in section.items():
            assert f"{name} " in ran.out
            assert purpose in ran.out


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_there_and_says_what_it_does(name: str) -> None:
    command = import_module(f"sesh.cli.commands.{name}").command
    assert isinstance(command, click.Command)
    assert command.help


def test_every_module_of_a_command_is_in_the_table() -> None:
    folder = Path(app.__file__).parent / "commands"
    assert sorted(p.stem for p in folder.glob("*.py") if p.stem != "__init__") == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_and_takes_json(sesh: Sesh, name: str) -> None:
    ran = sesh(name, "--help")
    assert ran.code == 0
    assert "--json" in ran.out


def test_version(sesh: Sesh) -> None:
    assert sesh("--version").out == f"sesh {__version__}\n"


def test_an_unknown_command_is_wrong_usage(sesh: Sesh) -> None:
    ran = sesh("nope")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "sesh: No such command 'nope'. See `sesh --help`.\n"


def test_wrong_usage_with_json_is_one_object(sesh: Sesh) -> None:
    ran = sesh("convert", "x.jsonl", "--to", "nope", "--json")
    assert ran.code == 2
    assert ran.json == {
        "error": "Invalid value for '--to': 'nope' is not one of claude-code, codex, canonical.",
        "hint": "See `sesh convert --help`.",
        "exitCode": 2,
    }


def test_json_after_two_dashes_is_no_flag(sesh: Sesh) -> None:
    assert sesh("show", "--", "--json").out == ""


@pytest.mark.parametrize(
    ("raised", "code"), [(KeyboardInterrupt(), 130), (ZeroDivisionError("x"), 1), (OSError(28, "No space", "f"), 1)]
)
def test_whatever_happens_there_is_one_sentence_and_no_traceback(
    sesh: Sesh, monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int
) -> None:
    def broken(*_: object) -> None:
        raise raised

    monkeypatch.setattr("sesh.cli.here.homes", broken)
    ran = sesh("list")
    assert ran.code == code
    assert ran.err.strip().startswith("sesh: ")
    assert ran.err.strip().count("\n") == 0
    assert "Traceback" not in ran.err


def test_a_bug_shows_its_traceback_when_asked(sesh: Sesh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESH_DEBUG", "1")
    monkeypatch.setattr("sesh.cli.here.homes", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        sesh("list")


def _loaded(*arguments: str) -> set[str]:
    """The modules a run of `sesh` has loaded, in a process of its own."""
    program = (
        "import sys\nfrom sesh.cli.app import run\n"
        "try:\n    run(sys.argv[1:])\nfinally:\n    print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, env=os.environ.copy()
    )
    return set(done.stderr.split())


HEAVY = {"rich", "zstandard", "sqlite3", "msgspec", "platformdirs", "filelock", "markdown_it", "pygments", "json"}
SPARED = HEAVY - {"msgspec"} | {"dataclasses", "hashlib", "subprocess", "shutil", "tempfile", "secrets", "base64"}
"""What a small conversion has no use for, and what would be a good part of its time."""


def test_help_loads_nothing_heavy() -> None:
    loaded = _loaded("--help")
    assert not loaded & HEAVY
    assert {m for m in loaded if m.split(".")[0] == "sesh"} == {"sesh", "sesh.cli", "sesh.cli.app", "sesh.errors"}


@pytest.mark.parametrize(
    ("session", "to", "not_needed"),
    [
        (CLAUDE, "codex", {"codex.reader", "codex.items", "claude_code.writer"}),
        (CLAUDE, "canonical", {"codex.writer", "claude_code.writer"}),
        (CODEX, "claude-code", {"codex.writer", "claude_code.reader"}),
    ],
)
def test_convert_loads_no_more_than_it_needs(session: Path, to: str, not_needed: set[str], tmp_path: Path) -> None:
    loaded = _loaded("convert", str(session), "--to", to, "--output", str(tmp_path / "out.jsonl"), "--quiet")
    assert not loaded & (SPARED | {"importlib.metadata", "click.shell_completion", "sesh.files.locks"})
    assert not loaded & {f"sesh.providers.{name}" for name in not_needed}


def test_list_reads_no_session_whole(demo_home: Path) -> None:
    loaded = _loaded("list", "--json")
    assert not loaded & {"rich", "zstandard", "sqlite3"}
    assert not {m for m in loaded if m.endswith((".reader", ".writer"))}


@pytest.mark.parametrize(
    "arguments", [["list"], ["list", "--json"], ["nothing", "--json"], ["convert", "x", "--to", "codex", "--json"]]
)
@pytest.mark.parametrize(
    "closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-", ">/dev/full", "2>/dev/full", ">/dev/full 2>&1"]
)
def test_streams_that_are_closed_or_full(arguments: list[str], closed: str, tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("/dev/full is Linux's")
    line = shlex.join([sys.executable, "-m", "sesh", *arguments])
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    ran = subprocess.run(["sh", "-c", f"{line} {closed}"], capture_output=True, env=environment, cwd=tmp_path)
    assert ran.returncode in (0, 1, 2, 4)
    assert b"Traceback" not in ran.stdout + ran.stderr
    assert b"bug in sesh" not in ran.stdout + ran.stderr


def test_what_is_named_in_an_error_cannot_steer_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    assert app.run(["show", "./\x1b[31mred\x07"]) == 4
    assert "\x1b" not in capfd.readouterr().err


@pytest.mark.parametrize("command", [["show"], ["convert", "--to", "codex"], ["handoff", "--dry-run", "--to", "codex"]])
def test_a_session_named_by_more_than_a_path_can_hold(sesh: Sesh, command: list[str], tmp_path: Path) -> None:
    ran = sesh(*command, "a title " * 1000, "--home", tmp_path)
    assert ran.code == 4


@pytest.mark.skipif(os.name == "nt", reason="there is no such shell")
@pytest.mark.parametrize("command", ["list", "show 7c9e6a54", "show 7c9e6a54 --json", "providers", "--help", "schema"])
def test_a_reader_that_leaves_is_no_failure(demo_home: Path, command: str) -> None:
    script = f"set -o pipefail; {shlex.quote(sys.executable)} -m sesh {command} | true"
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=demo_home)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_what_an_encoding_lacks_is_written_in_other_signs(demo_home: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    handed = [sys.executable, "-m", "sesh", "handoff", "7c9e6a54", "--to", "codex"]
    assert subprocess.run(handed, capture_output=True).returncode == 0
    ran = subprocess.run([sys.executable, "-m", "sesh", "list"], capture_output=True, env=environment)
    assert b"->codex" in ran.stdout and b"<-claude" in ran.stdout
