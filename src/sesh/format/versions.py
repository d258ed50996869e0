"""How records of an older or newer schema are treated.

Within v1, fields may be added, and nothing else: no rename, no new meaning, no new required field. A v2 would come
with one function here that turns a plain v1 dict into a plain v2 dict, and readers would apply such steps in order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sesh.format.json import JsonObject

CURRENT: Final = 1

UPGRADES: Final[dict[int, Callable[[JsonObject], JsonObject]]] = {}
"""`UPGRADES[n]` turns a record of version n into one of version n + 1. Empty: v1 is the first."""


def upgrade(record: JsonObject) -> JsonObject:
    """A plain record in the current version. Records that are newer, or have no step, come back as they are."""
    version = record.get("v")
    while isinstance(version, int) and version < CURRENT and version in UPGRADES:
        record = UPGRADES[version](record)
        version = record.get("v")
    return record
