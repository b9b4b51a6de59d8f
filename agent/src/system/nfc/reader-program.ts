import { JsonLinePeer, type PeerLimits, ProtocolViolation } from '../../base/json-line-peer.ts';
import { limitedLog, type Records } from '../../base/limited-log.ts';
import type { Logger } from '../../base/logger.ts';
import { PeerError } from '../../base/peer-calls.ts';
import {
  Answer,
  Greeting,
  Hello,
  Named,
  PROTOCOL,
  Readers,
  Tag,
  TagGone,
  Transceived,
  Written,
} from '../../nfc-reader/protocol.ts';
import type {
  Failure,
  Feedback,
  Outcome,
  ReaderEvent,
  ReaderProgram,
  ReaderSettings,
} from '../../resources/nfc/ports.ts';
import type { Valid } from '../../validation/validator.ts';

/** Group that may connect: the user of the program. */
const GROUP = 'nfc';
/** Time for an answer, in ms: a card may take seconds for one APDU, and a tag of 64 KiB is written in steps. */
const CALL_MS = 30_000;
/** The configuration waits for 10 s. */
const CONFIGURE_MS = 8000;
const KIB = 1024;
/** An APDU or NDEF message of 64 KiB in base64, with the fields around it. */
const MAX_LINE_BYTES = 128 * KIB;
const LIMITS: PeerLimits = {
  connections: 4,
  lineBytes: MAX_LINE_BYTES,
  greetingMs: 10_000,
  greetings: { perSecond: 2, atOnce: 10 },
  // 8 readers whose tags come and go all the time send less.
  messages: { perSecond: 100, atOnce: 300 },
  bytes: { perSecond: 2 * KIB * KIB, atOnce: 8 * KIB * KIB },
  commandBytes: MAX_LINE_BYTES,
  unreadBytes: 8 * MAX_LINE_BYTES,
  calls: 64,
};

/** An answer together with the message that it came in. */
interface Answered {
  answer: Valid<typeof Answer>;
  message: object;
}

/** How the service of the program is started and stopped. */
export interface ReaderService {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The agent's end of the socket of the NFC reader program (nfc-reader/protocol.ts). */
export class ReaderProgramSocket implements ReaderProgram {
  readonly #service: ReaderService;
  readonly #log: Records;
  readonly #listeners = new Set<(event: ReaderEvent) => void>();
  readonly #peer: JsonLinePeer<Valid<typeof Hello>, Answered>;
  #isStarted = false;

  /** @param path of the unix socket, for example /run/vitrine/nfc.sock */
  constructor(path: string, service: ReaderService, log: Logger) {
    this.#service = service;
    this.#log = limitedLog(log);
    this.#peer = new JsonLinePeer({
      ...{ path, mode: 0o660, group: GROUP, name: 'NFC reader program', limits: LIMITS, log: this.#log },
      protocol: {
        greet: (first) => this.#greet(first),
        connected: ({ pid }) => {
          this.#log.info({ pid }, 'the NFC reader program is connected');
          this.#emit({ event: 'connected' });
        },
        disconnected: () => {
          this.#log.info({}, 'the NFC reader program is disconnected');
          this.#emit({ event: 'disconnected' });
        },
        take: (_peer, message) => {
          this.#takeMessage(message);
          return 1;
        },
      },
    });
  }

  get isConnected(): boolean {
    return this.#peer.current !== undefined;
  }

  listen(listener: (event: ReaderEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async open(): Promise<void> {
    if (this.#isStarted) return;
    await this.#peer.start();
    this.#isStarted = true;
  }

  async close(): Promise<void> {
    this.#isStarted = false;
    await this.#peer.stop();
  }

  startService(): Promise<void> {
    return this.#service.start();
  }

  stopService(): Promise<void> {
    return this.#service.stop();
  }

  async configure(settings: ReaderSettings): Promise<Outcome<object>> {
    return await this.#call('configure', settings, CONFIGURE_MS);
  }

  async transceive(reader: string, tag: number, apdu: string): Promise<Outcome<{ response: string }>> {
    const outcome = await this.#call('transceive', { reader, tag, apdu });
    if (!outcome.ok || Transceived.fits(outcome)) return outcome;
    return broken('transceive');
  }

  async writeNdef(
    reader: string,
    tag: number,
    message: string,
    isIfEmpty = false,
  ): Promise<Outcome<{ written_bytes: number }>> {
    const condition = isIfEmpty ? { if_empty: true } : {};
    const outcome = await this.#call('write_ndef', { reader, tag, message, ...condition });
    if (!outcome.ok || Written.fits(outcome)) return outcome;
    return broken('write_ndef');
  }

  async feedback(reader: string, feedback: Feedback): Promise<Outcome<object>> {
    return await this.#call('feedback', { reader, ...feedback });
  }

  /** @returns undefined for a program of another version, which is not from this image */
  #greet(first: object): Valid<typeof Hello> | undefined {
    if (Hello.fits(first)) return first;
    if (!Greeting.fits(first)) throw new ProtocolViolation('the first message is no hello');
    this.#log.error(
      { protocol: first.protocol, expected: PROTOCOL },
      'the NFC reader program has another version of the protocol',
    );
    return undefined;
  }

  async #call(command: string, fields: object, timeoutMs = CALL_MS): Promise<Outcome<object>> {
    try {
      const { answer, message } = await this.#peer.call(command, fields, timeoutMs);
      if (answer.ok) return { ...message, ok: true };
      const { code = 'failed', message: text = 'The NFC reader program gave no reason.', tag_state } = answer;
      return { ok: false, code, message: text, tag_state };
    } catch (error) {
      if (error instanceof PeerError) return transportFailure(error);
      throw error;
    }
  }

  #takeMessage(message: object): void {
    if ('id' in message) {
      if (!Answer.fits(message)) throw new ProtocolViolation('an answer is malformed');
      this.#peer.calls.resolve(message.id, { answer: message, message });
      return;
    }
    if (Readers.fits(message) || Tag.fits(message) || TagGone.fits(message)) {
      this.#emit(message);
      return;
    }
    if (!Named.fits(message)) throw new ProtocolViolation('a message is neither an answer nor an event');
    const { event } = message;
    if (event === 'readers' || event === 'tag' || event === 'tag_gone') {
      throw new ProtocolViolation(`the event ${event} is malformed`);
    }
    this.#log.debug({ event }, 'an unknown event of the NFC reader program was ignored');
  }

  #emit(event: ReaderEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** The command did not reach the program, or its answer did not come. */
function transportFailure({ code }: PeerError): Failure {
  if (code === 'busy') {
    return { ok: false, code, message: 'The NFC reader program has too much to do.', tag_state: 'unchanged' };
  }
  if (code === 'disconnected') return { ok: false, code, message: 'The NFC reader program has ended.' };
  if (code === 'timeout') return { ok: false, code, message: 'The NFC reader did not answer in time.' };
  return { ok: false, code: 'refused', message: 'The command is too large for the NFC reader program.' };
}

/** An answer lacks what the command asked for. */
function broken(command: string): Failure {
  return { ok: false, code: 'failed', message: `The NFC reader program gave no result of ${command}.` };
}
