/**
 * The boot loader in the ROM of an ESP32-C3, as far as a client needs it to find the chip and to write its flash: Espressif's
 * "Serial Protocol" (docs.espressif.com, esptool, advanced topics). It always waits for a download.
 */
import { createHash } from 'node:crypto';
import { SlipReader, slip } from './slip.ts';

const FLASH_BEGIN = 0x02;
const FLASH_DATA = 0x03;
const FLASH_END = 0x04;
const SYNC = 0x08;
const WRITE_REG = 0x09;
const READ_REG = 0x0a;
const SPI_SET_PARAMS = 0x0b;
const SPI_ATTACH = 0x0d;
const CHANGE_BAUDRATE = 0x0f;
const SPI_FLASH_MD5 = 0x13;
const GET_SECURITY_INFO = 0x14;

/** Errors in the second byte of the status. */
const BAD_MESSAGE = 0x05;
const FAILED_TO_ACT = 0x06;
const BAD_CHECKSUM = 0x07;
const CHECKSUM_SEED = 0xef;
/** A request for synchronisation is answered so many times. */
const SYNC_ANSWERS = 8;
/** What the ROM puts into the value of its answers to it. */
const SYNC_VALUE = 0x2012_0707;
const CHIP_ID = 5;
const MAC_REGISTER = 0x6000_8844;
export const MAC = '7c:df:a1:01:02:03';
export const FLASH_BYTES = 64 * 1024;
const HEAD_BYTES = 8;

interface Answer {
  value?: number;
  data?: Buffer;
  error?: number;
  /** How often it is sent. */
  times?: number;
}

export class EspRom {
  readonly #flash = Buffer.alloc(FLASH_BYTES, 0xff);
  readonly #reader = new SlipReader();
  readonly #registers = new Map<number, number>();
  #writeAt = 0;
  #blockBytes = 0;

  constructor() {
    const mac = Buffer.from(MAC.replaceAll(':', ''), 'hex');
    this.#registers.set(MAC_REGISTER, mac.readUInt32BE(2));
    this.#registers.set(MAC_REGISTER + 4, mac.readUInt16BE(0));
  }

  /** @returns what it sends after it has received `data` */
  receive(data: Buffer): Buffer {
    return Buffer.concat(this.#reader.push(data).map((packet) => this.#packet(packet)));
  }

  /** The content of its flash. */
  take(): Buffer {
    return Buffer.from(this.#flash);
  }

  #packet(packet: Buffer): Buffer {
    // Anything else is no request: a client's reset shows up as noise.
    if (packet.length < HEAD_BYTES || packet[0] !== 0) return Buffer.alloc(0);
    const operation = packet.readUInt8(1);
    const data = packet.subarray(HEAD_BYTES);
    const isWhole = data.length === packet.readUInt16LE(2);
    const {
      value = 0,
      data: out = Buffer.alloc(0),
      error = 0,
      times = 1,
    } = isWhole ? this.#command(operation, data, packet.readUInt32LE(4)) : { error: BAD_MESSAGE };
    const status = Buffer.from([error === 0 ? 0 : 1, error, 0, 0]);
    const head = Buffer.from([1, operation, 0, 0, 0, 0, 0, 0]);
    head.writeUInt16LE(out.length + status.length, 2);
    head.writeUInt32LE(value, 4);
    const answer = slip(Buffer.concat([head, out, status]));
    return Buffer.concat(Array<Buffer>(times).fill(answer));
  }

  #command(operation: number, data: Buffer, checksum: number): Answer {
    const word = (index: number): number => (data.length >= 4 * index + 4 ? data.readUInt32LE(4 * index) : 0);
    switch (operation) {
      case SYNC:
        return { value: SYNC_VALUE, times: SYNC_ANSWERS };
      case READ_REG:
        return { value: this.#registers.get(word(0)) ?? 0 };
      case WRITE_REG:
        this.#registers.set(word(0), word(1));
        return {};
      case SPI_ATTACH:
      case SPI_SET_PARAMS:
      case CHANGE_BAUDRATE:
      case FLASH_END:
        return {};
      case FLASH_BEGIN:
        return this.#begin(word(0), word(2), word(3));
      case FLASH_DATA:
        return this.#write(data.subarray(16, 16 + word(0)), word(1), checksum);
      case SPI_FLASH_MD5: {
        const part = this.#flash.subarray(word(0), word(0) + word(1));
        return { data: Buffer.from(createHash('md5').update(part).digest('hex')) };
      }
      case GET_SECURITY_INFO: {
        // Flags, number of encryptions, purposes of seven keys, chip id, version of the API.
        const info = Buffer.alloc(20);
        info.writeUInt32LE(CHIP_ID, 12);
        return { data: info };
      }
      default:
        return { error: BAD_MESSAGE };
    }
  }

  #begin(erasedBytes: number, blockBytes: number, offset: number): Answer {
    if (offset + erasedBytes > FLASH_BYTES) return { error: FAILED_TO_ACT };
    this.#flash.fill(0xff, offset, offset + erasedBytes);
    this.#writeAt = offset;
    this.#blockBytes = blockBytes;
    return {};
  }

  #write(block: Buffer, sequence: number, checksum: number): Answer {
    const sum = block.reduce((all, byte) => all ^ byte, CHECKSUM_SEED);
    if (sum !== (checksum & 0xff)) return { error: BAD_CHECKSUM };
    const at = this.#writeAt + sequence * this.#blockBytes;
    if (block.length > this.#blockBytes || at + block.length > FLASH_BYTES) return { error: FAILED_TO_ACT };
    block.copy(this.#flash, at);
    return {};
  }
}
