"""Hypothesis strategies for texts, JSON values and blocks. Needs the package `hypothesis`.

The traps of real files are drawn on purpose: lone surrogates, integers of thirty digits, deep nesting, line separators,
NULs, and human words that look like a client's own. Whole conversations are in `conversations.py`.

Each strategy is made once: a conversation draws hundreds of times, and to make one costs more than to draw from it.
"""

from __future__ import annotations

import base64
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st

from sesh.format import blocks
from sesh.format.blocks import AnyBlock
from sesh.format.message import Usage

FOLDER: Final = "/home/dev/project"
_PIXEL: Final = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(24)).decode()
_TRAPS: Final = (
    "\ud83d",
    "a\udc00b\ud800",
    "\u2028 and \u2029 and \x85",
    "nul \x00, bell \x07, escape \x1b[31m",
    "😀 ümlaut 日本",
    "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
    "# AGENTS.md instructions for /x\n\nhello",
    "<command-name>/compact</command-name>",
    "<local-command-stdout>done</local-command-stdout>",
    "<system-reminder>words</system-reminder>",
    "<turn_aborted>\nwords\n</turn_aborted>",
    "<subagent_notification>words</subagent_notification>",
    "<user_shell_command>ls</user_shell_command>",
    "<bash-input>ls</bash-input>",
    "<task-notification>done</task-notification>",
    "[Request interrupted by user]",
    "Caveat: the words below were typed by a person.",
    "This session is being continued from a previous conversation",
    "API Error: 529",
    '{"type":"user"}',
    "*** Begin Patch\n*** End Patch",
    "line one\r\nline two\n",
    " ",
    # what the clients say around an output
    "Exit code 1\nno such file",
    "Chunk ID: 0a\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nwords",
    "<tool_use_error>words</tool_use_error>",
    "<persisted-output>\nOutput too large (60KB). Full output saved to: /x/tool-results/a.txt\n</persisted-output>",
    "apply_patch verification failed: words",
)
_LONG: Final = (
    "a line of an output, said again and again\n" * 8,
    "Exit code 1\n" + "a line of an output, said again and again\n" * 8,
    "Exit code 1\n" + "\ud83d and words\n" * 20,
    "x" * 199,
    "é" * 200,
)
"""Texts so long that a stamp refers to them instead of saying them twice (`format/stamp.py`)."""
_TOOLS: Final = (
    "Bash",
    "Edit",
    "Write",
    "Read",
    "TodoWrite",
    "Task",
    "WebSearch",
    "exec_command",
    "shell",
    "write_stdin",
    "update_plan",
    "view_image",
    "apply_patch",
    "spawn_agent",
    "mcp__demo__add",
    "a tool/with: odd é name",
)
PATCHES: Final = (
    "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n two\n*** End Patch",
    "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: a b\n*** Move to: c.txt\n@@ f():\n-x\n+y\n*** Add File: d\n+z\n*** End Patch\n",
    "no patch at all",
)


@cache
def texts(min_size: int = 0) -> st.SearchStrategy[str]:
    """Words, any characters (surrogates too), and the traps of real files."""
    wild = st.text(st.characters(codec=None), min_size=min_size, max_size=12)
    plain = st.sampled_from(("Yes.", "Look at a.txt", "one\ntwo\n\nthree", "go on"))
    return st.one_of(plain, plain, wild, wild, st.sampled_from(_TRAPS), st.sampled_from(_TRAPS), st.sampled_from(_LONG))


@cache
def json_values() -> st.SearchStrategy[Any]:
    """Any JSON value: integers up to thirty digits, finite floats, keys with odd characters, some nested deeply."""
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**30), 10**30),
        st.floats(allow_nan=False, allow_infinity=False),
        texts(),
    )
    tree = st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts(), inner, max_size=3)),
        max_leaves=6,
    )
    deep = st.integers(20, 120).map(_nested)
    return st.one_of(tree, tree, tree, deep)


def _nested(depth: int) -> Any:
    value: Any = 1
    for n in range(depth):
        value = [value] if n % 2 else {"in": value}
    return value


@cache
def json_objects() -> st.SearchStrategy[dict[str, Any]]:
    """What a tool's arguments usually are."""
    common = st.sampled_from(
        (
            {"command": "ls -la", "description": "List"},
            {"cmd": "cat a.txt", "workdir": FOLDER},
            {"command": ["bash", "-lc", "ls"]},
            {"file_path": f"{FOLDER}/a.txt", "old_string": "one", "new_string": "1"},
            {"file_path": f"{FOLDER}/a.txt", "content": "one\n"},
            {"plan": [{"step": "look", "status": "completed"}]},
            {"input": PATCHES[0]},
            {},
        )
    )
    return st.one_of(common, st.dictionaries(texts(), json_values(), max_size=3))


@cache
def attachments() -> st.SearchStrategy[blocks.AttachmentBlock]:
    """Images and documents, with data or with an address."""
    return st.sampled_from(
        (
            blocks.AttachmentBlock(media_type="image/png", data=_PIXEL),
            blocks.AttachmentBlock(media_type="image/jpeg", data=_PIXEL),
            blocks.AttachmentBlock(media_type="application/pdf", data=_PIXEL),
            blocks.AttachmentBlock(media_type="text/plain", data="aGVsbG8="),
            blocks.AttachmentBlock(media_type="image/png", uri="https://example.com/a.png"),
            blocks.AttachmentBlock(uri="https://example.com/unknown"),
            blocks.AttachmentBlock(media_type="text/plain", uri="data:text/plain,words"),
            blocks.AttachmentBlock(media_type="image/png", data="no base64"),
            blocks.AttachmentBlock(media_type="\ud83d/\u2028", data=_PIXEL),
            blocks.AttachmentBlock(uri="https://example.com/\ud83d"),
            blocks.AttachmentBlock(media_type="image/png", data=_PIXEL * 8),
            blocks.AttachmentBlock(),
        )
    )


@cache
def unknowns() -> st.SearchStrategy[blocks.UnknownBlock]:
    """Blocks that sesh has no name for."""
    kinds = st.sampled_from(("quantum_block", "server_tool_use", "unreadable", "ghost_snapshot", "text", "", "\ud83d"))
    return st.builds(blocks.UnknownBlock, source_type=kinds, raw=json_values())


@cache
def outputs() -> st.SearchStrategy[Any]:
    """What tools give back: text, parts, any JSON."""
    parts = st.one_of(texts().map(lambda t: blocks.TextBlock(text=t)), attachments(), unknowns()).map(blocks.part)
    return st.one_of(texts(), texts(), st.lists(parts, max_size=3), json_values())


@cache
def excerpts() -> st.SearchStrategy[Any]:
    """What the model was given in place of an output: mostly nothing, else as `outputs`."""
    return st.one_of(st.none(), st.none(), st.none(), outputs())


@cache
def usages() -> st.SearchStrategy[Usage | None]:
    """Token counts, or none."""
    count = st.one_of(st.none(), st.integers(0, 10**6))
    return st.one_of(
        st.none(),
        st.builds(
            Usage,
            input_tokens=count,
            output_tokens=count,
            cache_read_tokens=count,
            cache_write_tokens=count,
            reasoning_tokens=count,
        ),
    )


@cache
def any_block(call_ids: st.SearchStrategy[str]) -> st.SearchStrategy[AnyBlock]:
    """A block of any type. `call_ids` draws the ids of calls and results."""
    maybe_id = st.one_of(st.none(), call_ids)
    flags = st.one_of(st.none(), st.booleans())
    return st.one_of(
        st.builds(blocks.TextBlock, text=texts()),
        st.builds(blocks.ReasoningBlock, text=st.one_of(st.none(), texts()), redacted=flags),
        st.builds(blocks.ToolCallBlock, call_id=call_ids, name=names(), input=st.one_of(json_objects(), json_values())),
        st.builds(blocks.ToolResultBlock, call_id=call_ids, output=outputs(), excerpt=excerpts(), is_error=flags),
        st.builds(
            blocks.FileChangeBlock,
            call_id=maybe_id,
            path=st.one_of(st.none(), st.just("a.txt"), texts()),
            patch=st.one_of(st.none(), st.sampled_from(PATCHES), texts()),
        ),
        st.builds(blocks.WebSearchBlock, call_id=maybe_id, query=texts(), results=json_values()),
        attachments(),
        unknowns(),
    )


@cache
def names() -> st.SearchStrategy[str]:
    """Tool names of both clients, and odd ones."""
    return st.one_of(st.sampled_from(_TOOLS), texts(min_size=1))
