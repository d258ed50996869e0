"""apply_patch in its costumes, and what only looks like one."""

from __future__ import annotations

import pytest

from sesh.format.blocks import FileChangeBlock, ToolCallBlock
from sesh.providers.codex import patches
from tests.providers.codex.rollouts import call, item, read, user

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
HEREDOC = f"apply_patch <<'EOF'\n{PATCH}\nEOF"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("apply_patch", PATCH),
        ("apply_patch", {"input": PATCH}),
        ("apply_patch", {"patch": PATCH}),
        ("shell", {"command": ["apply_patch", PATCH]}),
        ("shell", {"command": ["applypatch", PATCH], "workdir": "/w"}),
        ("shell", {"command": ["bash", "-lc", HEREDOC]}),
        ("shell", {"command": ["/bin/zsh", "-lc", HEREDOC]}),
        ("shell", {"command": ["bash", "-lc", f"cd src && {HEREDOC}\n"]}),
        ("shell", {"command": ["bash", "-lc", f'cd "my dir" && apply_patch <<"EOF"\n{PATCH}\nEOF']}),
        ("shell_command", {"command": HEREDOC}),
        ("exec_command", {"cmd": f"apply_patch << PATCH\n{PATCH}\nPATCH"}),
        ("local_shell", {"type": "exec", "command": ["bash", "-lc", HEREDOC]}),
    ],
)
def test_costumes(name: str, arguments: object) -> None:
    assert patches.in_call(name, arguments) == PATCH


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("apply_patch", {"file_path": "x", "old_string": "a"}),
        ("apply_patch", {"input": PATCH, "more": 1}),
        ("apply_patch", {"input": 3}),
        ("apply_patch", None),
        ("other", {"input": PATCH}),
        ("shell", {"command": ["apply_patch", PATCH, "more"]}),
        ("shell", {"command": ["cat", PATCH]}),
        ("shell", {"command": ["bash", "-lc", f"{HEREDOC}\nls"]}),
        ("shell", {"command": ["bash", "-lc", f"ls && {HEREDOC}"]}),
        ("shell", {"command": ["bash", "-lc", "echo apply_patch"]}),
        ("shell", {"command": ["python", "-c", HEREDOC]}),
        ("shell", {"command": [1, 2]}),
        ("shell", {"command": []}),
        ("shell", {}),
        ("shell", []),
        ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEND"}),
    ],
)
def test_other_calls(name: str, arguments: object) -> None:
    assert patches.in_call(name, arguments) is None


@pytest.mark.parametrize(
    ("patch", "path"),
    [
        (PATCH, "a.py"),
        (PATCH.replace("\n", "\r\n"), "a.py"),
        ("*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** End Patch", "a.py"),
        ("*** Begin Patch\n*** Add File: a.py\n+x\n*** Delete File: b.py\n*** End Patch", None),
        ("*** Begin Patch\n*** Add File: a.py\n+*** Add File: inside.py\n*** End Patch", "a.py"),
        ("nothing", None),
    ],
)
def test_path(patch: str, path: str | None) -> None:
    assert patches.path_of(patch) == path


def test_a_patch_is_a_file_change_with_the_exact_text() -> None:
    block = (
        read(user("x"), item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c")).messages[1].content[0]
    )
    assert block == FileChangeBlock(call_id="c", path="a.py", patch=PATCH)


def test_a_command_that_also_does_something_else_stays_a_call() -> None:
    block = read(user("x"), call("c", "shell", '{"command":["bash","-lc","ls"]}')).messages[1].content[0]
    assert isinstance(block, ToolCallBlock)


def test_a_patch_from_changes() -> None:
    changes = {
        "/w/new.py": {"type": "add", "content": "a\nb\n"},
        "/w/old.py": {"type": "delete", "content": "gone\n"},
        "/w/a.py": {"type": "update", "unified_diff": "@@ -1,2 +1,2 @@\n-x\n+y\n z\n", "move_path": "/w/b.py"},
    }
    assert patches.from_changes(changes) == (
        "*** Begin Patch\n*** Add File: /w/new.py\n+a\n+b\n*** Delete File: /w/old.py\n"
        "*** Update File: /w/a.py\n*** Move to: /w/b.py\n@@\n-x\n+y\n z\n*** End Patch"
    )


@pytest.mark.parametrize("changes", [None, [], {"a": 1}, {"a": {"type": "other"}}])
def test_no_patch_from_anything_else(changes: object) -> None:
    assert patches.from_changes(changes) is None
