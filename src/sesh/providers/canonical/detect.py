"""Is this canonical JSON Lines? Every record has `v`, and no client's line has."""

from __future__ import annotations

from sesh.format import jsontext, lines


def detect(head: bytes, name: str | None = None) -> bool:
    """Whether the first readable line is a thread or a message of any version. `name` says nothing."""
    for line in lines.split(head):
        for value in jsontext.values(line.data):
            return _is_record(value)
    start = head[:256]  # a first record longer than the head: its tag stands in front
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b'{"v":')


def _is_record(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("v"), int) and isinstance(value.get("id"), str)
