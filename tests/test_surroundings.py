"""What every test stands on: a home of its own, and no way to another machine."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest


def test_home_is_private(tmp_path: Path) -> None:
    assert not any(Path.home().iterdir())
    assert str(Path.home()).startswith(str(tmp_path.parent))


@pytest.mark.parametrize("address", ["192.0.2.1", "example.com"])
def test_no_other_machine_is_reached(address: str) -> None:
    with pytest.raises(PermissionError, match="tests stay on"):
        socket.create_connection((address, 80), timeout=1)


def test_this_machine_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_a_database_of_its_own(postgres_url: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT current_database()").fetchone()[0].startswith("sesh_test_")
