"""What both scripted models share: a server on 127.0.0.1 in a thread, JSON in and out, server-sent events."""

from __future__ import annotations

import gzip
import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Self


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request that reached the model. `kind` is the model's own class of it; `body` its decoded JSON."""

    kind: str
    path: str
    body: Any


class Server:
    """`with Server(Handler) as s`: the server listens on `s.port`; `s.requests` grows as the client asks."""

    handler: ClassVar[type[JsonHandler]]

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (self.handler,), {"model": self}))
        self._http.daemon_threads = True
        self.port: int = self._http.server_address[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()

    def record(self, kind: str, path: str, body: Any) -> int:
        """Note a request; returns its number, from 1."""
        with self.lock:
            self.requests.append(Request(kind=kind, path=path, body=body))
            return len(self.requests)


class JsonHandler(BaseHTTPRequestHandler):
    """Reading a request's body and answering as JSON or as events."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing on stderr: the client's own words stand there."""

    def body(self) -> bytes:
        """The request's body, by length or in chunks, unzipped."""
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        if not length and (self.headers.get("Transfer-Encoding") or "").lower() == "chunked":
            raw = b"".join(self._chunks())
        return gzip.decompress(raw) if (self.headers.get("Content-Encoding") or "").lower() == "gzip" else raw

    def _chunks(self) -> Any:
        while size := int(self.rfile.readline().strip() or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def answer(self, value: Any, status: int = 200) -> None:
        """A whole JSON answer."""
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def begin_events(self) -> None:
        """The head of a server-sent event stream, ended by closing the connection."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, kind: str, **fields: Any) -> None:
        """One event of the stream."""
        self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode())
        self.wfile.flush()
