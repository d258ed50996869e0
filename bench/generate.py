"""Sessions of any size, made by rule: the same arguments give the same bytes.

    python -m bench.generate claude 100 OUT.jsonl       about 100 MB
    python -m bench.generate codex 10 OUT.jsonl --seed 2

What kinds of lines there are, and in which order, is as in the corpus. Sizes are not: its answers come from a mock
server and are short. Tool outputs here are log-normal with a median of 3 to 4 KB and a long tail, as programs print.
`python -m bench.shape` shows both side by side.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.claude_session import ClaudeSession
from bench.codex_rollout import CodexRollout
from bench.words import Words

KINDS = {"claude": ClaudeSession, "codex": CodexRollout}


def lines(kind: str, size: int, seed: int = 1) -> Iterator[bytes]:
    """The lines of a session of about `size` bytes, each with its LF."""
    made = 0
    found: Iterator[dict[str, Any]] = KINDS[kind](Words(seed)).lines()
    for line in found:
        data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        yield data
        made += len(data)
        if made >= size:
            return


def session_id(kind: str, seed: int = 1) -> str:
    """The id of such a session."""
    return KINDS[kind](Words(seed)).id


def write(kind: str, size: int, path: Path, seed: int = 1) -> Path:
    """Such a session as a file."""
    with path.open("wb") as f:
        f.writelines(lines(kind, size, seed))
    return path


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("megabytes", type=float)
    parser.add_argument("path", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    write(given.kind, int(given.megabytes * 1e6), given.path, given.seed)


if __name__ == "__main__":
    main()
