/**
 * What the displayed page does with tags (https://w3c.github.io/web-nfc/). Hosts use the same readers at the same time:
 * the commands of both wait in the reader program's queue, and hosts get their events. A page names a tag by its stay, so
 * it uses up no handle and never reaches a tag other than the one it began with.
 */

import { Mutex } from '../../base/mutex.ts';
import { withTimeout } from '../../base/timeout.ts';
import { PageError } from '../page/page-error.ts';
import { selectsFido } from './fido.ts';
import { MAX_APDU_BYTES, MAX_MESSAGE_BYTES, MIN_APDU_BYTES } from './limits.ts';
import type { Nfc } from './nfc.ts';
import { changedState, failureOf, isForNdef, readingOf, type TagReading } from './page-tags.ts';
import type { ReaderProgram, TagSeen } from './ports.ts';
import type { Change } from './readers.ts';

/** A page that loads when the device starts is earlier than the readers, which need this long, in ms. */
const READER_MS = 10_000;
/** Most commands of the page that wait for the one before. */
const MAX_COMMANDS = 8;

export interface PageNfcOptions {
  /** Undefined on a system that has no readers. */
  nfc: Pick<Nfc, 'readers' | 'watch'> | undefined;
  program?: Pick<ReaderProgram, 'transceive' | 'writeNdef'>;
  isEnabled: () => boolean;
  /** For tests: how long to wait for a reader, in ms. */
  readerMs?: number;
}

/** A write that waits for a tag, or is being done. */
interface PendingWrite {
  readonly message: string;
  readonly isIfEmpty: boolean;
  isBegun: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Web NFC for one page at a time; `end` makes it ready for the next one. Everything that fails rejects with a
 * PageError: `NotReadableError` if NFC is switched off, `NotSupportedError` if there is no reader.
 */
export class PageNfc {
  readonly #options: PageNfcOptions;
  readonly #unwatch: (() => void) | undefined;
  /** The page's commands, one at a time: it never fills the reader's queue, from which hosts are served, too. */
  readonly #turn = new Mutex();
  #page = new AbortController();
  #listener: ((reading: TagReading) => void) | undefined;
  /** How often scanning was stopped. */
  #stops = 0;
  #write: PendingWrite | undefined;
  /** The card that got the page's last APDU. */
  #card: { reader: string; tag: number } | undefined;
  /** Waiting for a reader to come, which all calls do together. */
  #reader: Promise<void> | undefined;
  #waiting = 0;

  constructor(options: PageNfcOptions) {
    this.#options = options;
    this.#unwatch = options.nfc?.watch((changes) => this.#take(changes));
  }

  /** Ends everything, for good. */
  stop(): void {
    this.#unwatch?.();
    this.end();
  }

  /** The page has left, or may not use NFC any more: what waits or runs rejects with `AbortError`, scanning ends. */
  end(): void {
    this.stopScan();
    this.#page.abort();
    this.#page = new AbortController();
    this.#write?.reject(aborted());
    this.#write = undefined;
    this.#card = undefined;
  }

  /**
   * Reports every tag from now on, in place of an earlier listener. First, after this has resolved and the caller's
   * next steps have run, those that are present: Chromium does so, too.
   * @throws PageError
   */
  async scan(listener: (reading: TagReading) => void): Promise<void> {
    const stops = this.#stops;
    await this.#needReader();
    if (this.#stops !== stops) throw aborted();
    // The answer to the page is sent before the first reading.
    setImmediate(() => {
      if (this.#stops !== stops) return;
      this.#listener = listener;
      for (const seen of this.#presentTags().toReversed()) listener(readingOf(seen));
    });
  }

  /** Ends scanning. */
  stopScan(): void {
    this.#stops += 1;
    this.#listener = undefined;
  }

  /**
   * Writes to the tag that came last, or to the next one that comes. A write that still waits for a tag is aborted by the
   * next one; one that has begun is done.
   * @param message NDEF, base64
   * @param options `overwrite`: false if a tag with a message is to keep it
   * @throws PageError `NotAllowedError` for a tag that has a message that is to stay, `NotSupportedError` for one
   *   that cannot be written, `NetworkError` when the tag left or the reader failed: what the tag contains is not known
   *   then; `AbortError` after `abortWrite` or `end`
   */
  async write(message: string, { overwrite = true }: { overwrite?: boolean } = {}): Promise<void> {
    const bytes = Buffer.from(message, 'base64');
    this.abortWrite();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const write: PendingWrite = {
      ...{ message: bytes.toString('base64'), isIfEmpty: !overwrite, isBegun: false, resolve, reject },
    };
    this.#write = write;
    const begin = async () => {
      await this.#needReader();
      if (bytes.length === 0 || bytes.length > MAX_MESSAGE_BYTES) {
        throw new PageError('NotSupportedError', `A message has 1 to ${MAX_MESSAGE_BYTES} bytes.`);
      }
      if (this.#write === write) this.#beginWrite();
    };
    begin().catch(reject);
    try {
      await promise;
    } finally {
      if (this.#write === write) this.#write = undefined;
    }
  }

  /** Aborts a write that waits for a tag. One that has begun is done. */
  abortWrite(): void {
    if (!this.#write || this.#write.isBegun) return;
    this.#write.reject(aborted());
    this.#write = undefined;
  }

  /**
   * Exchanges one APDU with the card (ISO-DEP) that came last. The following ones go to the same card; after it has left,
   * one of them fails, unless the page was told of another tag meanwhile: no APDU of a series goes to another card.
   * @param apdu base64
   * @returns the answer with its status word, base64
   * @throws PageError `TypeError` for another length than 4 to 65 544 bytes; `InvalidStateError` without a tag, and
   *   if eight calls wait; `NotSupportedError` for a tag that is not ISO-DEP; `NotAllowedError` for the application of
   *   security keys; `NetworkError` when the card left or did not answer
   */
  async transceive(apdu: string): Promise<string> {
    const bytes = Buffer.from(apdu, 'base64');
    if (bytes.length < MIN_APDU_BYTES || bytes.length > MAX_APDU_BYTES) {
      const message = `An APDU has ${MIN_APDU_BYTES} to ${MAX_APDU_BYTES} bytes.`;
      throw new PageError('TypeError', message);
    }
    if (selectsFido(bytes)) throw new PageError('NotAllowedError', 'Pages may not use security keys.');
    const outcome = await this.#command(async (program) => {
      const { reader, tag } = this.#chooseCard();
      return await program.transceive(reader, tag, bytes.toString('base64'));
    });
    if (!outcome.ok) throw failureOf(outcome);
    if (Buffer.from(outcome.response, 'base64').length < 2) {
      throw new PageError('NetworkError', 'The tag answered without a status word.');
    }
    return outcome.response;
  }

  #take(changes: readonly Change[]): void {
    for (const each of changes) {
      if (each.change !== 'tag') continue;
      this.#listener?.(readingOf(each.seen));
      if (this.#listener && this.#card && !this.#find(this.#card)) this.#card = undefined;
      this.#beginWrite();
    }
  }

  /** Begins the write that waits, if there is a tag. */
  #beginWrite(): void {
    const write = this.#write;
    if (!write || write.isBegun) return;
    const present = this.#presentTags();
    const tag = present.find(isForNdef) ?? present[0];
    if (!tag) return;
    write.isBegun = true;
    this.#writeTo(tag, write).then(write.resolve, write.reject);
  }

  async #writeTo(seen: TagSeen, { message, isIfEmpty }: PendingWrite): Promise<void> {
    if (!isForNdef(seen)) {
      throw new PageError('NotSupportedError', 'The tag is not formatted for NDEF messages.');
    }
    const { reader, tag } = seen;
    const outcome = await this.#command(async (program) => {
      const done = await program.writeNdef(reader, tag, message, isIfEmpty);
      const state = done.ok ? 'written' : changedState(done);
      if (state) this.#options.nfc?.readers?.written(reader, tag, state === 'written' ? message : undefined);
      return done;
    });
    if (!outcome.ok) throw failureOf(outcome);
  }

  /** Does a command when those before are done. Its own time limit is the reader program's. */
  async #command<T>(work: (program: NonNullable<PageNfcOptions['program']>) => Promise<T>): Promise<T> {
    const { signal } = this.#page;
    const { program } = this.#options;
    if (!program) throw noReader();
    if (this.#turn.waiting > MAX_COMMANDS) throw tooMany();
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const end = () => reject(aborted());
    signal.addEventListener('abort', end);
    try {
      return await Promise.race([
        ended,
        this.#turn.run(async () => {
          if (signal.aborted) throw aborted();
          if (!this.#options.isEnabled()) throw switchedOff();
          return await work(program);
        }),
      ]);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  #chooseCard(): { reader: string; tag: number } {
    const before = this.#card;
    if (before && this.#find(before)) return before;
    this.#card = undefined;
    if (before) throw new PageError('NetworkError', 'The tag has left.');
    const present = this.#presentTags();
    this.#card = present.find(({ techs }) => techs.includes('iso-dep'));
    if (this.#card) return this.#card;
    if (present.length > 0) throw new PageError('NotSupportedError', 'The tag is not ISO-DEP.');
    throw new PageError('InvalidStateError', 'There is no tag in the field.');
  }

  #find({ reader, tag }: { reader: string; tag: number }): TagSeen | undefined {
    return this.#presentTags().find((seen) => seen.reader === reader && seen.tag === tag);
  }

  /** That which came last first. */
  #presentTags(): TagSeen[] {
    return this.#options.nfc?.readers?.presentTags() ?? [];
  }

  /** Waits until a reader is present. @throws PageError */
  async #needReader(): Promise<void> {
    const { nfc, isEnabled } = this.#options;
    const { signal } = this.#page;
    if (!nfc) throw noReader();
    if (!isEnabled()) throw switchedOff();
    if (!nfc.readers?.hasReader) {
      if (this.#waiting >= MAX_COMMANDS) throw tooMany();
      this.#reader ??= this.#waitForReader(nfc).finally(() => {
        this.#reader = undefined;
      });
      this.#waiting += 1;
      await this.#reader.finally(() => {
        this.#waiting -= 1;
      });
    }
    if (signal.aborted) throw aborted();
    if (!isEnabled()) throw switchedOff();
  }

  async #waitForReader(nfc: Pick<Nfc, 'readers' | 'watch'>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unwatch = nfc.watch(() => {
      if (nfc.readers?.hasReader) resolve();
    });
    try {
      await withTimeout(promise, this.#options.readerMs ?? READER_MS, noReader);
    } finally {
      unwatch();
    }
  }
}

const aborted = () => new PageError('AbortError', 'The operation was aborted.');
const switchedOff = () => new PageError('NotReadableError', 'NFC is switched off on this device.');
const noReader = () => new PageError('NotSupportedError', 'There is no NFC reader.');
const tooMany = () =>
  new PageError('InvalidStateError', `${MAX_COMMANDS} operations wait for the reader already.`);
