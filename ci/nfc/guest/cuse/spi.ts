/** `/dev/spidevB.C` as the kernel's spidev offers it (linux/spi/spidev.h), with the modes of spi-bcm2835. */
import type { Pn532OnSpi } from '../chip/buses.ts';
import { SystemCallError } from './errors.ts';
import type { IoctlAttempt } from './ioctl.ts';
import type { CuseHandlers } from './protocol.ts';

const SPI = 0x6b;
const MESSAGE = 0;
const LSB_FIRST = 2;
/** Numbers of the ioctls for settings, and which setting they are. */
const SETTINGS: Readonly<Record<number, string>> = { 1: 'mode', 2: 'lsb', 3: 'bits', 4: 'speed', 5: 'mode' };
/** SPI_CPHA, SPI_CPOL, SPI_CS_HIGH, and SPI_NO_CS: what the controller can do. */
const MODES = 0x47;
const TRANSFER_BYTES = 32;
/** spidev's default buffer, in bytes, for all transfers of a message. */
const MOST_BYTES = 4096;

export function spiDevice(target: Pn532OnSpi): CuseHandlers<object> {
  const settings: Record<string, number> = { mode: 0, lsb: 0, bits: 8, speed: 500_000 };
  const exchange = async (sent: Buffer): Promise<Buffer> => {
    if (sent.length > MOST_BYTES) throw new SystemCallError('EMSGSIZE');
    await target.chip.untilFree();
    return target.transfer(sent);
  };
  return {
    open: () => ({}),
    read: (_file, length) => exchange(Buffer.alloc(length)),
    write: async (_file, bytes) => void (await exchange(bytes)),
    async ioctl(_file, attempt) {
      const { command, argument: address } = attempt;
      const number = command & 0xff;
      const length = (command >>> 16) & 0x3fff;
      if (((command >>> 8) & 0xff) !== SPI) throw new SystemCallError('ENOTTY');
      const name = SETTINGS[number];
      if (name !== undefined) {
        const isWrite = ((command >>> 30) & 1) === 1;
        if (isWrite) {
          const [bytes] = attempt.read({ address, length });
          settings[name] = accepted(number, name, bytes?.readUIntLE(0, length) ?? 0);
        } else attempt.write({ address, length })[0]?.writeUIntLE(settings[name] ?? 0, 0, length);
        return 0;
      }
      if (number !== MESSAGE || length % TRANSFER_BYTES !== 0) throw new SystemCallError('ENOTTY');
      return await message(attempt, length, exchange);
    },
  };
}

function accepted(number: number, name: string, value: number): number {
  const isRefused =
    (number === LSB_FIRST && value !== 0) ||
    (name === 'mode' && (value & ~MODES) !== 0) ||
    (name === 'bits' && value !== 0 && value !== 8);
  if (isRefused) throw new SystemCallError('EINVAL');
  return value;
}

/** SPI_IOC_MESSAGE: several transfers, during which the chip stays selected unless one ends with a change. */
async function message(
  attempt: IoctlAttempt,
  bytes: number,
  exchange: (sent: Buffer) => Promise<Buffer>,
): Promise<number> {
  const [list = Buffer.alloc(0)] = attempt.read({ address: attempt.argument, length: bytes });
  const transfers = Array.from({ length: bytes / TRANSFER_BYTES }, (_, index) => {
    const at = TRANSFER_BYTES * index;
    return {
      sentAt: list.readBigUInt64LE(at),
      receivedAt: list.readBigUInt64LE(at + 8),
      length: list.readUInt32LE(at + 16),
      isDeselected: list.readUInt8(at + 27) !== 0,
    };
  });
  const sent = attempt.read(
    ...transfers
      .filter(({ sentAt }) => sentAt !== 0n)
      .map(({ sentAt, length }) => ({ address: sentAt, length })),
  );
  const received = attempt.write(
    ...transfers
      .filter(({ receivedAt }) => receivedAt !== 0n)
      .map(({ receivedAt, length }) => ({ address: receivedAt, length })),
  );
  let [nextSent, nextReceived, total] = [0, 0, 0];
  for (let first = 0; first < transfers.length; ) {
    const change = transfers.findIndex(({ isDeselected }, index) => index >= first && isDeselected);
    const end = change < 0 ? transfers.length : change + 1;
    const selection = transfers.slice(first, end);
    const parts = selection.map(({ sentAt, length }) =>
      sentAt === 0n ? Buffer.alloc(length) : Buffer.from(sent[nextSent++] ?? []),
    );
    const answer = await exchange(Buffer.concat(parts));
    let at = 0;
    for (const { receivedAt, length } of selection) {
      const part = answer.subarray(at, at + length);
      if (receivedAt !== 0n) part.copy(received[nextReceived++] ?? part);
      at += length;
    }
    total += at;
    first = end;
  }
  return total;
}
