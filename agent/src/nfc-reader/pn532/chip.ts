import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../base/system-error.ts';
import { ReaderError, TagError } from '../errors.ts';
import { ACK, encodeFrame, FROM_CHIP, MAX_FRAME_BYTES, NACK, parseFrame } from './frame.ts';
import { type ListedTarget, parseTargets } from './targets.ts';
import type { Transport } from './transport.ts';

/** Codes of commands (UM0701-02, section 7). An answer has the next higher number. */
const DIAGNOSE = 0x00;
const GET_FIRMWARE_VERSION = 0x02;
const SAM_CONFIGURATION = 0x14;
const RF_CONFIGURATION = 0x32;
const IN_DATA_EXCHANGE = 0x40;
const IN_COMMUNICATE_THRU = 0x42;
const IN_LIST_PASSIVE_TARGET = 0x4a;
const IN_SELECT = 0x54;

/** How long the chip may take, in ms. */
export interface Limits {
  /** Until it acknowledges a command. The manual says 15 ms; a busy computer may look late. */
  readonly acknowledgeMs: number;
  /** For a command without a tag, or with a type 2 tag. */
  readonly commandMs: number;
  /** For an APDU with all its parts. The agent waits for 30 s. */
  readonly apduMs: number;
}
const LIMITS: Limits = { acknowledgeMs: 200, commandMs: 500, apduMs: 28_000 };
/** How long a tag may work on one part of an APDU, with the extensions it asks for, in ms. */
const PART_MS = 20_000;
/** How long it may take to read or write a part of a file, in ms. */
const FILE_ACCESS_MS = 2000;
/** Pauses between looks at the ready bit, in ms; the last one repeats. */
const READY_PAUSES_MS = [1, 1, 1, 2, 2, 5] as const;

/** An answer that is longer than expected is read again, which takes as long as the bytes on the bus. */
const SHORT_ANSWER_BYTES = 32;
/** Most data of one InDataExchange, in bytes. */
const CHUNK_BYTES = 262;
/** Bit in the target number and in the status: more data follows. */
const MORE = 0x40;
const STATUS = 0x3f;
/** Longest answer to an APDU: 65 536 bytes and a status word. */
const MAX_ANSWER_BYTES = 65_538;
/** How often a chip that just got its power is asked. */
const FIRST_TRIES = 3;

/** What a command may do. */
interface CommandOptions {
  /** How long the chip may work on it, in ms. */
  timeoutMs?: number;
  /** How long its answer usually is, in bytes. */
  answerBytes?: number;
  /** Whether the command may be sent a second time when it is unknown if the chip did it. */
  repeatable?: boolean;
}

/** The chip answered that the command or its parameters are wrong. */
export class UnknownCommand extends ReaderError {
  override name = 'UnknownCommand';
}

/** A PN532 at its bus. The caller sends one command at a time. Methods reject with ReaderError unless they say more. */
export class Pn532 {
  readonly #transport: Transport;
  readonly #limits: Limits;
  #isInterrupted = false;

  constructor(transport: Transport, limits: Partial<Limits> = {}) {
    this.#transport = transport;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Wakes the chip up and sets it up as a reader that looks for tags only shortly.
   * @returns the version of the firmware, as in `1.6`
   */
  async start(): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#transport.wake().catch(rethrow);
        // Normal mode, without the time limit and the interrupt line. Until then the chip may be in low power mode.
        await this.#command([SAM_CONFIGURATION, 0x01, 0x00, 0x00]);
        break;
      } catch (error) {
        if (attempt >= FIRST_TRIES) throw error;
      }
    }
    const version = await this.#command([GET_FIRMWARE_VERSION]);
    if (version.length !== 4) throw new ReaderError('The version of the reader has a wrong length.');
    // Item 5: retries of ATR_REQ and PSL_REQ as after power-on, and two looks for a passive tag instead of endless ones.
    await this.#command([RF_CONFIGURATION, 0x05, 0xff, 0x01, 0x01]);
    // Tags that were activated by an earlier user of the chip begin anew.
    await this.switchFieldOff();
    return `${version.readUInt8(1)}.${version.readUInt8(2)}`;
  }

  /** Switches the field off, which resets all tags in it. The next command for a tag switches it on. */
  async switchFieldOff(): Promise<void> {
    await this.#command([RF_CONFIGURATION, 0x01, 0x00]);
  }

  /**
   * Activates up to two ISO/IEC 14443 type A tags at 106 kbit/s; those that speak ISO-DEP are ready for APDUs. A tag that
   * is active already may not be found.
   */
  async list(): Promise<ListedTarget[]> {
    const options = { answerBytes: 64, repeatable: false };
    return parseTargets(await this.#command([IN_LIST_PASSIVE_TARGET, 0x02, 0x00], options));
  }

  /**
   * One exchange with a type 2 tag.
   * @throws TagError
   */
  async exchange(target: number, data: Buffer): Promise<Buffer> {
    const answer = await this.#command([IN_DATA_EXCHANGE, target, ...data]);
    return dataOf(answer);
  }

  /**
   * Sends bytes that the chip does not know to the tag that was used last.
   * @throws TagError
   */
  async communicateThrough(data: Buffer): Promise<Buffer> {
    return dataOf(await this.#command([IN_COMMUNICATE_THRU, ...data]));
  }

  /**
   * Sends an APDU in as many parts as the chip needs, and collects the answer.
   * @param isFileAccess it takes a tag little time, and does no harm when it is sent twice
   * @throws TagError
   */
  async exchangeApdu(target: number, apdu: Buffer, isFileAccess = false): Promise<Buffer> {
    const end = performance.now() + (isFileAccess ? FILE_ACCESS_MS : this.#limits.apduMs);
    const exchange = async (data: readonly number[], options: CommandOptions): Promise<Buffer> => {
      const timeoutMs = Math.min(PART_MS, end - performance.now());
      // A tag could send its answer byte by byte, each at the last moment.
      if (timeoutMs <= 0) throw new TagError('The tag takes too long.');
      return await this.#command([IN_DATA_EXCHANGE, ...data], { repeatable: false, ...options, timeoutMs });
    };
    let answer: Buffer = Buffer.alloc(0);
    for (let at = 0; at < apdu.length || at === 0; at += CHUNK_BYTES) {
      const chunk = apdu.subarray(at, at + CHUNK_BYTES);
      const more = at + CHUNK_BYTES < apdu.length ? MORE : 0;
      answer = await exchange([target | more, ...chunk], {
        answerBytes: more ? SHORT_ANSWER_BYTES : 64,
        // A part of a longer one would be taken for the next part.
        repeatable: isFileAccess && apdu.length <= CHUNK_BYTES,
      });
      dataOf(answer);
    }
    const parts = [dataOf(answer)];
    let length = answer.length - 1;
    while ((answer.readUInt8(0) & MORE) !== 0) {
      if (answer.length === 1 || length > MAX_ANSWER_BYTES) throw new TagError('The answer has no end.');
      answer = await exchange([target], { answerBytes: MAX_FRAME_BYTES });
      parts.push(dataOf(answer));
      length += answer.length - 1;
    }
    if (length > MAX_ANSWER_BYTES) throw new TagError('The answer is too long.');
    return Buffer.concat(parts);
  }

  /** Makes a tag the one that {@link isCardPresent} asks. @throws TagError */
  async select(target: number): Promise<void> {
    dataOf(await this.#command([IN_SELECT, target]));
  }

  /**
   * Asks the ISO-DEP tag that was used last whether it is there, without a change of its state.
   * @throws UnknownCommand when the firmware cannot
   */
  async isCardPresent(): Promise<boolean> {
    const answer = await this.#command([DIAGNOSE, 0x06]);
    return answer.length === 1 && answer.readUInt8(0) === 0;
  }

  /** The command that the chip works on fails, and so does every later one. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Sends a command and returns the data of its answer; one that failed is sent a second time if that does no harm. */
  async #command(data: readonly number[], options: CommandOptions = {}): Promise<Buffer> {
    const { repeatable = true } = options;
    const frame = encodeFrame(Buffer.from(data));
    let isWritten = false;
    const attempt = async (): Promise<Buffer> => {
      await this.#transport.write(frame).catch(rethrow);
      isWritten = true;
      return await this.#answer((data[0] ?? 0) + 1, options).catch(rethrow);
    };
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof UnknownCommand) throw error;
      await this.#abort();
      if (isWritten && !repeatable) throw error;
    }
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UnknownCommand)) await this.#abort();
      throw error;
    }
  }

  async #answer(
    code: number,
    { timeoutMs = this.#limits.commandMs, answerBytes = SHORT_ANSWER_BYTES }: CommandOptions,
  ): Promise<Buffer> {
    const { acknowledgeMs } = this.#limits;
    await this.#ready(acknowledgeMs, 'The reader did not acknowledge a command.');
    const acknowledgement = parseFrame(await this.#transport.read(ACK.length));
    if (acknowledgement.kind !== 'ack') {
      throw new ReaderError('The reader acknowledged a command with something else.');
    }
    await this.#ready(timeoutMs, `The reader was busy for more than ${Math.ceil(timeoutMs)} ms.`);
    let answer = parseFrame(await this.#transport.read(answerBytes));
    if (answer.kind === 'incomplete' || answer.kind === 'bad') {
      // The chip sends it once more.
      await this.#transport.write(NACK);
      await this.#ready(acknowledgeMs, 'The reader did not repeat its answer.');
      const bytes = answer.kind === 'incomplete' ? answer.bytes : answerBytes;
      answer = parseFrame(await this.#transport.read(Math.max(bytes, answerBytes)));
    }
    switch (answer.kind) {
      case 'information':
        if (answer.tfi !== FROM_CHIP || answer.data.readUInt8(0) !== code) {
          throw new ReaderError('The reader answered another command.');
        }
        return answer.data.subarray(1);
      case 'error':
        throw new UnknownCommand('The reader does not know a command.');
      case 'bad':
        throw new ReaderError(`The reader sent a bad frame: ${answer.reason}.`);
      default:
        throw new ReaderError(`The reader sent an unexpected frame (${answer.kind}).`);
    }
  }

  /** @param late the sentence for a chip that is not ready after `timeoutMs` */
  async #ready(timeoutMs: number, late: string): Promise<void> {
    const end = performance.now() + timeoutMs;
    for (let look = 0; ; look++) {
      const isLast = performance.now() >= end;
      if (this.#isInterrupted) throw new ReaderError('The reader is closed.');
      if (await this.#transport.isReady()) return;
      if (isLast) throw new ReaderError(late);
      await sleep(READY_PAUSES_MS[Math.min(look, READY_PAUSES_MS.length - 1)]);
    }
  }

  /** An ACK ends a command that the chip still works on. */
  async #abort(): Promise<void> {
    await this.#transport.write(ACK).catch(() => undefined);
  }
}

/**
 * What follows the status of an exchange with a tag.
 * @throws TagError for every status but success (UM0701-02, section 7.1)
 */
function dataOf(answer: Buffer): Buffer {
  if (answer.length === 0) throw new ReaderError('The reader sent an answer without a status.');
  const status = answer.readUInt8(0) & STATUS;
  if (status !== 0) {
    throw new TagError(`The tag did not answer (status ${status.toString(16).padStart(2, '0')}).`);
  }
  return answer.subarray(1);
}

/** Errors of the system become those of the reader. */
function rethrow(error: unknown): never {
  if (error instanceof ReaderError) throw error;
  throw new ReaderError(`The reader's bus failed: ${errorMessage(error)}`, { cause: error });
}
