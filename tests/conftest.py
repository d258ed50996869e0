"""For every test: a home of its own, no network beyond this machine, and steady generated examples."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

from tests.clients.fixtures import absent, claude_client, codex_client

__all__ = ["claude_client", "codex_client"]

_CLIENT_FIXTURES: Final = {"claude_client", "codex_client"}
_POSTGRES: Final = os.environ.get("SESH_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
_OURS: Final = ("SESH_REQUIRE_", "SESH_CLIENTS", "SESH_OLD_CLIENTS", "SESH_POSTGRES", "SESH_GOLDEN")
_LOCAL: Final = ("127.", "::1", "localhost", "0.0.0.0")
_DROPPED: Final = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
)

# The same examples in every run, so that green means the same each time; `--hypothesis-profile=wide` looks further.
settings.register_profile(
    "steady",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("wide", settings.get_profile("steady"), derandomize=False, max_examples=3000)
settings.load_profile("steady")


def pytest_configure() -> None:
    """From here on no Python code of this process reaches another machine."""
    sys.addaudithook(_stay_here)


def _stay_here(event: str, args: tuple[Any, ...]) -> None:
    match event:
        case "socket.connect" | "socket.sendto":
            address = args[1]
            host = address[0] if isinstance(address, tuple) else None  # a path: a socket on this machine
        case "socket.getaddrinfo":
            host = args[0]
        case _:
            return
    name = host.decode() if isinstance(host, bytes) else host
    if name and not str(name).startswith(_LOCAL):
        raise PermissionError(f"a test tried to reach {name}: tests stay on 127.0.0.1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever uses a real client, or Postgres, bears the mark."""
    for item in items:
        names = set(getattr(item, "fixturenames", ()))
        if names & _CLIENT_FIXTURES:
            item.add_marker("client")
        if "postgres_url" in names:
            item.add_marker("postgres")


@pytest.fixture(autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty HOME, and no variable that points at the user's own sessions."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in _DROPPED:
        monkeypatch.delenv(name, raising=False)
    for name in [n for n in os.environ if n.startswith("SESH_") and not n.startswith(_OURS)]:
        monkeypatch.delenv(name)
    return home


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """A database of its own on a real server, dropped afterwards.

    $SESH_POSTGRES names the server (default: this machine's, as `postgres`). Without one the test skips;
    SESH_REQUIRE_POSTGRES=1 makes it fail instead.
    """
    psycopg = pytest.importorskip("psycopg")
    name = f"sesh_test_{uuid4().hex}"
    try:
        connection = psycopg.connect(_POSTGRES, autocommit=True, connect_timeout=5)
    except psycopg.OperationalError as e:
        absent(f"no PostgreSQL answers at {_POSTGRES}: {e}", "SESH_REQUIRE_POSTGRES")
    with connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"{_POSTGRES.rsplit('/', 1)[0]}/{name}"
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
