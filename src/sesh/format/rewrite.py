"""Changing one value on a line of JSON and nothing else: every other byte stays as its client wrote it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from sesh.format import jsontext
from sesh.format.json import JsonValue
from sesh.format.lines import BOM
from sesh.format.regex import regex

_TOKEN: Final = regex(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)


def replace(line: bytes, path: Sequence[str], old: str, new: str) -> bytes | None:
    """The line with the string at `path` (keys from the outermost in) changed from `old` to `new`, or None.

    None: there is no such value, it is another one, or it is written with escapes where none are needed. Only objects
    are walked into; an equal text anywhere else on the line, in a message above all, stays.
    """
    old_text, new_text = (jsontext.dumps(value)[1:-1] for value in (old, new))
    matches = list(_pattern(path[-1], old_text).finditer(line))
    if not matches:
        return None
    if len(matches) == 1:
        # One place looks like it: it is the one exactly if the value at the path is `old`.
        try:
            value = jsontext.loads(line.removeprefix(BOM))
        except jsontext.UnreadableJson:
            return None
        if _at(value, path) != old:
            return None
        start, end = matches[0].span(1)
        return line[:start] + new_text + line[end:]
    return _replace_by_walking(line, tuple(path), old_text, new_text)


@cache
def _pattern(key: str, value: bytes) -> re.Pattern[bytes]:
    """The key with that value. Inside a JSON string its quotes would be escaped, so this is never part of a text."""
    return re.compile(rb'(?<!\\)"' + re.escape(key.encode()) + rb'"\s*:\s*"(' + re.escape(value) + rb')"')


def _at(value: JsonValue, path: Sequence[str]) -> JsonValue:
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _replace_by_walking(line: bytes, path: tuple[str, ...], old: bytes, new: bytes) -> bytes | None:
    """Token by token, with the keys that lead to where the walk is. Arrays count as a key of their own."""
    wanted = [key.encode() for key in path]
    keys: list[bytes | None] = []  # the key in each open container; None in an array
    pending: bytes | None = None  # a string that may turn out to be a key
    begun = False  # a colon was read: what follows is that key's value
    for token in _TOKEN.finditer(line):
        text = token.group()
        first = text[:1]
        if first == b'"':
            if begun and keys == wanted and text[1:-1] == old:
                return line[: token.start() + 1] + new + line[token.end() - 1 :]
            pending = text[1:-1]
        elif first == b":":
            if keys:
                keys[-1] = pending
            begun = True
            continue
        elif first == b"{":
            keys.append(b"")
        elif first == b"[":
            keys.append(None)
        elif first in (b"}", b"]") and keys:
            keys.pop()
        begun = False
    return None
