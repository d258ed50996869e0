"""The JSON value types that the canonical model carries opaquely."""

from __future__ import annotations

from typing import Any, TypeAlias

# A recursive alias would force every caller through isinstance chains that say nothing; the values are
# opaque by contract, so `Any` is the honest type. NaN and infinities never occur (see jsontext).
JsonValue: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]
