"""Searching what was said in every session of every client: one hit a session, the best first.

The words are looked up in an index in sesh's cache folder (`search_index.py`), brought up to date before each search.
Where it cannot be had (a SQLite without FTS5, a cache that cannot be written), every line is looked at instead.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sesh.catalog.resolve import Homes
from sesh.catalog.search_index import Index, IndexedLine
from sesh.files.grown import growth
from sesh.files.scan import Found, newest_files

_EXCERPT: Final = 160
_WEIGHTS: Final = {"user": 3.0, "assistant": 2.0}
"""What a human said tells more of a session than an answer, and that more than a tool's output."""


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A session that holds the words: its best line (in `file`), who said it, and how many of its lines match.

    `excerpt` is cut around the first match; `spans` are the matches in it, as offsets. A higher `score` is better.
    """

    found: Found
    file: str
    line: int
    voice: str
    excerpt: str
    spans: Sequence[tuple[int, int]]
    matches: int
    score: float


def search(
    words: Sequence[str],
    files: Sequence[Found],
    homes: Homes,
    index_file: Path | None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Hit]:
    """The sessions among `files` that hold all of the words on one line, best first.

    Of a session, `files` may hold several segments, and transcripts beside it; a hit names the session's newest file.
    A word matches where a word of the text begins with it; case and accents do not count. Several words given as one
    ("off by one") are a phrase. `progress` hears how many of the files to be read are done.
    """
    lines = _from_index(words, files, homes, index_file, progress)
    if lines is None:
        lines = _by_scan(words, files, homes, progress)
    main = {(f.provider, f.session_id): f for f in newest_files(iter(files))}
    of_file = {f.key: main.get((f.provider, f.session_id)) for f in files}
    newest = max((f.modified for f in files), default=0)
    best: dict[str, tuple[IndexedLine, Found]] = {}
    counts: dict[str, int] = {}
    for line in lines:
        found = of_file.get(line.key)
        if found is None:
            continue
        counts[found.key] = counts.get(found.key, 0) + line.matches
        if found.key not in best or line.score > best[found.key][0].score:
            best[found.key] = (line, found)
    hits = [
        _hit(found, line, words, counts[key], line.score * _freshness(found.modified, newest))
        for key, (line, found) in best.items()
    ]
    return sorted(hits, key=lambda h: (h.score, h.found.modified), reverse=True)


def _from_index(
    words: Sequence[str],
    files: Sequence[Found],
    homes: Homes,
    index_file: Path | None,
    progress: Callable[[int, int], None],
) -> list[IndexedLine] | None:
    """Matching lines from the index, or None where there is none to be had."""
    if index_file is None:
        return None
    try:
        with Index(index_file) as index:
            index.update(files, {name: provider.spoken for name, (provider, _) in homes.items()}, progress)
            given = {f.key for f in files}
            index.forget([key for key in index.known() if key not in given and not Path(key).exists()])
            return index.best_lines(words, _WEIGHTS)
    except (sqlite3.Error, OSError):
        return None


def _by_scan(
    words: Sequence[str], files: Sequence[Found], homes: Homes, progress: Callable[[int, int], None]
) -> list[IndexedLine]:
    """Matching lines by looking at all of them."""
    patterns = [pattern(w) for w in words]
    matches: list[IndexedLine] = []
    for done, found in enumerate(files, 1):
        grown = growth(found.path, 0, b"", 0)
        for number, line in grown.lines if grown is not None else ():
            for voice, text in homes[found.provider][0].spoken(line):
                hits = [p.search(text) for p in patterns]
                if all(hits):
                    score = _WEIGHTS.get(voice, 1.0)
                    matches.append(IndexedLine(found.key, number, voice, text, score, matches=1))
        progress(done, len(files))
    return matches


def pattern(words: str) -> re.Pattern[str]:
    """What a word (or a phrase) matches in a text: the beginning of a word, or words in a row."""
    parts = [re.escape(w) for w in re.findall(r"\w+", words)]
    between = r"[\W_]+"
    begun = r"(?<![^\W_])"
    return re.compile(begun + between.join(parts) if parts else re.escape(words), re.IGNORECASE)


def _freshness(modified: int, newest: int) -> float:
    """Between two equal matches the newer session counts more: half after some three months."""
    days = (newest - modified) / 86_400e9
    return 1 / (1 + days / 90)


def _hit(found: Found, line: IndexedLine, words: Sequence[str], matches: int, score: float) -> Hit:
    text = " ".join(line.text.split())
    first = min((m.start() for w in words if (m := pattern(w).search(text))), default=0)
    start = max(0, first - _EXCERPT // 3)
    start = text.rfind(" ", 0, start) + 1 if start else 0
    excerpt = ("…" if start else "") + text[start : start + _EXCERPT]
    excerpt += "…" if start + _EXCERPT < len(text) else ""
    spans = sorted(m.span() for w in words for m in pattern(w).finditer(excerpt))
    return Hit(
        found=found,
        file=line.key,
        line=line.line,
        voice=line.voice,
        excerpt=excerpt,
        spans=spans,
        matches=matches,
        score=round(score, 4),
    )
