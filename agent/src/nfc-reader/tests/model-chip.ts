/** A model of a PN532 behind the transport interface (NXP UM0701-02), with faults at any exchange. */
import { encodeFrame, parseFrame } from '../pn532/frame.ts';
import type { Transport } from '../pn532/transport.ts';
import type { ModelTag } from './model-tags.ts';

const ACK = Buffer.from('0000ff00ff00', 'hex');
const ERROR = Buffer.from('0000ff01ff7f8100', 'hex');
const CHUNK = 262;
const STATUS_TIMEOUT = 0x01;
const STATUS_WRONG_CONTEXT = 0x27;

export const FAULTS = [
  'tag removed',
  'nack',
  'bad checksum once',
  'bad checksum',
  'bad acknowledge',
  'short frame',
  'busy forever',
  'power off',
] as const;
export type Fault = (typeof FAULTS)[number];
/** Those after which the reader works again by itself. */
export const PASSING: readonly Fault[] = ['nack', 'bad checksum once', 'bad acknowledge', 'short frame'];

/** The chip, its field and its bus. */
export class ModelChip implements Transport {
  readonly #tags = new Set<ModelTag>();
  /** Data of each command, as hex. */
  readonly commands: string[] = [];
  /** A fault at the command with this number (the first one is 0), and for lasting ones from then on. */
  fault: { at: number; kind: Fault } | undefined;
  isClosed = false;
  /** Works on a command without an end. */
  isBusy = false;
  knowsDiagnose = true;
  #active: (ModelTag | undefined)[] = [];
  /** Tags that need a field reset before they answer a list. */
  readonly #silent = new Set<ModelTag>();
  #queue: Buffer[] = [];
  #last: Buffer = Buffer.alloc(0);
  #isHit = false;
  #sent: Buffer = Buffer.alloc(0);
  #rest: Buffer = Buffer.alloc(0);

  get #kind(): Fault | undefined {
    const { fault } = this;
    if (!fault || this.commands.length <= fault.at) return undefined;
    if (PASSING.includes(fault.kind) && this.commands.length > fault.at + 1) return undefined;
    return fault.kind;
  }

  /** Brings tags into the field. */
  put(...tags: ModelTag[]): void {
    for (const tag of tags) {
      tag.reset();
      this.#silent.delete(tag);
      this.#tags.add(tag);
    }
  }

  /** Takes tags out of the field. */
  take(...tags: ModelTag[]): void {
    for (const tag of tags) {
      this.#deselect(tag);
      this.#tags.delete(tag);
    }
  }

  async wake(): Promise<void> {
    await this.write(ACK);
  }

  async write(frame: Buffer): Promise<void> {
    const parsed = parseFrame(frame);
    if (parsed.kind === 'information') this.commands.push(parsed.data.toString('hex'));
    const kind = this.#kind;
    if (kind === 'power off' || (kind === 'nack' && parsed.kind === 'information' && !this.#isHit)) {
      this.#isHit = true;
      throw Object.assign(new Error('EREMOTEIO: Remote I/O error, write'), { code: 'EREMOTEIO' });
    }
    if (kind === 'tag removed') this.take(...this.#tags);
    if (parsed.kind === 'ack') this.#queue = [];
    else if (parsed.kind === 'nack') this.#queue = [this.#spoiled(this.#last, true)];
    else if (parsed.kind === 'information') {
      this.#last = this.#command(parsed.data[0] ?? 0, parsed.data.subarray(1));
      const acknowledge = kind === 'bad acknowledge' ? Buffer.from('0000ff01ff00', 'hex') : ACK;
      this.#queue = [acknowledge, this.#spoiled(this.#last, false)];
    } else throw new Error(`the host sent a bad frame: ${frame.toString('hex')}`);
  }

  async isReady(): Promise<boolean> {
    if (this.#kind === 'power off') throw new Error('EREMOTEIO: Remote I/O error, read');
    return !this.isBusy && this.#kind !== 'busy forever' && this.#queue.length > 0;
  }

  async read(length: number): Promise<Buffer> {
    if (!(await this.isReady())) throw new Error('nothing to read');
    const bytes = Buffer.alloc(length);
    this.#queue.shift()?.copy(bytes);
    return bytes;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  #spoiled(frame: Buffer, again: boolean): Buffer {
    const kind = this.#kind;
    if (kind === 'bad checksum' || (kind === 'bad checksum once' && !again)) {
      const spoiled = Buffer.from(frame);
      spoiled.writeUInt8(spoiled.readUInt8(frame.length - 2) ^ 0x55, frame.length - 2);
      return spoiled;
    }
    return kind === 'short frame' ? frame.subarray(0, 6) : frame;
  }

  #command(code: number, data: Buffer): Buffer {
    const answer = (...bytes: number[]): Buffer => encodeFrame(Buffer.of(code + 1, ...bytes), 0xd5);
    switch (code) {
      case 0x00:
        if (!this.knowsDiagnose) return ERROR;
        return answer((this.#target(0) ?? this.#target(1)) ? 0 : STATUS_TIMEOUT);
      case 0x02:
        return answer(0x32, 1, 6, 7);
      case 0x14:
        return answer();
      case 0x32:
        if (data[0] === 1 && data[1] === 0) this.#reset();
        return answer();
      case 0x40:
        return answer(...this.#exchange(data));
      case 0x42: {
        const reply = this.#current()?.answer(data);
        if (!reply) this.#deselect(this.#current());
        return reply ? answer(0, ...reply) : answer(STATUS_TIMEOUT);
      }
      case 0x4a:
        return answer(...this.#list(data[0] ?? 1));
      case 0x54:
        return answer(this.#target((data[0] ?? 0) - 1) ? 0 : STATUS_WRONG_CONTEXT);
      default:
        return ERROR;
    }
  }

  #list(max: number): number[] {
    this.#active = [...this.#tags].filter((tag) => !this.#silent.has(tag)).slice(0, max);
    const targets = this.#active.flatMap((tag, index) => {
      if (!tag) return [];
      tag.reset();
      this.#silent.add(tag);
      const ats = (tag.sak & 0x20) !== 0 ? [5, 0x78, 0x80, 0x70, 0x02] : [];
      return [index + 1, tag.atqa >> 8, tag.atqa & 0xff, tag.sak, tag.uid.length, ...tag.uid, ...ats];
    });
    return [this.#active.length, ...targets];
  }

  #exchange(data: Buffer): number[] {
    const number = data.readUInt8(0);
    const tag = this.#target((number & 0x3f) - 1);
    if (!tag) return [this.#active[(number & 0x3f) - 1] ? STATUS_TIMEOUT : STATUS_WRONG_CONTEXT];
    if (data.length === 1 && this.#rest.length > 0) return this.#next();
    this.#sent = Buffer.concat([this.#sent, data.subarray(1)]);
    if ((number & 0x40) !== 0) return [0];
    const reply = tag.answer(this.#sent);
    this.#sent = Buffer.alloc(0);
    if (!reply) {
      this.#deselect(tag);
      return [STATUS_TIMEOUT];
    }
    this.#rest = reply;
    return this.#next();
  }

  #next(): number[] {
    const part = this.#rest.subarray(0, CHUNK);
    this.#rest = this.#rest.subarray(CHUNK);
    return [this.#rest.length > 0 ? 0x40 : 0, ...part];
  }

  /** An activated tag that is still in the field. */
  #target(index: number): ModelTag | undefined {
    const tag = this.#active[index];
    return tag && this.#tags.has(tag) ? tag : undefined;
  }

  #current(): ModelTag | undefined {
    return this.#target(0);
  }

  #deselect(tag: ModelTag | undefined): void {
    this.#active = this.#active.map((active) => (active === tag ? undefined : active));
  }

  #reset(): void {
    this.#active = [];
    this.#silent.clear();
    for (const tag of this.#tags) tag.reset();
  }
}
