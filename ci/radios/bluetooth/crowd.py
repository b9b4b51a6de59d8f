"""Many advertisers in one controller, for peers.py."""

import asyncio

from bumble.core import AdvertisingData
from bumble.hci import (
    Address,
    HCI_LE_Set_Advertising_Data_Command,
    HCI_LE_Set_Advertising_Enable_Command,
    HCI_LE_Set_Advertising_Parameters_Command,
    HCI_LE_Set_Random_Address_Command,
    HCI_Reset_Command,
)

WINDOW = 8
"""Commands that are under way. A host would wait for each; the emulated controller takes more."""
PACE_S = 0.025
"""Time between two devices: the emulated controllers share one process, and the kernel gives a controller up that does not
answer within 2 s."""
ANSWER_S = 60
COMMAND_COMPLETE = bytes([0x04, 0x0E])
"""Packet type and code of the event."""
NOT_CONNECTABLE = 3
DISCOVERABLE = b"\x06"
"""Without it, BlueZ lists nobody."""
INTERVAL = 0xA0
"""In units of 0.625 ms."""


class Crowd:
    def __init__(self, source, transport) -> None:
        self.transport = transport
        self.window = asyncio.Semaphore(WINDOW)
        source.set_packet_sink(self)

    def on_packet(self, packet: bytes) -> None:
        if packet.startswith(COMMAND_COMPLETE):
            self.window.release()

    async def advertise(self, count: int) -> None:
        """Advertises for a moment with each of `count` random addresses. The names are `crowd 0` and so on."""
        await self._send(HCI_Reset_Command())
        await self._send(
            HCI_LE_Set_Advertising_Parameters_Command(
                advertising_interval_min=INTERVAL,
                advertising_interval_max=INTERVAL,
                advertising_type=NOT_CONNECTABLE,
                own_address_type=Address.RANDOM_DEVICE_ADDRESS,
                peer_address_type=Address.PUBLIC_DEVICE_ADDRESS,
                peer_address=Address.ANY,
                advertising_channel_map=7,
                advertising_filter_policy=0,
            )
        )
        for number in range(count):
            name = f"crowd {number}".encode()
            data = AdvertisingData([(AdvertisingData.FLAGS, DISCOVERABLE), (AdvertisingData.COMPLETE_LOCAL_NAME, name)])
            await self._send(HCI_LE_Set_Random_Address_Command(random_address=Address.generate_static_address()))
            await self._send(HCI_LE_Set_Advertising_Data_Command(advertising_data=bytes(data)))
            for enable in (1, 0):
                await self._send(HCI_LE_Set_Advertising_Enable_Command(advertising_enable=enable))
            await asyncio.sleep(PACE_S)
        for _ in range(WINDOW):
            await asyncio.wait_for(self.window.acquire(), ANSWER_S)
        for _ in range(WINDOW):
            self.window.release()

    async def _send(self, command) -> None:
        await asyncio.wait_for(self.window.acquire(), ANSWER_S)
        self.transport.write(bytes(command))
