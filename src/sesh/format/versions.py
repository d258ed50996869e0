"""How records of an older or newer schema are treated.

What may change within v1: an optional field may be added, and a block type may be added. Nothing else: no field is
renamed, removed, made required or given another type or meaning, and no value of an enumeration is added to `role`.
So a reader of any v1 reads every v1 record: it keeps keys it does not know, and takes a block type it does not know
as an `unknown` block (see `wire`).

What no version may change is the envelope: `v`, `id`, and on messages `threadId`, all at the top of the record. So a
store of any age can hold, order and hand on records of any version, their text untouched.

How v2 would come: `CURRENT` becomes 2, the structs describe v2, and one function is added here that turns a plain v1
object into a plain v2 object. Readers apply such steps one after another over plain objects, so that no old struct
has to be kept. Stored v1 text is not rewritten: it is upgraded when it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sesh.format.json import JsonObject

CURRENT: Final = 1

UPGRADES: Final[dict[int, Callable[[JsonObject], JsonObject]]] = {}
"""`UPGRADES[n]` makes a new object of version n + 1 out of one of version n. Empty: v1 is the first."""


def upgrade(record: JsonObject) -> JsonObject:
    """A plain record in the current version.

    The very same object where it is current, newer, or has no step; the given object is never changed.
    """
    version = record.get("v")
    while isinstance(version, int) and not isinstance(version, bool) and version < CURRENT and version in UPGRADES:
        record = UPGRADES[version](record)
        version = record.get("v")
    return record
