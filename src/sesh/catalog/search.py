"""Searching what was said in every session of every client: one hit a session, the best first.

First come the sessions that hold all of the words on one line, then those that hold them on different lines: one
remembers words of a talk, not of a line of it.

The words are looked up in an index in sesh's cache folder (`search_index.py`), brought up to date before each search.
Where it cannot be had (a SQLite without FTS5, a cache that cannot be written), every line is looked at instead.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from sesh.catalog.resolve import Homes
from sesh.catalog.search_index import Index, IndexedLine, has_word
from sesh.files.grown import growth
from sesh.files.scan import Found, newest_files

_EXCERPT: Final = 160
_WEIGHTS: Final = {"user": 3.0, "assistant": 2.0}
"""What a human said tells more of a session than an answer, and that more than a tool's output."""


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A session that holds the words: its best line (in `file`), who said it, and how many of its lines match.

    `together` says whether all of the words stand on that line; else the line holds some of them, and `matches` counts
    the lines that hold any. `excerpt` is cut around the first match; `spans` are the matches in it, as offsets. A
    higher `score` is better.
    """

    found: Found
    file: str
    line: int
    voice: str
    excerpt: str
    spans: Sequence[tuple[int, int]]
    matches: int
    score: float
    together: bool


def search(
    words: Sequence[str],
    files: Sequence[Found],
    homes: Homes,
    index_file: Path | None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Hit]:
    """The sessions among `files` that hold all of the words, best first; on one line counts more than on several.

    Of a session, `files` may hold several segments, and transcripts beside it; a hit names the session's newest file.
    A word matches where a word of the text begins with it; case and accents do not count. Several words given as one
    ("off by one") are a phrase, and stand on one line. `progress` hears how many of the files to be read are done.
    """
    lines = _from_index(words, files, homes, index_file, progress)
    if lines is None:
        lines = _by_scan(words, files, homes, progress)
    main = {(f.provider, f.session_id): f for f in newest_files(iter(files))}
    of_file = {f.key: found for f in files if (found := main.get((f.provider, f.session_id))) is not None}
    newest = max((f.modified for f in files), default=0)
    together = _best(lines.together, of_file)
    hits = [_hit(best, words, newest, together=True) for best in together.values()]
    apart = [_best(of_word, of_file) for of_word in lines.apart]
    for key in set.intersection(*map(set, apart)) - set(together) if apart else ():
        hits.append(_hit(_joined([of_word[key] for of_word in apart], words), words, newest, together=False))
    return sorted(hits, key=lambda h: (h.together, h.score, h.found.modified), reverse=True)


class _Lines(NamedTuple):
    """The best lines of files: those with all of the words, and, where there are several, those with each of them."""

    together: list[IndexedLine]
    apart: list[list[IndexedLine]]


class _Best(NamedTuple):
    """A session's best line, and how many of its lines match."""

    found: Found
    line: IndexedLine
    matches: int


def _best(lines: Iterable[IndexedLine], of_file: Mapping[str, Found]) -> dict[str, _Best]:
    """By the key of the session's file: the best of its lines, in whichever of its files."""
    best: dict[str, _Best] = {}
    for line in lines:
        found = of_file.get(line.key)
        if found is None:
            continue
        other = best.get(found.key)
        if other is None:
            best[found.key] = _Best(found, line, line.matches)
        else:
            better = line if line.score > other.line.score else other.line
            best[found.key] = _Best(found, better, other.matches + line.matches)
    return best


def _joined(of_words: Sequence[_Best], words: Sequence[str]) -> _Best:
    """One line for a session whose words stand apart: that with the most of them. It is worth what its rarest is."""
    patterns = [pattern(w) for w in words]
    shown = max(of_words, key=lambda b: (sum(p.search(b.line.text) is not None for p in patterns), b.line.score))
    score = min(b.line.score for b in of_words)
    return _Best(shown.found, shown.line._replace(score=score), sum(b.matches for b in of_words))


def _from_index(
    words: Sequence[str],
    files: Sequence[Found],
    homes: Homes,
    index_file: Path | None,
    progress: Callable[[int, int], None],
) -> _Lines | None:
    """Matching lines from the index, or None where there is none to be had."""
    if index_file is None:
        return None
    try:
        with Index(index_file) as index:
            index.update(files, {name: provider.spoken for name, (provider, _) in homes.items()}, progress)
            given = {f.key for f in files}
            index.forget([key for key in index.known() if key not in given and not Path(key).exists()])
            each = [w for w in words if has_word(w)]
            apart = [index.best_lines([w], _WEIGHTS) for w in each] if len(each) > 1 else []
            return _Lines(index.best_lines(words, _WEIGHTS), apart)
    except (sqlite3.Error, OSError):
        return None


def _by_scan(
    words: Sequence[str], files: Sequence[Found], homes: Homes, progress: Callable[[int, int], None]
) -> _Lines:
    """Matching lines by looking at all of them."""
    patterns = [pattern(w) for w in words]
    lines = _Lines([], [[] for _ in words] if len(words) > 1 else [])
    for done, found in enumerate(files, 1):
        grown = growth(found.path, 0, b"", 0)
        together: list[IndexedLine] = []
        apart: list[list[IndexedLine]] = [[] for _ in lines.apart]
        for number, line in grown.lines if grown is not None else ():
            for voice, text in homes[found.provider][0].spoken(line):
                hits = [p.search(text) is not None for p in patterns]
                if not any(hits):
                    continue
                match = IndexedLine(found.key, number, voice, text, _WEIGHTS.get(voice, 1.0), matches=1)
                if all(hits):
                    _keep(together, match)
                for of_word, hit in zip(apart, hits, strict=False):
                    if hit:
                        _keep(of_word, match)
        lines.together.extend(together)
        for all_files, of_word in zip(lines.apart, apart, strict=True):
            all_files += of_word
        progress(done, len(files))
    return lines


def _keep(best: list[IndexedLine], line: IndexedLine) -> None:
    """The better of a file's lines, and how many there were: not the texts of all, which may be a whole disk."""
    if not best:
        best.append(line)
    else:
        better = line if line.score > best[0].score else best[0]
        best[0] = better._replace(matches=best[0].matches + 1)


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


def _hit(best: _Best, words: Sequence[str], newest: int, *, together: bool) -> Hit:
    found, line = best.found, best.line
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
        matches=best.matches,
        score=round(line.score * _freshness(found.modified, newest), 4),
        together=together,
    )
