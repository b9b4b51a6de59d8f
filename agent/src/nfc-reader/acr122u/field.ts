import type { EventEmitter } from 'node:events';
import { errorMessage } from '../../base/system-error.ts';
import { sleep } from '../../base/timeout.ts';
import type { Watch } from '../../base/watch.ts';
import { ReaderError, ReaderGone, TagError, unsupported } from '../errors.ts';
import { type Field, type FieldSettings, type FieldTag, kindOf, type Light } from '../field.ts';
import { type ListedTarget, parseTargets } from '../pn532/targets.ts';
import {
  answerData,
  directData,
  feedbackCommand,
  GET_VERSION,
  isExtended,
  isReaderCommand,
  LIST_TAG,
  readBlock,
  settingsCommands,
  updatePage,
} from './commands.ts';
import { DIRECT, SHARED } from './pcsc.ts';

/** The reader looks every 250 or 500 ms: a tag that does not answer is seen to have left after this time, in ms. */
const LEAVE_MS = 700;
const LEAVE_STEP_MS = 50;
/** Answers to InListPassiveTarget and InCommunicateThru. */
const LISTED = 0x4b;
const THROUGH = 0x43;

/** A connection to a reader, as pcsc.ts has it. */
export interface Connection {
  transmit(command: Buffer): Promise<Buffer>;
  escape(command: Buffer): Promise<Buffer>;
  attribute(id: number): Promise<Buffer>;
  disconnect(): Promise<void>;
}

/** A reader of pcscd, as pcsc.ts has it. */
export interface Device extends EventEmitter<{ change: [hasTag: boolean]; disconnect: [] }> {
  readonly name: string;
  connect(mode: typeof SHARED | typeof DIRECT): Promise<Connection>;
}

/** What pcscd knows of a reader, without asking it. */
export class PcscReader {
  readonly #device: Device;
  /** Called when a tag comes or leaves, or the reader is gone. */
  onChange: () => void = () => undefined;
  isGone = false;
  hasTag = false;
  /** Counts the tags. */
  tags = 0;

  constructor(device: Device) {
    this.#device = device;
    device.on('change', (hasTag) => {
      if (hasTag === this.hasTag) return;
      this.hasTag = hasTag;
      if (hasTag) this.tags += 1;
      this.onChange();
    });
    device.on('disconnect', () => this.leave());
  }

  get name(): string {
    return this.#device.name;
  }

  /** The reader, or pcscd, is gone. */
  leave(): void {
    this.isGone = true;
    this.hasTag = false;
    this.onChange();
  }

  connectTag(): Promise<Connection> {
    return this.#device.connect(SHARED);
  }

  /** Without a tag. */
  connectDirectly(): Promise<Connection> {
    return this.#device.connect(DIRECT);
  }
}

/** The tag in the field of an ACR122U: one at a time. The reader itself looks for it, and pcscd reports it. */
export class AcrField implements Field {
  readonly #reader: PcscReader;
  readonly #watch: Watch;
  #held: AcrTag | undefined;

  constructor(reader: PcscReader, watch: Watch) {
    this.#reader = reader;
    this.#watch = watch;
  }

  async poll(): Promise<readonly FieldTag[]> {
    const reader = this.#reader;
    if (reader.isGone) throw new ReaderGone('The reader is not connected.');
    if (this.#held && this.#held.stay !== reader.tags) await this.#release();
    if (this.#held && !reader.hasTag) await this.#release();
    if (!this.#held && reader.hasTag) await this.#connect();
    return this.#held ? [this.#held] : [];
  }

  async configure(settings: FieldSettings): Promise<void> {
    for (const command of settingsCommands(settings)) await this.#send(command);
  }

  async feedback(light: Light | undefined, buzzerMs: number | undefined): Promise<void> {
    // The reader answers when the sound has ended.
    await this.#send(feedbackCommand(light, buzzerMs), buzzerMs);
  }

  async close(): Promise<void> {
    this.#reader.onChange = () => undefined;
    await this.#release();
  }

  async #connect(): Promise<void> {
    const stay = this.#reader.tags;
    let card: Connection | undefined;
    try {
      card = await this.#watch('Connecting to a tag', this.#reader.connectTag());
      const listed = directData(await this.#watch('Sending to a tag', card.transmit(LIST_TAG)), LISTED);
      const [target] = listed ? parseTargets(listed) : [];
      if (target) this.#held = new AcrTag(this.#reader, card, stay, target, this.#watch);
    } catch (error) {
      // A tag that left in the meantime. One that stays is tried again at the next poll.
      if (error instanceof ReaderGone) throw error;
    } finally {
      if (card && !this.#held) await this.#disconnect(card);
    }
  }

  async #release(): Promise<void> {
    const card = this.#held?.card;
    this.#held = undefined;
    if (card) await this.#disconnect(card);
  }

  async #disconnect(card: Connection): Promise<void> {
    await this.#watch('Disconnecting from a tag', card.disconnect()).catch(() => undefined);
  }

  /** Sends a command to the reader itself. @throws ReaderError */
  async #send(command: Buffer, extraMs = 0): Promise<void> {
    if (this.#reader.isGone) throw new ReaderGone('The reader is not connected.');
    const held = this.#held?.card;
    const card = held ?? (await this.#connectDirectly());
    try {
      // With a tag, no escape command is needed, which the driver may not allow.
      const sending = held ? held.transmit(command) : card.escape(command);
      const answer = await this.#watch('Sending to the reader', sending, extraMs).catch(asReaderError);
      if (!answerData(answer)) throw new ReaderError('The reader refused a command.');
    } finally {
      if (!held) await this.#disconnect(card);
    }
  }

  async #connectDirectly(): Promise<Connection> {
    return await this.#watch('Connecting to the reader', this.#reader.connectDirectly()).catch(asReaderError);
  }
}

class AcrTag implements FieldTag {
  readonly uid: Buffer;
  readonly atqa: Buffer;
  readonly sak: number;
  readonly kind;
  readonly card: Connection;
  /** The reader's number of this tag. */
  readonly stay: number;
  readonly #reader: PcscReader;
  readonly #watch: Watch;

  constructor(
    reader: PcscReader,
    card: Connection,
    stay: number,
    { uid, atqa, sak }: ListedTarget,
    watch: Watch,
  ) {
    this.#reader = reader;
    this.#watch = watch;
    this.card = card;
    this.stay = stay;
    this.uid = uid;
    this.atqa = atqa;
    this.sak = sak;
    this.kind = kindOf(sak);
  }

  async readBlock(page: number): Promise<Buffer> {
    const block = await this.#repeated(readBlock(page));
    if (block.length < 16) throw new TagError('The tag sent less than 16 bytes.');
    return block.subarray(0, 16);
  }

  async writePage(page: number, data: Buffer): Promise<void> {
    await this.#repeated(updatePage(page, data));
  }

  async version(): Promise<Buffer | undefined> {
    const answer = directData(await this.#transmit(GET_VERSION), THROUGH);
    if (answer?.length === 9 && answer[0] === 0) return answer.subarray(1);
    // A tag that does not know the command is not selected any more.
    await this.#transmit(LIST_TAG);
    return undefined;
  }

  async apdu(command: Buffer): Promise<Buffer> {
    if (isExtended(command)) throw unsupported('The ACR122U sends short APDUs only.');
    if (isReaderCommand(command)) throw unsupported('The ACR122U sends no APDUs of class FF to a tag.');
    const answer = await this.#transmit(command);
    if (answer.length < 2) throw new TagError('The tag sent an answer without a status word.');
    return answer;
  }

  use(): void {
    // The reader keeps the tag's state by itself.
  }

  async isPresent(): Promise<boolean> {
    const end = performance.now() + LEAVE_MS;
    while (this.#isHere() && performance.now() < end) await sleep(LEAVE_STEP_MS);
    return this.#isHere();
  }

  #isHere(): boolean {
    return !this.#reader.isGone && this.#reader.hasTag && this.#reader.tags === this.stay;
  }

  /** A command of the reader for a type 2 tag, which is repeated once. */
  async #repeated(command: Buffer): Promise<Buffer> {
    const data = answerData(await this.#transmit(command)) ?? answerData(await this.#transmit(command));
    if (!data) throw new TagError('The tag did not answer.');
    return data;
  }

  async #transmit(command: Buffer): Promise<Buffer> {
    if (!this.#isHere()) throw new TagError('The tag has left.');
    const sending = this.card.transmit(command).catch((error: unknown) => {
      throw new TagError(`The tag did not answer: ${errorMessage(error)}`, { cause: error });
    });
    return await this.#watch('Sending to a tag', sending);
  }
}

function asReaderError(error: unknown): never {
  if (error instanceof ReaderError) throw error;
  throw new ReaderError(`The PC/SC service failed: ${errorMessage(error)}`, { cause: error });
}
