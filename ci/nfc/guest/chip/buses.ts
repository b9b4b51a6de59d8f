/** The PN532's serial interfaces (NXP UM0701-02, 6.2.3 and 6.2.4). */
import type { Pn532Chip } from './pn532.ts';

const READY = 0x01;
/** First byte of a transfer on SPI: what the host wants. */
const DATA_WRITE = 0x01;
const STATUS_READ = 0x02;
const DATA_READ = 0x03;
/** MISO without a chip that drives it. */
const FLOATING = 0xff;

/** Nobody has acknowledged its address on the bus. */
export class NotAcknowledged extends Error {}

/** A chip on an I2C bus. */
export class Pn532OnI2c {
  readonly address: number;
  readonly chip: Pn532Chip;

  constructor(chip: Pn532Chip, address: number) {
    this.chip = chip;
    this.address = address;
  }

  /** @throws NotAcknowledged */
  write(bytes: Buffer): void {
    if (!this.chip.receive(bytes)) throw new NotAcknowledged();
  }

  /**
   * Each read begins with the status; a frame is read with it in one transfer.
   * @throws NotAcknowledged
   */
  read(length: number): Buffer {
    if (!this.chip.isPowered) throw new NotAcknowledged();
    if (!this.chip.isReady || length < 2) {
      const out = Buffer.alloc(length);
      out[0] = this.chip.isReady ? READY : 0;
      return out;
    }
    return Buffer.concat([Buffer.from([READY]), this.chip.take(length - 1)]);
  }
}

/** A chip on an SPI bus. It takes and sends the least significant bit first, which hosts do not: bytes are mirrored. */
export class Pn532OnSpi {
  readonly chip: Pn532Chip;

  constructor(chip: Pn532Chip) {
    this.chip = chip;
  }

  /** One selection of the chip. @returns as many bytes as were sent */
  transfer(sent: Buffer): Buffer {
    if (!this.chip.isPowered) return Buffer.alloc(sent.length, FLOATING);
    const [operation, ...rest] = sent.map(mirrored);
    const answer = Buffer.alloc(sent.length);
    if (operation === STATUS_READ) answer.fill(this.chip.isReady ? READY : 0, 1);
    else if (operation === DATA_WRITE) this.chip.receive(Buffer.from(rest));
    else if (operation === DATA_READ && this.chip.isReady) this.chip.take(rest.length).copy(answer, 1);
    return Buffer.from(answer.map(mirrored));
  }
}

/** A byte with its bits in the opposite order. */
export function mirrored(byte: number): number {
  let result = 0;
  for (let bit = 0; bit < 8; bit += 1) result |= ((byte >> bit) & 1) << (7 - bit);
  return result;
}
