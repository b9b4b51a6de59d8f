import { Backoff } from '../base/backoff.ts';
import type { Records } from '../base/limited-log.ts';
import { Mutex } from '../base/mutex.ts';
import { errorMessage } from '../base/system-error.ts';
import { sleep } from '../base/timeout.ts';
import { CommandError, ReaderGone, TagError, unsupported } from './errors.ts';
import type { Field, FieldSettings, FieldTag, Light } from './field.ts';
import type { Backend, Code, ReaderState } from './protocol.ts';
import { readNdef, writeNdef } from './tags/ndef.ts';
import { NdefFound, WriteProgress } from './tags/progress.ts';

/** Between two attempts to open the reader: the first one and the longest, in ms. */
const REOPEN_MS = [500, 15_000] as const;
/** So many looks for tags in a row fail when the reader is gone. */
const MAX_FAILED_POLLS = 3;
/** Between two looks for tags that take longer than their interval, in ms. */
const MIN_PAUSE_MS = 10;
/** Most commands that wait for a reader. */
const MAX_COMMANDS = 8;
/** How often a tag that just came is read; the first time it may be at the edge of the field. */
const READS = 2;
/** Failures for which the tag itself is not the reason, and which leave it as it was. */
const UNTOUCHED: readonly Code[] = ['unsupported', 'not_empty'];
/** Shortest APDU, in bytes: its header. */
const MIN_APDU_BYTES = 4;

/** One stay of a tag in the field. */
export interface Stay {
  /** Never used again. */
  readonly number: number;
  readonly tag: FieldTag;
  readonly isFormatted: boolean;
  /** The NDEF message. */
  ndef: Buffer | undefined;
  /** Reading it failed. */
  isUnread: boolean;
}

export interface SlotListener {
  /** Its state is another one. */
  changed(): void;
  tag(slot: Slot, stay: Stay): void;
  /** Not called when the reader is gone. */
  tagGone(slot: Slot, stay: Stay): void;
}

export interface SlotOptions {
  id: string;
  backend: Backend;
  hasLight: boolean;
  hasBuzzer: boolean;
  /**
   * Connects to the reader.
   * @param wake makes the slot look for tags now
   */
  open(wake: () => void): Promise<Field>;
  settings: FieldSettings;
  /** The number of the next stay. */
  nextStay(): number;
  listener: SlotListener;
  log: Records;
}

/** A place for one reader: opens it, looks for tags, does what the agent asks for, and opens it again when it is gone. */
export class Slot {
  readonly #options: SlotOptions;
  readonly #mutex = new Mutex();
  readonly #stays = new Map<number, Stay>();
  #settings: FieldSettings;
  #field: Field | undefined;
  #commands = 0;
  #problem: string | undefined;
  #wasPresent = false;
  #isStopped = false;
  #isAwake = false;
  #pause = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: SlotOptions) {
    this.#options = options;
    this.#settings = options.settings;
  }

  get id(): string {
    return this.#options.id;
  }

  get isPresent(): boolean {
    return this.#field !== undefined;
  }

  /** Whether the reader has been there. */
  get wasPresent(): boolean {
    return this.#wasPresent;
  }

  get stays(): Iterable<Stay> {
    return this.#stays.values();
  }

  get state(): ReaderState {
    const { id, backend, hasLight, hasBuzzer } = this.#options;
    return {
      reader: id,
      backend,
      present: this.isPresent,
      techs: ['iso-dep', 'ndef'],
      has_led: hasLight,
      has_buzzer: hasBuzzer,
      ...(this.#problem === undefined ? {} : { problem: this.#problem.slice(0, 512) }),
    };
  }

  /** @param after what must end first, as an earlier use of the same bus */
  start(after: Promise<void>): void {
    this.#running = after.then(() => this.#run());
  }

  /** Ends what is going on, and closes the reader. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#field?.interrupt?.();
    this.wake();
    await this.#running;
  }

  /** Looks for the reader or for tags now. */
  wake(): void {
    this.#isAwake = true;
    this.#pause.abort();
  }

  /** Forgets that the reader was there, if it is not there now. */
  forget(): void {
    this.#wasPresent = this.isPresent;
  }

  configure(settings: FieldSettings): void {
    this.#settings = settings;
    const field = this.#field;
    if (!field) return;
    void this.#mutex.run(() => this.#pass(field, settings));
    this.wake();
  }

  /**
   * Exchanges an APDU with a tag.
   * @returns the answer's data and status word
   * @throws CommandError
   */
  async transceive(number: number, apdu: Buffer): Promise<Buffer> {
    if (apdu.length < MIN_APDU_BYTES) throw new CommandError('refused', 'The APDU has less than 4 bytes.');
    return await this.#withTag(number, new WriteProgress(), async ({ tag }) => {
      if (tag.kind !== 'type4') throw unsupported('The tag does not take APDUs: it does not speak ISO-DEP.');
      tag.use();
      try {
        return await tag.apdu(apdu);
      } finally {
        tag.use();
      }
    });
  }

  /**
   * Replaces the NDEF message of a tag.
   * @param isIfEmpty only if it has none
   * @throws CommandError with what the tag contains then
   */
  async writeNdef(number: number, message: Buffer, isIfEmpty = false): Promise<void> {
    const progress = new WriteProgress();
    await this.#withTag(number, progress, async (stay) => {
      if (isIfEmpty && (await readNdef(stay.tag)).message) {
        throw new CommandError('not_empty', 'The tag has a message already.');
      }
      try {
        await writeNdef(stay.tag, message, progress);
        stay.ndef = message.length > 0 ? message : undefined;
        stay.isUnread = false;
      } catch (error) {
        if (progress.state !== 'unchanged') stay.ndef = undefined;
        throw error;
      }
    });
  }

  /** @throws CommandError */
  async feedback(light: Light | undefined, buzzerMs: number | undefined): Promise<void> {
    await this.#command(async (field) => {
      if (!field.feedback) throw unsupported('The reader has no light and no buzzer.');
      await field.feedback(light, buzzerMs).catch((error: unknown) => {
        throw new CommandError('failed', errorMessage(error));
      });
    });
  }

  async #withTag<T>(number: number, progress: WriteProgress, work: (stay: Stay) => Promise<T>): Promise<T> {
    return await this.#command(async () => {
      const stay = this.#stays.get(number);
      if (!stay) throw new CommandError('no_tag', 'The tag has left.', 'unchanged');
      try {
        return await work(stay);
      } catch (error) {
        if (error instanceof CommandError && UNTOUCHED.includes(error.code)) throw error;
        const { state } = progress;
        const isGone = error instanceof TagError && !(await stay.tag.isPresent().catch(() => true));
        this.wake();
        throw isGone
          ? new CommandError('no_tag', 'The tag has left.', state)
          : new CommandError('failed', errorMessage(error), state);
      }
    });
  }

  async #command<T>(work: (field: Field) => Promise<T>): Promise<T> {
    if (this.#commands >= MAX_COMMANDS)
      throw new CommandError('busy', 'Too many commands wait for the reader.');
    this.#commands += 1;
    try {
      return await this.#mutex.run(async () => {
        if (!this.#field) throw new CommandError('no_reader', 'The reader is not connected.');
        return await work(this.#field);
      });
    } finally {
      this.#commands -= 1;
    }
  }

  async #run(): Promise<void> {
    const backoff = new Backoff(...REOPEN_MS);
    while (!this.#isStopped) {
      let field: Field | undefined;
      try {
        field = await this.#options.open(() => this.wake());
        await this.#pass(field, this.#settings);
        this.#setPresent(field, undefined);
        await this.#pollWhilePresent(field, backoff);
      } catch (error) {
        this.#setPresent(undefined, errorMessage(error));
      }
      await this.#mutex.run(() => this.#setPresent(undefined, this.#problem));
      await field?.close().catch((error: unknown) => this.#warn('the reader could not be closed', error));
      await this.#wait(backoff.next());
    }
  }

  /** Ends when the slot is stopped. @throws ReaderError when the reader is gone */
  async #pollWhilePresent(field: Field, backoff: Backoff): Promise<void> {
    let failures = 0;
    while (!this.#isStopped) {
      const begin = performance.now();
      try {
        await this.#mutex.run(() => this.#poll(field));
        failures = 0;
        backoff.reset();
      } catch (error) {
        failures += 1;
        if (error instanceof ReaderGone || failures >= MAX_FAILED_POLLS) throw error;
      }
      const took = performance.now() - begin;
      await this.#wait(Math.max(this.#settings.pollMs - took, MIN_PAUSE_MS));
    }
  }

  async #poll(field: Field): Promise<void> {
    const tags = await field.poll();
    const { listener, nextStay } = this.#options;
    for (const [number, stay] of this.#stays) {
      if (tags.includes(stay.tag)) continue;
      this.#stays.delete(number);
      listener.tagGone(this, stay);
    }
    const known = Array.from(this.#stays.values(), ({ tag }) => tag);
    for (const tag of tags) {
      if (known.includes(tag)) continue;
      const { found, isUnread } = await this.#read(tag);
      const { isFormatted, message } = found;
      const stay = { number: nextStay(), tag, isFormatted, ndef: message, isUnread };
      this.#stays.set(stay.number, stay);
      listener.tag(this, stay);
    }
  }

  /** Reads a tag that just came, as far as it lets itself be read. */
  async #read(tag: FieldTag): Promise<{ found: NdefFound; isUnread: boolean }> {
    const found = new NdefFound();
    for (let attempt = 1; attempt <= READS; attempt++) {
      try {
        return { found: await readNdef(tag, found), isUnread: false };
      } catch (error) {
        this.#options.log.debug({ err: error }, 'a tag could not be read');
        if (!(await tag.isPresent().catch(() => false))) break;
      }
    }
    return { found, isUnread: true };
  }

  /** Passes settings on. A reader that does not take them works nevertheless. */
  async #pass(field: Field, settings: FieldSettings): Promise<void> {
    await field.configure?.(settings).catch((error: unknown) => {
      this.#warn('the reader did not take its settings', error);
    });
  }

  #setPresent(field: Field | undefined, problem: string | undefined): void {
    const { id, listener, log } = this.#options;
    const before = this.#field;
    if (field === before && problem === this.#problem) return;
    this.#field = field;
    this.#problem = problem;
    if (field) {
      this.#wasPresent = true;
      log.info({ reader: id }, 'the reader is connected');
    } else {
      this.#stays.clear();
      if (before) log.warn({ reader: id, problem }, 'the reader is gone');
    }
    if (!this.#isStopped) listener.changed();
  }

  #warn(message: string, error: unknown): void {
    this.#options.log.warn({ reader: this.id, reason: errorMessage(error) }, message);
  }

  /** Ends early when woken, also when that was before. */
  async #wait(ms: number): Promise<void> {
    if (!this.#isAwake && !this.#isStopped) {
      this.#pause = new AbortController();
      await sleep(ms, this.#pause.signal);
    }
    this.#isAwake = false;
  }
}
