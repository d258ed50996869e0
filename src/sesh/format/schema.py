"""The canonical format as JSON Schema 2020-12, made from the structs, so that the two cannot part.

It says what a writer of v1 has to write. It is open where v1 may grow (versions.py): further keys and block types are
valid. A field without a value is left out, not null.
"""

from __future__ import annotations

import types
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from sesh.format import fields
from sesh.format.json import JsonObject
from sesh.format.message import Message, Provenance, Usage
from sesh.format.thread import Thread
from sesh.format.wire import BLOCKS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
ID: Final = "urn:sesh:canonical:v1"
JSON_VALUE: Final = "JsonValue"
JSON_OBJECT: Final = "JsonObject"
BLOCK: Final = "Block"

_RECORDS: Final = (Thread, Message)
_PARTS: Final = (Usage, Provenance)


def json_schema() -> JsonObject:
    """The whole schema: one record, a thread or a message, is an instance of it."""
    definitions: JsonObject = {s.__name__: _struct(s) for s in (*_RECORDS, *_PARTS)}
    definitions[BLOCK] = _any_block()
    definitions.update({s.__name__: _struct(s) for s in BLOCKS.values()})
    definitions[JSON_OBJECT] = {"description": "A JSON object of any content.", "type": "object"}
    definitions[JSON_VALUE] = {"description": "Any JSON value."}
    return {
        "$schema": DIALECT,
        "$id": ID,
        "title": "A record of sesh's canonical message format, version 1",
        "description": "One line of canonical JSON Lines: a message where it has a threadId, else a thread.",
        "type": "object",
        "if": {"required": ["threadId"]},
        "then": _ref("Message"),
        "else": _ref("Thread"),
        "$defs": definitions,
    }


def _struct(struct: type[msgspec.Struct]) -> JsonObject:
    name = struct.__name__
    hints = get_type_hints(struct)
    properties: JsonObject = {}
    required: list[str] = []
    tag_field, tag = struct.__struct_config__.tag_field, struct.__struct_config__.tag
    if tag_field is not None:
        properties[tag_field] = {"description": fields.of(name, tag_field).meaning, "const": tag}
        required.append(tag_field)
    for field in msgspec.structs.fields(struct):
        described = {"description": fields.of(name, field.encode_name).meaning}
        properties[field.encode_name] = described | _type(hints[field.name])
        if field.required:
            required.append(field.encode_name)
    return {
        "description": fields.STRUCTS[name],
        "type": "object",
        "properties": properties,
        "required": required,
    }


def _any_block() -> JsonObject:
    """A block: what its type asks for where v1 knows the type, and anything where it does not (yet)."""
    return {
        "description": "A block of a message. A reader takes a type it does not know as an unknown block.",
        "type": "object",
        "properties": {"type": {"type": "string"}},
        "required": ["type"],
        "allOf": [
            {"if": {"properties": {"type": {"const": tag}}, "required": ["type"]}, "then": _ref(struct.__name__)}
            for tag, struct in BLOCKS.items()
        ],
    }


_PLAIN: Final[dict[Any, str]] = {str: "string", int: "integer", bool: "boolean"}


def _type(hint: Any) -> JsonObject:
    """The schema of a field's type. Raises TypeError for one that the model has not used so far."""
    if hint is Any:
        return _ref(JSON_VALUE)
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _ref(hint.__name__)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        present = [a for a in arguments if a is not type(None)]
        if len(present) == 1:
            return _type(present[0])
        if set(present) == set(BLOCKS.values()):
            return _ref(BLOCK)
    if origin is list:
        return {"type": "array", "items": _type(arguments[0])}
    if origin is dict and arguments == (str, Any):
        return _ref(JSON_OBJECT)
    raise TypeError(f"the schema has no word for {hint!r}")


def _ref(name: str) -> JsonObject:
    return {"$ref": f"#/$defs/{name}"}
