"""The two programs of the docs run, say the same, and are as short as promised."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sesh.errors import Conflict, StoreFailed, UnknownCursor
from sesh.format.blocks import FileChangeBlock, TextBlock, ToolCallBlock, ToolResultBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.stores import MessageStore, open_store
from tests.format.test_schema import CHECK, ROOT, node

EXAMPLES = ROOT / "docs" / "examples"
TS = "2026-11-30T18:00:00Z"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with two threads, a child, a context, a turn that was taken back, and a hostile id."""
    url = f"jsonl:{tmp_path}/store"
    store = open_store(url)
    for thread in (
        Thread(id="thread-one", created_at=TS),
        Thread(id="thread-one", created_at=TS, title="Mend the parser", metadata={"left": ["m3"]}),
        Thread(id="../Two", created_at=TS),
        Thread(id="child-thread", parent_thread_id="thread-one", created_at=TS),
    ):
        store.put_thread(thread)

    def say(n: int, role: str, *content: object, kind: str | None = None, thread_id: str = "thread-one") -> None:
        store.append_message(
            Message(id=f"m{n}", thread_id=thread_id, role=role, ts=TS, kind=kind, content=list(content))  # type: ignore[arg-type]
        )

    say(0, "user", TextBlock(text="<environment>"), kind="context")
    say(1, "user", TextBlock(text="Mend it.\nPlease."))
    say(2, "assistant", TextBlock(text="Looking."), ToolCallBlock(call_id="c", name="Bash", input="ls"))
    say(3, "user", TextBlock(text="No, wait"))
    say(4, "tool", ToolResultBlock(call_id="c", output="a.py", is_error=True))
    say(5, "assistant", FileChangeBlock(call_id="d", path="a.py", patch="..."))
    for n in range(6, 120):
        say(n, "user", TextBlock(text=f"and {n}"))
    say(1, "user", TextBlock(text="elsewhere"), thread_id="../Two")
    return url


def in_python(*arguments: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, EXAMPLES / "read_thread.py", *arguments], capture_output=True, text=True, check=True
    )
    return ran.stdout.splitlines()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TypeScript program, checked strictly and compiled."""
    out = tmp_path_factory.mktemp("js")
    node(
        CHECK / "node_modules/typescript/bin/tsc",
        "--strict",
        *("--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext"),
        *("--typeRoots", CHECK / "node_modules/@types", "--types", "node", "--outDir", out, "--rootDir", ROOT),
        EXAMPLES / "read_thread.ts",
    )
    return next(out.rglob("read_thread.js"))


def test_the_python_program(url: str) -> None:
    assert in_python(url) == [f"thread-one {TS} Mend the parser", f"../Two {TS} (no title)"]
    said = in_python(url, "thread-one")
    assert said[:6] == [
        "user: Mend it.",
        "Please.",
        "assistant: Looking.",
        "assistant calls Bash ls",
        "tool fails: a.py",
        "assistant changes a.py",
    ]
    assert said[-1] == "user: and 119"
    assert in_python(url, "../Two") == ["user: elsewhere"]


def test_the_typescript_program(url: str, compiled: Path) -> None:
    folder = url.removeprefix("jsonl:")
    assert node(compiled, folder).splitlines() == in_python(url)
    ours = [line.replace(" ls", ' "ls"').replace(": a.py", ': "a.py"') for line in in_python(url, "thread-one")]
    assert node(compiled, folder, "thread-one").splitlines() == ours
    assert node(compiled, folder, "../Two").splitlines() == ["user: elsewhere"]


@pytest.mark.parametrize("thread_id", ["child-thread", "no-such-thread"])
def test_a_thread_without_messages(url: str, compiled: Path, thread_id: str) -> None:
    assert in_python(url, thread_id) == []
    assert node(compiled, url.removeprefix("jsonl:"), thread_id) == ""


def test_a_store_without_threads(tmp_path: Path, compiled: Path) -> None:
    open_store(f"jsonl:{tmp_path}/new")
    assert in_python(f"jsonl:{tmp_path}/new") == []
    assert node(compiled, tmp_path / "new") == ""


@pytest.mark.parametrize("name", ["read_thread.py", "read_thread.ts"])
def test_they_are_short(name: str) -> None:
    lines = (EXAMPLES / name).read_text("utf-8").splitlines()
    comment = (name.endswith(".py") and lines.index('"""', 1) + 1) or 3
    assert len(lines) - comment <= 40


def test_the_snippet_of_the_reference_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/reference/stores.md").read_text("utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    seen: dict[str, object] = {}
    exec(code, seen)
    store = seen["store"]
    assert isinstance(store, MessageStore)
    assert [m.id for m in store.get_messages("t1")] == ["m1"]


def test_the_reference_names_what_there_is() -> None:
    page = (ROOT / "docs/reference/stores.md").read_text("utf-8")
    for name in ("append_message", "put_thread", "get_thread", "list_threads", "get_messages"):
        assert f"`{name}(" in page
        assert hasattr(MessageStore, name)
    for error in (Conflict, UnknownCursor, StoreFailed):
        assert f"`{error.__name__}`" in page
    for folder in ("sqlite", "postgres"):
        for sql in (ROOT / "src/sesh/stores/migrations" / folder).glob("*.sql"):
            for word in ("agent_id", "parent_thread_id", "run_id", "record", "seq"):
                assert word in sql.read_text("utf-8") and f"`{word}`" in page
