"""Drives a Vitrine display appliance over its network or serial link."""

from ._device import Device, connect
from ._errors import BundleError, RequestError, VitrineError, WaitError

__all__ = ["BundleError", "Device", "RequestError", "VitrineError", "WaitError", "connect"]
