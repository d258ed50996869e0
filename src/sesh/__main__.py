"""`sesh`, and `python -m sesh`: the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line on this process' arguments and end the process with its exit code."""
    from sesh.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
