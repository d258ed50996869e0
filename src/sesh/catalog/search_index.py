"""The full-text index of what was said: one SQLite file (FTS5) in sesh's cache folder, which may be deleted any time.

For each session file it remembers size, time and how far it was read; files only grow, so mostly only what was added
is read. A file whose earlier bytes changed, or that is gone, is taken out first. Outputs of tools are indexed by their
first 4,000 characters.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

from sesh.files.grown import growth
from sesh.files.scan import Found
from sesh.providers.api import Spoken

LAYOUT: Final = 1
"""Raise it whenever tables, or what is indexed, change: an older file is made anew."""
_MOST: Final = {"tool": 4_000}
_LONGEST: Final = 50_000
_SCHEMA: Final = f"""
CREATE TABLE files (
    key TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    read_to INTEGER NOT NULL, lines INTEGER NOT NULL, mark BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE said (id INTEGER PRIMARY KEY, key TEXT NOT NULL, line INTEGER NOT NULL, voice TEXT NOT NULL);
CREATE INDEX said_by_file ON said (key);
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = "unicode61 remove_diacritics 2");
PRAGMA user_version = {LAYOUT};
"""


class IndexedLine(NamedTuple):
    """A line that matches: its file's key, its number, who said it, and its text; a higher score matches better.

    `matches` is how many lines of the file match, where this one stands for all of them.
    """

    key: str
    line: int
    voice: str
    text: str
    score: float
    matches: int


class Index:
    """The index file, open. Use it as a context manager. Raises sqlite3.Error, OSError."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._db = self._open(file)
        if self._db.execute("PRAGMA user_version").fetchone()[0] != LAYOUT:
            self._db.close()
            file.unlink(missing_ok=True)
            self._db = self._open(file)
            self._db.executescript(_SCHEMA)

    @staticmethod
    def _open(file: Path) -> sqlite3.Connection:
        file.touch(mode=0o600)  # what was said is nobody else's to read; SQLite gives its other files the same mode
        db = sqlite3.connect(file, isolation_level=None, timeout=30)
        # Nothing is lost with it, so the disk need not be waited for.
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        return db

    def __enter__(self) -> Index:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._db.close()

    def update(
        self,
        files: Sequence[Found],
        spoken: Mapping[str, Callable[[bytes], Sequence[Spoken]]],
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Read what is new in these files; returns how many were read. Other files stay as they are."""
        known = {
            key: (size, modified) for key, size, modified in self._db.execute("SELECT key, size, modified FROM files")
        }
        stale = [f for f in files if known.get(f.key) != (f.size, f.modified)]
        for done, found in enumerate(stale, 1):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._read(found, spoken[found.provider])
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
            progress(done, len(stale))
        return len(stale)

    def forget(self, keys: Sequence[str]) -> None:
        """Take files out that are gone."""
        for key in keys:
            self._drop(key)

    def known(self) -> list[str]:
        """The files that are in the index."""
        return [key for (key,) in self._db.execute("SELECT key FROM files")]

    def _read(self, found: Found, spoken: Callable[[bytes], Sequence[Spoken]]) -> None:
        key = found.key
        row = self._db.execute("SELECT read_to, lines, mark FROM files WHERE key = ?", (key,)).fetchone()
        offset, lines, mark = row or (0, 0, b"")
        grown = growth(found.path, offset, mark, lines)
        if grown is None or not grown.start:
            self._drop(key)
        if grown is None:
            return
        last = grown.first - 1
        for last, line in grown.lines:  # the number of the last line is kept
            for voice, text in spoken(line):
                if text.strip():
                    self._add(key, last, voice, text[: _MOST.get(voice, _LONGEST)])
        self._db.execute(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)",
            (key, found.size, found.modified, grown.end, last, grown.mark),
        )

    def _add(self, key: str, line: int, voice: str, text: str) -> None:
        text = text.encode("utf-8", "replace").decode()  # SQLite takes no lone surrogates
        row = self._db.execute("INSERT INTO said (key, line, voice) VALUES (?, ?, ?)", (key, line, voice)).lastrowid
        self._db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row, text))

    def _drop(self, key: str) -> None:
        rows = self._db.execute("SELECT id FROM said WHERE key = ?", (key,)).fetchall()
        self._db.executemany("DELETE FROM words WHERE rowid = ?", rows)
        self._db.execute("DELETE FROM said WHERE key = ?", (key,))
        self._db.execute("DELETE FROM files WHERE key = ?", (key,))

    def best_lines(self, words: Sequence[str], weights: Mapping[str, float]) -> list[IndexedLine]:
        """Of each file that holds all of the words on one line, the line that matches best.

        `weights` say what a match counts by voice (others: 1). Empty where no word has a letter or a digit. Only the
        best lines' texts are fetched: a common word stands on a million lines.
        """
        query = " AND ".join(filter(None, map(_quoted, words)))
        if not query:
            return []
        weight = "".join(f" WHEN '{voice}' THEN {float(w)}" for voice, w in weights.items())
        rows = self._db.execute(
            "WITH found AS MATERIALIZED (SELECT rowid AS id, -rank AS score FROM words WHERE words MATCH ?), "
            # With MAX(), the bare columns are those of the row that has it (SQLite's own rule).
            f"best AS (SELECT key, line, voice, said.id, MAX(score * CASE voice{weight} ELSE 1.0 END) AS score, "
            "COUNT(*) AS matches FROM found JOIN said ON said.id = found.id GROUP BY key) "
            "SELECT key, line, voice, words.text, score, matches FROM best JOIN words ON words.rowid = best.id",
            (query,),
        )
        return [IndexedLine(*row) for row in rows]


def has_word(text: str) -> bool:
    """Whether there is anything in it to look for: a letter or a digit."""
    return bool(_quoted(text))


def _quoted(word: str) -> str:
    """A word or phrase of the user's as FTS5 wants it: quoted, so that no sign of it is an operator; the last open."""
    tokens = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", word))
    return f'"{" ".join(tokens)}" *' if tokens else ""
