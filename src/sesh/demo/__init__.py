"""Two small sessions that come with sesh, made up for it: what `sesh demo` and the tests of the command line use.

`claude-code/` and `codex/` are laid out like the clients' own folders.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
