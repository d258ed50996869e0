"""doctor, providers, completion: they tell, and change nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sesh.providers import registry
from tests.cli.conftest import Sesh
from tests.sessions import CORPUS


def everything(folder: Path) -> dict[str, tuple[int, int]]:
    """Each file with its size and time."""
    return {str(p): (p.stat().st_size, p.stat().st_mtime_ns) for p in folder.rglob("*")}


def test_doctor_changes_nothing(sesh: Sesh, demo_home: Path) -> None:
    before = everything(demo_home)
    ran = sesh("doctor", "--json")
    assert ran.code == 0
    assert everything(demo_home) == before
    claude, codex = ran.json["clients"]
    assert (claude["sessions"], claude["met"]) == (1, {"2.1.328": 1})
    assert (codex["sessions"], codex["met"]) == (1, {"0.169.0": 1})
    assert ran.json["folders"]["data"]["bytes"] is None


def test_doctor_names_versions_beyond_the_tested_and_lost_links(sesh: Sesh, demo_home: Path) -> None:
    file = next((demo_home / ".codex").rglob("*.jsonl"))
    file.write_bytes(file.read_bytes().replace(b'"0.169.0"', b'"9.1.0"'))
    made = sesh("handoff", "7c9e6a54", "--to", "codex", "--json").json
    Path(made["path"]).unlink()
    problems = sesh("doctor", "--json").json["problems"]
    assert any("Codex 9.1.0 is newer than" in p for p in problems)
    assert any(f"codex:{made['sessionId']}" in p for p in problems)


def test_doctor_finds_programs_and_their_versions(sesh: Sesh, demo_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = demo_home / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho codex-cli 0.169.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    codex = sesh("doctor", "--json").json["clients"][1]
    assert (codex["program"], codex["version"]) == (str(program), "0.169.0")


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_covered_versions_are_those_of_the_corpus(name: str) -> None:
    there = {p.name.split("-")[0] for p in (CORPUS / name).iterdir() if p.name[0].isdigit()}
    covered = registry.get(name).covered
    assert set(covered) == there
    assert list(covered) == sorted(covered, key=lambda v: [int(n) for n in v.split(".")])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_for_this_command(sesh: Sesh, shell: str) -> None:
    script = sesh("completion", shell).out
    assert "_SESH_COMPLETE" in script
    assert "sesh" in script


def test_the_shell_is_found_by_its_variable(sesh: Sesh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    assert sesh("completion", "--json").json["shell"] == "zsh"
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert sesh("completion").code == 2


def complete(words: str, home: Path) -> str:
    """What the shell would be offered at the end of these words."""
    done = subprocess.run(
        [sys.executable, "-m", "sesh"],
        env={
            **os.environ,
            "HOME": str(home),
            "_SESH_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_commands_options_providers_and_sessions_are_completed(demo_home: Path) -> None:
    assert "plain,search" in complete("sesh se", demo_home)
    assert "plain,--redact" in complete("sesh export --re", demo_home)
    assert "plain,claude-code" in complete("sesh handoff --to cl", demo_home)
    assert "plain,7c9e6a54-2b1d-4f3a-9a0e-5d1f0c8b7e21" in complete("sesh show 7c", demo_home)
    assert "file," in complete("sesh show ./x", demo_home)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, to read its own script")
def test_bash_accepts_its_script(sesh: Sesh, tmp_path: Path) -> None:
    script = tmp_path / "sesh.bash"
    script.write_text(sesh("completion", "bash").out)
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_a_provider_of_a_package_is_listed(sesh: Sesh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "other_agent-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-agent\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sesh.providers]\nother = other_agent:PROVIDER\n")
    (tmp_path / "other_agent.py").write_text(
        "import msgspec\nfrom sesh.providers.codex import PROVIDER as P\n"
        "PROVIDER = msgspec.structs.replace(P, name='other', title='Other Agent', program='other')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    registry.names.cache_clear()
    registry.get.cache_clear()
    try:
        document = sesh("providers", "--json").json
        assert document["formats"] == ["claude-code", "codex", "other", "canonical"]
        assert document["providers"][2]["package"] == "other-agent"
        assert "other" in sesh("handoff", "--help").out
        (tmp_path / "other_agent.py").write_text("import no_such_module\n")
        registry.get.cache_clear()
        sys.modules.pop("other_agent")
        ran = sesh("list")
        assert ran.code == 1
        assert "The provider 'other' of the package other-agent does not import" in ran.err
        assert "pip uninstall other-agent" in ran.err
    finally:
        registry.names.cache_clear()
        registry.get.cache_clear()


def test_the_entry_point_is_the_module_too(demo_home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sesh", "list", "--json"], capture_output=True, check=True, env=os.environ.copy()
    )
    assert len(json.loads(done.stdout)["sessions"]) == 2


def test_a_reader_that_goes_away_is_no_error(demo_home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import subprocess, sys; p = subprocess.Popen([sys.executable, '-m', 'sesh', 'show', "
         "'7c9e6a54', '--raw'], stdout=subprocess.PIPE, stderr=subprocess.PIPE); p.stdout.close(); "
         "print(p.wait(), p.stderr.read().decode())"],
        capture_output=True, text=True, check=True, env=os.environ.copy(),
    )  # fmt: skip
    assert "Traceback" not in done.stdout
    assert "Error" not in done.stdout
