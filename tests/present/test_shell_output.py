"""Codex's envelopes around a command's output, version by version."""

from __future__ import annotations

import pytest

from sesh.present.shell_output import unwrapped


@pytest.mark.parametrize(
    ("output", "code", "printed"),
    [
        ('{"output":"hello\\n","metadata":{"exit_code":0,"duration_seconds":0.0}}', 0, "hello\n"),
        ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nno\n", 2, "no\n"),
        ("Exit code: 0\nWall time: 0 seconds\nTotal output lines: 900\nOutput:\n\nx", 0, "x"),
        (
            "Chunk ID: 9d\nWall time: 0.0 seconds\nProcess exited with code 4\nOriginal token count: 3\nOutput:\na",
            4,
            "a",
        ),
        ("Chunk ID: 9d\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\n", None, ""),
        ("Script completed\nWall time 0.3 seconds\nOutput:\n\nhi", None, "hi"),
        ("plain\nOutput:\n", None, "plain\nOutput:\n"),
        ('{"output":3}', None, '{"output":3}'),
        ('{"output":"cut', None, '{"output":"cut'),
        ("", None, ""),
    ],
)
def test_the_envelope_comes_off(output: str, code: int | None, printed: str) -> None:
    assert unwrapped(output) == (code, printed)
