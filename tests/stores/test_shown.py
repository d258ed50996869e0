"""URLs are shown without their passwords, and otherwise as they are."""

from __future__ import annotations

import pytest

from sesh.stores.shown import hidden, shown


@pytest.mark.parametrize(
    ("url", "as_shown"),
    [
        ("postgresql://me:secret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:se@cr/et@host:5/db?a=b@c", "postgresql://me:***@host:5/db?a=b@c"),
        ("postgresql://:secret@/db", "postgresql://:***@/db"),
        ("postgresql://h/db?user=me&password=secret&x=1", "postgresql://h/db?user=me&password=***&x=1"),
        ("postgresql://h/db?sslPassword=secret", "postgresql://h/db?sslPassword=***"),
        ("mine://token:secret@h", "mine://token:***@h"),
        ("postgresql://me@host:5432/db", "postgresql://me@host:5432/db"),
        ("postgresql://host:5432/db", "postgresql://host:5432/db"),
        ("sqlite:/home/a:b@c/x.db", "sqlite:/home/a:b@c/x.db"),
        ("jsonl:C:\\\\threads", "jsonl:C:\\\\threads"),
        ("memory:", "memory:"),
    ],
)
def test_shown(url: str, as_shown: str) -> None:
    assert shown(url) == as_shown


def test_what_a_driver_quotes() -> None:
    url = "postgresql://me:se%zz/cret@host/db"
    assert hidden('invalid token: "se%zz"', url) == 'invalid token: "***"'
    assert hidden('odd URI: "me:se%zz/cret@host"', url) == 'odd URI: "***"'
    assert hidden('server at "127.0.0.1" says ""', url) == 'server at "127.0.0.1" says ""'
