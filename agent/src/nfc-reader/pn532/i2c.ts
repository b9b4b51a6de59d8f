import { setTimeout as sleep } from 'node:timers/promises';
import { unwatched, type Watch } from '../../base/watch.ts';
import { ReaderError } from '../errors.ts';
import { loadI2cBus } from '../native.ts';
import { ACK } from './frame.ts';
import type { Transport } from './transport.ts';

/** How long a chip that sleeps needs after its address was on the bus, in ms (PN532 datasheet: T_osc_start). */
const WAKE_MS = 2;

/**
 * A PN532 on `/dev/i2c-<bus>`. Each read begins with a status byte, whose bit 0 says that the chip has something to read
 * (UM0701-02, section 6.2.4).
 * @param address 7 bits; 0x24 in every PN532
 * @throws ReaderError without i2c-bus, and the error of the system without the bus
 */
export async function openI2c(
  bus: number,
  address: number,
  watch: Watch = unwatched,
  load = loadI2cBus,
): Promise<Transport> {
  const name = `I2C bus ${bus}`;
  const device = await watch(`Opening ${name}`, load().openPromisified(bus));
  const write = async (frame: Buffer): Promise<void> => {
    const { bytesWritten } = await watch(`Writing to ${name}`, device.i2cWrite(address, frame.length, frame));
    if (bytesWritten !== frame.length) throw new ReaderError(`The ${name} took ${bytesWritten} bytes only.`);
  };
  const read = async (length: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await watch(`Reading from ${name}`, device.i2cRead(address, length, bytes));
    return bytes.subarray(0, bytesRead);
  };
  return {
    write,
    async wake() {
      // A chip that sleeps does not acknowledge, and wakes up by that. An ACK ends a command that nobody waits for.
      await write(ACK).catch(() => undefined);
      await sleep(WAKE_MS);
    },
    async isReady() {
      return isReady(await read(1));
    },
    async read(length) {
      const bytes = await read(length + 1);
      if (!isReady(bytes)) throw new ReaderError('The reader has nothing to read.');
      return bytes.subarray(1);
    },
    close: () => watch(`Closing ${name}`, device.close()),
  };
}

function isReady(bytes: Buffer): boolean {
  return bytes.length > 0 && (bytes.readUInt8(0) & 1) === 1;
}
