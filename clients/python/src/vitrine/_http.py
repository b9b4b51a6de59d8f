"""The network link: HTTP, and a WebSocket for events."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Iterator
from typing import IO, Any
from urllib.parse import urlsplit

Answer = tuple[int, Any, bytes]
#: Read from a file at once, in bytes.
BLOCK_BYTES = 64 * 1024


class HttpLink:
    """One connection at a time; a request may be made from any thread, one after the other."""

    def __init__(self, origin: str, base_path: str, context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(origin)
        if not parts.hostname:
            raise ValueError(f"{origin!r} is no address of a device")
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._netloc = parts.netloc
        self._base = base_path
        self._context = context

    def request(
        self, method: str, path: str, *, json_body: Any = None, body: IO[bytes] | bytes | None = None,
        size: int | None = None, timeout: float = 120,
    ) -> Answer:
        """Gives status, JSON (or None) and bytes of an answer of any status."""
        headers = {}
        payload: Any = body
        if json_body is not None:
            payload = json.dumps(json_body).encode()
            headers["content-type"] = "application/json"
        elif body is not None:
            headers["content-type"] = "application/octet-stream"
            headers["content-length"] = str(len(body) if isinstance(body, bytes) else size)
        connection = self._connect(timeout)
        try:
            try:
                connection.request(method, self._base + path, payload, headers)
            except (BrokenPipeError, ConnectionResetError):
                pass  # A device that refuses a body may close the connection before it has read it; the answer counts.
            response = connection.getresponse()
            data = response.read()
            is_json = (response.headers.get("content-type") or "").startswith("application/json")
            return response.status, json.loads(data) if is_json and data else None, data
        finally:
            connection.close()

    def events(self, subscribe: dict[str, Any], timeout: float | None) -> Iterator[dict[str, Any] | None]:
        """Frames of one connection; None when nothing has come for `timeout` seconds."""
        from websockets.sync.client import connect

        scheme = "wss" if self._secure else "ws"
        options: dict[str, Any] = {"ssl": self._context} if self._secure and self._context else {}
        url = f"{scheme}://{self._netloc}{self._base}/events"
        with connect(url, max_size=None, **options) as socket:
            socket.send(json.dumps(subscribe))
            while True:
                try:
                    yield json.loads(socket.recv(timeout))
                except TimeoutError:
                    yield None

    def close(self) -> None:
        """Nothing is kept open between requests."""

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        if self._secure:
            return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
