import { Pn532Commands } from './commands.ts';
import type { Field } from './field.ts';
import { ACK, answerFrame, readFrame, SYNTAX_ERROR } from './frame.ts';

/** From a command to its acknowledgement, and from there to the answer, in ms. A search without a tag takes longer. */
const ACK_MS = 1;
const ANSWER_MS = 2;
const SEARCH_MS = 8;
const IN_LIST_PASSIVE_TARGET = 0x4a;
const MOST_LOGGED = 5000;

/**
 * What goes wrong with a command. `nack`: nobody acknowledges it on the bus, and on SPI it is lost. `lost`: the chip does not
 * notice it. `garbage`: noise in place of the acknowledgement. `checksum`: a wrong checksum of the answer. `short`: the answer
 * breaks off. `error`: the chip answers that it does not know the command. `silent`: the answer never comes. `hang`: the bus
 * itself is blocked.
 */
export const FAULTS = ['nack', 'lost', 'garbage', 'checksum', 'short', 'error', 'silent', 'hang'] as const;
export type FaultKind = (typeof FAULTS)[number];

export interface Fault {
  kind: FaultKind;
  /** Number of good commands before it. */
  after: number;
  /** Number of commands that it affects. */
  times: number;
}

/** A PN532 with power, behind one of its buses (NXP UM0701-02). */
export class Pn532Chip {
  readonly field: Field;
  readonly #commands: Pn532Commands;
  /** What the host can read, the first part first. */
  #queue: Buffer[] = [];
  #readyAt = 0;
  /** From reading the acknowledgement to the answer. */
  #answerMs = ANSWER_MS;
  #last: Buffer = Buffer.alloc(0);
  #search: Buffer | undefined;
  #fault: Fault | undefined;
  /** Resolves when the bus works again; undefined while it is not blocked. */
  #standstill: PromiseWithResolvers<void> | undefined;
  #isPowered = true;
  /** The first contact after power-on only wakes it up (6.2.4, 7.2.11). */
  #isAsleep = true;
  #log: string[] = [];

  constructor(field: Field) {
    this.field = field;
    this.#commands = new Pn532Commands(field);
    field.changed = () => this.#finishSearch();
  }

  get isPowered(): boolean {
    return this.#isPowered;
  }

  /** Waits while the bus is blocked. */
  async untilFree(): Promise<void> {
    await this.#standstill?.promise;
  }

  get isReady(): boolean {
    return this.#queue.length > 0 && performance.now() >= this.#readyAt;
  }

  /** Commands since the last call, each with its parameters, as hexadecimal digits. */
  takeLog(): string[] {
    return this.#log.splice(0);
  }

  power(isOn: boolean): void {
    this.#isPowered = isOn;
    this.#isAsleep = true;
    this.#queue = [];
    this.#search = undefined;
    if (isOn) this.#commands.reset();
    else this.field.switch(false);
  }

  /** Makes the next commands fail; undefined: nothing fails any more. */
  fail(fault: Fault | undefined): void {
    this.#fault = fault && { ...fault };
    if (fault) return;
    this.#standstill?.resolve();
    this.#standstill = undefined;
  }

  /** Takes a frame of the host. @returns false when nobody acknowledges it on the bus */
  receive(bytes: Buffer): boolean {
    if (!this.#isPowered) return false;
    if (this.#isAsleep) {
      this.#isAsleep = false;
      return false;
    }
    const frame = readFrame(bytes);
    if (frame.kind === 'ack') this.#abort();
    if (frame.kind === 'nack' && this.#last.length > 0) {
      // A fault that lasts spoils the repetition, too.
      this.#offer([spoilt(this.#last, this.#fault?.after === 0 ? this.#nextFault() : undefined)]);
    }
    if (frame.kind !== 'command') return true;
    this.#abort();
    const fault = this.#nextFault();
    if (fault === 'nack') return false;
    if (fault === 'hang') this.#standstill ??= Promise.withResolvers();
    if (fault === 'lost' || fault === 'hang') return true;
    this.#run(frame.code, frame.params, fault);
    return true;
  }

  /** Gives the part that is ready; what does not fit in `length` is lost, and what is missing is zeros. */
  take(length: number): Buffer {
    const out = Buffer.alloc(length);
    this.#queue.shift()?.copy(out);
    this.#readyAt = performance.now() + this.#answerMs;
    return out;
  }

  #abort(): void {
    this.#queue = [];
    this.#search = undefined;
  }

  #nextFault(): FaultKind | undefined {
    const fault = this.#fault;
    if (!fault) return undefined;
    if (fault.after > 0) {
      fault.after -= 1;
      return undefined;
    }
    fault.times -= 1;
    if (fault.times <= 0) this.#fault = undefined;
    return fault.kind;
  }

  #run(code: number, params: Buffer, fault: FaultKind | undefined): void {
    if (this.#log.length < MOST_LOGGED) this.#log.push(Buffer.from([code, ...params]).toString('hex'));
    const ack = fault === 'garbage' ? Buffer.from('a5a5a5a5a5a5', 'hex') : ACK;
    if (fault === 'silent' || fault === 'garbage') {
      this.#offer([ack]);
      return;
    }
    const result = fault === 'error' ? undefined : this.#commands.run(code, params);
    if (result === 'later') {
      this.#search = params;
      this.#offer([ack]);
      return;
    }
    const frame = result ? answerFrame(code, result) : SYNTAX_ERROR;
    this.#last = frame;
    const isVain = code === IN_LIST_PASSIVE_TARGET && this.field.tags.length === 0;
    this.#offer([ack, spoilt(frame, fault)], isVain ? SEARCH_MS : ANSWER_MS);
  }

  #offer(parts: Buffer[], answerMs = ANSWER_MS): void {
    this.#queue = parts;
    this.#readyAt = performance.now() + ACK_MS;
    this.#answerMs = answerMs;
  }

  /** Ends a search without a limit when a tag comes. */
  #finishSearch(): void {
    const params = this.#search;
    if (!params) return;
    const result = this.#commands.run(IN_LIST_PASSIVE_TARGET, params);
    if (result === 'later' || !result) return;
    this.#search = undefined;
    this.#last = answerFrame(IN_LIST_PASSIVE_TARGET, result);
    // The acknowledgement may not have been read yet.
    this.#queue.push(this.#last);
    this.#readyAt = performance.now() + ANSWER_MS;
  }
}

/** A frame as a fault changes it. */
function spoilt(frame: Buffer, fault: FaultKind | undefined): Buffer {
  if (fault === 'short') return frame.subarray(0, frame.length / 2);
  if (fault !== 'checksum') return frame;
  const bytes = Buffer.from(frame);
  bytes[bytes.length - 2] = (bytes.at(-2) ?? 0) ^ 0x55;
  return bytes;
}
