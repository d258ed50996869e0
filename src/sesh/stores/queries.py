"""What is asked of a store, as values: the long signatures of `MessageStore` stand once, back ends take these."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from sesh.errors import UnknownCursor
from sesh.stores.rows import storable

_MOST: Final = 2**63 - 1
"""A limit beyond what SQL can count is no limit."""


class ThreadQuery(NamedTuple):
    """`MessageStore.list_threads`."""

    agent_id: str | None
    parent_thread_id: str | None
    run_id: str | None
    after_id: str | None
    limit: int | None

    def checked(self) -> Self:
        """The same, such that every back end can ask for it. Raises UnknownCursor, ValueError."""
        if self.after_id is not None and not storable(self.after_id):
            raise self.unknown_cursor()
        limit = checked_limit(self.limit)
        if all(name is None or storable(name) for name in self[:3]):
            return self._replace(limit=limit)
        return self._replace(agent_id=None, parent_thread_id=None, run_id=None, limit=0)

    def unknown_cursor(self) -> UnknownCursor:
        """The error for an `after_id` that is not there."""
        return UnknownCursor(f"There is no {self.after_id!r} in this store to go on after.")


class MessageQuery(NamedTuple):
    """`MessageStore.get_messages`."""

    thread_id: str
    after_id: str | None
    limit: int | None
    run_id: str | None

    def checked(self) -> Self:
        """The same, such that every back end can ask for it. Raises UnknownCursor, ValueError."""
        if self.after_id is not None and not (storable(self.after_id) and storable(self.thread_id)):
            raise self.unknown_cursor()
        limit = checked_limit(self.limit)
        if storable(self.thread_id) and (self.run_id is None or storable(self.run_id)):
            return self._replace(limit=limit)
        return self._replace(thread_id=self.thread_id if storable(self.thread_id) else "", run_id=None, limit=0)

    def unknown_cursor(self) -> UnknownCursor:
        """The error for an `after_id` that is not there."""
        return UnknownCursor(f"There is no {self.after_id!r} in thread {self.thread_id} to go on after.")


def checked_limit(limit: int | None) -> int | None:
    """A limit that any back end can count to. Raises ValueError where it is negative: that is no page."""
    if limit is None:
        return None
    if limit < 0:
        raise ValueError(f"limit must be 0 or more, not {limit}")
    return min(limit, _MOST)
