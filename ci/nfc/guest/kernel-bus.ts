/** The chips behind the kernel's own i2c-core, i2c-dev, SPI core and spidev: the other end of bus-module/nfc_lab_bus.c. */
import { closeSync, openSync, read, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { NotAcknowledged, type Pn532OnI2c, type Pn532OnSpi } from './chip/buses.ts';
import { ERRNO } from './cuse/errors.ts';

const readAsync = promisify(read);
const DEVICE = '/dev/nfc-lab-bus';
const MOST_BYTES = 65_536;
const I2C = 1;
const IS_READ = 1;

/** Answers one request of the module, see there for both formats. */
export function answerTransfer(request: Buffer, i2c: Pn532OnI2c, spi: Pn532OnSpi): Buffer {
  const parts = request.readUInt32LE(8);
  const answers: Buffer[] = [];
  let result = 0;
  let at = 12;
  try {
    if (request.readUInt32LE(0) === I2C) {
      for (let part = 0; part < parts; part += 1) {
        const address = request.readUInt16LE(at);
        const isRead = (request.readUInt16LE(at + 2) & IS_READ) !== 0;
        const length = request.readUInt32LE(at + 4);
        at += 8;
        if (address !== i2c.address) throw new NotAcknowledged();
        if (isRead) answers.push(i2c.read(length));
        else {
          i2c.write(Buffer.from(request.subarray(at, at + length)));
          at += length;
        }
      }
    } else answers.push(...answerSpi(request, parts, spi));
  } catch (error) {
    if (!(error instanceof NotAcknowledged)) throw error;
    result = -ERRNO.EREMOTEIO;
    answers.length = 0;
  }
  const head = Buffer.alloc(8);
  request.copy(head, 0, 4, 8);
  head.writeInt32LE(result, 4);
  return Buffer.concat([head, ...answers]);
}

function answerSpi(request: Buffer, parts: number, spi: Pn532OnSpi): Buffer[] {
  const answers: Buffer[] = [];
  let selection: Buffer[] = [];
  let at = 12;
  for (let part = 0; part < parts; part += 1) {
    const length = request.readUInt32LE(at);
    const isDeselected = request.readUInt32LE(at + 4) !== 0;
    selection.push(request.subarray(at + 8, at + 8 + length));
    at += 8 + length;
    if (!isDeselected && part < parts - 1) continue;
    answers.push(spi.transfer(Buffer.concat(selection)));
    selection = [];
  }
  return answers;
}

/** Serves the module's device, which must be there. Holds one thread of libuv. @returns ends it */
export function serveKernelBus(i2c: Pn532OnI2c, spi: Pn532OnSpi): () => void {
  const fd = openSync(DEVICE, 'r+');
  const loop = async (): Promise<void> => {
    const buffer = Buffer.alloc(MOST_BYTES);
    for (;;) {
      const { bytesRead } = await readAsync(fd, buffer, 0, buffer.length, null);
      await Promise.all([i2c.chip.untilFree(), spi.chip.untilFree()]);
      try {
        writeSync(fd, answerTransfer(buffer.subarray(0, bytesRead), i2c, spi));
      } catch (error) {
        // The module no longer waits for this one.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESTALE')) throw error;
      }
    }
  };
  loop().catch((error: unknown) => console.error(error));
  return () => closeSync(fd);
}
