"""Every code in use stands in the table, and every code in the table is in use."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import sesh
from sesh.report.codes import CODES

SOURCE = Path(sesh.__file__).parent
_METHODS = {"note": 0, "changed": 1}


def codes_in_use() -> dict[str, list[str]]:
    """Each code that a call to `note` or `changed` names, with where. Codes come as literals, or by a name for one."""
    found: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            for constant in _code_arguments(node):
                found.setdefault(constant, []).append(path.relative_to(SOURCE).as_posix())
    return found


def _code_arguments(node: ast.AST) -> list[str]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _METHODS:
        return []
    at = _METHODS[node.func.attr]
    if len(node.args) <= at:
        return []
    return [c.value for c in ast.walk(node.args[at]) if isinstance(c, ast.Constant) and isinstance(c.value, str)]


def test_every_code_in_use_is_in_the_table() -> None:
    assert {c: where for c, where in codes_in_use().items() if c not in CODES} == {}


def test_every_code_in_the_table_is_in_use() -> None:
    words = "\n".join(p.read_text() for p in SOURCE.rglob("*.py") if p.name != "codes.py")
    assert [c for c in CODES if f'"{c}"' not in words] == []


def test_codes_are_words_with_hyphens_and_meanings_are_sentences() -> None:
    for code, meaning in CODES.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code), code
        assert meaning.endswith("."), code
