"""`sesh`, and `python -m sesh`: the command line."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line on this process' arguments and end the process with its exit code."""
    # A conversation is hundreds of thousands of small objects, hardly any of them in circles: looking for circles
    # every 700 of them took up to a third of a conversion (docs/performance.md).
    gc.set_threshold(100_000, 20, 100)
    try:
        from sesh.cli.app import run

        code = run(sys.argv[1:])
        # On its way out the interpreter looks through every object for circles, modules and all: an eighth of a small
        # conversion. The memory goes back to the system either way, and what is to be closed has been closed by name.
        gc.freeze()
        sys.exit(code)
    except KeyboardInterrupt:  # before `run` could take care of it, or once more while it did
        sys.exit(130)


if __name__ == "__main__":
    main()
