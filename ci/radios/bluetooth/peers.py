"""Bluetooth devices for the tests, with Bumble's host stack. The controller of each is elsewhere: it connects to a TCP port
of 127.0.0.1 and speaks HCI as on a UART (H4).

Commands are lines of JSON on standard input, {"id": 1, "do": "add", ...}; each is answered by a line on standard output,
{"id": 1, "result": ...} or {"id": 1, "error": "..."}. Other lines there are events. The program ends with its input.
"""

import asyncio
import json
import os
import sys
from contextlib import suppress

from bumble.core import AdvertisingData, PhysicalTransport
from bumble.device import AdvertisingType, Device, DeviceConfiguration
from bumble.hci import Address, IoCapability
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.common import StreamPacketSink, StreamPacketSource
from crowd import Crowd
from keyboard import Keyboard

CONNECT_S = 60
"""Time limit for the controller to connect, and for a connection to another device."""
PAIR_S = 60
DISCONNECT_S = 10
SMARTPHONE = 0x5A020C
KEYBOARD_APPEARANCE = 0x03C1


def say(**message) -> None:
    print(json.dumps(message), flush=True)


class Controller(StreamPacketSource):
    """The connection of the controller."""

    def __init__(self) -> None:
        super().__init__()
        self.connected = asyncio.get_running_loop().create_future()

    def connection_made(self, transport) -> None:
        if self.connected.done():
            transport.close()
        else:
            self.connected.set_result(transport)


class Delegate(PairingDelegate):
    """Agrees to everything, and types the passkey that `passkey` gets."""

    def __init__(self, peer: "Peer", io_capability: PairingDelegate.IoCapability) -> None:
        super().__init__(io_capability=io_capability)
        self.peer = peer

    async def get_number(self) -> int | None:
        self.peer.passkey = asyncio.get_running_loop().create_future()
        say(event="passkey_wanted", peer=self.peer.name)
        return await self.peer.passkey


class Identity:
    """What a device keeps while it is off."""

    def __init__(self) -> None:
        self.address = Address.generate_static_address()
        self.irk = os.urandom(16)
        self.keys = MemoryKeyStore()


class Peer:
    def __init__(self, name: str, kind: str, identity: Identity) -> None:
        self.name = name
        self.kind = kind
        self.identity = identity
        self.passkey: asyncio.Future[int] | None = None
        self.keyboard: Keyboard | None = None
        self.crowd: Crowd | None = None
        self.device: Device
        self.server: asyncio.Server
        self.transport = None

    async def listen(self) -> int:
        """Waits for the controller on a port, which is returned."""
        controller = Controller()
        self.server = await asyncio.get_running_loop().create_server(lambda: controller, "127.0.0.1", 0)
        self.starting = asyncio.create_task(self._start(controller))
        self.starting.add_done_callback(self._started)
        return self.server.sockets[0].getsockname()[1]

    def _started(self, task: asyncio.Task) -> None:
        error = None if task.cancelled() else task.exception()
        if error:
            say(event="failed", peer=self.name, error=repr(error))

    async def _start(self, controller: Controller) -> None:
        self.transport = await asyncio.wait_for(controller.connected, CONNECT_S)
        if self.kind == "crowd":
            self.crowd = Crowd(controller, self.transport)
            say(event="ready", peer=self.name, address="")
            return
        is_keyboard = self.kind == "keyboard"
        config = DeviceConfiguration(
            name=self.name,
            address=self.identity.address,
            irk=self.identity.irk,
            class_of_device=SMARTPHONE,
            classic_enabled=not is_keyboard,
            # A phone is found by inquiry only: else it would be two devices, as its random LE address differs.
            discoverable=self.kind == "phone",
        )
        device = Device.from_config_with_hci(config, controller, StreamPacketSink(self.transport))
        device.keystore = self.identity.keys
        self.device = device
        capability = PairingDelegate.KEYBOARD_INPUT_ONLY if is_keyboard else PairingDelegate.NO_OUTPUT_NO_INPUT
        device.pairing_config_factory = lambda connection: PairingConfig(
            mitm=is_keyboard, delegate=Delegate(self, capability)
        )
        device.on("connection", self._connected)
        if is_keyboard:
            self.keyboard = Keyboard(device)
        await device.power_on()
        if is_keyboard:
            await self.advertise()
        address = device.random_address if is_keyboard else device.public_address
        say(event="ready", peer=self.name, address=str(address).split("/")[0])

    def _connected(self, connection) -> None:
        address = str(connection.peer_address).split("/")[0]

        def on(event: str, name: str) -> None:
            connection.on(event, lambda *_: say(event=name, peer=self.name, address=address))

        on(connection.EVENT_PAIRING, "paired")
        on(connection.EVENT_CLASSIC_PAIRING, "paired")
        on(connection.EVENT_PAIRING_FAILURE, "pairing_failed")
        on(connection.EVENT_CLASSIC_PAIRING_FAILURE, "pairing_failed")
        on(connection.EVENT_DISCONNECTION, "disconnected")
        say(event="connected", peer=self.name, address=address)

    async def advertise(self) -> None:
        """Advertises as a keyboard, also after each disconnection."""
        data = AdvertisingData(
            [
                (AdvertisingData.FLAGS, bytes([0x06])),
                (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes.fromhex("1218")),
                (AdvertisingData.APPEARANCE, KEYBOARD_APPEARANCE.to_bytes(2, "little")),
                (AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode()),
            ]
        )
        await self.device.start_advertising(
            AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE,
            auto_restart=True,
            advertising_data=bytes(data),
            advertising_interval_min=100,
            advertising_interval_max=100,
        )

    async def pair(self, address: str) -> bool:
        """Connects and pairs by itself, as a stranger does. Says by an exception why that failed."""
        connection = await self.device.connect(
            Address(address, Address.PUBLIC_DEVICE_ADDRESS), PhysicalTransport.BR_EDR, timeout=CONNECT_S
        )
        # Bumble waits for the other's capabilities, which btvirt does not tell to the one that begins.
        connection.pairing_peer_io_capability = IoCapability.NO_INPUT_NO_OUTPUT
        ended = asyncio.Event()
        connection.on(connection.EVENT_DISCONNECTION, lambda *_: ended.set())
        authentication = asyncio.ensure_future(connection.authenticate())
        try:
            await asyncio.wait((authentication,), timeout=PAIR_S)
            if not authentication.done():
                raise RuntimeError("not done in time")
            if authentication.cancelled():  # Bumble does so when the connection ends
                raise RuntimeError("the other side has ended the connection")
            authentication.result()
            return True
        finally:
            authentication.cancel()
            if not ended.is_set():
                with suppress(Exception):
                    await asyncio.wait_for(connection.disconnect(), DISCONNECT_S)

    async def remove(self) -> None:
        self.starting.cancel()
        self.server.close()
        if self.transport:
            self.transport.close()


class Peers:
    def __init__(self) -> None:
        self.peers: dict[str, Peer] = {}
        self.identities: dict[str, Identity] = {}

    async def run(self, command: dict):
        what, name = command["do"], command["peer"]
        if what == "add":
            identity = self.identities.setdefault(name, Identity())
            peer = self.peers[name] = Peer(name, command["kind"], identity)
            return await peer.listen()
        peer = self.peers[name]
        if what == "remove":
            return await self.peers.pop(name).remove()
        if what == "pair":
            return await peer.pair(command["address"])
        if what == "crowd":
            return await peer.crowd.advertise(command["count"])
        if what == "passkey":
            peer.passkey.set_result(command["passkey"])
            return None
        if what == "type":
            return await peer.keyboard.type(command["text"])
        if what == "power_keys":
            return await peer.keyboard.press_power_keys()
        raise ValueError(f"unknown command {what}")


async def answer(peers: Peers, line: str) -> None:
    command = json.loads(line)
    try:
        say(id=command["id"], result=await peers.run(command))
    except Exception as error:  # whatever it is, the test shows it
        say(id=command["id"], error=f"{type(error).__name__}: {error}")


async def main() -> None:
    peers = Peers()
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    tasks = set()
    while line := (await reader.readline()).decode():
        task = asyncio.create_task(answer(peers, line))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


asyncio.run(main())
os._exit(0)
