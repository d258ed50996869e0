"""Regular expressions that are compiled later: each of them does compile."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import sesh
from sesh.format.regex import regex

ROOT = Path(sesh.__file__).parent
WITH_PATTERNS = sorted(
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    for path in ROOT.rglob("*.py")
    if ": Final = regex(" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", WITH_PATTERNS)
def test_each_compiles(name: str) -> None:
    later = [v for v in vars(import_module(name)).values() if type(v) is type(regex(""))]
    assert later
    for found in later:
        assert found.groups >= 0, "asking for anything compiles it"


def test_it_answers_as_a_compiled_one() -> None:
    found = regex(r"(A)b", re.IGNORECASE)
    assert found.flags & re.IGNORECASE
    assert found.sub(r"\1", "xAbaB") == "xAa"
    match = found.fullmatch("ab")
    assert match is not None and match[1] == "a"
    assert regex(rb"\d+").findall(b"1 22") == [b"1", b"22"]
