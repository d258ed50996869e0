"""Spilled tool results: the block holds a preview, the whole output lies in the session's `tool-results/` folder.

Seen from 2.1.50 on: `<persisted-output>` ... `Full output saved to: <absolute path>/tool-results/<id>.txt`. The path is
that of the machine that wrote it; only its last parts say which companion is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sesh.format.json import JsonValue
from sesh.format.regex import regex
from sesh.providers.claude_code.book import Reading
from sesh.report.reports import LineBook

_OPENING: Final = "<persisted-output>"
_SAVED: Final = regex(r"saved to: *(?P<path>[^\n]+?[/\\]tool-results[/\\](?P<name>[^\n/\\]+?))[ \t]*(?:\n|$)")


class Spills:
    """The spilled outputs of one session. Each file that is read in is one used record of the ledger."""

    def __init__(self, session: str, companions: Mapping[str, bytes], book: LineBook) -> None:
        self._session: Final = session
        self._companions: Final = companions
        self._book: Final = book
        self.read: Final[set[str]] = set()

    def whole(self, output: JsonValue, reading: Reading, number: int) -> JsonValue:
        """The whole output where `output` is a preview of one that is at hand; else None."""
        text = _preview(output)
        if text is None:
            return None
        saved = _SAVED.search(text)
        if saved is None:
            return None
        owner = re.split(r"[/\\]", saved.group("path"))[-3]
        for key in (f"{folder}/tool-results/{saved.group('name')}" for folder in (owner, self._session)):
            data = self._companions.get(key)
            if data is not None:
                self._account(key)
                return data.decode("utf-8", "replace")
        text = f"The whole output ({saved.group('name')}) was not at hand; the preview was kept."
        reading.note("missing-companion", text, number)
        return None

    def _account(self, key: str) -> None:
        if key not in self.read:
            self.read.add(key)
            self._book.used(key, self._book.open(key))


def _preview(output: JsonValue) -> str | None:
    if isinstance(output, str):
        return output if output.startswith(_OPENING) else None
    if isinstance(output, list) and len(output) == 1 and isinstance(output[0], dict):
        text = output[0].get("text")
        return text if isinstance(text, str) and text.startswith(_OPENING) else None
    return None
