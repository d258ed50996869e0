"""The files made from the structs: the JSON Schema, the TypeScript types, and the reference of the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from sesh.format import fields, schema, typescript
from sesh.format.versions import __doc__ as _VERSIONS

_PROSE: Final = Path(__file__).with_name("format_page.md")


def schema_text() -> str:
    """`schema/sesh.v1.schema.json`."""
    return json.dumps(schema.json_schema(), indent=2, ensure_ascii=False) + "\n"


def typescript_text() -> str:
    """`schema/sesh.v1.d.ts`."""
    return typescript.typescript(schema.json_schema())


def format_page() -> str:
    """`docs/reference/format.md`: the prose of format_page.md with the tables in their places."""
    text = _PROSE.read_text(encoding="utf-8")
    definitions = schema.json_schema()["$defs"]
    rule = "\n\n".join((_VERSIONS or "").strip().split("\n\n")[1:3])
    text = text.replace("{{versions}}", rule.replace("`wire`", "`sesh.format.wire`"))
    for name in fields.STRUCTS:
        text = text.replace(f"{{{{{name}}}}}", _table(name, definitions[name]))
    assert "{{" not in text, "a place that nothing fills"
    return text


def _table(name: str, definition: dict[str, Any]) -> str:
    rows = [
        f"{fields.STRUCTS[name]}\n",
        "| field | type | what it is | in Claude Code | in Codex |",
        "| --- | --- | --- | --- | --- |",
    ]
    required = set(definition["required"])
    own = [k for k in definition["properties"] if k not in ("type", "providerData") or k in fields.FIELDS[name]]
    for key in own:
        field = fields.of(name, key)
        star = "" if key in required else "?"
        cells = (f"`{key}`{star}", _type(definition["properties"][key]), field.meaning, field.claude, field.codex)
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _type(value: dict[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rsplit("/", 1)[1]
        return {"JsonValue": "any JSON", "JsonObject": "object"}.get(name, name)
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return ", ".join(f"`{v}`" for v in value["enum"])
    if value["type"] == "array":
        return f"array of {_type(value['items'])}"
    return str(value["type"])
