"""`sesh convert`: where the result goes, what is said of it, and how it fails."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CLAUDE, CODEX, Sesh
from tests.sessions import CASES


@pytest.mark.parametrize(("source", "to"), [(CLAUDE, "codex"), (CODEX, "claude-code"), (CLAUDE, "canonical")])
def test_stdout_by_default(sesh: Sesh, source: Path, to: str) -> None:
    ran = sesh("convert", source, "--to", to)
    assert ran.code == 0
    lines = ran.raw.splitlines()
    assert len(lines) > 5
    assert all(isinstance(json.loads(line), dict) for line in lines)
    assert ran.err.count("\n") == 1
    assert f"{len(lines)} written" in ran.err


def test_quiet_is_quiet(sesh: Sesh) -> None:
    assert sesh("convert", CODEX, "--to", "claude-code", "-q").err == ""


def test_a_dash_is_stdin_and_stdout(sesh: Sesh) -> None:
    direct = sesh("convert", CODEX, "--to", "claude-code")
    piped = sesh("convert", "-", "--to", "claude-code", "-o", "-", stdin=CODEX.read_bytes())
    assert piped.code == 0
    assert piped.raw == direct.raw


def test_to_a_file(sesh: Sesh, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    ran = sesh("convert", CODEX, "--to", "claude-code", "-o", target)
    assert (ran.code, ran.raw) == (0, b"") and "written to" in ran.err
    again = sesh("convert", CODEX, "--to", "claude-code", "-o", target)
    assert again.code == 0 and f"{target} is there already, just the same" in again.err
    assert not sesh("convert", CODEX, "--to", "claude-code", "-o", target, "--json").json["written"]
    assert target.read_bytes() == sesh("convert", CODEX, "--to", "claude-code").raw
    assert str(target) in ran.err


@pytest.mark.parametrize("place", ["typo/out.jsonl", "typo/out/"])
@pytest.mark.parametrize("command", [("convert", "--to", "codex"), ("export", "-f", "jsonl")])
def test_no_folder_is_made_for_a_slip(sesh: Sesh, tmp_path: Path, command: tuple[str, ...], place: str) -> None:
    ran = sesh(*command, CODEX, "-o", f"{tmp_path}/{place}")
    assert (ran.code, ran.raw, list(tmp_path.iterdir())) == (1, b"", [])
    assert f"There is no folder {tmp_path}/typo. Make it first" in ran.err
    assert sesh(*command, CODEX, "-o", f"{tmp_path}/new/").code == 0  # a folder that is named as one is made


def test_a_folder_gets_the_clients_own_name_and_what_lies_beside(sesh: Sesh, tmp_path: Path) -> None:
    ran = sesh("convert", CLAUDE, "--to", "codex", "-o", f"{tmp_path}/", "--json")
    written = sorted(p.name for p in tmp_path.rglob("*") if p.is_file())
    assert Path(ran.json["path"]).parent == tmp_path
    assert Path(ran.json["path"]).name.startswith("rollout-2026-11-20T")
    assert len(written) == 1 + len(ran.json["files"]) == 2


def test_the_same_again_changes_nothing_and_other_content_is_never_replaced(sesh: Sesh, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    assert sesh("convert", CODEX, "--to", "claude-code", "-o", target).code == 0
    before = target.read_bytes()
    assert sesh("convert", CODEX, "--to", "claude-code", "-o", target).code == 0
    refused = sesh("convert", CLAUDE, "--to", "codex", "-o", target)
    assert refused.code == 5
    assert "is there already" in refused.err
    assert target.read_bytes() == before


def test_json_tells_all_and_writes_nothing_without_o(sesh: Sesh, tmp_path: Path) -> None:
    ran = sesh("convert", CODEX, "--to", "claude-code", "--json")
    document = ran.json
    assert document["from"]["provider"] == "codex"
    assert document["provider"] == "claude-code"
    assert document["path"] is None
    read, written = document["report"]["read"], document["report"]["written"]
    assert read["lines"] == read["used"] + read["unknown"] + sum(read["skipped"].values()) == 24
    assert written["blocks"] == written["written"] + sum(written["changed"].values()) + sum(written["dropped"].values())
    assert ran.err == ""


def test_json_and_o_dash_contradict(sesh: Sesh) -> None:
    assert sesh("convert", CODEX, "--to", "claude-code", "-o", "-", "--json").code == 2


def test_report(sesh: Sesh, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert sesh("convert", CODEX, "--to", "claude-code", "--report", report).code == 0
    assert json.loads(report.read_bytes())["read"]["lines"] == 24
    assert sesh("convert", CLAUDE, "--to", "codex", "--report", report).code == 0
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    assert sesh("convert", CODEX, "--to", "claude-code", "--report", other).code == 5
    assert other.read_text() == "mine"


def test_strict_refuses_loss_and_writes_nothing(sesh: Sesh, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    ran = sesh("convert", CODEX, "--to", "claude-code", "--strict", "-o", target)
    assert ran.code == 3
    assert "dropped" in ran.err
    assert not target.exists()
    assert sesh("convert", CODEX, "--to", "canonical", "--strict", "-o", target).code == 0


def test_canonical_is_read_again(sesh: Sesh, tmp_path: Path) -> None:
    target = tmp_path / "c.jsonl"
    assert sesh("convert", CLAUDE, "--to", "canonical", "-o", target).code == 0
    assert sesh("convert", target, "--to", "canonical").raw == target.read_bytes()
    assert sesh("convert", target, "--to", "codex").raw == sesh("convert", CLAUDE, "--to", "codex").raw


def test_canonical_order_is_thread_messages_children(sesh: Sesh) -> None:
    records = [json.loads(line) for line in sesh("convert", CLAUDE, "--to", "canonical").raw.splitlines()]
    threads = [r for r in records if "threadId" not in r]
    assert len(threads) == 2
    assert records[0] == threads[0]
    assert threads[1]["parentThreadId"] == threads[0]["id"]
    second = records.index(threads[1])
    assert {r["threadId"] for r in records[1:second]} == {threads[0]["id"]}
    assert {r["threadId"] for r in records[second + 1 :]} == {threads[1]["id"]}


def test_options_reach_the_writer(sesh: Sesh) -> None:
    whole = sesh("convert", CLAUDE, "--to", "codex").raw
    assert len(sesh("convert", CLAUDE, "--to", "codex", "--last-turns", "1").raw) < len(whole)
    moved = sesh("convert", CLAUDE, "--to", "codex", "--cwd", "/somewhere/else", "--session-id", "x-1").raw
    meta = json.loads(moved.splitlines()[0])["payload"]
    assert (meta["cwd"], meta["id"]) == ("/somewhere/else", "x-1")
    assert b"exec_command" in sesh("convert", CLAUDE, "--to", "codex", "--tools", "native").raw


@pytest.mark.parametrize(
    ("name", "content", "code", "says"),
    [
        ("missing.jsonl", None, 4, "There is no file"),
        ("folder", "/", 1, "is a folder"),
        ("empty.jsonl", b"", 1, "is empty"),
        ("blank.jsonl", b"\n \n\n", 1, "is empty"),
        ("notes.txt", b"Dear diary\n", 1, "is no session"),
        ("other.jsonl", b'{"role":"user","content":"hi"}\n', 1, "is no session"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 1, "is no session"),
        ("stream.jsonl", b'{"type":"thread.started","thread_id":"x"}\n', 1, "output stream"),
        ("bad.jsonl.zst", b"no zstd", 1, "zstd"),
    ],
)
def test_what_is_no_session(
    sesh: Sesh, tmp_path: Path, name: str, content: bytes | str | None, code: int, says: str
) -> None:
    source, target = tmp_path / name, tmp_path / "out" / "x.jsonl"
    if content == "/":
        source.mkdir()
    elif isinstance(content, bytes):
        source.write_bytes(content)
    for arguments in (["-o", target], []):
        ran = sesh("convert", source, "--to", "codex", *arguments)
        assert ran.code == code
        assert says in ran.err
        assert ran.err.count("\n") == 1
        assert ran.raw == b""
    assert not target.exists()
    failure = sesh("convert", source, "--to", "codex", "--json")
    assert failure.json["exitCode"] == code
    assert says in failure.json["error"]


def test_something_that_is_nowhere(sesh: Sesh, private_home: Path) -> None:
    ran = sesh("convert", "no such title", "--to", "codex")
    assert ran.code == 4
    assert "`sesh list --all`" in ran.err


HALVES = CASES / "10-bom-crlf-surrogates-badutf8.claude.jsonl"


@pytest.mark.parametrize("command", [["show"], ["convert", "--to", "codex"], ["convert", "--to", "canonical"]])
def test_documents_take_lone_surrogates_in_what_was_said(sesh: Sesh, command: list[str]) -> None:
    ran = sesh(*command, HALVES, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["report"]


def test_documents_and_reports_take_lone_surrogates_in_names(sesh: Sesh, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"odd \xff\n.jsonl")
    odd.write_bytes(HALVES.read_bytes())
    ran = sesh("convert", odd, "--to", "codex", "--json", "--report", tmp_path / "report.json")
    assert ran.code == 0, ran.err
    assert ran.json["from"]["path"].endswith("odd \udcff\n.jsonl")
    assert json.loads((tmp_path / "report.json").read_bytes())["read"]


def test_a_report_leaves_what_is_there_alone_when_the_disk_is_full(
    sesh: Sesh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.json"
    assert sesh("convert", CLAUDE, "--to", "codex", "-q", "--report", report).code == 0
    before = report.read_bytes()

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as f:
            f.write(data[:100])
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    ran = sesh("convert", CODEX, "--to", "claude-code", "--report", report)
    assert (ran.code, ran.raw) == (1, b"")
    assert f"The report {report} cannot be written: No space left on device." in ran.err
    assert report.read_bytes() == before
    assert list(tmp_path.iterdir()) == [report]


def test_a_report_goes_to_a_stream_as_well(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    command = [sys.executable, "-m", "sesh", "convert", str(CODEX), "--to", "claude-code", "--report", "/dev/stderr"]
    with log.open("ab") as stderr:
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr)
    first, *rest = log.read_text().split("\n", 1)
    assert ran.returncode == 0
    assert first == "before"
    assert json.JSONDecoder().raw_decode(rest[0])[0]["read"]


def test_a_dash_is_no_place_for_a_report(sesh: Sesh) -> None:
    ran = sesh("convert", CLAUDE, "--to", "codex", "--report", "-")
    assert ran.code == 2
    assert "--json prints it" in ran.err


@pytest.mark.parametrize("cwd", ["C:\\Users\\ada", "/home/ada", "\\\\server\\share\\x"])
def test_a_folder_of_any_machine_stays_as_it_is(sesh: Sesh, cwd: str) -> None:
    meta = json.loads(sesh("convert", CLAUDE, "--to", "codex", "--cwd", cwd).raw.split(b"\n")[0])
    assert meta["payload"]["cwd"] == cwd


def test_a_relative_folder_is_one_of_here(sesh: Sesh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    meta = json.loads(sesh("convert", CLAUDE, "--to", "codex", "--cwd", "sub/..").raw.split(b"\n")[0])
    assert meta["payload"]["cwd"] == str(tmp_path.resolve())
