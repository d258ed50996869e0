"""What the writer has to say, gathered: the same remark about a hundred blocks is one entry with a count."""

from __future__ import annotations

from typing import Final

from sesh.report.reports import BlockBook


class Notes:
    """Remarks by code and text, in the order they were first made."""

    def __init__(self, book: BlockBook) -> None:
        self._book: Final = book
        self._said: Final[dict[tuple[str, str], list[str | None]]] = {}

    def say(self, code: str, text: str, message_id: str | None = None) -> None:
        """Make a remark. `code` stands in report/codes.py; `message_id` is the message it is about."""
        about = self._said.get((code, text))
        if about is None:
            about = self._said[code, text] = []
        about.append(message_id)

    def say_each(self, code: str, text: str, message_id: str) -> None:
        """Make a remark that is to be an entry of its own for every message it is about."""
        self._said[code, text + "\0" + str(len(self._said))] = [message_id]

    def close(self) -> None:
        """Put the remarks into the book. One that was made of several messages bears their number, no message id."""
        for (code, said), about in self._said.items():
            text = said.partition("\0")[0]
            if len(about) == 1:
                self._book.note(code, text, message_id=about[0])
            else:
                self._book.note(code, f"{text} ({len(about)} times)")
        self._said.clear()
