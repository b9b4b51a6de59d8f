"""A device, as programs of its host use it."""

from __future__ import annotations

import io
import os
import re
import ssl
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import quote, urlencode

from ._bundle import check_archive, name_for, packed
from ._errors import BundleError, RequestError, WaitError
from ._http import Answer, HttpLink
from ._serial import SerialLink

BASE_PATH = "/api/v1"
#: Where the only device of a host is, without configuration.
USUAL_ADDRESS = "http://10.55.77.1"
#: Between two questions while something is waited for, in s.
POLL_S = 0.25
#: How long to wait before a lost connection is tried again, in s: at first, and at most.
FIRST_DELAY_S, MAX_DELAY_S = 0.25, 5.0
#: To send a file, also on serial; to verify and write a system; for three failed starts and a return, in s.
SEND_S, INSTALL_S, RESTART_S = 6 * 3600.0, 1800.0, 1800.0
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")

Progress = Callable[[str, float], None]


class Link(Protocol):
    """A link to the device."""

    def request(
        self, method: str, path: str, *, json_body: Any = None, body: IO[bytes] | bytes | None = None,
        size: int | None = None, timeout: float = 120,
    ) -> Answer: ...
    def events(self, subscribe: dict[str, Any], timeout: float | None) -> Iterator[dict[str, Any] | None]: ...
    def close(self) -> None: ...


def connect(address: str = USUAL_ADDRESS, *, context: ssl.SSLContext | None = None) -> Device:
    """
    A device at an address: `http://10.55.77.1`, `https://lobby.local`, `10.55.77.1`, `/dev/ttyACM0`, `COM3`, or the unix
    socket of a virtual device. `context` has the certificates that are trusted for HTTPS.
    """
    if re.match(r"[\\/.]|COM\d+$", address, re.IGNORECASE):
        return Device(SerialLink(address, BASE_PATH))
    origin = address if re.match(r"https?://", address, re.IGNORECASE) else f"http://{address}"
    return Device(HttpLink(origin, BASE_PATH, context))


class Device:
    """The calls of the API, events, and waiting for what takes time."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._link.close()

    def request(self, method: str, path: str, *, json: Any = None, timeout: float = 120) -> Answer:
        """Any request; gives status, JSON and bytes of an answer of any status."""
        return self._link.request(method, path, json_body=json, timeout=timeout)

    def get(self, path: str, *, timeout: float = 120, **query: object) -> Any:
        """The JSON of a path, with parameters of the query."""
        return self._call("GET", _with_query(path, query), timeout=timeout)[1]

    def post(self, path: str, json: Any = None, *, timeout: float = 120) -> Any:
        return self._call("POST", path, json_body=json, timeout=timeout)[1]

    def patch(self, path: str, json: Any) -> Any:
        return self._call("PATCH", path, json_body=json)[1]

    def delete(self, path: str) -> Any:
        return self._call("DELETE", path)[1]

    def download(self, path: str, *, timeout: float = 120, **query: object) -> bytes:
        """The bytes of a file."""
        return self._call("GET", _with_query(path, query), timeout=timeout)[2]

    def upload(
        self, path: str, source: bytes | str | os.PathLike[str] | IO[bytes], *, on_progress: Progress | None = None
    ) -> Any:
        """Sends bytes, or a file, which is read while it is sent."""
        if isinstance(source, bytes):
            source = io.BytesIO(source)
        if isinstance(source, (str, os.PathLike)):
            with open(source, "rb") as file:
                return self.upload(path, file, on_progress=on_progress)
        size = source.seek(0, io.SEEK_END)
        source.seek(0)
        body = _Counted(source, size, on_progress) if on_progress else source
        return self._call("PUT", path, body=body, size=size, timeout=SEND_S)[1]

    def events(
        self, *topics: str, timeout: float | None = None, snapshot: bool = False,
        on_connected: Callable[[], object] | None = None,
    ) -> Generator[dict[str, Any], None, None]:
        """
        The events of topics as they come. A lost connection is opened and subscribed again; what happened in between is
        missed. With `snapshot`, the present state of topics that report one comes first, also then. `on_connected` is
        called whenever events are received from then on. Ends when nothing has come for `timeout` seconds.
        """
        subscribe: dict[str, Any] = {"type": "subscribe", "topics": list(topics)}
        if snapshot:
            subscribe["snapshot"] = True
        delay = FIRST_DELAY_S
        last = time.monotonic()
        while True:
            try:
                is_connected = False
                for frame in self._link.events(subscribe, timeout):
                    delay = FIRST_DELAY_S
                    if frame is None:
                        return
                    if frame.get("type") == "error":
                        raise ValueError(frame["error"]["message"])
                    # On serial, another stream may be told of its own topics meanwhile.
                    is_known = frame.get("type") == "subscribed" and set(topics) <= set(frame["topics"])
                    if is_known and not is_connected:
                        is_connected = True
                        if on_connected:
                            on_connected()
                    if frame.get("type") == "event":
                        last = time.monotonic()
                        yield frame
            except OSError:
                pass  # Lost, or not there yet.
            except Exception as error:
                if type(error).__module__.split(".")[0] != "websockets":
                    raise
            if timeout is not None and time.monotonic() - last > timeout:
                return
            time.sleep(delay)
            delay = min(2 * delay, MAX_DELAY_S)

    def show(
        self, *, url: str | None = None, bundle: str | None = None, waiting: bool = False, timeout: float = 60
    ) -> dict[str, Any]:
        """Shows a page, a stored bundle or the waiting page, and waits until it is on the screen."""
        if (url is not None) + (bundle is not None) + waiting != 1:
            raise TypeError("give one of url, bundle and waiting")
        if url is not None:
            self.post("/display/navigate", {"url": url})
        elif bundle is not None:
            self.post("/display/bundle", {"name": bundle})
        else:
            self.post("/display/waiting")
        return self.wait_loaded(timeout=timeout)

    def wait_loaded(self, *, timeout: float = 60) -> dict[str, Any]:
        """Waits until the target is on the screen."""

        def check() -> tuple[Any, str]:
            display = self.get("/display")
            if display["loading"]:
                return None, f"it is loading {display.get('target_url') or display.get('bundle') or ''}".rstrip()
            if display["error"]:
                raise WaitError(f"it is not on the screen: {display['error']['message']}", display["error"]["code"])
            return display, ""

        shown: dict[str, Any] = self._wait(check, "the target to be on the screen", timeout)
        return shown

    def wait_channel_open(self, *, timeout: float = 60) -> None:
        """Waits until the displayed page listens to messages."""
        self._wait(
            lambda: (self.get("/page/status")["open"] or None, "the displayed page has not opened it"),
            "the page to open its channel",
            timeout,
        )

    def wait_operation(
        self, operation_id: str, *, timeout: float = 600, on_progress: Callable[[float], None] | None = None
    ) -> dict[str, Any]:
        """Waits until an operation has ended."""

        def check() -> tuple[Any, str]:
            operation = self.get(f"/operations/{quote(operation_id, safe='')}")
            if on_progress:
                on_progress(operation["progress"])
            if operation["state"] == "running":
                return None, f"it is at {int(operation['progress'] * 100)} %"
            if operation["state"] == "failed":
                error = operation["error"]["error"]
                raise WaitError(error["message"], error["code"])
            return operation, ""

        ended: dict[str, Any] = self._wait(check, f"the operation {operation_id}", timeout)
        return ended

    def store_bundle(self, name: str, archive: bytes | str | os.PathLike[str], *, on_progress: Progress | None = None) -> None:
        """Stores a zip archive as a bundle, and waits until it is checked."""
        answer = self.upload(f"/content/{quote(name, safe='')}", archive, on_progress=on_progress)
        self.wait_operation(answer["operation_id"])

    def push(
        self, path: str | os.PathLike[str], *, name: str | None = None, show: bool = False,
        on_progress: Progress | None = None,
    ) -> str:
        """Packs a folder as the device wants it, checks it and stores it; a zip archive is sent as it is. Gives its name."""
        source = Path(path)
        bundle = name_for(source.resolve().name) if name is None else name
        if not NAME.fullmatch(bundle):
            raise BundleError(f"{bundle!r} cannot be a bundle's name: it has 1 to 63 of a-z, 0-9 and -; try {name_for(bundle)}")
        if source.is_dir():
            with packed(source) as archive:
                self.store_bundle(bundle, archive, on_progress=on_progress)
        else:
            check_archive(source)
            self.store_bundle(bundle, source, on_progress=on_progress)
        if show:
            self.show(bundle=bundle)
        return bundle

    def install_update(self, source: bytes | str | os.PathLike[str], *, on_progress: Progress | None = None) -> None:
        """Sends an update and waits until it is installed. It starts with `post("/update/apply")`."""
        answer = self.upload("/update/bundle", source, on_progress=on_progress)
        tell = (lambda done: on_progress("install", done)) if on_progress else None
        self.wait_operation(answer["operation_id"], timeout=INSTALL_S, on_progress=tell)

    def update_and_wait(self, source: bytes | str | os.PathLike[str], *, on_progress: Progress | None = None) -> dict[str, Any]:
        """Installs an update, restarts into it and waits until it is confirmed or given up."""
        self.install_update(source, on_progress=on_progress)
        before = (self.get("/update")["last_result"] or {}).get("ts")
        self.post("/update/apply")

        def check() -> tuple[Any, str]:
            status = self.get("/update", timeout=10)
            result = status["last_result"]
            if not result or result["ts"] == before:
                return None, "the device has no result yet"
            if result["outcome"] != "success":
                reason = result["reason"] or {}
                message = reason.get("message", "the device does not say why")
                raise WaitError(f"the update was not kept: {message}", reason.get("code"))
            return status, ""

        result: dict[str, Any] = self._wait(check, "the result of the update", RESTART_S, is_restarting=True)
        return result

    def _call(self, method: str, path: str, **options: Any) -> Answer:
        answer = self._link.request(method, path, **options)
        status, body, _ = answer
        if not 200 <= status <= 299:
            raise RequestError(method, path, status, body)
        return answer

    def _wait(self, check: Callable[[], tuple[Any, str]], what: str, timeout: float, *, is_restarting: bool = False) -> Any:
        end = time.monotonic() + timeout
        while True:
            try:
                result, instead = check()
                if result is not None:
                    return result
            except RequestError as error:
                if not is_restarting:
                    raise
                instead = str(error)
            except OSError as error:
                instead = f"the device does not answer ({error})"
            if time.monotonic() >= end:
                raise WaitError(f"waited {timeout:g} s for {what}: {instead}", is_timeout=True)
            time.sleep(POLL_S)


class _Counted:
    """A file that tells how much of it was read."""

    def __init__(self, file: IO[bytes], size: int, tell: Progress) -> None:
        self._file, self._size, self._tell, self._read = file, size, tell, 0

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self._read += len(block)
        self._tell("send", self._read / self._size if self._size else 1.0)
        return block


def _with_query(path: str, query: dict[str, object]) -> str:
    return f"{path}?{urlencode(query)}" if query else path
