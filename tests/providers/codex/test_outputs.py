"""What a tool's output says of how the run went, and its parts."""

from __future__ import annotations

import json

import pytest

from sesh.format.blocks import AttachmentBlock
from sesh.providers.codex import outputs

EXEC = "Chunk ID: 071666\nWall time: 0.0000 seconds\n{}\nOriginal token count: 3\nOutput:\nhello\n"


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        # 0.36: JSON text
        (json.dumps({"output": "x", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}), False),
        (json.dumps({"output": "x", "metadata": {"exit_code": 3, "duration_seconds": 0.1}}), True),
        (json.dumps({"output": '"exit_code":3}'}), None),
        # 0.47 to 0.87
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nhello\n", False),
        ("Exit code: 127\nWall time: 0 seconds\nOutput:\nnope\n", True),
        ("Exit code: -1\nWall time: 0 seconds\nOutput:\n", True),
        # 0.104 and later
        (EXEC.format("Process exited with code 0"), False),
        (EXEC.format("Process exited with code 3"), True),
        (EXEC.format("Process running with session ID 65697"), None),
        # a program's own words are not the client's
        (
            "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code 9\n",
            False,
        ),
        ("the log says: Process exited with code 1", None),
        ("it failed: no", None),
        ("Plan updated", None),
        ("", None),
        # code mode
        ([{"type": "input_text", "text": "Script completed\nWall time 0.3 seconds\nOutput:\n"}], False),
        ([{"type": "input_text", "text": "Script failed\nWall time 0.0 seconds\nOutput:\n"}], True),
        ([{"type": "input_image", "image_url": "x"}], None),
        ([], None),
        ([1], None),
        # what is written where a tool did not run
        ("apply_patch verification failed: Failed to read file to update /w/zzz.txt: No such file", True),
        ("unsupported call: mcp__demo__add", True),
        ("unsupported custom tool call: x", True),
        ("failed to parse function arguments: expected ident at line 1 column 2", True),
        ("write_stdin failed: Unknown process id 1", True),
        ("request_user_input is unavailable in Default mode", True),
        ("aborted", True),
        ("aborted by user after 3.4s", True),
        ("Wall time: 1.7 seconds\naborted by user", True),
        ("Success. Updated the following files:\nA new.py\n", False),
        # objects
        ({"content": "x", "success": False}, True),
        ({"content": "x", "success": True}, False),
        ({"metadata": {"exit_code": 1}}, True),
        ({"a": 1}, None),
        (None, None),
        (3, None),
    ],
)
def test_failed(output: object, failed: bool | None) -> None:
    assert outputs.failed(output) is failed


@pytest.mark.parametrize(
    ("url", "block"),
    [
        ("data:image/png;base64,AAAA", AttachmentBlock(media_type="image/png", data="AAAA")),
        ("data:image/svg+xml,<svg/>", AttachmentBlock(uri="data:image/svg+xml,<svg/>")),
        ("https://example.com/a.png", AttachmentBlock(uri="https://example.com/a.png")),
        ("", AttachmentBlock(uri="")),
    ],
)
def test_attachments(url: str, block: AttachmentBlock) -> None:
    assert outputs.attachment(url) == block
