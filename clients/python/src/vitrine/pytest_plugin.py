"""The pytest fixture `vitrine_device`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from ._device import Device, connect
from .testing import start_virt


@pytest.fixture(scope="session")
def vitrine_device() -> Iterator[Device]:
    """
    The device that `$VITRINE_HOST` names, or the ready file of `npm start` in `$VITRINE_READY`; else a virtual one, which is
    started from the checkout of Vitrine in `$VITRINE_PROJECT`: in a container, with `$VITRINE_IN=qemu` in QEMU.
    """
    address = os.environ.get("VITRINE_HOST")
    ready = os.environ.get("VITRINE_READY")
    if address is None and ready is not None:
        with open(ready, encoding="utf-8") as file:
            address = json.load(file)["api"].removesuffix("/api/v1")
    if address is not None:
        with connect(address) as device:
            yield device
    elif os.environ.get("VITRINE_PROJECT"):
        # pytest shows it if the test fails.
        with start_virt(container=os.environ.get("VITRINE_IN") != "qemu", on_progress=print) as virt:
            yield virt.device
    else:
        pytest.skip("none of VITRINE_HOST, VITRINE_READY and VITRINE_PROJECT names a device")
