"""TypeScript types from the JSON Schema: the same names, the same words."""

from __future__ import annotations

import textwrap
from typing import Any, Final

from sesh.format.json import JsonObject
from sesh.format.schema import BLOCK, JSON_OBJECT, JSON_VALUE

_HEAD: Final = """\
// sesh's canonical message format, version 1. Made from sesh.v1.schema.json; do not edit.
//
// Within v1, optional fields and further block types may be added. A program that meets a block type which is not
// listed here should treat it as it treats "unknown" (a `switch` over `block.type` needs a `default`).

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** One line of canonical JSON Lines. */
export type CanonicalRecord = Thread | Message;
"""

_WORDS: Final = {"string": "string", "integer": "number", "boolean": "boolean"}


def typescript(schema: JsonObject) -> str:
    """The text of `sesh.v1.d.ts`. Raises KeyError for a form of schema that has not been used so far."""
    parts = [_HEAD]
    for name, definition in schema["$defs"].items():
        if name in (JSON_VALUE, JSON_OBJECT):
            continue
        parts.append(_union(definition) if name == BLOCK else _interface(name, definition))
    return "\n".join(parts)


def _interface(name: str, definition: JsonObject) -> str:
    required = set(definition["required"])
    lines = [*_comment(definition["description"], ""), f"export interface {name} {{"]
    for key, value in definition["properties"].items():
        lines += _comment(value["description"], "  ")
        lines.append(f"  {key}{'' if key in required else '?'}: {_type(value)};")
    return "\n".join([*lines, "}\n"])


def _union(definition: JsonObject) -> str:
    members = [_name(case["then"]) for case in definition["allOf"]]
    lines = [*_comment(definition["description"], ""), f"export type {BLOCK} ="]
    return "\n".join([*lines, *(f"  | {m}" for m in members[:-1]), f"  | {members[-1]};\n"])


def _type(value: JsonObject) -> str:
    if "$ref" in value:
        return _name(value)
    if "const" in value:
        return _literal(value["const"])
    if "enum" in value:
        return " | ".join(map(_literal, value["enum"]))
    if value["type"] == "array":
        return f"{_type(value['items'])}[]"
    return _WORDS[value["type"]]


def _name(value: JsonObject) -> str:
    return str(value["$ref"]).rsplit("/", 1)[1]


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _comment(text: str, indent: str) -> list[str]:
    wrapped = textwrap.wrap(text, 110 - len(indent), break_on_hyphens=False, break_long_words=False)
    if len(wrapped) == 1:
        return [f"{indent}/** {wrapped[0]} */"]
    return [f"{indent}/**", *(f"{indent} * {line}" for line in wrapped), f"{indent} */"]
