import { setTimeout as sleep } from 'node:timers/promises';
import { unwatched, type Watch } from '../../base/watch.ts';
import { loadSpiDevice } from '../native.ts';
import { ACK } from './frame.ts';
import type { Transport } from './transport.ts';

/** The first byte of each transfer (UM0701-02, section 6.2.5). */
const DATA_WRITE = 0x01;
const STATUS_READ = 0x02;
const DATA_READ = 0x03;

/** The chip takes up to 5 MHz; jumper wires do not. */
const SPEED_HZ = 1_000_000;
/** How long a chip that sleeps needs after its chip select, in ms (PN532 datasheet: T_osc_start). */
const WAKE_MS = 2;

/** Each byte with its bits in reverse order. */
const MIRRORED = Buffer.from(
  Array.from({ length: 256 }, (_, byte) =>
    Array.from({ length: 8 }, (_bit, bit) => ((byte >> bit) & 1) << (7 - bit)).reduce((a, b) => a | b),
  ),
);

/**
 * A PN532 on `/dev/spidev<bus>.<cs>`, mode 0. The chip sends the least significant bit first, which the drivers of most
 * boards cannot do, so the bits are reversed here.
 * @throws ReaderError without spi-device, and the error of the system without the bus
 */
export async function openSpi(
  bus: number,
  cs: number,
  watch: Watch = unwatched,
  load = loadSpiDevice,
): Promise<Transport> {
  const name = `SPI device ${bus}.${cs}`;
  const spi = load();
  const opened = Promise.withResolvers<void>();
  const device = spi.open(bus, cs, { mode: spi.MODE0, maxSpeedHz: SPEED_HZ }, settle(opened));
  await watch(`Opening ${name}`, opened.promise);

  /** Sends bytes. @returns what the chip sent after the first byte */
  const transfer = async (bytes: Buffer): Promise<Buffer> => {
    const receiveBuffer = Buffer.alloc(bytes.length);
    const done = Promise.withResolvers<void>();
    device.transfer(
      [{ byteLength: bytes.length, sendBuffer: mirror(bytes), receiveBuffer, speedHz: SPEED_HZ }],
      settle(done),
    );
    await watch(`Transferring to ${name}`, done.promise);
    return mirror(receiveBuffer.subarray(1));
  };
  const write = async (frame: Buffer): Promise<void> => {
    await transfer(Buffer.of(DATA_WRITE, ...frame));
  };
  return {
    write,
    async wake() {
      await write(ACK);
      await sleep(WAKE_MS);
    },
    async isReady() {
      const status = await transfer(Buffer.of(STATUS_READ, 0));
      return (status.readUInt8(0) & 1) === 1;
    },
    read: (length) => transfer(Buffer.concat([Buffer.of(DATA_READ), Buffer.alloc(length)])),
    async close() {
      const closed = Promise.withResolvers<void>();
      device.close(settle(closed));
      await watch(`Closing ${name}`, closed.promise);
    },
  };
}

function mirror(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => MIRRORED.readUInt8(byte)));
}

function settle({ resolve, reject }: PromiseWithResolvers<void>): (error: Error | null | undefined) => void {
  return (error) => (error ? reject(error) : resolve());
}
