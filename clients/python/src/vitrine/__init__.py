"""Drives a Vitrine display appliance over its network or serial link."""

from ._device import Device, connect
from ._errors import BundleError, PortError, RequestError, VitrineError, WaitError

__all__ = ["BundleError", "Device", "PortError", "RequestError", "VitrineError", "WaitError", "connect"]
