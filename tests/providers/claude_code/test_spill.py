"""Outputs that the client spilled into files beside the session are read in."""

from __future__ import annotations

import pytest

from sesh.format.blocks import ToolResultBlock
from sesh.providers.api import IngestResult
from sesh.providers.claude_code.reader import parse_claude_session
from tests.corpus_files import claude_sessions, claude_source
from tests.providers.claude_code.made import SESSION, Made, codes

PREVIEW = (
    "<persisted-output>\nOutput too large (164.9KB). Full output saved to: {0}\n\nPreview (first 2KB):\n1\n2\n"
    "</persisted-output>"
)


def spilled(path: str, companions: dict[str, bytes], *, parts: bool = False) -> tuple[ToolResultBlock, IngestResult]:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    text = PREVIEW.format(path)
    s.result("r1", "x1", "c1", [{"type": "text", "text": text}] if parts else text)
    s.companions = companions
    result = s.read()
    block = result.messages[-1].content[0]
    assert isinstance(block, ToolResultBlock)
    return block, result


@pytest.mark.parametrize("parts", [False, True])
@pytest.mark.parametrize(
    "path",
    [
        f"/home/someone/.claude/projects/-work-demo/{SESSION}/tool-results/b1.txt",
        f"C:\\Users\\x\\.claude\\projects\\-work-demo\\{SESSION}\\tool-results\\b1.txt",
        "/home/someone/.claude/projects/-work-demo/another-session/tool-results/b1.txt",
    ],
)
def test_the_whole_output_is_read_in(path: str, parts: bool) -> None:
    key = f"{SESSION}/tool-results/b1.txt"
    block, result = spilled(path, {key: b"1\n2\n3 and all the rest"}, parts=parts)
    assert block.output == "1\n2\n3 and all the rest"
    assert str(block.excerpt).count("<persisted-output>")
    assert result.report.files[key].used == 1
    assert not codes(result)


def test_a_copy_in_the_origins_folder_goes_before_the_own() -> None:
    keys = {"origin/tool-results/b1.txt": b"origin's", f"{SESSION}/tool-results/b1.txt": b"own"}
    block, _ = spilled("/x/origin/tool-results/b1.txt", keys)
    assert block.output == "origin's"


def test_a_missing_file_is_named_and_the_preview_kept() -> None:
    block, result = spilled(f"/x/{SESSION}/tool-results/b1.txt", {})
    assert str(block.output).startswith("<persisted-output>")
    entry = next(e for e in result.report.entries if e.code == "missing-companion")
    assert entry.line == 4


def test_bytes_that_are_no_text() -> None:
    block, _ = spilled(f"/x/{SESSION}/tool-results/b1.txt", {f"{SESSION}/tool-results/b1.txt": b"a\xffb"})
    assert block.output == "a\ufffdb"


def test_an_output_that_only_speaks_of_it_stays() -> None:
    s = Made()
    s.call("x1", "a1", "c1", "step")
    s.result("r1", "x1", "c1", f"see <persisted-output> saved to: /x/{SESSION}/tool-results/b1.txt")
    s.companions = {f"{SESSION}/tool-results/b1.txt": b"no"}
    block = s.read().messages[-1].content[0]
    assert isinstance(block, ToolResultBlock)
    assert str(block.output).startswith("see ")


@pytest.mark.parametrize("version", ["2.1.50", "2.1.328"])
def test_recorded(version: str) -> None:
    path = next(p for p in claude_sessions() if version in p.parts and p.parent.name.endswith("-tools"))
    result = parse_claude_session(claude_source(path))
    whole = [b for m in result.messages for b in m.content if isinstance(b, ToolResultBlock) and b.excerpt is not None]
    assert len(whole) == 1
    assert str(whole[0].output).split() == [str(n) for n in range(1, 30001)]
