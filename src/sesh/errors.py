"""What can go wrong, as few classes as callers can act on.

Every message says what, where, and what to do next. The command line maps `exit_code` to the process' exit status.
"""

from __future__ import annotations


class SeshError(Exception):
    """Anything sesh reports on purpose. `hint` is the next step for the user, shown after the message."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message} {self.hint}"


class NotASession(SeshError):
    """The bytes are no session of any provider that was asked (or hold no conversation at all)."""


class NoSuchSession(SeshError):
    """Nothing on this machine answers to that id, title or path."""

    exit_code = 4


class Ambiguous(SeshError):
    """Several sessions answer to that id prefix or title; the message lists them."""

    exit_code = 4


class Refused(SeshError):
    """Doing it would cost data or fight a live client: the target exists, has diverged, or is open elsewhere."""

    exit_code = 5


class Lossy(SeshError):
    """Raised under `--strict` when a report names a drop or a change."""

    exit_code = 3


class Conflict(SeshError):
    """A message is stored already under this id in this thread, with other content. Nothing was changed."""

    exit_code = 5


class UnknownCursor(SeshError):
    """`after_id` names no message of that thread (or no thread of that store), so there is no place to go on from."""

    exit_code = 4


class StoreFailed(SeshError):
    """A store could not be read or written: full disk, lost connection, no rights, damaged or newer than this sesh.

    What was acknowledged before is stored. The call that failed may be made again: appending is idempotent.
    """


class LedgerError(AssertionError):
    """An item of the double-entry ledger was never closed, or was closed twice: a bug in sesh, never in the input."""


class UnknownProvider(SeshError):
    """No provider of that name is built in or installed."""

    exit_code = 2
