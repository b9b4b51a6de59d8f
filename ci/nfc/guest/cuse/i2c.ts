/** `/dev/i2c-N` as the kernel's i2c-dev offers it (linux/i2c-dev.h, linux/i2c.h), without SMBus. */
import { NotAcknowledged, type Pn532OnI2c } from '../chip/buses.ts';
import { SystemCallError } from './errors.ts';
import type { IoctlAttempt } from './ioctl.ts';
import type { CuseHandlers } from './protocol.ts';

const I2C_RETRIES = 0x701;
const I2C_TIMEOUT = 0x702;
const I2C_SLAVE = 0x703;
const I2C_TENBIT = 0x704;
const I2C_FUNCS = 0x705;
const I2C_SLAVE_FORCE = 0x706;
const I2C_RDWR = 0x707;
const I2C_PEC = 0x708;
/** Plain transfers, and SMBus emulated by them except for "quick". */
const FUNCTIONS = 0x0eff0001n;
const MOST_MESSAGES = 42;
/** i2c-dev reads and writes at most so many bytes. */
const MOST_BYTES = 8192;
const IS_READ = 1;

interface Open {
  address: number;
}

/** @param chips those on the bus */
export function i2cDevice(chips: readonly Pn532OnI2c[]): CuseHandlers<Open> {
  const on = async <T>(address: number, work: (chip: Pn532OnI2c) => T): Promise<T> => {
    await standstill(chips);
    const chip = chips.find((each) => each.address === address);
    try {
      if (!chip) throw new NotAcknowledged();
      return work(chip);
    } catch (error) {
      throw error instanceof NotAcknowledged ? new SystemCallError('EREMOTEIO') : error;
    }
  };
  return {
    open: () => ({ address: 0 }),
    read: (file, length) => on(file.address, (chip) => chip.read(Math.min(length, MOST_BYTES))),
    write: (file, bytes) => on(file.address, (chip) => chip.write(bytes)),
    async ioctl(file, attempt) {
      switch (attempt.command) {
        case I2C_SLAVE:
        case I2C_SLAVE_FORCE:
          file.address = Number(attempt.argument);
          return 0;
        case I2C_RETRIES:
        case I2C_TIMEOUT:
        case I2C_TENBIT:
        case I2C_PEC:
          return 0;
        case I2C_FUNCS:
          attempt.write({ address: attempt.argument, length: 8 })[0]?.writeBigUInt64LE(FUNCTIONS);
          return 0;
        case I2C_RDWR:
          return await transfer(attempt, on);
        default:
          throw new SystemCallError('ENOTTY');
      }
    },
  };
}

/** Waits until no chip holds the bus. */
async function standstill(chips: readonly Pn532OnI2c[]): Promise<void> {
  for (const { chip } of chips) await chip.untilFree();
}

async function transfer(
  attempt: IoctlAttempt,
  on: <T>(address: number, work: (chip: Pn532OnI2c) => T) => Promise<T>,
): Promise<number> {
  const [head = Buffer.alloc(0)] = attempt.read({ address: attempt.argument, length: 16 });
  const count = head.readUInt32LE(8);
  if (count === 0 || count > MOST_MESSAGES) throw new SystemCallError('EINVAL');
  const [list = Buffer.alloc(0)] = attempt.read({ address: head.readBigUInt64LE(0), length: 16 * count });
  const messages = Array.from({ length: count }, (_, index) => {
    const at = 16 * index;
    return {
      to: list.readUInt16LE(at),
      isRead: (list.readUInt16LE(at + 2) & IS_READ) !== 0,
      address: list.readBigUInt64LE(at + 8),
      length: list.readUInt16LE(at + 4),
    };
  });
  const sent = attempt.read(...messages.filter(({ isRead }) => !isRead));
  const received = attempt.write(...messages.filter(({ isRead }) => isRead));
  let [nextSent, nextReceived] = [0, 0];
  for (const { to, isRead, length } of messages) {
    if (isRead) {
      const bytes = await on(to, (chip) => chip.read(length));
      bytes.copy(received[nextReceived++] ?? bytes);
    } else {
      const bytes = Buffer.from(sent[nextSent++] ?? []);
      await on(to, (chip) => chip.write(bytes));
    }
  }
  return count;
}
