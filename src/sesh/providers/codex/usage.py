"""Tokens, each step once (formats/codex.md §3: `token_count`, and `token_usage_record` from 0.155 on).

A `token_usage_record` is one response's. A `token_count` repeats the same step in the client's running total, comes
again unchanged, restarts from zero on resume (0.36 to 0.63) and carries estimates without input or output; it counts
as a step only where its total moved by more than the records before it account for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from sesh.format.message import Usage


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """A step in Codex's own meaning: `input` includes cached tokens, `output` includes reasoning."""

    input: int
    cached: int
    cache_write: int
    output: int
    reasoning: int

    @property
    def total(self) -> int:
        """What `total_tokens` says of the step."""
        return self.input + self.output

    def canonical(self) -> Usage:
        """The same in canonical meaning: cached tokens are no input tokens."""
        return Usage(
            input_tokens=max(self.input - self.cached - self.cache_write, 0),
            output_tokens=self.output,
            cache_read_tokens=self.cached,
            cache_write_tokens=self.cache_write or None,
            reasoning_tokens=self.reasoning or None,
        )

    def less(self, other: Tokens) -> Tokens:
        """The difference, field by field, not below zero."""
        return Tokens(
            self.input - other.input if self.input > other.input else 0,
            self.cached - other.cached if self.cached > other.cached else 0,
            self.cache_write - other.cache_write if self.cache_write > other.cache_write else 0,
            self.output - other.output if self.output > other.output else 0,
            self.reasoning - other.reasoning if self.reasoning > other.reasoning else 0,
        )


class Counts(msgspec.Struct, frozen=True, gc=False):
    """A usage object as Codex writes it."""

    input_tokens: Any = 0
    cached_input_tokens: Any = 0
    cache_write_input_tokens: Any = 0
    output_tokens: Any = 0
    reasoning_output_tokens: Any = 0


NoObject: TypeAlias = str | int | float | bool | list[Any] | None
"""Any JSON but an object: what is of an odd type must not cost the line."""
AnyCounts: TypeAlias = Counts | NoObject


class Info(msgspec.Struct, frozen=True, gc=False):
    """What a `token_count` says."""

    total_token_usage: AnyCounts = None
    last_token_usage: AnyCounts = None


AnyInfo: TypeAlias = Info | NoObject


def tokens(value: AnyCounts) -> Tokens | None:
    """A usage object of Codex; None where it is none or counts nothing."""
    if not isinstance(value, Counts):
        return None
    total, cached, written = value.input_tokens, value.cached_input_tokens, value.cache_write_input_tokens
    output, reasoning = value.output_tokens, value.reasoning_output_tokens
    found = Tokens(
        total if type(total) is int else 0,
        cached if type(cached) is int else 0,
        written if type(written) is int else 0,
        output if type(output) is int else 0,
        reasoning if type(reasoning) is int else 0,
    )
    return found if found.input or found.output else None


class Meter:
    """Which usage records are new steps."""

    def __init__(self) -> None:
        self._total: Tokens | None = None
        self._credit = 0  # tokens of records that no token_count has repeated yet

    def resume(self, total: Sequence[int] | None) -> None:
        """Begin where a running total stood already."""
        self._total = None if total is None else Tokens(*total)

    def turn_started(self) -> None:
        """Records are repeated within their turn or never."""
        self._credit = 0

    def record(self, value: AnyCounts) -> Tokens | None:
        """A `token_usage_record`'s `usage`."""
        step = tokens(value)
        if step is not None:
            self._credit += step.total
        return step

    def count(self, info: AnyInfo) -> Tokens | None:
        """A `token_count`'s `info`: the step, or None where it is no new one."""
        if not isinstance(info, Info):
            return None
        total = tokens(info.total_token_usage)
        if total is None:
            return None
        before, self._total = self._total, total
        if before is None or total.total < before.total:
            # The first count of a file, or one after a restart: history before it is not this step's.
            step = tokens(info.last_token_usage) or total
        else:
            step = total.less(before)
        spent = step.total
        if not spent:
            return None
        if self._credit >= spent:
            self._credit -= spent
            return None
        self._credit = 0
        return step


def added(a: Usage | None, b: Usage) -> Usage:
    """Two steps of one message as one usage."""
    if a is None:
        return b
    return Usage(
        input_tokens=_sum(a.input_tokens, b.input_tokens),
        output_tokens=_sum(a.output_tokens, b.output_tokens),
        cache_read_tokens=_sum(a.cache_read_tokens, b.cache_read_tokens),
        cache_write_tokens=_sum(a.cache_write_tokens, b.cache_write_tokens),
        reasoning_tokens=_sum(a.reasoning_tokens, b.reasoning_tokens),
    )


def _sum(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else a + b
