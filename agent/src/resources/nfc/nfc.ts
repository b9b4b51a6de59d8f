import { Backoff } from '../../base/backoff.ts';
import { limitedLog, type Records } from '../../base/limited-log.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { errorMessage } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import { ApiError } from '../../contract/errors.ts';
import { badRequest } from '../../contract/issues.ts';
import type { EventBus } from '../../events/bus.ts';
import { emitChanges } from './events.ts';
import { isNotDone, readerFailure, tagFailure } from './failures.ts';
import { HandleIssuer } from './handles.ts';
import { MAX_APDU_BYTES, MAX_MESSAGE_BYTES, MIN_APDU_BYTES } from './limits.ts';
import type { Feedback, ReaderEvent, ReaderProgram, ReaderSettings } from './ports.ts';
import { type Change, Readers, unknownReader } from './readers.ts';
import { type NfcReader, nfcTagUnsupported } from './schema.ts';

/** A service that starts connects earlier, in ms; systemd restarts one that has ended within 5 s. */
const CONNECT_MS = 10_000;
/** The configuration waits for a change for 10 s. */
const APPLY_MS = 9000;
/** Between two tries, in ms. */
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;

export interface NfcOptions {
  program: ReaderProgram;
  isEnabled: () => boolean;
  settings: () => ReaderSettings;
  /** The key of the tag handles; called once, if NFC is enabled. */
  key: () => Promise<Buffer>;
  bus: EventBus;
  /** The stored configuration is in effect after it could not be applied. */
  recovered: () => void;
  log: Logger;
  /** For tests: time in which the program connects, and in which a change takes effect, in ms. */
  times?: { connectMs: number; applyMs: number };
}

interface TagRequest {
  reader_id: string;
  tag_handle: string;
}

/** The NFC readers as configured, and what the endpoints do with them. */
export class Nfc {
  readonly #options: NfcOptions;
  readonly #log: Records;
  readonly #times: { connectMs: number; applyMs: number };
  /** Starts and stops the program, one change at a time. */
  readonly #turn = new Mutex();
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
  #readers: Readers | undefined;
  readonly #watchers = new Set<(changes: readonly Change[]) => void>();
  /** Whether the program may connect. */
  #isOpen = false;
  /** NFC was switched off, maybe for a moment only: the program must connect anew. */
  #mustClose = false;
  /** Whether the service may run; undefined: an agent before this one may have left it running. */
  #isStarted: boolean | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Why the stored configuration is not in effect. */
  #failure: string | undefined;
  /** Since when the program should be connected and is not. */
  #missingSince: number | undefined;
  /** The program's own reason why it has no readers. */
  #problem: string | undefined;
  #unlisten: (() => void) | undefined;

  constructor(options: NfcOptions) {
    this.#options = options;
    this.#log = limitedLog(options.log);
    this.#times = options.times ?? { connectMs: CONNECT_MS, applyMs: APPLY_MS };
  }

  /** Brings the program into the configured state, and does not wait for it. */
  start(): void {
    this.#unlisten = this.#options.program.listen((event) => this.#take(event));
    this.apply().catch(() => undefined);
  }

  /** The service goes on, so that an agent that is restarted finds readers and tags at once. */
  async stop(): Promise<void> {
    this.#unlisten?.();
    this.#unlisten = undefined;
    clearTimeout(this.#retry);
    await this.#turn.run(() => this.#options.program.close());
  }

  /**
   * Takes over a changed configuration. Switching off takes effect at once: no events, and no valid handle.
   * @throws Error when the program could not be started, stopped or configured in time; it is tried again
   */
  async apply(): Promise<void> {
    if (!this.#options.isEnabled()) {
      this.#mustClose = true;
      this.#readers?.clear();
      this.#problem = undefined;
      this.#missingSince = undefined;
    }
    this.#backoff.reset();
    await withTimeout(this.#settle(), this.#times.applyMs, () => {
      this.#failure ??= 'The program that drives NFC readers takes long to start or to end.';
      return new Error('the NFC reader program did not take the change in time');
    });
  }

  /** The readers with their tags; undefined before NFC was switched on. */
  get readers(): Readers | undefined {
    return this.#readers;
  }

  /** Calls `watcher` after every change that hosts learn of, until the returned function is called. */
  watch(watcher: (changes: readonly Change[]) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** All readers with their present tags. */
  list(): NfcReader[] {
    return this.#readers?.list() ?? [];
  }

  /** @throws ApiError */
  async transceive({ reader_id, tag_handle, apdu }: TagRequest & { apdu: string }) {
    const bytes = Buffer.from(apdu, 'base64');
    if (bytes.length < MIN_APDU_BYTES || bytes.length > MAX_APDU_BYTES) {
      const message = `must have ${MIN_APDU_BYTES} to ${MAX_APDU_BYTES} bytes`;
      throw badRequest('', [{ path: '/apdu', message }]);
    }
    const use = this.#reader(reader_id).use(reader_id, tag_handle, 'iso-dep');
    const outcome = await this.#options.program.transceive(reader_id, use.tag, bytes.toString('base64'));
    if (isNotDone(outcome)) use.release();
    const next = isNotDone(outcome) ? undefined : use.end();
    if (!outcome.ok) throw tagFailure(outcome, false);
    const answer = Buffer.from(outcome.response, 'base64');
    if (answer.length < 2) throw new ApiError('unavailable', 'The tag answered without a status word.');
    return {
      response: answer.subarray(0, -2).toString('base64'),
      sw: answer.subarray(-2).toString('hex').toUpperCase(),
      ...(next === undefined ? {} : { tag_handle: next }),
    };
  }

  /** @throws ApiError */
  async writeNdef({ reader_id, tag_handle, message }: TagRequest & { message: string }) {
    const bytes = Buffer.from(message, 'base64');
    const ndef = bytes.toString('base64');
    const use = this.#reader(reader_id).use(reader_id, tag_handle, 'ndef');
    if (bytes.length > MAX_MESSAGE_BYTES) {
      use.release();
      throw new ApiError(nfcTagUnsupported, `No tag can hold more than ${MAX_MESSAGE_BYTES} bytes.`);
    }
    const outcome = await this.#options.program.writeNdef(reader_id, use.tag, ndef);
    if (outcome.ok) {
      const next = use.endWith(ndef);
      const { written_bytes } = outcome;
      return { written_bytes, ...(next === undefined ? {} : { tag_handle: next }) };
    }
    const error = tagFailure(outcome, true);
    const state = error.details?.tag_state;
    if (isNotDone(outcome)) use.release();
    else if (state === undefined || state === 'unchanged') use.end();
    else use.endWith(state === 'written' ? ndef : undefined);
    throw error;
  }

  /** @throws ApiError */
  async feedback({ reader_id, ...feedback }: { reader_id: string } & Feedback): Promise<NfcReader> {
    const { present, capabilities } = this.#shown(reader_id);
    if (!present) throw new ApiError('unavailable', 'The NFC reader is not connected.');
    if (feedback.led !== undefined && !capabilities.has_led) {
      throw new ApiError('unavailable', 'The NFC reader has no light that can be set.');
    }
    if (feedback.buzzer_ms !== undefined && !capabilities.has_buzzer) {
      throw new ApiError('unavailable', 'The NFC reader has no buzzer.');
    }
    if (feedback.led !== undefined || feedback.buzzer_ms !== undefined) {
      const outcome = await this.#options.program.feedback(reader_id, feedback);
      if (!outcome.ok) throw readerFailure(outcome);
    }
    return this.#shown(reader_id);
  }

  /** What does not work although it is configured, as sentences for health. */
  problems(): string[] {
    const { isEnabled, settings } = this.#options;
    const problems = this.#failure === undefined ? [] : [this.#failure];
    if (!isEnabled()) return problems;
    const { backend } = settings();
    if (this.#missingSince !== undefined && performance.now() - this.#missingSince >= this.#times.connectMs) {
      problems.push('The program that drives NFC readers does not run. It is started again.');
    } else if (this.#missingSince === undefined) {
      if (this.#problem !== undefined) problems.push(`NFC: ${this.#problem}`);
      // With "auto", no reader is expected.
      if (backend !== 'auto') problems.push(...(this.#readers?.absences() ?? []));
    }
    return problems;
  }

  /** @throws ApiError `not_found` if there is no such reader */
  #reader(id: string): Readers {
    if (!this.#readers) throw unknownReader(id);
    return this.#readers;
  }

  #shown(id: string): NfcReader {
    const reader = this.#readers?.get(id);
    if (!reader) throw unknownReader(id);
    return reader;
  }

  /** Brings socket, service and program into the configured state. */
  async #settle(): Promise<void> {
    clearTimeout(this.#retry);
    const { isEnabled, recovered } = this.#options;
    try {
      await this.#turn.run(async () => {
        if (!isEnabled() || this.#mustClose) await this.#close();
        if (isEnabled()) await this.#open();
      });
    } catch (error) {
      this.#failure = `NFC could not be switched ${isEnabled() ? 'on' : 'off'}: ${errorMessage(error)}.`;
      this.#log.warn({ err: error }, 'the NFC reader program is not in the configured state');
      this.#settleAfter(this.#backoff.next());
      throw error;
    }
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    recovered();
  }

  async #open(): Promise<void> {
    const { program, settings } = this.#options;
    this.#readers ??= new Readers(new HandleIssuer(await this.#options.key()));
    if (!this.#isOpen) await program.open();
    this.#isOpen = true;
    if (!program.isConnected) {
      this.#missing();
      this.#isStarted = true;
      await program.startService();
      return;
    }
    const outcome = await program.configure(settings());
    // Without a connection it is configured when it connects.
    if (!outcome.ok && outcome.code !== 'disconnected') throw new Error(withoutDot(outcome.message));
  }

  async #close(): Promise<void> {
    const { program } = this.#options;
    this.#mustClose = false;
    if (this.#isOpen) await program.close();
    this.#isOpen = false;
    if (this.#isStarted === false) return;
    await program.stopService();
    this.#isStarted = false;
  }

  /** The program should be connected, and is not. */
  #missing(): void {
    this.#missingSince ??= performance.now();
    this.#settleAfter(this.#times.connectMs);
  }

  #settleAfter(ms: number): void {
    clearTimeout(this.#retry);
    const isStopped = this.#unlisten === undefined;
    if (!isStopped) this.#retry = setTimeout(() => void this.#settle().catch(() => undefined), ms).unref();
  }

  #take(event: ReaderEvent): void {
    if (!this.#options.isEnabled() || !this.#readers) return;
    switch (event.event) {
      case 'connected':
        this.#missingSince = undefined;
        this.#settle().catch(() => undefined);
        return;
      case 'disconnected':
        this.#problem = undefined;
        this.#tell(this.#readers.disconnect());
        this.#missing();
        return;
      case 'readers':
        this.#problem = event.problem;
        this.#tell(this.#readers.replace(event.readers));
        return;
      case 'tag':
        this.#tell(this.#readers.tagSeen(event));
        return;
      case 'tag_gone':
        this.#tell(this.#readers.tagGone(event.reader, event.tag));
        return;
    }
  }

  #tell(changes: readonly Change[]): void {
    emitChanges(this.#options.bus, changes);
    for (const watcher of this.#watchers) watcher(changes);
  }
}

function withoutDot(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
