"""The pytest fixture `vitrine_device`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from ._device import Device, connect


@pytest.fixture(scope="session")
def vitrine_device() -> Iterator[Device]:
    """The device that `$VITRINE_HOST` names, or the ready file of `npm start` in `$VITRINE_READY`."""
    address = os.environ.get("VITRINE_HOST")
    ready = os.environ.get("VITRINE_READY")
    if address is None and ready is not None:
        with open(ready, encoding="utf-8") as file:
            address = json.load(file)["api"].removesuffix("/api/v1")
    if address is None:
        pytest.skip("neither VITRINE_HOST nor VITRINE_READY names a device")
    with connect(address) as device:
        yield device
