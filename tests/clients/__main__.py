"""Resume a session file in the real client and print what reached the model, as JSON.

python -m tests.clients codex|claude FILE
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.clients import Claude, Codex, installed


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("client", choices=["codex", "claude"])
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sesh-probe-") as scratch:
        client = {"codex": Codex, "claude": Claude}[options.client]
        found = installed.find(options.client, any_version=True)
        probe = client(installed=found, scratch=Path(scratch)).resume(options.file)
    shown = {k: v for k, v in asdict(probe).items() if k not in ("bodies", "transcript", "path")}
    json.dump(shown, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
