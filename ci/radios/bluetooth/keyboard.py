"""The HID over GATT service of a Bluetooth LE keyboard, for peers.py."""

from bumble.device import Device
from bumble.gatt import (
    GATT_DEVICE_INFORMATION_SERVICE,
    GATT_HID_CONTROL_POINT_CHARACTERISTIC,
    GATT_HID_INFORMATION_CHARACTERISTIC,
    GATT_HUMAN_INTERFACE_DEVICE_SERVICE,
    GATT_PNP_ID_CHARACTERISTIC,
    GATT_PROTOCOL_MODE_CHARACTERISTIC,
    GATT_REPORT_CHARACTERISTIC,
    GATT_REPORT_MAP_CHARACTERISTIC,
    GATT_REPORT_REFERENCE_DESCRIPTOR,
    Characteristic,
    Descriptor,
    Service,
)

READ = Characteristic.Properties.READ
WRITE = Characteristic.Properties.WRITE_WITHOUT_RESPONSE
NOTIFY = Characteristic.Properties.NOTIFY
READABLE = Characteristic.READABLE | Characteristic.READ_REQUIRES_ENCRYPTION
WRITEABLE = Characteristic.WRITEABLE | Characteristic.WRITE_REQUIRES_ENCRYPTION

KEYS, SYSTEM = 1, 2
"""Ids of the reports: eight bytes of a keyboard, and the power keys as bits."""

REPORT_MAP = bytes.fromhex(
    # keyboard: modifiers, a reserved byte, six keys
    "05010906a1018501050719e029e71500250175019508810295017508810395067508150026ff00050719002aff008100c0"
    # system control: power down, sleep, wake up
    "05010980a10185021981298315002501750195038102950175058103c0"
)

INPUT = 1
"""Type of a report that the keyboard sends."""

SHIFT = 0x02


def usage(character: str) -> tuple[int, int]:
    """Modifiers and usage of the key that types a character on a US keyboard."""
    if character.isascii() and character.isalpha():
        return SHIFT if character.isupper() else 0, 4 + ord(character.lower()) - ord("a")
    if character in "1234567890":
        return 0, 30 + "1234567890".index(character)
    if character in "\n\b\t ":
        return 0, {"\n": 40, "\b": 42, "\t": 43, " ": 44}[character]
    raise ValueError(f"no key is known for {character!r}")


class Keyboard:
    """Keys that are pressed and released at once."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.reports = {id: self._report(id) for id in (KEYS, SYSTEM)}
        device.add_services(
            [
                Service(
                    GATT_DEVICE_INFORMATION_SERVICE,
                    # USB-IF, vendor 1209, product 0002, version 1.0
                    [Characteristic(GATT_PNP_ID_CHARACTERISTIC, READ, Characteristic.READABLE, bytes.fromhex("02091202000001"))],
                ),
                Service(
                    GATT_HUMAN_INTERFACE_DEVICE_SERVICE,
                    [
                        Characteristic(GATT_PROTOCOL_MODE_CHARACTERISTIC, READ | WRITE, READABLE | WRITEABLE, b"\x01"),
                        Characteristic(GATT_HID_INFORMATION_CHARACTERISTIC, READ, READABLE, bytes.fromhex("11010002")),
                        Characteristic(GATT_HID_CONTROL_POINT_CHARACTERISTIC, WRITE, WRITEABLE, b"\x00"),
                        Characteristic(GATT_REPORT_MAP_CHARACTERISTIC, READ, READABLE, REPORT_MAP),
                        *self.reports.values(),
                    ],
                ),
            ]
        )

    @staticmethod
    def _report(id: int) -> Characteristic:
        size = {KEYS: 8, SYSTEM: 1}[id]
        reference = Descriptor(GATT_REPORT_REFERENCE_DESCRIPTOR, Descriptor.READABLE, bytes([id, INPUT]))
        return Characteristic(GATT_REPORT_CHARACTERISTIC, READ | NOTIFY, READABLE, bytes(size), [reference])

    async def type(self, text: str) -> None:
        for character in text:
            modifiers, key = usage(character)
            await self._send(KEYS, bytes([modifiers, 0, key, 0, 0, 0, 0, 0]))
            await self._send(KEYS, bytes(8))

    async def press_power_keys(self) -> None:
        """Presses power, sleep and wake, one after the other."""
        for bit in (1, 2, 4):
            await self._send(SYSTEM, bytes([bit]))
            await self._send(SYSTEM, b"\x00")

    async def _send(self, id: int, value: bytes) -> None:
        await self.device.notify_subscribers(self.reports[id], value)
