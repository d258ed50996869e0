"""A proxy on 127.0.0.1 between a client and a server, which breaks the connection when it is told to."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit, urlunsplit


class WireCutter:
    """Passes bytes on both ways. `cut_after(n)`: the connection breaks once n more bytes went to the server.

    Each cut happens once; connections made afterwards are left alone until the next order.
    """

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._left: int | None = None
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self.cuts = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, url: str) -> str:
        """The same URL by way of this proxy."""
        parts = urlsplit(url)
        user = f"{parts.username}@" if parts.username else ""
        return urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{self._listening.getsockname()[1]}"))

    def cut_after(self, count: int | None) -> None:
        """Break the next connection that sends, after `count` bytes; None: leave them alone."""
        with self._lock:
            self._left = count

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return  # closed
            far = socket.create_connection(self._server)
            with self._lock:
                self._open |= {near, far}
            threading.Thread(target=self._pass, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self._pass, args=(far, near, False), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, counted: bool) -> None:
        try:
            while data := source.recv(65536):
                cut = False
                if counted:
                    with self._lock:
                        if self._left is not None:
                            cut = self._left < len(data)
                            data, self._left = data[: self._left], None if cut else self._left - len(data)
                            self.cuts += cut
                target.sendall(data)
                if cut:
                    break
        except OSError:
            pass  # the other direction was cut
        for end in (source, target):
            self._shut(end)

    def _shut(self, end: socket.socket) -> None:
        with self._lock:
            self._open.discard(end)
        with suppress(OSError):  # it may be shut already
            end.shutdown(socket.SHUT_RDWR)
        end.close()

    def close(self) -> None:
        """Stop listening and break everything."""
        with suppress(OSError):  # wakes the thread that waits for a connection; where it cannot, closing has to do
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        with self._lock:
            ends = list(self._open)
        for end in ends:
            self._shut(end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
