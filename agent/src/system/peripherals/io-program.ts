import { JsonLinePeer, type PeerLimits, ProtocolViolation } from '../../base/json-line-peer.ts';
import { limitedLog, type Records } from '../../base/limited-log.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { PeerError } from '../../base/peer-calls.ts';
import { errorMessage } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import {
  Answer,
  Closed,
  Data,
  Greeting,
  Hello,
  Input,
  Named,
  PROTOCOL,
  Received,
  ReceiveError,
  Signals,
  TransferredIn,
  TransferredOut,
} from '../../peripheral-io/protocol.ts';
import { PageError } from '../../resources/page/page-error.ts';
import type { IoEvent, Kind, PeripheralIo } from '../../resources/peripherals/ports.ts';
import type { Valid, Validator } from '../../validation/validator.ts';

/** Time for an answer, in ms. The program itself gives up earlier, so a program that needs longer hangs. */
const CALL_MS = 10_000;
/**
 * Time for commands that take as long as the peripheral likes, in ms: data may come whenever it comes, and flow control
 * may stop what is sent. Closing the handle ends them.
 */
const ENDLESS_MS = 24 * 60 * 60 * 1000;
const ENDLESS = new Set([
  ...['transfer_in', 'transfer_out', 'write', 'drain'],
  // They wait for each other.
  ...['send_feature', 'get_feature'],
]);
/** Time for the start of the program, in ms. */
const CONNECT_MS = 10_000;
const KIB = 1024;
/** A transfer of 512 KiB in base64, with the fields around it. */
const MAX_LINE_BYTES = 720 * KIB;
const LIMITS: PeerLimits = {
  connections: 4,
  lineBytes: MAX_LINE_BYTES,
  greetingMs: 10_000,
  greetings: { perSecond: 2, atOnce: 10 },
  // 16 HID devices with 1000 reports a second. Credits limit what serial ports and USB transfers send.
  messages: { perSecond: 20_000, atOnce: 20_000 },
  bytes: { perSecond: 64 * KIB * KIB, atOnce: 16 * KIB * KIB },
  commandBytes: MAX_LINE_BYTES,
  unreadBytes: 8 * MAX_LINE_BYTES,
  calls: 256,
};

/** What the answers of commands must have. */
const RESULTS: Readonly<Record<string, Pick<Validator, 'fits'>>> = {
  get_feature: Received,
  get_signals: Signals,
  control_in: TransferredIn,
  control_out: TransferredOut,
  transfer_in: TransferredIn,
  transfer_out: TransferredOut,
};

/** An answer together with the message that it came in. */
interface Answered {
  answer: Valid<typeof Answer>;
  message: object;
}

export interface PeripheralProgramOptions {
  kind: Kind;
  /** Of the unix socket, for example /run/vitrine/peripheral-hid.sock. */
  path: string;
  /** Group that may connect: that of the program's user. */
  group: string;
  /** How the service of the program is started and stopped. */
  service: { start(): Promise<void>; stop(): Promise<void> };
  log: Logger;
  /** Instead of CALL_MS, for tests. */
  callMs?: number;
}

/** The agent's end of the socket of a program that drives peripherals of one kind (peripheral-io/protocol.ts). */
export class PeripheralProgram implements PeripheralIo {
  readonly #options: PeripheralProgramOptions;
  readonly #log: Records;
  readonly #peer: JsonLinePeer<Valid<typeof Hello>, Answered>;
  readonly #starting = new Mutex();
  readonly #listeners = new Set<(event: IoEvent) => void>();
  /** Whether handles are open; those that are being opened are not. */
  readonly #handles = new Map<number, boolean>();
  #isListening = false;
  /** Settled by the next connection. */
  #connected = Promise.withResolvers<void>();

  constructor(options: PeripheralProgramOptions) {
    const { kind, path, group, log } = options;
    this.#options = options;
    this.#log = limitedLog(log);
    this.#peer = new JsonLinePeer({
      ...{
        path,
        mode: 0o660,
        group,
        name: `program for ${kind} peripherals`,
        limits: LIMITS,
        log: this.#log,
      },
      protocol: {
        greet: (first) => this.#greet(first),
        connected: ({ pid }) => {
          this.#log.info({ kind, pid }, 'the program for peripherals is connected');
          this.#connected.resolve();
        },
        disconnected: () => this.#disconnected(),
        take: (_peer, message) => {
          this.#takeMessage(message);
          return 1;
        },
      },
    });
  }

  listen(listener: (event: IoEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** `open` starts the program if it does not run. */
  async call(command: string, fields: object): Promise<Record<string, unknown>> {
    const handle = 'handle' in fields && typeof fields.handle === 'number' ? fields.handle : -1;
    if (command === 'open') {
      await this.start();
      this.#handles.set(handle, false);
    }
    try {
      const result = await this.#do(command, fields);
      if (command === 'open' && this.#handles.has(handle)) this.#handles.set(handle, true);
      if (command === 'close') this.#handles.delete(handle);
      return result;
    } catch (error) {
      if (command === 'open') this.#handles.delete(handle);
      throw error;
    }
  }

  async start(): Promise<void> {
    const { kind, service } = this.#options;
    await this.#starting.run(async () => {
      if (this.#peer.current) return;
      try {
        if (!this.#isListening) await this.#peer.start();
        this.#isListening = true;
        await service.start();
        await withTimeout(this.#connected.promise, CONNECT_MS);
      } catch (error) {
        this.#log.error({ err: error, kind }, 'the program for peripherals does not start');
        throw failure('The program for peripherals does not start.');
      }
    });
  }

  async stop(): Promise<void> {
    await this.#starting.run(async () => {
      await this.#stopService();
      this.#isListening = false;
      await this.#peer.stop();
    });
  }

  /** @throws PageError */
  async #do(command: string, fields: object): Promise<Record<string, unknown>> {
    const { answer, message } = await this.#ask(command, fields);
    if (!answer.ok) {
      const { name = 'NetworkError', message: text = 'The peripheral did not do it.' } = answer;
      throw new PageError(name, text);
    }
    const { id: _id, ok: _ok, ...result } = { id: 0, ok: true, ...message };
    if (RESULTS[command]?.fits(result) === false) throw failure(`The answer to ${command} is malformed.`);
    return result;
  }

  /** @throws PageError */
  async #ask(command: string, fields: object): Promise<Answered> {
    const { kind, callMs = CALL_MS } = this.#options;
    const timeoutMs = ENDLESS.has(command) ? ENDLESS_MS : callMs;
    try {
      return await this.#peer.call(command, fields, timeoutMs);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      if (error.code === 'busy') {
        // What cannot be closed must not stay open.
        if (command === 'close') void this.#stopService();
        throw failure('Too many operations wait.');
      }
      if (error.code === 'too_large') throw failure('The operation is too large.');
      if (error.code === 'disconnected') throw failure('The program for peripherals has ended.');
      this.#log.error({ kind, command }, 'the program for peripherals hangs, and is ended');
      void this.#stopService();
      throw failure('The peripheral did not answer in time.');
    }
  }

  /** @returns undefined for a program of another version, which is not from this image */
  #greet(first: object): Valid<typeof Hello> | undefined {
    const { kind } = this.#options;
    if (Hello.fits(first) && first.kind === kind) return first;
    if (!Greeting.fits(first)) throw new ProtocolViolation('the first message is no hello');
    this.#log.error(
      { kind, protocol: first.protocol, expected: PROTOCOL },
      'the program for peripherals is of another version or kind',
    );
    return undefined;
  }

  #disconnected(): void {
    this.#log.info({ kind: this.#options.kind }, 'the program for peripherals is disconnected');
    this.#connected = Promise.withResolvers<void>();
    const reason = 'The program for peripherals has ended.';
    for (const [handle, isOpen] of this.#handles) {
      if (!isOpen) continue;
      this.#handles.delete(handle);
      this.#emit({ event: 'closed', handle, reason });
    }
  }

  async #stopService(): Promise<void> {
    const { kind, service } = this.#options;
    await service.stop().catch((error: unknown) => {
      this.#log.error({ kind, reason: errorMessage(error) }, 'the program for peripherals does not stop');
    });
  }

  #takeMessage(message: object): void {
    if ('id' in message) {
      if (!Answer.fits(message)) throw new ProtocolViolation('an answer is malformed');
      this.#peer.calls.resolve(message.id, { answer: message, message });
      return;
    }
    if (Input.fits(message) || Data.fits(message) || ReceiveError.fits(message)) {
      this.#emit(message);
      return;
    }
    if (Closed.fits(message)) {
      if (this.#handles.delete(message.handle)) this.#emit(message);
      return;
    }
    const event = Named.fits(message) ? message.event : 'unknown';
    throw new ProtocolViolation(`the event ${event} is malformed`);
  }

  /** An event may be in the same piece as the answer to `open`: whoever waits for that hears of it first. */
  #emit(event: IoEvent): void {
    setImmediate(() => {
      for (const listener of this.#listeners) listener(event);
    });
  }
}

function failure(message: string): PageError {
  return new PageError('NetworkError', message);
}
