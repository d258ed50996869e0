"""The shape of the made-up sessions beside that of the corpus: `python -m bench.shape`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench.generate import KINDS, lines
from sesh.errors import SeshError
from sesh.files.read import open_session

CORPUS = Path(__file__).parent.parent / "tests" / "corpus"
PROVIDERS = {"claude": "claude-code", "codex": "codex"}


def kind_of(line: dict[str, Any]) -> str:
    """What a line is: its type, and the type of what is in it."""
    kind = str(line.get("type"))
    payload = line.get("payload")
    if kind in ("response_item", "event_msg") and isinstance(payload, dict):
        return f"{kind} {payload.get('type')}"
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list) and content and isinstance(content[0], dict):
        return f"{kind} {content[0].get('type')}"
    return kind


def sizes(data: Iterable[bytes]) -> dict[str, list[int]]:
    """The sizes of lines by kind; lines that are no JSON object are left out."""
    found: dict[str, list[int]] = defaultdict(list)
    for line in data:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found[kind_of(value)].append(len(line))
    return found


def of_corpus() -> dict[str, list[bytes]]:
    """By provider: all its lines in the corpus."""
    lines_of: dict[str, list[bytes]] = defaultdict(list)
    for path in sorted(CORPUS.rglob("*.jsonl*")):
        if "sent" not in path.parts:
            try:
                opened = open_session(path)
            except SeshError:
                continue  # hand-made files that are no session
            lines_of[opened.provider.name] += opened.source.main.split(b"\n")
    return lines_of


def main() -> None:
    """Print, for each client, the kinds with their share of lines and bytes, in the corpus and made up."""
    corpus = of_corpus()
    for kind in sorted(KINDS):
        ours, theirs = list(lines(kind, 10_000_000)), corpus[PROVIDERS[kind]]
        made, real = sizes(ours), sizes(theirs)
        print(f"{kind:<44} corpus: lines, bytes, median      made up: lines, bytes, median")
        print(f"  {'(lines with characters beyond ASCII)':<42} {_wide(theirs):9.1%} {'':<20}   {_wide(ours):9.1%}")
        for name in sorted(real.keys() | made.keys(), key=lambda n: -sum(made.get(n, [0])) - sum(real.get(n, [0]))):
            print(f"  {name:<42} {_share(real, name)}   {_share(made, name)}")


def _wide(data: list[bytes]) -> float:
    return sum(not line.isascii() for line in data) / len(data)


def _share(of: dict[str, list[int]], name: str) -> str:
    found = sorted(of.get(name, []))
    if not found:
        return f"{'—':>30}"
    count, size = sum(map(len, of.values())), sum(map(sum, of.values()))
    return f"{len(found) / count:9.1%} {sum(found) / size:9.1%} {found[len(found) // 2]:10,}"


if __name__ == "__main__":
    main()
