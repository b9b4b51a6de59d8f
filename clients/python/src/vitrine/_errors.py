"""What can go wrong."""

from __future__ import annotations

from typing import Any


class VitrineError(Exception):
    """Any error of this package."""


class RequestError(VitrineError):
    """An answer that is not 2xx."""

    def __init__(self, method: str, path: str, status: int, body: Any) -> None:
        error = body.get("error", {}) if isinstance(body, dict) else {}
        self.status = status
        #: The code of the device's error; None when the answer has none.
        self.code: str | None = error.get("code")
        self.details: dict[str, Any] = error.get("details") or {}
        message = f" ({error['message']})" if "message" in error else ""
        super().__init__(f"{method} {path} answers {status} {self.code or ''}".rstrip() + message)


class WaitError(VitrineError):
    """What was waited for did not happen."""

    def __init__(self, message: str, code: str | None = None, *, is_timeout: bool = False) -> None:
        #: The code of the device's error, if that is the reason.
        self.code = code
        #: Whether only the time was over: it may still happen.
        self.is_timeout = is_timeout
        super().__init__(message)


class BundleError(VitrineError):
    """Something that the device would refuse was not sent."""


class PortError(VitrineError, ConnectionError):
    """A serial port that cannot be used. The message says what to do."""

    def __init__(self, code: str, message: str) -> None:
        #: `busy`, `denied`, `missing`, `silent` (it is open, but no device answers) or `failed`.
        self.code = code
        super().__init__(message)
