"""The instrument measures what it says: the corpus' own sessions, resumed again, send what was recorded of them."""

from __future__ import annotations

from tests.clients import Claude, Codex
from tests.sessions import session


def test_codex_sends_what_was_recorded(codex_client: Codex) -> None:
    given = session("codex/0.142.0/rich.jsonl")
    probe = codex_client.resume(given.path)
    assert probe.resumed and probe.prefix_kept and probe.appended > 0, probe.stderr
    recorded = {k: given.oracle[k] for k in ("sent", "listed", "turns", "preview")}
    assert {k: getattr(probe, k) for k in recorded} == recorded


def test_claude_sends_what_was_recorded(claude_client: Claude) -> None:
    given = session("2-1-328-tools/70405639-be60-4298-83ce-8ae759fd065b.jsonl")
    probe = claude_client.resume(given.path)
    assert probe.resumed and probe.prefix_kept and probe.appended > 0, probe.stderr
    assert probe.sent == given.oracle["sent"]


def test_codex_does_what_the_script_says(codex_client: Codex) -> None:
    home, cwd = codex_client.home(), codex_client.folder()
    patch = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n"
    script = [
        [{"text": "I look."}, {"call": "exec_command", "args": {"cmd": "echo one"}, "id": "c1"}],
        [
            {"call": "exec_command", "args": {"cmd": "echo two"}, "id": "c2"},
            {"call": "exec_command", "args": {"cmd": "echo three"}, "id": "c3"},
        ],
        [{"custom": "apply_patch", "input": patch, "id": "c4"}],
        [{"text": "Done."}],
    ]
    sid = codex_client.start("Begin", home=home, cwd=cwd, script=[[{"text": "Begun."}]])
    probe = codex_client.go_on(sid, home=home, cwd=cwd, script=script, prompt="Go on")
    assert probe.rc == 0, probe.stderr
    assert (cwd / "new.txt").read_text() == "hello\n"
    results = {row["id"]: row["text"] for row in probe.sent if row["kind"] == "result"}
    assert results.keys() == {"c1", "c2", "c3", "c4"}
    assert "three" in results["c3"]


def test_claude_does_what_the_script_says(claude_client: Claude) -> None:
    home, cwd = claude_client.home(), claude_client.folder()
    script = [
        [{"text": "I look."}, {"tool": "Bash", "input": {"command": "echo one"}, "id": "toolu_1"}],
        [
            {"tool": "Bash", "input": {"command": "echo two"}, "id": "toolu_2"},
            {"tool": "Write", "input": {"file_path": str(cwd / "new.txt"), "content": "hello\n"}, "id": "toolu_3"},
        ],
        "Done.",
    ]
    sid = claude_client.start("Begin", home=home, cwd=cwd, script=["Begun."])
    probe = claude_client.go_on(sid, home=home, cwd=cwd, script=script, prompt="Go on")
    assert probe.rc == 0, probe.stderr
    assert (cwd / "new.txt").read_text() == "hello\n"
    results = {row["id"]: row["text"] for row in probe.sent if row["kind"] == "result"}
    assert results.keys() == {"toolu_1", "toolu_2", "toolu_3"}
    assert results["toolu_2"] == "two"


def test_codex_can_be_interrupted(codex_client: Codex) -> None:
    home, cwd = codex_client.home(), codex_client.folder()
    script = [{"items": [{"text": "I think about it"}], "hang": True}]
    ran = codex_client.run("exec", "--skip-git-repo-check", "Begin", home=home, cwd=cwd, script=script, interrupt_at=1)
    assert ran.rc != 0
    assert len(ran.bodies) == 1
