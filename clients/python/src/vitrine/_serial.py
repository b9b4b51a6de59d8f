"""The serial link: frames of JSON, one a line."""

from __future__ import annotations

import base64
import json
import queue
import socket
import stat
import threading
import time
from collections.abc import Iterator
from os import stat as stat_of
from typing import IO, Any, Protocol

from ._errors import PortError
from ._http import Answer
from ._ports import busy, open_error, others_of, silent

#: Maximum size of an upload chunk (docs/api.md: Limits).
CHUNK_BYTES = 16 * 1024
#: Events that wait to be taken.
MAX_WAITING = 10_000
#: A device answers within 0.2 s, an emulated one under load within seconds.
HELLO_S, HELLO_AGAIN_S = 10.0, 1.0


class Line(Protocol):
    """What carries the bytes."""

    def read(self) -> bytes: ...
    def write(self, data: bytes) -> None: ...
    def close(self) -> None: ...


class TtyLine:
    """A serial port, by pyserial."""

    def __init__(self, path: str) -> None:
        try:
            import serial
        except ImportError as error:
            raise RuntimeError(f"the serial link {path} needs pyserial: pip install pyserial") from error
        # Opening a port raises DTR, which would end the session of the program that uses it.
        if others := others_of(path):
            raise busy(path, others)
        try:
            # The line's speed has no effect on USB.
            self._port = serial.Serial(path, 115200, exclusive=True)
        except OSError as error:
            raise open_error(path, str(error)) from error

    def read(self) -> bytes:
        return bytes(self._port.read(max(1, self._port.in_waiting)))

    def write(self, data: bytes) -> None:
        self._port.write(data)

    def close(self) -> None:
        self._port.cancel_read()
        self._port.close()


class SocketLine:
    """The unix socket of a virtual device."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise PortError("failed", f"{path} cannot be opened: {error}") from error

    def read(self) -> bytes:
        return self._socket.recv(65536)

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def close(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()


def open_line(path: str) -> Line:
    """Opens a serial port or a unix socket."""
    try:
        is_socket = stat.S_ISSOCK(stat_of(path).st_mode)
    except OSError:
        is_socket = False  # Names of ports on Windows are no files.
    return SocketLine(path) if is_socket else TtyLine(path)


class SerialLink:
    """A host on the serial link. Requests may be made from any thread."""

    def __init__(self, path: str, base_path: str, hello_timeout: float = HELLO_S) -> None:
        """Opens the link, and waits for the device's hello."""
        self._base = base_path
        self._line = open_line(path)
        self._lock = threading.Lock()
        self._last_id = 0
        self._answers: dict[int, queue.Queue[dict[str, Any] | None]] = {}
        self._listeners: list[queue.Queue[dict[str, Any] | None]] = []
        self._is_closed = False
        greeting: queue.Queue[dict[str, Any] | None] = queue.Queue(MAX_WAITING)
        self._listeners.append(greeting)
        threading.Thread(target=self._receive, name="vitrine-serial", daemon=True).start()
        try:
            if not self._is_greeted(greeting, hello_timeout):
                self.close()
                raise silent(path, hello_timeout)
        finally:
            self._listeners.remove(greeting)

    def request(
        self, method: str, path: str, *, json_body: Any = None, body: IO[bytes] | bytes | None = None,
        size: int | None = None, timeout: float = 120,
    ) -> Answer:
        """Gives status, JSON (or None) and bytes of an answer of any status."""
        answer: queue.Queue[dict[str, Any] | None] = queue.Queue()
        with self._lock:
            if self._is_closed:
                raise ConnectionError("the serial link was closed")
            self._last_id += 1
            number = self._last_id
            self._answers[number] = answer
        frame = {"id": number, "type": "request", "method": method, "path": self._base + path}
        if json_body is not None:
            frame["body"] = json_body
        if body is not None:
            frame["body_b64"] = ""
        try:
            self.send(frame)
            if body is not None:
                self._send_chunks(number, body, answer)
            try:
                response = answer.get(timeout=timeout)
            except queue.Empty:
                raise TimeoutError(f"waited {timeout} s for the response {number} on serial") from None
        finally:
            self._answers.pop(number, None)
        if response is None:
            raise ConnectionError("the serial link was closed")
        data = base64.b64decode(response.get("body_b64", ""))
        return response["status"], response.get("body"), data

    def events(self, subscribe: dict[str, Any], timeout: float | None) -> Iterator[dict[str, Any] | None]:
        """Frames of the link; None when nothing has come for `timeout` seconds."""
        frames: queue.Queue[dict[str, Any] | None] = queue.Queue(MAX_WAITING)
        self._listeners.append(frames)
        topics = subscribe["topics"]
        try:
            self.send(subscribe)
            while True:
                try:
                    frame = frames.get(timeout=timeout)
                except queue.Empty:
                    yield None
                    continue
                if frame is None:
                    raise ConnectionError("the serial link was closed")
                if frame.get("type") != "event" or frame.get("topic") in topics:
                    yield frame
        finally:
            self._listeners.remove(frames)
            if not self._is_closed and not self._listeners:
                self.send({"type": "unsubscribe", "topics": topics})

    def send(self, frame: dict[str, Any]) -> None:
        """Sends a frame."""
        with self._lock:
            self._line.write(json.dumps(frame).encode() + b"\n")

    def close(self) -> None:
        """Frees the port."""
        self._is_closed = True
        self._line.close()

    def _is_greeted(self, frames: queue.Queue[dict[str, Any] | None], timeout: float) -> bool:
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            # Asked again, since the first time may have completed a line that the program before has begun.
            self.send({"type": "hello"})
            try:
                while frame := frames.get(timeout=min(left, HELLO_AGAIN_S)):
                    if frame.get("type") == "hello":
                        return True
                return False
            except queue.Empty:
                pass
        return False

    def _send_chunks(self, number: int, body: IO[bytes] | bytes, answer: queue.Queue[Any]) -> None:
        def read(at: int) -> bytes:
            return body[at : at + CHUNK_BYTES] if isinstance(body, bytes) else body.read(CHUNK_BYTES)

        chunk, sequence, at = read(0), 0, 0
        # An answer that comes before the last chunk refuses the upload.
        while answer.empty():
            at += len(chunk)
            following = read(at) if chunk else b""
            data = base64.b64encode(chunk).decode()
            self.send({"id": number, "type": "request_chunk", "seq": sequence, "last": not following, "data_b64": data})
            if not following:
                return
            chunk, sequence = following, sequence + 1

    def _receive(self) -> None:
        rest = b""
        try:
            while data := self._line.read():
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._take(line)
        except Exception:  # noqa: BLE001 - whatever it was, the link has ended
            pass
        self._is_closed = True
        for waiting in [*self._answers.values(), *self._listeners]:
            waiting.put(None)

    def _take(self, line: bytes) -> None:
        try:
            frame = json.loads(line)
        except ValueError:
            return  # Output of a shell.
        if not isinstance(frame, dict):
            return
        if frame.get("type") == "response":
            waiting = self._answers.get(frame.get("id", 0))
            if waiting is not None:
                waiting.put(frame)
            return
        for listener in list(self._listeners):
            try:
                listener.put_nowait(frame)
            except queue.Full:
                pass  # Who does not take events misses them.
