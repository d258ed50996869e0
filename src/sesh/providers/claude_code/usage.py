"""Token counts: written on every line of an API message, counted once, on its last line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sesh.format.message import Usage
from sesh.providers.claude_code.book import Record
from sesh.providers.claude_code.records import ApiUsage

_NOTHING: Final = Usage()


def usage_by_record(records: Iterable[Record]) -> dict[int, Usage]:
    """Usage by a record's place in its file: the last count that an API message's lines give, on its last line.

    A `message.id` that comes back after a prompt is another message. Lines without an id count each, and so do those
    that our writer made: there each message's count stands on its own line.
    """
    latest: dict[str, tuple[int, ApiUsage]] = {}
    found: list[tuple[int, ApiUsage]] = []
    for record in records:
        line = record.line
        if line is None or line.message is None:
            continue
        if record.kind == "assistant":
            name = line.message.id or f"@{record.at}"
            counted = line.message.usage
            if isinstance(line.sesh, dict):
                found += [] if counted is None else [(record.at, counted)]
                continue
            if counted is None and name in latest:
                counted = latest[name][1]
            if counted is not None:
                latest[name] = (record.at, counted)
        elif latest and record.kind == "user" and _says_something(line.message.content):
            found += latest.values()
            latest.clear()
    found += latest.values()
    return {at: usage for at, counted in found if (usage := _usage(counted)) is not None}


def _says_something(content: object) -> bool:
    """Whether a user line is more than tool results, which may stand inside an API message."""
    if not isinstance(content, list):
        return isinstance(content, str)
    return any(isinstance(block, dict) and block.get("type") == "text" for block in content)


def _usage(counted: ApiUsage) -> Usage | None:
    usage = Usage(
        input_tokens=counted.input_tokens,
        output_tokens=counted.output_tokens,
        cache_read_tokens=counted.cache_read_input_tokens,
        cache_write_tokens=counted.cache_creation_input_tokens,
    )
    return None if usage == _NOTHING else usage
