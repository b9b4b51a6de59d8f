import { AgentConnection } from '../base/agent-connection.ts';
import type { Records } from '../base/limited-log.ts';
import { errorMessage } from '../base/system-error.ts';
import type { Validator } from '../validation/validator.ts';
import { CommandError } from './errors.ts';
import {
  Command,
  Configure,
  Feedback,
  MAX_APDU_BYTES,
  MAX_NDEF_BYTES,
  PROTOCOL,
  type TagSeen,
  Transceive,
  WriteNdef,
} from './protocol.ts';
import { Readers, type ReadersOptions } from './readers.ts';
import type { Slot, Stay } from './slot.ts';

/** Longest command: the longest APDU or message in base64, and some fields. In bytes. */
const MAX_LINE_BYTES = 100_000;
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

export interface ProgramOptions extends Omit<ReadersOptions, 'listener'> {
  /** The agent's socket. */
  socket: string;
  log: Records;
}

/** What a command's answer has besides `id` and `ok`. */
type Answer = Record<string, unknown>;

/** Does what the agent asks for, and reports readers and tags. */
export class Program {
  readonly #readers: Readers;
  readonly #connection: AgentConnection;
  readonly #log: Records;
  /** Nothing is reported on a connection before the agent configured it. */
  #isConfigured = false;
  #lastReaders = '';

  constructor({ socket, ...options }: ProgramOptions) {
    const { log } = options;
    this.#log = log;
    this.#readers = new Readers({
      ...options,
      listener: {
        changed: () => this.#reportReaders(),
        tag: (slot, stay) => this.#reportTag(slot, stay),
        tagGone: (slot, { number }) => this.#report({ event: 'tag_gone', reader: slot.id, tag: number }),
      },
    });
    this.#connection = new AgentConnection({
      path: socket,
      hello: { protocol: PROTOCOL, pid: process.pid },
      ...{ maxLineBytes: MAX_LINE_BYTES, maxUnreadBytes: MAX_UNREAD_BYTES },
      connected: () => {
        this.#isConfigured = false;
        this.#lastReaders = '';
      },
      take: (message, answer) => this.#take(message, answer),
      log,
    });
  }

  start(): void {
    this.#connection.start();
  }

  async stop(): Promise<void> {
    this.#connection.stop();
    await this.#readers.stop();
  }

  /** An agent that started again numbers its commands anew, and must not get an answer of the one before. */
  #take(message: unknown, answer: (message: object) => void): void {
    if (!Command.fits(message)) {
      this.#log.warn({}, 'the agent sent a message that is no command');
      return;
    }
    const { id, command } = message;
    this.#do(command, message).then(
      (fields) => answer({ id, ok: true, ...fields }),
      (error: unknown) => {
        if (!(error instanceof CommandError))
          this.#log.error({ err: error }, 'a command failed unexpectedly');
        const { code, tagState } =
          error instanceof CommandError ? error : { code: 'failed', tagState: undefined };
        const message = errorMessage(error).slice(0, 512);
        const state = tagState === undefined ? {} : { tag_state: tagState };
        answer({ id, ok: false, code, message, ...state });
      },
    );
  }

  async #do(command: string, message: unknown): Promise<Answer> {
    switch (command) {
      case 'configure':
        return this.#configure(message);
      case 'transceive': {
        const { reader, tag, apdu } = fitting(Transceive, message);
        const bytes = bytesOf(apdu, MAX_APDU_BYTES);
        const response = await this.#readers.slot(reader).transceive(tag, bytes);
        return { response: response.toString('base64') };
      }
      case 'write_ndef': {
        const { reader, tag, message: text, if_empty } = fitting(WriteNdef, message);
        const bytes = bytesOf(text, MAX_NDEF_BYTES);
        await this.#readers.slot(reader).writeNdef(tag, bytes, if_empty);
        return { written_bytes: bytes.length };
      }
      case 'feedback': {
        const { reader, led, buzzer_ms } = fitting(Feedback, message);
        await this.#readers.slot(reader).feedback(led, buzzer_ms);
        return {};
      }
      default:
        throw new CommandError('refused', 'This command is not known.');
    }
  }

  #configure(message: unknown): Answer {
    const { id: _id, command: _command, ...settings } = fitting(Configure, message);
    this.#readers.configure(settings);
    // After the answer: a connection begins with all that there is.
    if (!this.#isConfigured) setImmediate(() => this.#begin());
    else this.#reportReaders();
    return {};
  }

  #begin(): void {
    if (this.#isConfigured) return;
    this.#isConfigured = true;
    this.#reportReaders();
    for (const slot of this.#readers.slots) {
      for (const stay of slot.stays) this.#reportTag(slot, stay);
    }
  }

  #reportReaders(): void {
    if (!this.#isConfigured) return;
    const event = { event: 'readers', ...this.#readers.state };
    const text = JSON.stringify(event);
    if (text === this.#lastReaders) return;
    this.#lastReaders = text;
    this.#report(event);
  }

  #reportTag({ id }: Slot, { number, tag, isFormatted, ndef, isUnread }: Stay): void {
    const seen: TagSeen = {
      event: 'tag',
      reader: id,
      tag: number,
      uid: hex(tag.uid),
      atqa: hex(tag.atqa),
      sak: hex(Buffer.of(tag.sak)),
      techs: [
        ...(tag.kind === 'type4' ? ['iso-dep' as const] : []),
        ...(isFormatted ? ['ndef' as const] : []),
      ],
      ...(ndef ? { ndef: ndef.toString('base64') } : {}),
      ...(isUnread ? { unread: true } : {}),
    };
    this.#report(seen);
  }

  #report(event: object): void {
    if (this.#isConfigured) this.#connection.send(event);
  }
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase();
}

/** @throws CommandError */
function fitting<T>(
  validator: Pick<Validator, 'schema'> & { fits(value: unknown): value is T },
  value: unknown,
): T {
  if (validator.fits(value)) return value;
  throw new CommandError('refused', 'The command is malformed.');
}

/** @throws CommandError */
function bytesOf(base64: string, max: number): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) throw new CommandError('refused', 'The command is not base64.');
  if (bytes.length > max) throw new CommandError('refused', `The data has more than ${max} bytes.`);
  return bytes;
}
